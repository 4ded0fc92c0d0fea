//! The reader for definitions in YAML: the parser's events, its messages, and what it lets pass.

use std::borrow::Cow;

use saphyr_parser::{Event as YamlEvent, Marker, Parser, ScalarStyle, ScanError, Tag};

use super::compose::Composer;
use super::node::Place;
use super::text::{Event, Marks, end_of};

/// Feeds a YAML document's events to `composer`, up to its end or to what ends its list of faults.
pub(super) fn feed(text: &str, composer: &mut Composer<'_>) {
    let control = first_control(text);
    // The parser takes a NUL for the end of the text; any other control character does as well
    // for finding the place.
    let text = match control {
        Some(_) => Cow::Owned(text.replace('\0', "\u{1}")),
        None => Cow::Borrowed(text),
    };
    let mut documents = 0;
    for event in Parser::new_from_str(&text) {
        let (event, span) = match event {
            Ok(event) => event,
            Err(error) => {
                match control {
                    Some(control) if control.index <= error.marker().index() => {
                        control.report(composer);
                    }
                    // The parser puts the end of a last line without a break on a line of its own.
                    _ => composer.break_off(
                        place(*error.marker()).min(end_of(&text)),
                        syntax_reason(&error),
                    ),
                }
                return;
            }
        };
        if let Some(control) = control
            && span.end.index() > control.index
        {
            control.report(composer);
            return;
        }
        let at = place(span.start);
        match event {
            YamlEvent::DocumentStart(_) => {
                documents += 1;
                if documents > 1 {
                    let reason = "a second document begins here; a definition is one document, \
                                  so take out what follows";
                    composer.break_off(at, reason);
                    return;
                }
            }
            YamlEvent::Alias(anchor) => composer.take(Event::Alias(anchor), at),
            YamlEvent::Scalar(text, style, anchor, tag) => {
                let plain = style == ScalarStyle::Plain;
                let marks = marks(anchor, tag);
                composer.take(Event::Scalar { text, plain, marks }, at);
            }
            YamlEvent::SequenceStart(anchor, tag) => {
                composer.take(Event::ListStart(marks(anchor, tag)), at);
            }
            YamlEvent::MappingStart(anchor, tag) => {
                composer.take(Event::MappingStart(marks(anchor, tag)), at);
            }
            YamlEvent::SequenceEnd | YamlEvent::MappingEnd => composer.take(Event::End, at),
            YamlEvent::Nothing
            | YamlEvent::StreamStart
            | YamlEvent::StreamEnd
            | YamlEvent::DocumentEnd => {}
        }
    }
}

/// A control character that YAML has only as an escape, and that the parser lets pass.
#[derive(Clone, Copy)]
struct Control {
    /// In characters from the start of the text.
    index: usize,
    place: Place,
    character: char,
}

impl Control {
    fn report(self, composer: &mut Composer<'_>) {
        let code = u32::from(self.character);
        let reason = format!(
            "the control character U+{code:04X} stands in the text; write it as \
             \"\\x{code:02x}\" in double quotes"
        );
        composer.break_off(self.place, reason);
    }
}

fn first_control(text: &str) -> Option<Control> {
    let is_bare = |character: char| character < ' ' && !matches!(character, '\t' | '\n' | '\r');
    let at = text.find(is_bare)?;
    Some(Control {
        index: text[..at].chars().count(),
        place: end_of(&text[..at]),
        character: text[at..].chars().next()?,
    })
}

fn place(marker: Marker) -> Place {
    Place { line: marker.line(), column: marker.col() + 1 }
}

fn marks(anchor: usize, tag: Option<Cow<'_, Tag>>) -> Marks {
    let tag = tag.map(|tag| {
        if tag.is_yaml_core_schema() {
            format!("!!{}", tag.suffix)
        } else {
            format!("{}{}", tag.handle, tag.suffix)
        }
    });
    Marks { anchor, tag }
}

/// The parser's message, with a way out where its words have a common cause.
fn syntax_reason(error: &ScanError) -> String {
    let info = error.info();
    let way_out = if info.contains("unexpected character") {
        "; quote a text that starts with it"
    } else if info.contains("tab") && info.contains("indent") {
        "; indent with spaces"
    } else if info.contains("escape character") {
        "; write a backslash as two, or the text in single quotes"
    } else if info.contains("Unicode character escape code") {
        "; a surrogate is no character, so write the character itself"
    } else if info.contains("unknown anchor") {
        "; give a value the anchor &NAME before an alias *NAME stands for it"
    } else if info.contains("mapping values are not allowed") {
        "; quote a text that holds \": \", and indent the keys of one mapping alike"
    } else if info.contains("recursion limit") {
        "; it is nested too deep"
    } else if info.contains("end of stream") {
        "; a closing quote is missing"
    } else if info.contains("simple key") {
        "; a key is followed by \": \" on its own line"
    } else {
        ""
    };
    format!("not valid YAML: {info}{way_out}")
}

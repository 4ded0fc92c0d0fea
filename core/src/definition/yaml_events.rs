//! The reader for definitions in YAML: the parser's events, and what it lets pass.

use std::borrow::Cow;

use saphyr_parser::{Event as YamlEvent, Marker, Parser, ScalarStyle, ScanError, Span, Tag};

use super::compose::Composer;
use super::node::Place;
use super::text::{Event, Marks, Stop};
use super::yaml_break::{self, Opened, Seen};

/// Feeds a YAML document's events to `composer`, up to its end or to what ends its list of faults.
/// It reads no further than `stop`.
pub(super) fn feed(text: &str, stop: Option<Stop>, composer: &mut Composer<'_>) {
    let control = first_control(text);
    // The parser takes a NUL for the end of the text; any other control character does as well
    // for finding the place.
    let text = match control {
        Some(_) => Cow::Owned(text.replace('\0', "\u{1}")),
        None => Cow::Borrowed(text),
    };
    let stop = [stop, control].into_iter().flatten().min_by_key(|stop| stop.index);
    let mut reader = Reader { composer, held: None, ends: Vec::new(), seen: Seen::default() };
    let mut documents = 0;
    for event in Parser::new_from_str(&text) {
        let (event, span) = match event {
            Ok(event) => event,
            Err(error) => {
                match stop {
                    Some(stop) if is_behind(&error, &stop) => {
                        reader.break_off(stop.place, stop.reason);
                    }
                    _ => {
                        reader.cut(error.marker().line());
                        let (place, reason) = yaml_break::explain(&text, &error, &reader.seen);
                        reader.break_off(place, reason);
                    }
                }
                return;
            }
        };
        if let Some(stop) = stop.as_ref().filter(|stop| span.end.index() > stop.index) {
            reader.break_off(stop.place, stop.reason.clone());
            return;
        }
        if matches!(event, YamlEvent::DocumentStart(_)) {
            documents += 1;
            if documents > 1 {
                let reason = "a second document begins here; a definition is one document, so \
                              take out what follows";
                reader.break_off(place(span.start), String::from(reason));
                return;
            }
        }
        reader.take(event, span);
    }
    if let Some(stop) = stop {
        reader.break_off(stop.place, stop.reason);
    }
}

/// Whether the YAML parser reads the whole text, whatever it means.
pub(super) fn accepts(text: &str) -> bool {
    first_control(text).is_none() && Parser::new_from_str(text).all(|event| event.is_ok())
}

/// Whether the parser had passed `stop` when it stumbled. Of a quote that is not closed it names
/// the start and has read all that is behind.
fn is_behind(error: &ScanError, stop: &Stop) -> bool {
    let is_open_quote = error.info().contains("quoted scalar, found unexpected end of stream");
    is_open_quote || stop.index <= error.marker().index()
}

/// Hands events on, one step late: the text may break off in what was read last.
struct Reader<'c, 's, 'a> {
    composer: &'c mut Composer<'s>,
    /// The scalar that was read last, if it is plain: only what follows says where it ends.
    held: Option<Held<'a>>,
    /// The ends that were read behind it and that no character marks: what follows is indented
    /// less.
    ends: Vec<Place>,
    seen: Seen,
}

struct Held<'a> {
    text: Cow<'a, str>,
    marks: Marks,
    place: Place,
    end_line: usize,
}

impl<'a> Reader<'_, '_, 'a> {
    fn take(&mut self, event: YamlEvent<'a>, span: Span) {
        let at = place(span.start);
        self.seen.chars = span.end.index();
        match event {
            YamlEvent::SequenceEnd | YamlEvent::MappingEnd => {
                self.seen.open.pop();
                if span.is_empty() {
                    self.ends.push(at);
                } else {
                    self.hand_on();
                    self.composer.take(Event::End, at);
                }
            }
            YamlEvent::Scalar(text, style, anchor, tag) => {
                self.hand_on();
                let marks = marks(anchor, tag);
                if style == ScalarStyle::Plain {
                    let end_line = span.end.line();
                    self.held = Some(Held { text, marks, place: at, end_line });
                } else {
                    self.composer.take(Event::Scalar { text, plain: false, marks }, at);
                }
            }
            YamlEvent::Alias(anchor) => self.hand_on_and(Event::Alias(anchor), at),
            YamlEvent::SequenceStart(anchor, tag) => {
                self.seen.open.push(opened(span, '['));
                self.hand_on_and(Event::ListStart(marks(anchor, tag)), at);
            }
            YamlEvent::MappingStart(anchor, tag) => {
                self.seen.open.push(opened(span, '{'));
                self.hand_on_and(Event::MappingStart(marks(anchor, tag)), at);
            }
            YamlEvent::Nothing
            | YamlEvent::StreamStart
            | YamlEvent::StreamEnd
            | YamlEvent::DocumentStart(_)
            | YamlEvent::DocumentEnd => self.hand_on(),
        }
    }

    fn hand_on_and(&mut self, event: Event<'_>, at: Place) {
        self.hand_on();
        self.composer.take(event, at);
    }

    fn hand_on(&mut self) {
        self.hand_on_held();
        for at in self.ends.drain(..) {
            self.composer.take(Event::End, at);
        }
    }

    fn hand_on_held(&mut self) {
        if let Some(Held { text, marks, place, .. }) = self.held.take() {
            self.composer.take(Event::Scalar { text, plain: true, marks }, place);
        }
    }

    /// Replaces the held scalar if the text breaks off in its last line: it is not what was meant.
    fn cut(&mut self, line: usize) {
        if let Some(held) = self.held.take_if(|held| held.end_line == line) {
            self.seen.cut = Some(held.place);
            self.composer.take(Event::Cut, held.place);
        }
    }

    /// Ends the list of faults. What ended right here is left open: what is missing in it may
    /// stand behind, with another indentation.
    fn break_off(&mut self, place: Place, reason: String) {
        self.hand_on_held();
        self.composer.break_off(place, reason);
    }
}

/// A control character that YAML has only as an escape, and that the parser lets pass.
fn first_control(text: &str) -> Option<Stop> {
    let is_bare = |character: char| character < ' ' && !matches!(character, '\t' | '\n' | '\r');
    let at = text.find(is_bare)?;
    let code = u32::from(text[at..].chars().next()?);
    let reason = format!(
        "the control character U+{code:04X} stands in the text; write it as \"\\x{code:02x}\" in \
         double quotes"
    );
    Some(Stop::new(text, at, reason))
}

fn place(marker: Marker) -> Place {
    Place { line: marker.line(), column: marker.col() + 1 }
}

fn opened(span: Span, bracket: char) -> Opened {
    if span.is_empty() {
        return Opened { place: place(span.start), bracket: None };
    }
    // An anchor may stand before the bracket, which is the last character of the span.
    let place = Place { line: span.end.line(), column: span.end.col() };
    Opened { place, bracket: Some(bracket) }
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

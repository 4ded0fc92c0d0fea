//! The reader for definitions in JSON.
//!
//! JSON is all but YAML; the rest, such as a surrogate pair of escapes or a space before a colon
//! where a YAML reader is strict, is why a JSON text does not go through the YAML reader.
//!
//! Spec: "The definition file".

use std::borrow::Cow;

use super::compose::Composer;
use super::json_break::Break;
use super::node::Place;
use super::text::{Event, Marks, Stop};
use super::yaml_events;
use crate::decimal;
use crate::json::{self, Rules, Value};

/// Feeds a JSON object's events to `composer`, up to its end, to `stop` or to where the text is no
/// JSON. False, and nothing fed, when `text` does not begin like a JSON object, or is YAML that
/// only begins like one.
pub(super) fn feed(text: &str, stop: Option<&Stop>, composer: &mut Composer<'_>) -> bool {
    let trim = |text: &'_ str| text.len() - text.trim_start_matches(is_space).len();
    let begins = text[trim(text)..]
        .strip_prefix('{')
        .is_some_and(|inside| inside[trim(inside)..].starts_with(['"', '}']));
    if !begins {
        return false;
    }
    let walked = Walk::new(text, stop).events(&mut |_, _| {});
    if walked.is_err_and(|end| !end.is_stop) && yaml_events::accepts(text) {
        return false;
    }
    let walked = Walk::new(text, stop).events(&mut |event, place| composer.take(event, place));
    if let Err(Break { place, reason, .. }) = walked {
        composer.break_off(place, reason);
    }
    true
}

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// A value; also the end of the list when nothing stands in it.
    Value {
        may_close: bool,
    },
    /// A key; also the end of the object when nothing stands in it.
    Key {
        may_close: bool,
    },
    Colon,
    CommaOrClose,
    Nothing,
}

/// A token with its first byte's offset and its place.
#[derive(Clone, Copy)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) place: Place,
}

/// Walks over the tokens of a text.
struct Walk<'a, 's> {
    text: &'a str,
    stop: Option<&'s Stop>,
    at: usize,
    place: Place,
    /// The brackets that are open, each with its place, the innermost last.
    open: Vec<(char, Place)>,
    next: Next,
    before: Option<Token<'a>>,
}

impl<'a, 's> Walk<'a, 's> {
    fn new(text: &'a str, stop: Option<&'s Stop>) -> Walk<'a, 's> {
        Walk {
            text,
            stop,
            at: 0,
            place: Place::START,
            open: Vec::new(),
            next: Next::Value { may_close: false },
            before: None,
        }
    }

    /// Hands every event on; the error is where and why the text is no JSON, or its stop.
    fn events(&mut self, take: &mut dyn FnMut(Event<'a>, Place)) -> Result<(), Break> {
        while let Some(token) = self.next_token() {
            let event = self.event(token).map_err(|end| self.or_stop(end))?;
            if let Some(stop) = self.stop.filter(|stop| self.at > stop.at) {
                return Err(Break::of_stop(stop));
            }
            if let Some(event) = event {
                take(event, token.place);
            }
            self.before = Some(token);
        }
        if let Some(stop) = self.stop {
            return Err(Break::of_stop(stop));
        }
        match self.open.last() {
            None => Ok(()),
            Some(bracket) => Err(Break::of_end(self.at, self.place, *bracket)),
        }
    }

    fn or_stop(&self, end: Break) -> Break {
        match self.stop {
            Some(stop) if stop.at <= end.at => Break::of_stop(stop),
            _ => end,
        }
    }

    /// The event of `token`, none for a comma or colon.
    fn event(&mut self, token: Token<'a>) -> Result<Option<Event<'a>>, Break> {
        let may_be_value = matches!(self.next, Next::Value { .. });
        let may_be_key = matches!(self.next, Next::Key { .. });
        let (event, next) = match token.text.as_bytes()[0] {
            b'{' if may_be_value => {
                self.open.push(('{', token.place));
                (Some(Event::MappingStart(Marks::default())), Next::Key { may_close: true })
            }
            b'[' if may_be_value => {
                self.open.push(('[', token.place));
                (Some(Event::ListStart(Marks::default())), Next::Value { may_close: true })
            }
            close @ (b'}' | b']') if self.closes(close) => {
                self.open.pop();
                (Some(Event::End), self.behind_value())
            }
            b',' if self.next == Next::CommaOrClose => {
                let next = match self.open.last() {
                    Some(('{', _)) => Next::Key { may_close: false },
                    _ => Next::Value { may_close: false },
                };
                (None, next)
            }
            b':' if self.next == Next::Colon => (None, Next::Value { may_close: false }),
            b'"' if may_be_key || may_be_value => {
                let event = Event::Scalar {
                    text: unescaped(token)?,
                    plain: false,
                    marks: Marks::default(),
                };
                (Some(event), if may_be_key { Next::Colon } else { self.behind_value() })
            }
            b'{' | b'}' | b'[' | b']' | b',' | b':' | b'"' => {
                return Err(self.unexpected(token));
            }
            _ if may_be_value => (plain(token, self.at == self.text.len())?, self.behind_value()),
            _ => return Err(self.unexpected(token)),
        };
        self.next = next;
        Ok(event)
    }

    fn closes(&self, close: u8) -> bool {
        let fits = match self.open.last() {
            Some(('{', _)) => close == b'}',
            Some(_) => close == b']',
            None => false,
        };
        let may_close = match self.next {
            Next::Value { may_close } | Next::Key { may_close } => may_close,
            Next::CommaOrClose => true,
            Next::Colon | Next::Nothing => false,
        };
        fits && may_close
    }

    fn behind_value(&self) -> Next {
        if self.open.is_empty() { Next::Nothing } else { Next::CommaOrClose }
    }

    fn unexpected(&self, token: Token<'a>) -> Break {
        Break::of_token(token, self.before, self.next, self.open.last().copied())
    }

    fn next_token(&mut self) -> Option<Token<'a>> {
        self.skip_space();
        let rest = &self.text[self.at..];
        let length = match rest.as_bytes().first()? {
            b'"' => string_length(rest),
            b'{' | b'}' | b'[' | b']' | b',' | b':' => 1,
            _ => rest
                .find(|next: char| is_space(next) || "{}[],:\"".contains(next))
                .unwrap_or(rest.len()),
        };
        let token = Token { text: &rest[..length], at: self.at, place: self.place };
        // A line break inside a string is a fault, so nothing behind it is read.
        self.place.column += token.text.chars().count();
        self.at += length;
        Some(token)
    }

    fn skip_space(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(space @ (b' ' | b'\t' | b'\n' | b'\r')) = bytes.get(self.at) {
            let breaks =
                *space == b'\n' || (*space == b'\r' && bytes.get(self.at + 1) != Some(&b'\n'));
            if breaks {
                self.place.line += 1;
                self.place.column = 1;
            } else if *space != b'\r' {
                self.place.column += 1;
            }
            self.at += 1;
        }
    }
}

/// The text that a string stands for.
fn unescaped(token: Token<'_>) -> Result<Cow<'_, str>, Break> {
    let rules = Rules { depth_max: 0, door_numbers: false };
    match json::read(token.text, &rules) {
        Ok(Value::String(text)) => Ok(text),
        Ok(_) => Ok(Cow::Borrowed(token.text)),
        Err(error) => Err(Break::of_string(token, error.column - 1)),
    }
}

/// The event of a plain token; none where the text ends with it, for it may have gone on.
fn plain(token: Token<'_>, at_end: bool) -> Result<Option<Event<'_>>, Break> {
    let is_value =
        matches!(token.text, "null" | "true" | "false") || decimal::is_json_number(token.text);
    if at_end {
        return Ok(None);
    }
    if !is_value {
        return Err(Break::of_plain(token));
    }
    let text = Cow::Borrowed(token.text);
    Ok(Some(Event::Scalar { text, plain: true, marks: Marks::default() }))
}

/// Bytes of the string at the start of `text`, its quotes included.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r')
}

#[cfg(test)]
mod tests {
    use super::super::sink::Sink;
    use super::*;

    /// Texts that both readers can read.
    const TEXTS: [&str; 5] = [
        "{}",
        " \n{\"a\": [1, 2.50, -1e5, true, false, null, \"x\", {}, []],\r\n  \"é😀\": {\"b\": \"c\"}}\n",
        "{\"a\":[[[{\"b\":[{}]}]]],\"c\":\"\\\"\\\\\\/\\n\\u00e9\"}",
        "{\"~\": \"~\", \"012\": \"012\",\r\"<<\": \"# no\"}",
        "{\"a\": 1, \"b\": {\"c\": 2, \"c\": [3]}, \"a\": 2}",
    ];

    #[test]
    fn json_and_yaml_readers_see_the_same_values_at_the_same_places() {
        for (text, nth) in TEXTS.into_iter().flat_map(|text| [(text, 0), (text, 1)]) {
            let (mut of_json, mut of_yaml) = (Sink::default(), Sink::default());
            let mut composer = Composer::new(nth, &mut of_json);
            assert!(feed(text, None, &mut composer), "{text}");
            let json = composer.finish();
            let mut composer = Composer::new(nth, &mut of_yaml);
            yaml_events::feed(text, None, &mut composer);
            // The debug form holds every value with its place.
            assert_eq!(format!("{json:?}"), format!("{:?}", composer.finish()), "{text}");
            assert_eq!(of_json.into_faults(), of_yaml.into_faults());
        }
    }

    #[test]
    fn what_does_not_begin_like_json_or_is_yaml_is_left_to_the_yaml_reader() {
        for text in
            ["", "[1]", "a: 1", "{a: 1}", "{", "# {}", "{\"a\": b}", "{\"a\": 1,}", "{} # x"]
        {
            let mut sink = Sink::default();
            let mut composer = Composer::new(0, &mut sink);
            assert!(!feed(text, None, &mut composer), "{text}");
            assert!(composer.finish().is_none(), "{text}");
        }
    }

    /// Texts that neither JSON nor YAML allows, and where each breaks off.
    #[test]
    fn what_is_neither_json_nor_yaml_breaks_off_where_json_does() {
        for (text, column, words) in [
            ("{\"a\": 1} x", 10, "take out"),
            ("{\"a\": 1 \"b\": 2}", 9, "comma"),
            ("{\"a\": [1}", 9, "\"[\" of line 1, column 7"),
            ("{\"a\": 1]", 8, "\"{\" of line 1, column 1"),
            ("{\"a\": 1", 8, "still open"),
            ("{\"a\": \"x", 7, "not closed"),
            ("{\"a\": \"x\\\"}", 7, "not closed"),
            ("{\"a\": \"\\ud83d\\u0041\"}", 8, "surrogate"),
            ("{\"a\": \"\\x\"}", 8, "escape"),
            ("{\"a\": \"é\u{7}\"}", 9, "U+0007"),
            ("{\"a\": ]", 7, "value"),
            ("{\"a\", @}", 5, "colon"),
            ("{\"a\": \"x\" // one\n}", 11, "comment"),
            ("{\"a\": 1,, \"b\": 2}", 9, "before this comma"),
            ("{\"a\": \"x, \"b\": \"y\"}", 12, "double quote at line 1, column 7"),
        ] {
            let mut sink = Sink::default();
            let mut composer = Composer::new(0, &mut sink);
            assert!(feed(text, None, &mut composer), "{text}");
            composer.finish();
            let faults = sink.into_faults().expect("a fault").listed;
            assert_eq!((faults.len(), faults[0].line, faults[0].column), (1, 1, column), "{text}");
            assert!(faults[0].reason.contains(words), "{text}: {}", faults[0].reason);
        }
    }
}

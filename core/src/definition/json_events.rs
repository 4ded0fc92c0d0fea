//! The reader for definitions in JSON.
//!
//! JSON is all but YAML; the rest, such as a surrogate pair of escapes or a space before a colon
//! where a YAML reader is strict, is why a JSON text does not go through the YAML reader.

use std::borrow::Cow;

use super::compose::Composer;
use super::node::Place;
use super::text::{Event, Marks};
use crate::json::{self, Rules, Value};
use crate::limits::DEFINITION_DEPTH_MAX;

/// Feeds a JSON object's events to `composer`. False, and nothing fed, when `text` is not one;
/// the YAML reader then says what it is.
pub(super) fn feed(text: &str, composer: &mut Composer<'_>) -> bool {
    let rules = Rules { depth_max: DEFINITION_DEPTH_MAX, door_numbers: false };
    let is_object = text.trim_start_matches(is_space).starts_with('{');
    if !is_object || json::read(text, &rules).is_err() {
        return false;
    }
    let mut walk = Walk { rest: text, place: Place::START };
    while let Some((place, token)) = walk.next_token() {
        let event = match token.as_bytes()[0] {
            b'{' => Event::MappingStart(Marks::default()),
            b'[' => Event::ListStart(Marks::default()),
            b'}' | b']' => Event::End,
            b',' | b':' => continue,
            b'"' => Event::Scalar {
                text: unescaped(token, &rules),
                plain: false,
                marks: Marks::default(),
            },
            _ => Event::Scalar { text: Cow::Borrowed(token), plain: true, marks: Marks::default() },
        };
        composer.take(event, place);
    }
    true
}

fn unescaped<'a>(token: &'a str, rules: &Rules) -> Cow<'a, str> {
    match json::read(token, rules) {
        Ok(Value::String(text)) => text,
        _ => Cow::Borrowed(token),
    }
}

/// Walks over the tokens of a text that is known to be JSON.
struct Walk<'a> {
    rest: &'a str,
    place: Place,
}

impl<'a> Walk<'a> {
    fn next_token(&mut self) -> Option<(Place, &'a str)> {
        self.skip_space();
        let length = match self.rest.as_bytes().first()? {
            b'"' => string_length(self.rest),
            b'{' | b'}' | b'[' | b']' | b',' | b':' => 1,
            _ => self
                .rest
                .find(|next: char| is_space(next) || matches!(next, ',' | ']' | '}'))
                .unwrap_or(self.rest.len()),
        };
        let (token, rest) = self.rest.split_at(length);
        let place = self.place;
        self.place.column += token.chars().count();
        self.rest = rest;
        Some((place, token))
    }

    fn skip_space(&mut self) {
        let bytes = self.rest.as_bytes();
        let mut at = 0;
        while let Some(space @ (b' ' | b'\t' | b'\n' | b'\r')) = bytes.get(at) {
            let breaks = *space == b'\n' || (*space == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
            if breaks {
                self.place.line += 1;
                self.place.column = 1;
            } else {
                self.place.column += 1;
            }
            at += 1;
        }
        self.rest = &self.rest[at..];
    }
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
    use super::super::yaml_events;
    use super::*;

    /// Texts that both readers can read.
    const TEXTS: [&str; 4] = [
        "{}",
        " \n{\"a\": [1, 2.50, -1e5, true, false, null, \"x\", {}, []],\r\n  \"é😀\": {\"b\": \"c\"}}\n",
        "{\"a\":[[[{\"b\":[{}]}]]],\"c\":\"\\\"\\\\\\/\\n\\u00e9\"}",
        "{\"~\": \"~\", \"012\": \"012\",\r\"<<\": \"# no\"}",
    ];

    #[test]
    fn json_and_yaml_readers_see_the_same_values_at_the_same_places() {
        for text in TEXTS {
            let (mut of_json, mut of_yaml) = (Sink::default(), Sink::default());
            let mut composer = Composer::new(&mut of_json);
            assert!(feed(text, &mut composer), "{text}");
            let json = composer.finish();
            let mut composer = Composer::new(&mut of_yaml);
            yaml_events::feed(text, &mut composer);
            // The debug form holds every value with its place.
            assert_eq!(format!("{json:?}"), format!("{:?}", composer.finish()), "{text}");
            assert_eq!((of_json.into_faults(), of_yaml.into_faults()), (None, None));
        }
    }

    #[test]
    fn what_is_no_json_object_is_left_to_the_yaml_reader() {
        for text in ["", "[1]", "a: 1", "{a: 1}", "{\"a\": 1} x", "{\"a\": 1, \"a\": 2}", "# {}"] {
            let mut sink = Sink::default();
            let mut composer = Composer::new(&mut sink);
            assert!(!feed(text, &mut composer), "{text}");
            assert!(composer.finish().is_none(), "{text}");
        }
    }
}

//! Why a text that begins like JSON is none, in words that name the place to mend.

use super::json_events::{Next, Token};
use super::node::Place;
use super::text::Stop;
use crate::quoted::quoted;

/// Where reading ends before the end of the text.
pub(super) struct Break {
    /// In bytes from the start of the text.
    pub(super) at: usize,
    pub(super) place: Place,
    pub(super) reason: String,
    /// Whether it is the text's stop, so that what stands before is JSON.
    pub(super) is_stop: bool,
}

impl Break {
    pub(super) fn of_stop(stop: &Stop) -> Break {
        Break { at: stop.at, place: stop.place, reason: stop.reason.clone(), is_stop: true }
    }

    /// The end of the text where `bracket` is open.
    pub(super) fn of_end(at: usize, place: Place, bracket: (char, Place)) -> Break {
        Break::new(at, place, of_bracket(bracket))
    }

    /// A token where something else has to stand: `next`, behind `before` and in `bracket`.
    pub(super) fn of_token(
        token: Token<'_>,
        before: Option<Token<'_>>,
        next: Next,
        bracket: Option<(char, Place)>,
    ) -> Break {
        let first = token.text.chars().next().unwrap_or(' ');
        let is_plain = !"{}[],:\"".contains(first);
        let quote = before.filter(|before| is_plain && before.text.starts_with('"'));
        let is_comment = ["#", "//", "/*"].iter().any(|opens| token.text.starts_with(opens));
        let reason = match (next, bracket) {
            _ if is_comment => {
                String::from("a comment begins here, and JSON has none; take it out")
            }
            _ if let Some(quote) = quote => of_quote(quote.place),
            (Next::Nothing, _) => {
                String::from("the definition ends before this; take out what follows")
            }
            (Next::Colon, _) => {
                String::from("a key is not followed by a colon; put one behind the key")
            }
            (Next::Value { .. } | Next::Key { .. }, _) if first == ',' => {
                String::from("nothing stands before this comma; take it out")
            }
            (Next::Value { .. } | Next::Key { .. }, _)
                if before.is_some_and(|before| before.text == ",")
                    && matches!(first, ']' | '}') =>
            {
                String::from("nothing stands behind the comma before this; take the comma out")
            }
            (Next::Key { .. }, _) => {
                format!("{} stands where a key does; write a key in double quotes", found(token))
            }
            (Next::Value { .. }, _) => {
                format!("{} stands where a value does; write a value before it", found(token))
            }
            (Next::CommaOrClose, Some(bracket)) => of_bracket(bracket),
            (Next::CommaOrClose, None) => format!("{} fits nowhere; take it out", found(token)),
        };
        Break::new(token.at, token.place, reason)
    }

    /// A plain token that is no value.
    pub(super) fn of_plain(token: Token<'_>) -> Break {
        let reason = format!(
            "{} is no value in JSON; quote it if it is a text, else write a number, true, false or null",
            found(token)
        );
        Break::new(token.at, token.place, reason)
    }

    /// A string that breaks off behind its first `chars` characters.
    pub(super) fn of_string(token: Token<'_>, chars: usize) -> Break {
        let rest = token.text.char_indices().nth(chars);
        let at = token.at + rest.map_or(token.text.len(), |(at, _)| at);
        let here = Place { column: token.place.column + chars, ..token.place };
        let behind = rest.map_or("", |(at, _)| &token.text[at..]);
        let (place, reason) = match behind.chars().next() {
            None | Some('\n' | '\r') => (
                token.place,
                String::from(
                    "the double quote that opens here is not closed in its line; close it where \
                     its text ends",
                ),
            ),
            Some('\\') if behind.starts_with("\\u") => (
                here,
                String::from(
                    "this escape is no character, for it lacks digits or is a lone surrogate; write \
                     the character itself",
                ),
            ),
            Some('\\') => (here, String::from("JSON has no such escape; write a backslash as two")),
            Some(character) => {
                let code = u32::from(character);
                (
                    here,
                    format!(
                        "the control character U+{code:04X} stands in the text; write it as \
                         \"\\u{code:04x}\""
                    ),
                )
            }
        };
        Break::new(at, place, reason)
    }

    fn new(at: usize, place: Place, reason: String) -> Break {
        Break { at, place, reason: format!("not valid JSON: {reason}"), is_stop: false }
    }
}

fn found(token: Token<'_>) -> String {
    match token.text {
        "\"" => String::from("a double quote"),
        text if text.starts_with('"') => String::from("a text"),
        text => quoted(text),
    }
}

/// More stands behind a text than fits: its quote was closed too early or too late.
fn of_quote(Place { line, column }: Place) -> String {
    format!(
        "the text that the double quote at line {line}, column {column} opens ends before this; \
         close the quote where the text ends, and write one inside it as \\\""
    )
}

fn of_bracket((bracket, Place { line, column }): (char, Place)) -> String {
    let closing = if bracket == '[' { ']' } else { '}' };
    format!(
        "the \"{bracket}\" of line {line}, column {column} is still open here; close it with \
         \"{closing}\" where it ends, or put a comma between its parts"
    )
}

//! Somebody else's text inside a sentence.

use std::borrow::Cow;

use crate::json;

/// Characters of a text that a sentence shows; of a longer one the beginning.
const SHOWN_CHARS_MAX: usize = 80;

/// `text` in double quotes as JSON has them, cut with `…` behind 80 characters, and on one line
/// in every terminal: see [`escaped`].
pub(crate) fn quoted(text: &str) -> String {
    quoted_within(text, SHOWN_CHARS_MAX)
}

/// As [`quoted`], cut behind `chars_max` characters.
pub(crate) fn quoted_within(text: &str, chars_max: usize) -> String {
    let mut out = String::new();
    match text.char_indices().nth(chars_max) {
        None => json::write_string(text, &mut out),
        Some((cut, _)) => json::write_string(&format!("{}…", &text[..cut]), &mut out),
    }
    match escaped(&out) {
        Cow::Borrowed(_) => out,
        Cow::Owned(escaped) => escaped,
    }
}

/// `text` with `\u` escapes for what could break its line or turn it around: control characters,
/// U+2028, U+2029, and the controls of writing direction.
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if is_unsafe(character) {
            out.push_str(&format!("\\u{:04x}", u32::from(character)));
        } else {
            out.push(character);
        }
    }
    Cow::Owned(out)
}

fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_breaks_a_line_or_turns_it_around_is_escaped() {
        for (text, wanted) in [
            ("", "\"\""),
            ("a\"\\\n\u{1}", "\"a\\\"\\\\\\n\\u0001\""),
            ("\u{7f}\u{9b}", "\"\\u007f\\u009b\""),
            ("\u{61c}\u{200e}\u{200f}", "\"\\u061c\\u200e\\u200f\""),
            ("\u{2028}\u{2029}\u{202a}\u{202e}", "\"\\u2028\\u2029\\u202a\\u202e\""),
            ("\u{2066}\u{2069}", "\"\\u2066\\u2069\""),
            (
                "é😀\u{61b}\u{200d}\u{2027}\u{202f}\u{2065}\u{206a}",
                "\"é😀\u{61b}\u{200d}\u{2027}\u{202f}\u{2065}\u{206a}\"",
            ),
        ] {
            assert_eq!(quoted(text), wanted);
        }
    }

    #[test]
    fn a_long_text_is_cut_behind_its_80th_character() {
        assert_eq!(quoted(&"é".repeat(80)), format!("\"{}\"", "é".repeat(80)));
        assert_eq!(quoted(&"é".repeat(81)), format!("\"{}…\"", "é".repeat(80)));
        assert_eq!(quoted_within("abc", 2), "\"ab…\"");
    }
}

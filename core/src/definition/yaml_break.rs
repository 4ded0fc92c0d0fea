//! Why a YAML text breaks off where it does, in words that name the place to mend.

use saphyr_parser::ScanError;

use super::node::Place;
use super::text::end_of;
use crate::quoted::escaped;

/// What was read before the text broke off.
#[derive(Default)]
pub(super) struct Seen {
    /// Lists and mappings that are still open, the innermost last.
    pub(super) open: Vec<Opened>,
    /// Where the plain scalar starts in which the text broke off, if it is one.
    pub(super) cut: Option<Place>,
    /// Characters from the start of the text.
    pub(super) chars: usize,
}

/// A list or mapping that is open.
pub(super) struct Opened {
    pub(super) place: Place,
    /// The bracket that opened it; without one it goes by indentation.
    pub(super) bracket: Option<char>,
}

/// Where the text is to be mended, and why: the parser's message, or a plainer one where its cause
/// can be told, always with a way out.
pub(super) fn explain(text: &str, error: &ScanError, seen: &Seen) -> (Place, String) {
    let marker = error.marker();
    let at = Place { line: marker.line(), column: marker.col() + 1 };
    // The parser puts the end of a last line without a break on a line of its own.
    let here = at.min(end_of(text));
    let info = error.info();
    let (place, reason) = if let Some(way_out) = way_out_of_scalar(info) {
        (here, format!("{info}; {way_out}"))
    } else if info.contains("quoted scalar") {
        (here, of_quote(text, info, marker.index(), seen))
    } else if info.contains("simple key expect ':'") {
        of_key(text, at.line, here, seen)
    } else if let Some((bracket, place)) = open_bracket(text, marker.index(), seen) {
        (here, of_bracket(bracket, place, text.chars().nth(marker.index())))
    } else if info.contains("simple key expected") {
        // A required key that the end of the text cuts off.
        of_key(text, at.line, here, seen)
    } else if info.contains("mapping values are not allowed") {
        of_colon(text, info, here, seen)
    } else {
        let way_out = way_out_of_block(info, starts_its_line(text, here));
        (here, format!("{info}; {way_out}"))
    };
    (place, format!("not valid YAML: {}", escaped(&reason)))
}

/// The way out where the parser's words tell the cause by themselves.
fn way_out_of_scalar(info: &str) -> Option<&'static str> {
    let way_out = if info.contains("unexpected character") || info.contains("plain scalar cannot") {
        "quote a text that starts with it"
    } else if info.contains("must be followed by") {
        "write a space instead of the tab"
    } else if info.contains("may not precede") {
        "put a space behind the colon"
    } else if info.contains("tab") && (info.contains("indent") || info.contains("disallowed")) {
        "indent with spaces"
    } else if info.contains("tab") {
        "write spaces instead of tabs"
    } else if info.contains("escape character") || info.contains("hexadecimal number") {
        "write a backslash as two, or the text in single quotes"
    } else if info.contains("Unicode character escape code") {
        "a surrogate, or what is above U+10FFFF, is no character, so write the character itself"
    } else if info.contains("unknown anchor") {
        "give a value the anchor &NAME before an alias *NAME stands for it"
    } else if info.contains("recursion limit") {
        "it is nested too deep"
    } else if info.contains("misplaced bracket") {
        "this bracket closes nothing, so take it out, or quote the text that it is part of"
    } else {
        return None;
    };
    Some(way_out)
}

/// The way out where lines do not fit together.
fn way_out_of_block(info: &str, starts_line: bool) -> &'static str {
    let by_indent = ["expected key", "expected '-'", "indentation", "block sequence entries"];
    let is_by_indent = by_indent.iter().any(|words| info.contains(words));
    if is_by_indent && starts_line {
        "indent the keys of one mapping alike, and the items of one list"
    } else if is_by_indent {
        "a value ends before this, so take out what follows, or quote the whole as one text"
    } else {
        "look at the quotes, brackets and indentation before this place"
    }
}

fn of_quote(text: &str, info: &str, break_index: usize, seen: &Seen) -> String {
    if info.contains("trailing content") {
        let opened = Lexed::of(text, break_index, seen).last_quote;
        return match opened {
            Some((quote, at)) => {
                let Place { line, column } = end_of(&text[..at]);
                let inside = if quote == '\'' { "''" } else { "\\\"" };
                format!(
                    "the text that the {} at line {line}, column {column} opens ends here, and \
                     more stands behind it; close the quote where the text ends, and write one \
                     inside it as {inside}",
                    name_of(quote)
                )
            }
            None => format!("{info}; take out what follows, or quote the whole as one text"),
        };
    }
    let quote = text.chars().nth(break_index).unwrap_or('"');
    format!("the {} that opens here is not closed; close it where its text ends", name_of(quote))
}

fn name_of(quote: char) -> &'static str {
    if quote == '\'' { "single quote" } else { "double quote" }
}

fn of_bracket(bracket: char, place: Place, found: Option<char>) -> String {
    if found == Some(',') {
        return String::from("nothing stands before this comma; take it out");
    }
    let closing = if bracket == '[' { ']' } else { '}' };
    format!(
        "the \"{bracket}\" of line {}, column {} is still open here; close it with \"{closing}\" \
         where it ends, or put a comma between its parts",
        place.line, place.column
    )
}

fn without_colon() -> String {
    String::from("a key is not followed by \": \"; put \": \" (a colon and a space) behind the key")
}

/// A line without the colon that its key needs, somewhere before line `line_behind`.
fn of_key(text: &str, line_behind: usize, here: Place, seen: &Seen) -> (Place, String) {
    let place = key_before(text, line_behind, seen).unwrap_or(here);
    let key = line(text, place.line).and_then(|line| line.chars().nth(place.column - 1));
    if key == Some('-') {
        return (place, String::from("the dash of an item has no space behind it; put one there"));
    }
    (place, without_colon())
}

/// A colon where no key can end: the line before may lack its own, or this one its indentation.
fn of_colon(text: &str, info: &str, here: Place, seen: &Seen) -> (Place, String) {
    let indent = line(text, here.line).map_or(0, indent_of);
    let start = Place { line: here.line, column: indent + 1 };
    match seen.cut {
        Some(cut)
            if cut.line < here.line && cut.column <= start.column && !follows_key(text, cut) =>
        {
            (cut, without_colon())
        }
        Some(cut) if cut.line < here.line => (
            start,
            format!(
                "this line is indented deeper than the key of line {}, so it goes on with the \
                 value of that key; indent the keys of one mapping alike",
                cut.line
            ),
        ),
        _ => {
            let way_out =
                "quote a text that holds \": \", or put the second key on a line of its own";
            (here, format!("{info}; {way_out}"))
        }
    }
}

/// Whether a key and its colon stand before `place` in the same line.
fn follows_key(text: &str, place: Place) -> bool {
    let before: String = line(text, place.line)
        .map_or(String::new(), |line| line.chars().take(place.column - 1).collect());
    before.trim_end().ends_with(':')
}

/// The place of the key that should have had its colon before line `line_behind`: the last line
/// before it that begins with a key of an open mapping.
fn key_before(text: &str, line_behind: usize, seen: &Seen) -> Option<Place> {
    let columns: Vec<usize> = seen
        .open
        .iter()
        .filter(|open| open.bracket.is_none())
        .map(|open| open.place.column)
        .collect();
    let before: Vec<&str> = lines(text).take(line_behind - 1).collect();
    before.iter().enumerate().rev().find_map(|(index, line)| {
        let column = first_key_column(line)?;
        columns.contains(&column).then_some(Place { line: index + 1, column })
    })
}

/// The column of the first character that is neither indentation nor the dash of an item; none
/// in an empty line or a comment.
fn first_key_column(line: &str) -> Option<usize> {
    let mut rest = line.trim_start_matches(' ');
    while let Some(behind) = rest.strip_prefix("- ") {
        rest = behind.trim_start_matches(' ');
    }
    let is_key = !rest.is_empty() && !rest.starts_with('#');
    is_key.then(|| line.chars().count() - rest.chars().count() + 1)
}

fn starts_its_line(text: &str, place: Place) -> bool {
    line(text, place.line).is_some_and(|line| {
        indent_of(line) + 1 == place.column || first_key_column(line) == Some(place.column)
    })
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn line(text: &str, number: usize) -> Option<&str> {
    lines(text).nth(number - 1)
}

/// The lines of `text`: a line feed, a carriage return, and the two together each end one.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let current = rest?;
        let Some(end) = current.find(['\r', '\n']) else {
            rest = None;
            return Some(current);
        };
        let behind = if current[end..].starts_with("\r\n") { end + 2 } else { end + 1 };
        rest = Some(&current[behind..]);
        Some(&current[..end])
    })
}

/// The bracket that is open before the character `break_index`, the innermost one.
fn open_bracket(text: &str, break_index: usize, seen: &Seen) -> Option<(char, Place)> {
    let mut lexed = Lexed::of(text, break_index, seen);
    match lexed.inner.pop() {
        Some((bracket, at)) => Some((bracket, end_of(&text[..at]))),
        None => lexed.outer.pop(),
    }
}

/// The brackets and quotes of the few tokens that the parser had looked at and not yet told of.
struct Lexed {
    /// Brackets that the parser told of and that are still open.
    outer: Vec<(char, Place)>,
    /// Open brackets behind them, each with the bytes before it.
    inner: Vec<(char, usize)>,
    /// The last quote that opened a text, with the bytes before it.
    last_quote: Option<(char, usize)>,
}

impl Lexed {
    fn of(text: &str, break_index: usize, seen: &Seen) -> Lexed {
        let outer = seen.open.iter().filter_map(|open| Some((open.bracket?, open.place))).collect();
        let mut lexed = Lexed { outer, inner: Vec::new(), last_quote: None };
        let byte_at =
            |chars: usize| text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
        lexed.walk(text, byte_at(seen.chars.min(break_index)), byte_at(break_index));
        lexed
    }

    fn in_brackets(&self) -> bool {
        !(self.inner.is_empty() && self.outer.is_empty())
    }

    fn walk(&mut self, text: &str, from: usize, end: usize) {
        // Only where a value may begin do quotes and brackets open anything.
        let mut may_begin = true;
        let mut at = from;
        while let Some(character) = text[at..end].chars().next() {
            let rest = &text[at..];
            let mut length = character.len_utf8();
            let spaced = rest[length..].starts_with([' ', '\t', '\r', '\n']);
            match character {
                ' ' | '\t' => {}
                '\r' | '\n' => may_begin = true,
                '#' if at == 0 || text[..at].ends_with([' ', '\t', '\r', '\n']) => {
                    length = rest.find(['\r', '\n']).unwrap_or(rest.len());
                }
                '"' | '\'' if may_begin => {
                    self.last_quote = Some((character, at));
                    length = quoted_length(rest, character);
                    may_begin = false;
                }
                '[' | '{' if may_begin => self.inner.push((character, at)),
                ']' | '}' if self.in_brackets() => {
                    if self.inner.pop().is_none() {
                        self.outer.pop();
                    }
                    may_begin = false;
                }
                ',' if self.in_brackets() => may_begin = true,
                ':' => may_begin = spaced || text[..at].ends_with(['"', '\'']),
                '-' | '?' => may_begin &= spaced,
                _ => may_begin = false,
            }
            at = (at + length).min(end);
        }
    }
}

/// Bytes of the quoted text at the start of `text`, its quotes included.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' if quote == '"' => escaped = true,
            _ if character == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

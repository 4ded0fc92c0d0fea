//! The strict reader: RFC 8259 text in, [`Value`] out, or the first place where it breaks.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::{Member, Value};
use crate::decimal;
use crate::limits::RECORD_DEPTH_MAX;

/// What a reader lets through beyond the grammar.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Levels of objects and arrays.
    pub depth_max: usize,
    /// Whether numbers must keep to the rule of the world's door ([`decimal::door_rule`]).
    pub door_numbers: bool,
}

impl Rules {
    /// The world's door: request bodies. Spec: "JSON text", "Numbers".
    pub const DOOR: Rules = Rules { depth_max: RECORD_DEPTH_MAX, door_numbers: true };
}

/// Why a text is no JSON value under the given [`Rules`], and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong there: a lower-case clause without a full stop.
    pub reason: String,
}

/// Reads one JSON value that fills `text`, white space around it apart.
///
/// A leading byte order mark is refused, as any other stray character is.
///
/// # Errors
/// The first place that breaks the grammar or the rules.
pub fn read<'a>(text: &'a str, rules: &Rules) -> Result<Value<'a>, JsonError> {
    let mut reader = Reader { text, at: 0, rules };
    reader.document().map_err(|Fault { at, reason }| {
        let before = &text[..at];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        JsonError {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            reason,
        }
    })
}

struct Reader<'a, 'r> {
    text: &'a str,
    at: usize,
    rules: &'r Rules,
}

struct Fault {
    at: usize,
    reason: String,
}

type Read<T> = Result<T, Fault>;

impl<'a> Reader<'a, '_> {
    fn document(&mut self) -> Read<Value<'a>> {
        let value = self.value(0)?;
        self.skip_space();
        match self.peek() {
            None => Ok(value),
            Some(_) => Err(self.unexpected("the end of the text")),
        }
    }

    fn value(&mut self, depth: usize) -> Read<Value<'a>> {
        self.skip_space();
        match self.peek() {
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.array(depth + 1),
            Some(b'"') => self.string().map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            _ => Err(self.unexpected("a JSON value")),
        }
    }

    fn object(&mut self, depth: usize) -> Read<Value<'a>> {
        self.enter(depth)?;
        let mut members: Vec<Member<'a>> = Vec::new();
        let mut seen = KeySet::default();
        self.skip_space();
        if self.take(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            self.skip_space();
            let key_at = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("a key in double quotes"));
            }
            let key = self.string()?;
            if !seen.insert(&key, &members) {
                let mut reason = String::from("duplicate key ");
                super::write_string(&key, &mut reason);
                return Err(Fault { at: key_at, reason });
            }
            self.skip_space();
            if !self.take(b':') {
                return Err(self.unexpected("`:` after the key"));
            }
            let value = self.value(depth)?;
            members.push((key, value));
            self.skip_space();
            if self.take(b'}') {
                return Ok(Value::Object(members));
            }
            if !self.take(b',') {
                return Err(self.unexpected("`,` or `}`"));
            }
        }
    }

    fn array(&mut self, depth: usize) -> Read<Value<'a>> {
        self.enter(depth)?;
        let mut items = Vec::new();
        self.skip_space();
        if self.take(b']') {
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value(depth)?);
            self.skip_space();
            if self.take(b']') {
                return Ok(Value::Array(items));
            }
            if !self.take(b',') {
                return Err(self.unexpected("`,` or `]`"));
            }
        }
    }

    /// Steps over the opening bracket of an object or array at nesting level `depth`.
    fn enter(&mut self, depth: usize) -> Read<()> {
        if depth > self.rules.depth_max {
            let reason = format!("nested more than {} levels deep", self.rules.depth_max);
            return Err(Fault { at: self.at, reason });
        }
        self.at += 1;
        Ok(())
    }

    fn word(&mut self, word: &str, value: Value<'a>) -> Read<Value<'a>> {
        if self.text[self.at..].starts_with(word) {
            self.at += word.len();
            Ok(value)
        } else {
            Err(self.unexpected("a JSON value"))
        }
    }

    fn number(&mut self) -> Read<Value<'a>> {
        let start = self.at;
        self.take(b'-');
        match self.peek() {
            Some(b'0') => {
                self.at += 1;
                if matches!(self.peek(), Some(b'0'..=b'9')) {
                    return Err(self.fault_here("a number does not start with a needless 0"));
                }
            }
            Some(b'1'..=b'9') => self.skip_digits(),
            _ => return Err(self.unexpected("a digit")),
        }
        if self.take(b'.') {
            self.need_digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            self.need_digits()?;
        }
        let text = &self.text[start..self.at];
        if self.rules.door_numbers {
            decimal::door_rule(text).map_err(|reason| Fault { at: start, reason })?;
        }
        Ok(Value::Number(Cow::Borrowed(text)))
    }

    fn need_digits(&mut self) -> Read<()> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.unexpected("a digit"));
        }
        self.skip_digits();
        Ok(())
    }

    fn skip_digits(&mut self) {
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
    }

    fn string(&mut self) -> Read<Cow<'a, str>> {
        self.at += 1;
        let start = self.at;
        self.skip_plain()?;
        if self.take(b'"') {
            return Ok(Cow::Borrowed(&self.text[start..self.at - 1]));
        }
        let mut unescaped = String::from(&self.text[start..self.at]);
        loop {
            if self.take(b'"') {
                return Ok(Cow::Owned(unescaped));
            }
            unescaped.push(self.escape()?);
            let from = self.at;
            self.skip_plain()?;
            unescaped.push_str(&self.text[from..self.at]);
        }
    }

    /// Moves to the next quote or backslash.
    fn skip_plain(&mut self) -> Read<()> {
        loop {
            match self.peek() {
                Some(b'"' | b'\\') => return Ok(()),
                Some(0..=0x1f) => {
                    return Err(self.fault_here("a control character in a string must be escaped"));
                }
                Some(_) => self.at += 1,
                None => return Err(self.unexpected("the closing quote of a string")),
            }
        }
    }

    fn escape(&mut self) -> Read<char> {
        let start = self.at;
        self.at += 1;
        let plain = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode_escape(start);
            }
            _ => {
                return Err(Fault {
                    at: start,
                    reason: String::from("unknown escape in a string"),
                });
            }
        };
        self.at += 1;
        Ok(plain)
    }

    fn unicode_escape(&mut self, start: usize) -> Read<char> {
        let lone =
            || Fault { at: start, reason: String::from("a lone surrogate escape is no character") };
        let first = self.four_hex_digits(start)?;
        if !(0xd800..=0xdfff).contains(&first) {
            return char::from_u32(first).ok_or_else(lone);
        }
        if first > 0xdbff || !self.text[self.at..].starts_with("\\u") {
            return Err(lone());
        }
        self.at += 2;
        let second = self.four_hex_digits(start)?;
        if !(0xdc00..=0xdfff).contains(&second) {
            return Err(lone());
        }
        char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)).ok_or_else(lone)
    }

    fn four_hex_digits(&mut self, start: usize) -> Read<u32> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| (byte as char).to_digit(16));
            let Some(digit) = digit else {
                let reason = String::from("`\\u` in a string needs four hexadecimal digits");
                return Err(Fault { at: start, reason });
            };
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let here = self.peek() == Some(byte);
        self.at += usize::from(here);
        here
    }

    fn fault_here(&self, reason: &str) -> Fault {
        Fault { at: self.at, reason: String::from(reason) }
    }

    fn unexpected(&self, wanted: &str) -> Fault {
        let found = match self.text[self.at..].chars().next() {
            None => String::from("the text ends"),
            Some(found) => format!("found `{}`", found.escape_debug()),
        };
        Fault { at: self.at, reason: format!("expected {wanted}, {found}") }
    }
}

/// The keys of one object while it is read: a plain scan while they are few, an ordered set once
/// a scan for each would cost the square of a large object.
#[derive(Default)]
struct KeySet {
    large: BTreeSet<String>,
}

impl KeySet {
    const SCAN_MAX: usize = 16;

    /// Whether `key` is new beside `members`, which hold every key that came before.
    fn insert(&mut self, key: &str, members: &[Member<'_>]) -> bool {
        if members.len() < Self::SCAN_MAX {
            return members.iter().all(|(earlier, _)| earlier != key);
        }
        if self.large.is_empty() {
            self.large = members.iter().map(|(earlier, _)| earlier.to_string()).collect();
        }
        self.large.insert(key.to_string())
    }
}

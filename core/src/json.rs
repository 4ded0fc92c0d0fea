//! JSON that keeps what was written.
//!
//! A world promises that `12.10` stays `12.10`, so numbers are kept as their text and members
//! in the order in which they came. [`read`] accepts exactly RFC 8259 in UTF-8, refuses what
//! would make two readers disagree (duplicate keys, lone surrogates), and says where.
//! [`Value::to_compact`] writes the one canonical compact form.
//!
//! Spec: "JSON text".

mod reader;

use std::borrow::Cow;

pub use reader::{JsonError, Rules, read};

/// A JSON value that borrows from its source text where it can.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as its source text, a valid JSON number.
    Number(Cow<'a, str>),
    /// A string, unescaped.
    String(Cow<'a, str>),
    /// An array.
    Array(Vec<Value<'a>>),
    /// An object: its members in source order, no key twice.
    Object(Vec<Member<'a>>),
}

/// One member of an object: key and value.
pub type Member<'a> = (Cow<'a, str>, Value<'a>);

impl<'a> Value<'a> {
    /// The members, if this is an object.
    pub fn as_object(&self) -> Option<&[Member<'a>]> {
        match self {
            Value::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The member named `key`, if this is an object that has it.
    pub fn member(&self, key: &str) -> Option<&Value<'a>> {
        self.as_object()?.iter().find_map(|(name, value)| (name == key).then_some(value))
    }

    /// The same value without a borrow.
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Value::Null => Value::Null,
            Value::Bool(truth) => Value::Bool(truth),
            Value::Number(text) => Value::Number(Cow::Owned(text.into_owned())),
            Value::String(text) => Value::String(Cow::Owned(text.into_owned())),
            Value::Array(items) => Value::Array(items.into_iter().map(Value::into_owned).collect()),
            Value::Object(members) => Value::Object(
                members
                    .into_iter()
                    .map(|(key, value)| (Cow::Owned(key.into_owned()), value.into_owned()))
                    .collect(),
            ),
        }
    }

    /// The compact JSON text of this value.
    pub fn to_compact(&self) -> String {
        let mut out = String::new();
        self.write_compact(&mut out);
        out
    }

    /// Appends the compact JSON text of this value to `out`.
    pub fn write_compact(&self, out: &mut String) {
        match self {
            Value::Null => out.push_str("null"),
            Value::Bool(true) => out.push_str("true"),
            Value::Bool(false) => out.push_str("false"),
            Value::Number(text) => out.push_str(text),
            Value::String(text) => write_string(text, out),
            Value::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    item.write_compact(out);
                }
                out.push(']');
            }
            Value::Object(members) => write_object(members, out),
        }
    }
}

/// Appends an object with these members, in this order, to `out`.
pub fn write_object(members: &[Member<'_>], out: &mut String) {
    out.push('{');
    for (index, (key, value)) in members.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_string(key, out);
        out.push(':');
        value.write_compact(out);
    }
    out.push('}');
}

/// Appends `text` as a JSON string to `out`: the short escapes where JSON has them, `\u00xx` in
/// lower case for the other characters below U+0020, everything else as it is.
pub fn write_string(text: &str, out: &mut String) {
    out.push('"');
    let mut clean_from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            0x08 => "\\b",
            0x0c => "\\f",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0..=0x1f => "",
            _ => continue,
        };
        out.push_str(&text[clean_from..at]);
        clean_from = at + 1;
        if escape.is_empty() {
            const HEX: &[u8; 16] = b"0123456789abcdef";
            out.push_str("\\u00");
            out.push(HEX[usize::from(byte >> 4)] as char);
            out.push(HEX[usize::from(byte & 15)] as char);
        } else {
            out.push_str(escape);
        }
    }
    out.push_str(&text[clean_from..]);
    out.push('"');
}

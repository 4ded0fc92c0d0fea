//! Bytes as a vector file writes them: a string, or pieces that stand for long or raw bytes.

use serde::Deserialize;
use serde::de::{Deserializer, Error};
use serde_json::Value;

/// A text of a vector: one string, or a list of pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    bytes: Vec<u8>,
}

impl Text {
    /// The bytes that the text stands for.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.bytes.clone()
    }

    /// Reads a text from its JSON form.
    ///
    /// # Errors
    /// A sentence that names the piece that is none.
    pub fn from_json(value: &Value) -> Result<Text, String> {
        let mut bytes = Vec::new();
        match value {
            Value::Array(pieces) => {
                for piece in pieces {
                    push_piece(piece, &mut bytes)?;
                }
            }
            single => push_piece(single, &mut bytes)?,
        }
        Ok(Text { bytes })
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text, D::Error> {
        Text::from_json(&Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

fn push_piece(piece: &Value, bytes: &mut Vec<u8>) -> Result<(), String> {
    let unknown = || format!("no piece of a text: {piece}");
    if let Some(text) = piece.as_str() {
        bytes.extend_from_slice(text.as_bytes());
        return Ok(());
    }
    let number = |name: &str| piece[name].as_u64().ok_or_else(unknown);
    let members = piece.as_object().ok_or_else(unknown)?;
    let mut names: Vec<&str> = members.keys().map(String::as_str).collect();
    names.sort_unstable();
    match names.as_slice() {
        ["repeat", "times"] => {
            let unit = piece["repeat"].as_str().ok_or_else(unknown)?;
            for _ in 0..number("times")? {
                bytes.extend_from_slice(unit.as_bytes());
            }
        }
        ["each", "from", "to"] => {
            let template = piece["each"].as_str().ok_or_else(unknown)?;
            for counter in number("from")?..=number("to")? {
                bytes.extend_from_slice(template.replace("%d", &counter.to_string()).as_bytes());
            }
        }
        ["hex"] => {
            let digits = piece["hex"].as_str().ok_or_else(unknown)?;
            for at in (0..digits.len()).step_by(2) {
                let pair = digits.get(at..at + 2).ok_or_else(unknown)?;
                bytes.push(u8::from_str_radix(pair, 16).map_err(|_| unknown())?);
            }
        }
        _ => return Err(unknown()),
    }
    Ok(())
}

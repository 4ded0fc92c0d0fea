//! The request headers that say how a create's body is written.
//!
//! Spec: "Create".

use super::refusal::{self, Refusal};
use crate::token::is_token;

pub(super) const CONTENT_TYPE: &str = "content-type";
pub(super) const CONTENT_ENCODING: &str = "content-encoding";

/// Checks that the body is declared as plain JSON in UTF-8, or not declared at all.
///
/// # Errors
/// 415 naming the type or encoding that came.
pub(super) fn media_type(headers: &[(&str, &[u8])]) -> Result<(), Refusal> {
    let mut types = values(headers, CONTENT_TYPE);
    if let Some(first) = types.next() {
        let shown = String::from_utf8_lossy(first);
        if types.next().is_some() {
            return Err(refusal::repeated_media_type());
        }
        let mut parts = split_outside_quotes(&shown).into_iter();
        if !parts.next().is_some_and(is_json_type) {
            return Err(refusal::unsupported_media_type(&shown));
        }
        if !parts.all(|parameter| charset_is_utf8(parameter.trim())) {
            return Err(refusal::unsupported_charset(&shown));
        }
    }
    for value in values(headers, CONTENT_ENCODING) {
        let shown = String::from_utf8_lossy(value);
        let plain = shown
            .split(',')
            .map(str::trim)
            .all(|coding| coding.is_empty() || coding.eq_ignore_ascii_case("identity"));
        if !plain {
            return Err(refusal::unsupported_encoding(&shown));
        }
    }
    Ok(())
}

/// The values of the header `name`, in order.
pub(super) fn values<'h>(
    headers: &'h [(&str, &'h [u8])],
    name: &'h str,
) -> impl Iterator<Item = &'h [u8]> {
    headers
        .iter()
        .filter(move |(other, _)| other.eq_ignore_ascii_case(name))
        .map(|(_, value)| *value)
}

/// Whether this type and subtype name JSON.
fn is_json_type(essence: &str) -> bool {
    let essence = essence.trim().to_ascii_lowercase();
    match essence.split_once('/') {
        Some(("application", "json")) => true,
        Some((kind, subtype)) => {
            let prefix = subtype.strip_suffix("+json");
            is_token(kind) && prefix.is_some_and(is_token)
        }
        None => false,
    }
}

/// Whether a media-type parameter is no charset, or the charset UTF-8.
fn charset_is_utf8(parameter: &str) -> bool {
    let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
    if !name.trim().eq_ignore_ascii_case("charset") {
        return true;
    }
    let value = value.trim();
    let unquoted = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(value);
    unquoted.eq_ignore_ascii_case("utf-8") || unquoted.eq_ignore_ascii_case("utf8")
}

/// Splits at `;`, save inside a quoted string.
fn split_outside_quotes(value: &str) -> Vec<&str> {
    let (mut parts, mut start) = (Vec::new(), 0);
    let (mut quoted, mut escaped) = (false, false);
    for (at, byte) in value.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b';' if !quoted => {
                parts.push(&value[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&value[start..]);
    parts
}

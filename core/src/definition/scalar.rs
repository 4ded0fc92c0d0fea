//! What a plain scalar of YAML means.
//!
//! The YAML 1.2 core schema, save that what looks like a number but is not one in JSON is
//! neither a number nor a string: two readers would disagree about it in silence.

use crate::decimal;

/// The meaning of a plain scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plain {
    Null,
    Bool(bool),
    /// A JSON number.
    Number,
    String,
    /// What YAML 1.1 or 1.2 reads as a number and JSON does not.
    LooksLikeNumber,
}

/// Resolves the text of a plain scalar.
pub(super) fn resolve(text: &str) -> Plain {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Plain::Null,
        "true" | "True" | "TRUE" => Plain::Bool(true),
        "false" | "False" | "FALSE" => Plain::Bool(false),
        _ if decimal::is_json_number(text) => Plain::Number,
        _ if looks_like_number(text) => Plain::LooksLikeNumber,
        _ => Plain::String,
    }
}

/// Whether YAML 1.1 or 1.2 reads `text`, which is not a JSON number, as a number. Digits may hold
/// `_` behind the first, as YAML 1.1 has it.
fn looks_like_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if let Some(word) = unsigned.strip_prefix('.') {
        if matches!(word, "inf" | "Inf" | "INF") {
            return true;
        }
        if matches!(word, "nan" | "NaN" | "NAN") {
            return unsigned == text;
        }
    }
    based(unsigned) || base_sixty(unsigned) || decimal_like(unsigned)
}

/// `0b101`, `0o17`, `0x1F`; octals such as `017` are caught as decimals with a needless zero.
fn based(text: &str) -> bool {
    let digits_of = |prefix: &str, is_digit: fn(u8) -> bool| {
        text.strip_prefix(prefix).is_some_and(|digits| {
            digits.bytes().any(is_digit)
                && digits.bytes().all(|byte| is_digit(byte) || byte == b'_')
        })
    };
    digits_of("0b", |byte| matches!(byte, b'0' | b'1'))
        || digits_of("0o", |byte| matches!(byte, b'0'..=b'7'))
        || digits_of("0x", |byte| byte.is_ascii_hexdigit())
}

/// `1:30`, `190:20:30.15`: an integer in base 60 starts with 1 to 9, a fraction with any digit.
fn base_sixty(text: &str) -> bool {
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text, None),
    };
    let mut parts = whole.split(':');
    let first = parts.next().unwrap_or("");
    let sixties: Vec<&str> = parts.collect();
    is_digits(first)
        && (fraction.is_some() || !first.starts_with('0'))
        && !sixties.is_empty()
        && sixties.iter().all(|part| is_sixtieth(part))
        && fraction.is_none_or(|fraction| fraction.is_empty() || is_digits_or_bars(fraction))
}

fn is_sixtieth(part: &str) -> bool {
    matches!(part.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9'])
}

/// `012`, `5.`, `.5`, `1_000`, `1.e3`.
fn decimal_like(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent_fits = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    let mantissa_fits = match (whole.is_empty(), fraction.is_empty()) {
        (true, true) => false,
        (true, false) => is_digits(fraction),
        (false, true) => is_digits(whole),
        (false, false) => is_digits(whole) && is_digits_or_bars(fraction),
    };
    mantissa_fits && exponent_fits
}

fn is_digits(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit()) && is_digits_or_bars(text)
}

fn is_digits_or_bars(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_')
}

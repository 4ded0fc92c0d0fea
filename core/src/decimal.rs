//! Decimal numbers as text: the rule at the world's door, and exact comparison.
//!
//! Nothing here goes through binary floating point except the one question whether a number is
//! finite as a double, which the rule of the door itself asks.
//!
//! Spec: "Numbers".

use crate::limits::{EXPONENT_MAX, INTEGER_MAX};

/// Checks a JSON number's text against the rule of the world's door: an integer literal within
/// ±(2^53-1); any other literal with a written exponent within ±400 and finite as a double.
///
/// # Errors
/// A lower-case clause that names the number, the rule and the way out.
pub fn door_rule(text: &str) -> Result<(), String> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let Some((_, exponent)) = split_exponent(digits) else {
        if digits.contains('.') {
            return finite_rule(text);
        }
        return match digits.parse::<u64>() {
            Ok(magnitude) if magnitude <= INTEGER_MAX => Ok(()),
            _ => Err(format!("integer {} is outside ±(2^53-1); quote it as a string", shown(text))),
        };
    };
    let magnitude = exponent.trim_start_matches(['+', '-']).parse::<u64>();
    if !magnitude.is_ok_and(|magnitude| magnitude <= EXPONENT_MAX) {
        return Err(format!(
            "number {} has a decimal exponent outside ±{EXPONENT_MAX}; quote it as a string",
            shown(text)
        ));
    }
    finite_rule(text)
}

fn finite_rule(text: &str) -> Result<(), String> {
    match text.parse::<f64>() {
        Ok(double) if double.is_finite() => Ok(()),
        _ => Err(format!("number {} is not finite as a double; quote it as a string", shown(text))),
    }
}

/// A number's text for a message: whole when it is short, its beginning when it is not.
fn shown(text: &str) -> String {
    const SHOWN_MAX: usize = 40;
    if text.len() <= SHOWN_MAX {
        String::from(text)
    } else {
        format!("{}…", &text[..SHOWN_MAX - 1])
    }
}

fn split_exponent(digits: &str) -> Option<(&str, &str)> {
    digits.split_once(['e', 'E'])
}

/// The canonical text of a JSON number's exact value: equal values have equal texts.
///
/// `None` when the exponent is too large to be counted, which only a text that never passed the
/// door can have. The form is `0`, or sign, digits without zeros at either end, `e`, exponent:
/// `12.10` and `121e-1` are both `121e-1`.
pub fn canonical(text: &str) -> Option<String> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(unsigned) => ("-", unsigned),
        None => ("", text),
    };
    let (mantissa, exponent) = match split_exponent(unsigned) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: String = [whole, fraction].concat();
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return Some(String::from("0"));
    }
    let dropped_zeros = digits.len() - digits.trim_end_matches('0').len();
    let exponent = match exponent {
        Some(exponent) => exponent.parse::<i64>().ok()?,
        None => 0,
    };
    let exponent =
        exponent.checked_sub(fraction.len() as i64)?.checked_add(dropped_zeros as i64)?;
    Some(format!("{sign}{significant}e{exponent}"))
}

/// Whether the exact value of a JSON number lies in 0..=1, however near to it its double is.
pub fn is_from_zero_to_one(text: &str) -> bool {
    let Some(canonical) = canonical(text) else {
        return false;
    };
    if matches!(canonical.as_str(), "0" | "1e0") {
        return true;
    }
    // Without a sign: 0.DIGITS times ten to the number of digits and the exponent.
    canonical.split_once('e').is_some_and(|(digits, exponent)| {
        !digits.starts_with('-')
            && exponent.parse::<i64>().is_ok_and(|exponent| digits.len() as i64 <= -exponent)
    })
}

/// Whether `text` is a JSON number and nothing else.
pub fn is_json_number(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match split_exponent(unsigned) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let all_digits =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    all_digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(all_digits)
        && exponent.is_none_or(|exponent| {
            all_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_zero_to_one_goes_by_the_exact_value() {
        for text in [
            "0",
            "-0",
            "-0.0",
            "0e9",
            "1",
            "1.0",
            "10e-1",
            "0.5",
            "1e-400",
            "0.99999999999999999999",
        ] {
            assert!(is_from_zero_to_one(text), "{text}");
        }
        for text in [
            "1.00000000000000000001",
            "-1e-400",
            "-1",
            "2",
            "1e1",
            "10",
            "100000000000000000001e-20",
        ] {
            assert!(!is_from_zero_to_one(text), "{text}");
        }
        assert!(!is_from_zero_to_one("1e-99999999999999999999"));
    }
}

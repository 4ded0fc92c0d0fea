//! The rules for names: of resources and faults, variables, headers and paths.

use crate::limits::NAME_CHARS_MAX;
use crate::quoted::quoted;
use crate::token::is_token;

/// Checks the name of a resource or the id of a fault.
pub(super) fn check_name(name: &str) -> Result<(), String> {
    let fits = (1..=NAME_CHARS_MAX).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'));
    if fits {
        return Ok(());
    }
    Err(format!(
        "a name has 1 to {NAME_CHARS_MAX} of the characters A-Z, a-z, 0-9, \"_\", \".\" and \"-\""
    ))
}

/// Checks the name of an environment variable.
pub(super) fn check_variable(name: &str) -> Result<(), String> {
    let fits = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if fits {
        return Ok(());
    }
    Err(String::from(
        "an environment variable's name is made of A-Z, a-z, 0-9 and \"_\" and does not start \
         with a digit, such as PAYMENTS_BASE_URL",
    ))
}

/// Checks the name of a header: an RFC 9110 token.
pub(super) fn check_header(name: &str) -> Result<(), String> {
    if is_token(name) {
        return Ok(());
    }
    Err(String::from("a header name is made of letters, digits and \"-\", such as Idempotency-Key"))
}

/// The segments of a collection path.
///
/// # Errors
/// What is wrong with the path and the way out.
pub(super) fn path_segments(path: &str) -> Result<Vec<String>, String> {
    let Some(inner) = path.strip_prefix('/') else {
        return Err(String::from("a path starts with \"/\", such as /orders"));
    };
    if inner.is_empty() {
        return Err(String::from("the path has no segment; name one, such as /orders"));
    }
    if inner.ends_with('/') {
        return Err(String::from("a path does not end with \"/\"; take it off"));
    }
    let segments: Vec<String> = inner.split('/').map(String::from).collect();
    for (index, segment) in segments.iter().enumerate() {
        match segment.as_str() {
            "" => {
                return Err(String::from("the path has an empty segment; take one \"/\" out"));
            }
            "." | ".." => {
                return Err(format!(
                    "the path has the segment \"{segment}\", which clients resolve away; take it \
                     out"
                ));
            }
            _ if is_placeholder(segment) => {
                return Err(below_a_record(segment, segments.get(index + 1)));
            }
            _ => check_characters(segment)?,
        }
    }
    if segments[0] == "_attest" {
        return Err(String::from(
            "/_attest and what is below it belong to the world itself; choose another path",
        ));
    }
    Ok(segments)
}

/// Whether `segment` is what other tools write for the id in a path.
fn is_placeholder(segment: &str) -> bool {
    segment.contains(['{', '}'])
}

/// The reason for a path with the id of a record in it, and perhaps a segment behind that.
fn below_a_record(placeholder: &str, behind: Option<&String>) -> String {
    let Some(behind) = behind else {
        return String::from(
            "a path is that of the collection, without \"{id}\"; the route get adds the id",
        );
    };
    let field = placeholder.trim_matches(['{', '}']);
    let filter = match field {
        "" => String::from("a filter on the field that holds the id"),
        _ => format!("a filter on the field {}", quoted(field)),
    };
    let own = match is_placeholder(behind) {
        true => String::new(),
        false => format!(", such as {},", quoted(&format!("/{behind}"))),
    };
    format!(
        "version 1 has no paths below a record; give this resource a path of its own{own} and {filter}"
    )
}

fn check_characters(segment: &str) -> Result<(), String> {
    let is_pchar = |character: char| {
        character.is_ascii_alphanumeric() || "-._~!$&'()*+,;=:@".contains(character)
    };
    match segment.chars().find(|character| !is_pchar(*character)) {
        None => Ok(()),
        Some('%') => {
            Err(String::from("a path holds no \"%\"; write segments without percent-encoding"))
        }
        Some(other) => Err(format!(
            "a path cannot hold {}; use letters, digits and any of -._~!$&'()*+,;=:@",
            quoted(other.encode_utf8(&mut [0; 4]))
        )),
    }
}

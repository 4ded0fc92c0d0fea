//! Every sentence with which a world refuses a request.
//!
//! Spec: "Refusals".

use crate::definition::{FaultKind, Resource};
use crate::json::{self, JsonError};
use crate::limits::{BODY_BYTES_MAX, IDEMPOTENCY_KEY_CHARS_MAX, RECORDS_MAX, STATE_BYTES_MAX};
use crate::quoted::quoted;

use super::reply::Reply;

/// A refused request: it changed nothing but, where its route matched, the ordinal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    status: u16,
    code: &'static str,
    message: String,
    allow: Option<String>,
}

impl Refusal {
    fn new(status: u16, code: &'static str, message: impl Into<String>) -> Refusal {
        Refusal { status, code, message: message.into(), allow: None }
    }

    /// The refusal that a scripted fault answers with, if it answers in the route's place.
    ///
    /// An agent must not be able to tell it from an ordinary API's.
    pub(super) fn scripted(kind: FaultKind) -> Option<Refusal> {
        match kind {
            FaultKind::TimeoutAfterCommit => None,
            FaultKind::TooManyRequests => {
                Some(Refusal::new(429, "too_many_requests", "Too many requests; try again later."))
            }
            FaultKind::InternalError => {
                Some(Refusal::new(500, "internal_error", "Internal server error."))
            }
        }
    }

    /// The reply that carries this refusal.
    pub fn into_reply(self) -> Reply {
        let mut body = String::from(r#"{"error":{"code":"#);
        json::write_string(self.code, &mut body);
        body.push_str(r#","message":"#);
        json::write_string(&self.message, &mut body);
        body.push_str("}}");
        let reply = Reply::new(self.status, body);
        match self.allow {
            Some(allow) => reply.with("Allow", allow),
            None => reply,
        }
    }
}

pub(super) fn nothing_served() -> Refusal {
    Refusal::new(
        404,
        "not_found",
        "Nothing is served at this path, of which a trailing slash would be a part; every path \
         begins with the path part of the base URL, and joining with a leading slash may have \
         dropped it (new URL and urljoin do).",
    )
}

pub(super) fn no_such_record(resource: &str, id: &str) -> Refusal {
    Refusal::new(404, "not_found", format!("The resource {resource} has no record {}.", quoted(id)))
}

pub(super) fn method_not_allowed(method: &str, allow: String) -> Refusal {
    let message =
        format!("The method {} does not apply to this path; it takes {allow}.", quoted(method));
    Refusal { allow: Some(allow), ..Refusal::new(405, "method_not_allowed", message) }
}

pub(super) fn unsupported_media_type(found: &str) -> Refusal {
    Refusal::new(
        415,
        "unsupported_media_type",
        format!(
            "The content type {} is not JSON; send the header Content-Type: application/json.",
            quoted(found)
        ),
    )
}

pub(super) fn unsupported_charset(found: &str) -> Refusal {
    Refusal::new(
        415,
        "unsupported_media_type",
        format!(
            "The content type {} has a charset other than UTF-8; send the body in UTF-8 with the header Content-Type: application/json.",
            quoted(found)
        ),
    )
}

pub(super) fn repeated_media_type() -> Refusal {
    Refusal::new(
        415,
        "unsupported_media_type",
        "The header Content-Type comes more than once; send Content-Type: application/json once.",
    )
}

pub(super) fn unsupported_encoding(found: &str) -> Refusal {
    Refusal::new(
        415,
        "unsupported_media_type",
        format!(
            "The content encoding {} is not supported; send the body as it is, without a Content-Encoding header.",
            quoted(found)
        ),
    )
}

pub(super) fn body_too_large() -> Refusal {
    Refusal::new(413, "body_too_large", format!("The body is larger than {BODY_BYTES_MAX} bytes."))
}

pub(super) fn body_not_utf8() -> Refusal {
    Refusal::new(400, "invalid_body", "The body is not UTF-8 text; send one JSON object in UTF-8.")
}

pub(super) fn body_not_json(error: &JsonError) -> Refusal {
    Refusal::new(
        400,
        "invalid_body",
        format!(
            "The body is no JSON text a world takes: line {}, column {}: {}.",
            error.line, error.column, error.reason
        ),
    )
}

pub(super) fn body_not_an_object() -> Refusal {
    Refusal::new(400, "invalid_body", "The body is not a JSON object; send one JSON object.")
}

pub(super) fn id_field_set(field: &str) -> Refusal {
    Refusal::new(
        400,
        "id_field_set",
        format!("The body sets {}, which the server assigns; leave it out.", quoted(field)),
    )
}

pub(super) fn idempotency_field_set(field: &str, header: &str) -> Refusal {
    Refusal::new(
        400,
        "idempotency_field_set",
        format!(
            "The body sets {}, which the server takes from the request header {header}; send the header and leave the field out.",
            quoted(field)
        ),
    )
}

pub(super) fn invalid_idempotency_key(header: &str) -> Refusal {
    Refusal::new(
        400,
        "invalid_idempotency_key",
        format!(
            "The header {header} must be sent once, with 1 to {IDEMPOTENCY_KEY_CHARS_MAX} printable ASCII characters."
        ),
    )
}

pub(super) fn idempotency_key_reused(header: &str, key: &str) -> Refusal {
    let key = quoted(key);
    Refusal::new(
        422,
        "idempotency_key_reused",
        format!(
            "The {header} {key} was used with another body; send that body again, or a new key."
        ),
    )
}

pub(super) fn too_many_records() -> Refusal {
    Refusal::new(
        507,
        "world_full",
        format!("The world is full: it holds {RECORDS_MAX} records, which is its limit."),
    )
}

pub(super) fn state_full() -> Refusal {
    let message = format!(
        "The world is full: its state, with the room kept for the faults that can still fire, would pass {STATE_BYTES_MAX} bytes, which is its limit."
    );
    Refusal::new(507, "world_full", message)
}

pub(super) fn invalid_query(problem: &str, resource: &Resource) -> Refusal {
    const NAMED_MAX: usize = 20;
    let named: Vec<String> = resource.filters.iter().take(NAMED_MAX).map(|n| quoted(n)).collect();
    let declared = match resource.filters.len() {
        0 => String::from("this list has no filters"),
        1..=NAMED_MAX => format!("this list has the filters {}", named.join(", ")),
        many => format!("this list has {many} filters, among them {}", named.join(", ")),
    };
    Refusal::new(400, "invalid_query", format!("{problem}; {declared}."))
}

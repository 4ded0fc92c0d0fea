//! What a world says to a client.
//!
//! Spec: "Replies".

use std::borrow::Cow;

/// An HTTP reply: a status, headers and a JSON body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Status code.
    pub status: u16,
    /// Headers in order. `Content-Length` is the listener's, and it puts the base URL's path in
    /// front of `Location`.
    pub headers: Vec<(&'static str, Cow<'static, str>)>,
    /// The body, compact JSON.
    pub body: String,
}

impl Reply {
    pub(super) fn new(status: u16, body: String) -> Reply {
        let mut headers = Vec::with_capacity(3);
        headers.push(("Content-Type", Cow::Borrowed("application/json")));
        headers.push(("Cache-Control", Cow::Borrowed("no-store")));
        Reply { status, headers, body }
    }

    pub(super) fn with(mut self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Reply {
        self.headers.push((name, value.into()));
        self
    }

    pub(super) fn ok(body: String) -> Reply {
        Reply::new(200, body)
    }

    pub(super) fn created(record: String, location: Option<String>) -> Reply {
        let reply = Reply::new(201, record);
        match location {
            Some(location) => reply.with("Location", location),
            None => reply,
        }
    }

    pub(super) fn replayed(record: &str) -> Reply {
        Reply::ok(record.to_owned()).with("Idempotent-Replayed", "true")
    }
}

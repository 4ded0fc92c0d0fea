//! The text door: a world that takes and gives JSON text, for hosts that speak it natively.
//!
//! It carries the same inputs and outcomes as the frames of the raw door.
//!
//! Spec: "The core's doors".

use std::borrow::Cow;

use super::{described, number, object, refused, text};
use crate::definition::Definition;
use crate::json::{self, Rules, Value};
use crate::limits::BODY_BYTES_MAX;
use crate::world::{Body, Delivery, Input, Outcome, Request, World};

/// A world behind the text door.
#[derive(Debug)]
pub struct TextWorld {
    world: World,
}

impl TextWorld {
    /// Opens the world that the bytes of a definition file describe.
    ///
    /// # Errors
    /// The JSON of the refusal: `{"faults":[{"line","column","path","reason"}],"more"}`. Show
    /// its faults to whoever wrote the file.
    pub fn open(definition: &[u8]) -> Result<TextWorld, String> {
        let definition = Definition::parse(definition).map_err(|faults| refused(&faults))?;
        Ok(TextWorld { world: World::new(definition) })
    }

    /// The JSON of what the world serves, as the raw door's "open" answers it. Its `handle` is
    /// always 0.
    pub fn description(&self) -> String {
        described(&self.world, 0)
    }

    /// Hands the world one request and returns what to do about it.
    ///
    /// `head` is `{"method","path","query","headers":[[name,value],…]}`; `query` and `headers`
    /// may be left out, names are taken in any case. A `body` over the limit counts as too
    /// large. The outcome is `{"status","headers":[[name,value],…],"body","hold_ms"}`: with a
    /// `hold_ms` other than 0 the answer is to be held that long and never sent.
    ///
    /// # Errors
    /// `{"error"}` with what is wrong with `head`. The world has not seen the request then.
    pub fn handle(&mut self, head: &str, body: &[u8]) -> Result<String, String> {
        let head = json::read(head, &HEAD_RULES)
            .map_err(|fault| super::error(&format!("the request's head: {}", fault.reason)))?;
        let head = Head::read(&head)
            .ok_or_else(|| super::error("the request's head is not of the documented form"))?;
        let body = match body.len() {
            0..=BODY_BYTES_MAX => Body::Complete(body),
            _ => Body::TooLarge,
        };
        let headers = head.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()));
        let outcome = self.world.handle(&Input::Request(Request {
            method: head.method,
            path: head.path,
            query: head.query,
            headers: headers.collect(),
            body,
        }));
        Ok(outcome_text(&outcome))
    }

    /// The snapshot, byte for byte what every other host gets.
    pub fn snapshot(&self) -> String {
        self.world.snapshot()
    }

    /// Records and fired faults in one line, for a person.
    pub fn summary(&self) -> String {
        self.world.summary()
    }
}

/// A head is an object of arrays of pairs; its numbers, if it had any, would be refused later.
const HEAD_RULES: Rules = Rules { depth_max: 3, door_numbers: false };

struct Head<'a> {
    method: &'a str,
    path: &'a str,
    query: &'a str,
    /// Names in lower case.
    headers: Vec<(String, &'a str)>,
}

impl<'a> Head<'a> {
    fn read(head: &'a Value<'_>) -> Option<Head<'a>> {
        const KEYS: [&str; 4] = ["method", "path", "query", "headers"];
        if head.as_object()?.iter().any(|(key, _)| !KEYS.contains(&&**key)) {
            return None;
        }
        let headers = match head.member("headers") {
            None => Vec::new(),
            Some(Value::Array(pairs)) => pairs.iter().map(header).collect::<Option<_>>()?,
            Some(_) => return None,
        };
        Some(Head {
            method: head.member("method")?.as_str()?,
            path: head.member("path")?.as_str()?,
            query: head.member("query").map_or(Some(""), Value::as_str)?,
            headers,
        })
    }
}

fn header<'a>(pair: &'a Value<'_>) -> Option<(String, &'a str)> {
    match pair {
        Value::Array(pair) => match pair.as_slice() {
            [name, value] => Some((name.as_str()?.to_ascii_lowercase(), value.as_str()?)),
            _ => None,
        },
        _ => None,
    }
}

fn outcome_text(outcome: &Outcome) -> String {
    let hold_ms = match outcome.delivery {
        Delivery::Send => 0,
        Delivery::Hold { ms } => ms,
    };
    let reply = &outcome.reply;
    let headers = reply.headers.iter();
    let headers = headers.map(|(name, value)| Value::Array(vec![text(name), text(value)]));
    object([
        ("status", number(usize::from(reply.status))),
        ("headers", Value::Array(headers.collect())),
        ("body", text(&reply.body)),
        ("hold_ms", Value::Number(Cow::Owned(hold_ms.to_string()))),
    ])
    .to_compact()
}

//! Idempotency keys: which were seen, and with which body.
//!
//! Spec: "Idempotency".

use std::collections::BTreeMap;

use super::header;
use super::refusal::{self, Refusal};
use crate::decimal;
use crate::definition::Resource;
use crate::json::{self, Member, Value};
use crate::limits::IDEMPOTENCY_KEY_CHARS_MAX;

/// The keys that one resource has seen.
#[derive(Debug, Default)]
pub(super) struct Keys {
    seen: BTreeMap<String, Seen>,
}

#[derive(Debug)]
struct Seen {
    fingerprint: String,
    record: usize,
}

/// What a key means for a create.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// Not seen before.
    New,
    /// Seen with the same body, which made the record at this position.
    Replay(usize),
    /// Seen with another body.
    Reused,
}

impl Keys {
    /// The keys of the seed records. Where two seed records carry one key, the first counts.
    pub(super) fn seeded(resource: &Resource) -> Keys {
        let mut keys = Keys::default();
        let Some(idempotency) = &resource.idempotency else {
            return keys;
        };
        for (position, record) in resource.seed.iter().enumerate() {
            let Some(key) = record.member(&idempotency.field).and_then(Value::as_str) else {
                continue;
            };
            let body: Vec<Member<'_>> = record
                .as_object()
                .unwrap_or_default()
                .iter()
                .filter(|(name, _)| *name != resource.id_field && *name != idempotency.field)
                .cloned()
                .collect();
            if !keys.seen.contains_key(key) {
                keys.remember(key.to_owned(), fingerprint(&body), position);
            }
        }
        keys
    }

    pub(super) fn look_up(&self, key: &str, fingerprint: &str) -> Key {
        match self.seen.get(key) {
            None => Key::New,
            Some(seen) if seen.fingerprint == fingerprint => Key::Replay(seen.record),
            Some(_) => Key::Reused,
        }
    }

    pub(super) fn remember(&mut self, key: String, fingerprint: String, record: usize) {
        self.seen.insert(key, Seen { fingerprint, record });
    }
}

/// The key that a create brings, if its resource honours keys and it brings one.
///
/// # Errors
/// 400 when the header is repeated or its value is no key.
pub(super) fn request_key(
    resource: &Resource,
    headers: &[(&str, &[u8])],
) -> Result<Option<String>, Refusal> {
    let Some(idempotency) = &resource.idempotency else {
        return Ok(None);
    };
    let mut values = header::values(headers, &idempotency.header);
    let Some(value) = values.next() else {
        return Ok(None);
    };
    let printable = value.iter().all(|byte| (0x20..=0x7e).contains(byte));
    let fits = (1..=IDEMPOTENCY_KEY_CHARS_MAX).contains(&value.len());
    match std::str::from_utf8(value) {
        Ok(key) if printable && fits && values.next().is_none() => Ok(Some(key.to_owned())),
        _ => Err(refusal::invalid_idempotency_key(&idempotency.header)),
    }
}

/// The refusal of a key that was seen with another body.
pub(super) fn reused(resource: &Resource, key: &str) -> Refusal {
    let header = resource.idempotency.as_ref().map_or("", |idempotency| &idempotency.header);
    refusal::idempotency_key_reused(header, key)
}

/// A text that two bodies share exactly when they are equal as JSON: keys sorted by code point,
/// numbers in canonical form.
pub(super) fn fingerprint(members: &[Member<'_>]) -> String {
    let mut out = String::new();
    write_sorted(members, &mut out);
    out
}

fn write_sorted(members: &[Member<'_>], out: &mut String) {
    let mut sorted: Vec<&Member<'_>> = members.iter().collect();
    sorted.sort_by(|(left, _), (right, _)| left.cmp(right));
    out.push('{');
    for (index, (key, value)) in sorted.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        json::write_string(key, out);
        out.push(':');
        write_canonical(value, out);
    }
    out.push('}');
}

fn write_canonical(value: &Value<'_>, out: &mut String) {
    match value {
        // Every number of a body passed the door, so its exponent can be counted.
        Value::Number(text) => out.push_str(&decimal::canonical(text).unwrap_or_default()),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_canonical(item, out);
            }
            out.push(']');
        }
        Value::Object(members) => write_sorted(members, out),
        scalar => scalar.write_compact(out),
    }
}

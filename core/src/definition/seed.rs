//! Seed records.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::IdFormat;
use super::node::{Content, Entries, Node};
use super::path::Path;
use super::read::{list, mapping, wrong_kind};
use super::sink::Sink;
use crate::decimal;
use crate::json::{Member, Value};
use crate::limits::{RECORD_DEPTH_MAX, RECORDS_MAX};
use crate::quoted::quoted;

/// What the resource says about its records.
pub(super) struct Rules<'r> {
    /// The member that holds the id; `None` when that is not known.
    pub(super) id_field: Option<&'r str>,
    /// The format whose ids belong to created records, where the resource has `create`.
    pub(super) reserved_ids: Option<&'r IdFormat>,
    /// The member that holds the idempotency key, where the resource honours keys.
    pub(super) key_field: Option<&'r str>,
}

/// The records at `node`, each with its id member first and the rest as written. One with a fault
/// is left out.
pub(super) fn records(
    node: &Node,
    path: &Path<'_>,
    rules: &Rules<'_>,
    sink: &mut Sink,
) -> Vec<Value<'static>> {
    let Some((items, _)) = list(node, path, sink) else {
        return Vec::new();
    };
    let way_out = format!(
        "write a record with its members, such as {{{}: A-1}}",
        quoted(rules.id_field.unwrap_or("id"))
    );
    let mut ids = BTreeSet::new();
    let mut records = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let path = path.index(index);
        let Some(entries) = mapping(item, &path, &way_out, sink) else {
            continue;
        };
        if let Some(id_field) = rules.id_field {
            check_id(item, entries, id_field, rules.reserved_ids, &mut ids, &path, sink);
        }
        if let Some(key_field) = rules.key_field {
            check_key(entries, key_field, &path, sink);
        }
        if let Some(value) = value(item, &path, 1, sink) {
            records.push(id_first(value, rules.id_field));
        }
    }
    records
}

fn check_id(
    record: &Node,
    entries: &Entries,
    id_field: &str,
    reserved: Option<&IdFormat>,
    ids: &mut BTreeSet<String>,
    path: &Path<'_>,
    sink: &mut Sink,
) {
    let path = path.key(id_field);
    let Some(entry) = entries.find(id_field) else {
        if entries.whole {
            let reason = format!("missing key {}; give each seed record its id", quoted(id_field));
            sink.report(record.place, path, reason);
        }
        return;
    };
    let node = &entry.value;
    let id = match &*node.content {
        Content::String(text) if !text.is_empty() => text,
        Content::String(_) => {
            sink.report(node.place, path, "the id is empty; write at least one character");
            return;
        }
        Content::Number(number) if !number.contains(['.', 'e', 'E']) => number,
        Content::Number(number) if decimal::door_rule(number).is_err() => return,
        Content::Number(_) => {
            let reason = "an id is a string or an integer without fraction and exponent; quote it";
            sink.report(node.place, path, reason);
            return;
        }
        _ => {
            wrong_kind::<()>(node, &path, "a string or an integer", "write one", sink);
            return;
        }
    };
    if !ids.insert(id.clone()) {
        let reason = format!("the id {} stands in an earlier record; make it unique", quoted(id));
        sink.report(node.place, path, reason);
    }
    let counter = reserved.and_then(|format| format.counter_of(id));
    if let Some(counter) = counter.filter(|counter| *counter <= RECORDS_MAX as u64) {
        let reason = format!(
            "creation {counter} of this resource gets the id {}; give id_format a prefix that no \
             seed record's id has, such as N-%d",
            quoted(id)
        );
        sink.report(node.place, path, reason);
    }
}

/// A key that is no string would match no header, and no one would see it.
fn check_key(entries: &Entries, key_field: &str, path: &Path<'_>, sink: &mut Sink) {
    let Some(entry) = entries.find(key_field) else { return };
    if !matches!(&*entry.value.content, Content::String(_) | Content::Null | Content::Faulty) {
        let reason = "an idempotency key is a string; quote it, or write null for none";
        sink.report(entry.value.place, path.key(key_field), reason);
    }
}

/// The JSON value at `node`, which stands at nesting level `level` of its record if it is a list
/// or mapping. `None` when something in it is faulty.
fn value(node: &Node, path: &Path<'_>, level: usize, sink: &mut Sink) -> Option<Value<'static>> {
    if level > RECORD_DEPTH_MAX && node.levels > 0 {
        let reason = format!("a record nests at most {RECORD_DEPTH_MAX} levels; make it flatter");
        sink.report(node.place, path, reason);
        return None;
    }
    match &*node.content {
        Content::Faulty => None,
        Content::Null => Some(Value::Null),
        Content::Bool(truth) => Some(Value::Bool(*truth)),
        Content::String(text) => Some(Value::String(Cow::Owned(text.clone()))),
        Content::Number(number) => match decimal::door_rule(number) {
            Ok(()) => Some(Value::Number(Cow::Owned(number.clone()))),
            Err(reason) => {
                sink.report(node.place, path, reason);
                None
            }
        },
        Content::List(list) => {
            let mut items = Some(Vec::new());
            for (index, item) in list.items.iter().enumerate() {
                let item = value(item, &path.index(index), level + 1, sink);
                push_or_drop(&mut items, item);
            }
            items.map(Value::Array)
        }
        Content::Mapping(mapping) => {
            let mut members: Option<Vec<Member<'static>>> = Some(Vec::new());
            for entry in &mapping.entries {
                let value = value(&entry.value, &path.key(&entry.key), level + 1, sink);
                let member = value.map(|value| (Cow::Owned(entry.key.to_string()), value));
                push_or_drop(&mut members, member);
            }
            members.map(Value::Object)
        }
    }
}

/// Appends a part, or drops the whole when the part is faulty; the other parts are still read.
fn push_or_drop<T>(whole: &mut Option<Vec<T>>, part: Option<T>) {
    match (whole.as_mut(), part) {
        (Some(parts), Some(part)) => parts.push(part),
        _ => *whole = None,
    }
}

fn id_first(record: Value<'static>, id_field: Option<&str>) -> Value<'static> {
    match record {
        Value::Object(mut members) => {
            let at = members.iter().position(|(key, _)| Some(&**key) == id_field);
            if let Some(at) = at {
                members[..=at].rotate_right(1);
            }
            Value::Object(members)
        }
        other => other,
    }
}

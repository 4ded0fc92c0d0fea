//! Typed reading of a tree: each function yields a value, or lists a fault and yields none.

use super::node::{Content, Entries, Node, Place};
use super::path::Path;
use super::sink::Sink;
use super::suggest::{one_of, suggestion, synonym};
use crate::limits::INTEGER_MAX;
use crate::quoted::quoted;

/// A key that a mapping may hold.
pub(super) struct KeySpec {
    pub(super) name: &'static str,
    /// For a key that must be there: what to write, as a clause.
    pub(super) required: Option<&'static str>,
}

impl KeySpec {
    pub(super) const fn required(name: &'static str, way_out: &'static str) -> KeySpec {
        KeySpec { name, required: Some(way_out) }
    }

    pub(super) const fn optional(name: &'static str) -> KeySpec {
        KeySpec { name, required: None }
    }
}

/// A mapping whose keys were looked over.
pub(super) struct Fields<'n> {
    entries: &'n Entries,
    /// Known keys that an unknown one was taken for.
    meant: Vec<&'static str>,
    /// Whether there is no unknown key.
    all_known: bool,
}

impl<'n> Fields<'n> {
    /// The value of `key`, if it is there.
    pub(super) fn get(&self, key: &str) -> Option<&'n Node> {
        self.entries.find(key).map(|entry| &entry.value)
    }

    /// Whether `key`, which may be left out, surely is, so that its default is what is meant: any
    /// unknown key might be this one.
    pub(super) fn leaves_out(&self, key: &str) -> bool {
        self.all_known && self.entries.whole && self.get(key).is_none()
    }

    /// Whether `key` is not there, and nothing that was taken for it.
    fn lacks(&self, key: &str) -> bool {
        self.entries.whole && self.get(key).is_none() && !self.meant.contains(&key)
    }
}

/// The mapping at `node` with the keys of `specs`: unknown and missing ones are listed.
///
/// `way_out` is a clause for a node that is no mapping.
pub(super) fn fields<'n>(
    node: &'n Node,
    path: &Path<'_>,
    specs: &[KeySpec],
    way_out: &str,
    sink: &mut Sink,
) -> Option<Fields<'n>> {
    let entries = mapping(node, path, way_out, sink)?;
    let mut fields = Fields { entries, meant: Vec::new(), all_known: true };
    list_unknown(&mut fields, path, specs, sink);
    // What only the root can lack is missing from the file's start on.
    let place = match path {
        Path::Root => Place::START,
        _ => node.place,
    };
    for spec in specs {
        let Some(way_out) = spec.required else {
            continue;
        };
        if fields.lacks(spec.name) {
            let reason = format!("missing key {}; {way_out}", quoted(spec.name));
            sink.report(place, path.key(spec.name), reason);
        }
    }
    Some(fields)
}

fn list_unknown(fields: &mut Fields<'_>, path: &Path<'_>, specs: &[KeySpec], sink: &mut Sink) {
    let names: Vec<&'static str> = specs.iter().map(|spec| spec.name).collect();
    let absent: Vec<&'static str> =
        names.iter().copied().filter(|name| fields.get(name).is_none()).collect();
    for entry in &fields.entries.entries {
        let key = &*entry.key;
        if names.contains(&key) {
            continue;
        }
        let (meant, advice) = meaning(key, &names, &absent);
        let reason = format!("unknown key {}; {advice}", quoted(key));
        sink.report(entry.place, path.key(key), reason);
        fields.meant.extend(meant);
        fields.all_known = false;
    }
}

/// The absent key that an unknown one is taken for, and the way out.
fn meaning(
    key: &str,
    names: &[&'static str],
    absent: &[&'static str],
) -> (Option<&'static str>, String) {
    let glued = key.split_once(':').map(|(before, _)| before);
    if let Some(name) = absent.iter().copied().find(|name| Some(*name) == glued) {
        return (Some(name), format!("put a space behind the colon of {name}"));
    }
    match synonym(key, absent).or_else(|| suggestion(key, absent.iter().copied())) {
        Some(name) => (Some(name), format!("did you mean {}?", quoted(name))),
        None => (None, format!("the keys here are {}", names.join(", "))),
    }
}

/// The members at `node`, whatever their keys; `way_out` is a clause for what is no mapping.
pub(super) fn mapping<'n>(
    node: &'n Node,
    path: &Path<'_>,
    way_out: &str,
    sink: &mut Sink,
) -> Option<&'n Entries> {
    match &*node.content {
        Content::Mapping(entries) => Some(entries),
        _ => wrong_kind(node, path, "a mapping", way_out, sink),
    }
}

/// The items at `node`, and whether all of them are there.
pub(super) fn list<'n>(
    node: &'n Node,
    path: &Path<'_>,
    sink: &mut Sink,
) -> Option<(&'n [Node], bool)> {
    match &*node.content {
        Content::List(list) => Some((&list.items, list.whole)),
        Content::Mapping(_) => {
            wrong_kind(node, path, "a list", "begin each item with \"- \"", sink)
        }
        Content::Null => wrong_kind(node, path, "a list", "fill it or take the key out", sink),
        Content::String(text) if text.starts_with('-') => {
            wrong_kind(node, path, "a list", "put a space behind each dash", sink)
        }
        _ => wrong_kind(node, path, "a list", "put it in [ ]", sink),
    }
}

/// The text at `node`.
pub(super) fn text<'n>(node: &'n Node, path: &Path<'_>, sink: &mut Sink) -> Option<&'n str> {
    match &*node.content {
        Content::String(text) => Some(text),
        Content::Bool(_) | Content::Number(_) => {
            wrong_kind(node, path, "a string", "quote it", sink)
        }
        _ => wrong_kind(node, path, "a string", "write one text", sink),
    }
}

/// The text at `node`, which is not empty.
pub(super) fn filled_text<'n>(node: &'n Node, path: &Path<'_>, sink: &mut Sink) -> Option<&'n str> {
    let text = text(node, path, sink)?;
    if text.is_empty() {
        sink.report(node.place, path, "the string is empty; write at least one character");
        return None;
    }
    Some(text)
}

/// The integer at `node`, `min` to 2^53-1.
pub(super) fn integer(node: &Node, path: &Path<'_>, min: u64, sink: &mut Sink) -> Option<u64> {
    let wanted = format!("an integer from {min} to 2^53-1");
    let Content::Number(number) = &*node.content else {
        return wrong_kind(node, path, &wanted, "write it in digits, without quotes", sink);
    };
    let value = number
        .strip_prefix('-')
        .filter(|magnitude| *magnitude == "0")
        .unwrap_or(number)
        .parse::<u64>()
        .ok()
        .filter(|value| (min..=INTEGER_MAX).contains(value));
    if value.is_none() {
        let reason = format!(
            "must be {wanted}, found {}; write it without fraction and exponent",
            cut(number)
        );
        sink.report(node.place, path, reason);
    }
    value
}

/// The reason for a value that is none of `names`.
pub(super) fn unknown_value(text: &str, names: &[&str]) -> String {
    let listed = one_of(names);
    match suggestion(text, names.iter().copied()) {
        Some(name) => {
            format!("unknown value {}; did you mean {}? ({listed})", quoted(text), quoted(name))
        }
        None => format!("unknown value {}; write {listed}", quoted(text)),
    }
}

/// Lists that `node` is not `wanted`, with `way_out` as a clause; nothing when a fault is listed
/// for it already.
pub(super) fn wrong_kind<T>(
    node: &Node,
    path: &Path<'_>,
    wanted: &str,
    way_out: &str,
    sink: &mut Sink,
) -> Option<T> {
    let found = match &*node.content {
        Content::Faulty => return None,
        Content::Null => "nothing",
        Content::Bool(_) => "true or false",
        Content::Number(_) => "a number",
        Content::String(_) => "a string",
        Content::List(_) => "a list",
        Content::Mapping(_) => "a mapping",
    };
    sink.report(node.place, path, format!("must be {wanted}, found {found}; {way_out}"));
    None
}

/// A number of the file, cut when it is long.
fn cut(number: &str) -> String {
    const SHOWN_BYTES_MAX: usize = 80;
    match number.get(..SHOWN_BYTES_MAX) {
        Some(start) if start.len() < number.len() => format!("{start}…"),
        _ => String::from(number),
    }
}

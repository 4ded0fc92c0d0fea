//! Typed reading of a tree: each function yields a value, or lists a fault and yields none.

use super::node::{Content, Entries, Node, Place};
use super::path::{Path, quoted};
use super::sink::Sink;
use super::suggest::{one_of, suggestion};
use crate::limits::INTEGER_MAX;

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
}

impl<'n> Fields<'n> {
    /// The value of `key`, if it is there.
    pub(super) fn get(&self, key: &str) -> Option<&'n Node> {
        self.entries.find(key).map(|entry| &entry.value)
    }

    /// Whether `key` is surely not there, not even misspelt.
    pub(super) fn lacks(&self, key: &str) -> bool {
        self.entries.whole && self.get(key).is_none() && !self.meant.contains(&key)
    }
}

/// The mapping at `node` with the keys of `specs`: unknown and missing ones are listed.
pub(super) fn fields<'n>(
    node: &'n Node,
    path: &Path<'_>,
    specs: &[KeySpec],
    sink: &mut Sink,
) -> Option<Fields<'n>> {
    let entries = mapping(node, path, sink)?;
    let names: Vec<&'static str> = specs.iter().map(|spec| spec.name).collect();
    let mut fields = Fields { entries, meant: Vec::new() };
    let absent: Vec<&'static str> =
        names.iter().copied().filter(|name| entries.find(name).is_none()).collect();
    for entry in &entries.entries {
        let key = &*entry.key;
        if names.contains(&key) {
            continue;
        }
        let hint = suggestion(key, absent.iter().copied());
        let advice = match hint {
            Some(name) => format!("did you mean {}?", quoted(name)),
            None => format!("the keys here are {}", names.join(", ")),
        };
        let reason = format!("unknown key {}; {advice}", quoted(key));
        sink.report(entry.place, path.key(key), reason);
        fields.meant.extend(hint);
    }
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

/// The members at `node`, whatever their keys.
pub(super) fn mapping<'n>(node: &'n Node, path: &Path<'_>, sink: &mut Sink) -> Option<&'n Entries> {
    match &*node.content {
        Content::Mapping(entries) => Some(entries),
        _ => wrong_kind(node, path, "a mapping", "", sink),
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
        Content::Mapping(_) => wrong_kind(node, path, "a list", "; begin each item with - ", sink),
        Content::Null => {
            let way_out = "; fill it or take the key out";
            wrong_kind(node, path, "a list", way_out, sink)
        }
        _ => wrong_kind(node, path, "a list", "; put it in [ ]", sink),
    }
}

/// The text at `node`.
pub(super) fn text<'n>(node: &'n Node, path: &Path<'_>, sink: &mut Sink) -> Option<&'n str> {
    match &*node.content {
        Content::String(text) => Some(text),
        Content::Bool(_) | Content::Number(_) => {
            wrong_kind(node, path, "a string", "; quote it", sink)
        }
        _ => wrong_kind(node, path, "a string", "", sink),
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
        return wrong_kind(node, path, &wanted, "", sink);
    };
    let value = number
        .strip_prefix('-')
        .filter(|magnitude| *magnitude == "0")
        .unwrap_or(number)
        .parse::<u64>()
        .ok()
        .filter(|value| (min..=INTEGER_MAX).contains(value));
    if value.is_none() {
        let reason = format!("must be {wanted} without fraction and exponent, found {number}");
        sink.report(node.place, path, cut(reason));
    }
    value
}

/// The one of `choices` whose name stands at `node`.
pub(super) fn choice<T: Copy>(
    node: &Node,
    path: &Path<'_>,
    choices: &[(&str, T)],
    sink: &mut Sink,
) -> Option<T> {
    let text = text(node, path, sink)?;
    if let Some((_, value)) = choices.iter().find(|(name, _)| *name == text) {
        return Some(*value);
    }
    let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
    sink.report(node.place, path, unknown_value(text, &names));
    None
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

/// Lists that `node` is not `wanted`; nothing when a fault is listed for it already.
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
    sink.report(node.place, path, format!("must be {wanted}, found {found}{way_out}"));
    None
}

/// A reason that ends in a text of the file, cut when that is long.
fn cut(reason: String) -> String {
    const SHOWN_CHARS_MAX: usize = 160;
    match reason.char_indices().nth(SHOWN_CHARS_MAX) {
        None => reason,
        Some((at, _)) => format!("{}…", &reason[..at]),
    }
}

//! The tree of a definition's text: plain JSON values with their places.

use std::borrow::Cow;
use std::rc::Rc;

use crate::json::Value;

/// Where something stands in the file, both from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Place {
    /// Where faults of the whole file stand.
    pub(super) const START: Place = Place { line: 1, column: 1 };
}

/// One value and its place. Clones share their content, so that an alias costs nothing.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) place: Place,
    pub(super) content: Rc<Content>,
    /// Bytes of its compact JSON, everything it shares counted each time.
    pub(super) bytes: usize,
    /// Levels of lists and mappings in it; 0 for a scalar.
    pub(super) levels: usize,
}

/// What a node holds.
#[derive(Debug)]
pub(super) enum Content {
    Null,
    Bool(bool),
    /// A JSON number as it was written.
    Number(String),
    String(String),
    List(Items),
    Mapping(Entries),
    /// Something about which a fault is listed already; whoever meets it says no more.
    Faulty,
}

/// The items of a list.
#[derive(Debug)]
pub(super) struct Items {
    pub(super) items: Vec<Node>,
    /// False when the text broke off inside it.
    pub(super) whole: bool,
}

/// The members of a mapping in file order, no key twice.
#[derive(Debug)]
pub(super) struct Entries {
    pub(super) entries: Vec<Entry>,
    /// False when a member may be missing here: the text broke off inside it, or a key was none.
    pub(super) whole: bool,
}

/// One member of a mapping.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: Rc<str>,
    /// The key's place.
    pub(super) place: Place,
    pub(super) value: Node,
}

impl Node {
    pub(super) fn scalar(place: Place, content: Content, bytes: usize) -> Node {
        Node { place, content: Rc::new(content), bytes, levels: 0 }
    }

    pub(super) fn faulty(place: Place) -> Node {
        Node::scalar(place, Content::Faulty, 0)
    }

    /// The plain JSON value; something faulty is null.
    pub(super) fn to_value(&self) -> Value<'static> {
        match &*self.content {
            Content::Null | Content::Faulty => Value::Null,
            Content::Bool(truth) => Value::Bool(*truth),
            Content::Number(text) => Value::Number(Cow::Owned(text.clone())),
            Content::String(text) => Value::String(Cow::Owned(text.clone())),
            Content::List(list) => Value::Array(list.items.iter().map(Node::to_value).collect()),
            Content::Mapping(mapping) => Value::Object(
                mapping
                    .entries
                    .iter()
                    .map(|entry| (Cow::Owned(entry.key.to_string()), entry.value.to_value()))
                    .collect(),
            ),
        }
    }
}

impl Entries {
    pub(super) fn find(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| &*entry.key == key)
    }
}

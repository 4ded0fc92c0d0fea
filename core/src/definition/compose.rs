//! Composes a tree from events, and refuses what plain JSON could not say or would say twice.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::node::{Content, Entries, Entry, Items, Node, Place};
use super::path::{push_index, push_key, whole_if_empty};
use super::scalar::{self, Plain};
use super::sink::Sink;
use super::text::{Event, Marks, Text};
use crate::limits::{DEFINITION_DEPTH_MAX, DEFINITION_EXPANDED_BYTES_MAX};
use crate::quoted::quoted;

/// Builds one tree; [`Composer::take`] each event, then [`Composer::finish`].
///
/// It never calls itself, so a text of any depth is safe, and an alias shares what it stands for.
pub(super) struct Composer<'s> {
    sink: &'s mut Sink,
    open: Vec<Open>,
    anchors: BTreeMap<usize, Node>,
    root: Option<Node>,
    /// Bytes of compact JSON that everything composed so far comes to.
    expanded_bytes: usize,
    /// Whether an alias went over the limit; the first is reported, the others are the same fault.
    over_expanded: bool,
    /// How many levels of a part that is nested too deep are open.
    skipped_levels: usize,
    /// Which of its further values a key takes that stands there again: 0 for its first one.
    nth: usize,
    /// Where the last event stands.
    last: Place,
    text: Found,
}

/// What is told of the text besides its tree.
#[derive(Default)]
struct Found {
    is_empty: bool,
    repeats: Vec<(Place, Place)>,
    repeats_max: usize,
}

/// A list or mapping whose end has not come.
struct Open {
    place: Place,
    anchor: usize,
    parts: Parts,
    /// Its children with their commas and keys.
    bytes: usize,
    /// The most levels of any child.
    levels: usize,
}

enum Parts {
    List(Vec<Node>),
    Mapping {
        entries: Vec<Entry>,
        /// Each key with the index of its entry and how often it came.
        seen: BTreeMap<Rc<str>, (usize, usize)>,
        /// The key whose value comes next.
        key: Option<Key>,
        /// Whether every key so far has a name.
        named: bool,
    },
}

struct Key {
    /// `None` for a key about which a fault is listed.
    name: Option<Rc<str>>,
    place: Place,
    /// The index of its entry, and how often the key came before in the same mapping.
    index: usize,
    nth: usize,
    /// What is wrong with the key if a value follows: a text that breaks off here lacks a closing
    /// bracket rather than a name.
    unsaid: Option<&'static str>,
}

impl<'s> Composer<'s> {
    /// A composer that gives a key that stands there again its `nth` further value, or the last
    /// if it has fewer; with 0 each key has its first.
    pub(super) fn new(nth: usize, sink: &'s mut Sink) -> Composer<'s> {
        Composer {
            sink,
            open: Vec::new(),
            anchors: BTreeMap::new(),
            root: None,
            expanded_bytes: 0,
            over_expanded: false,
            skipped_levels: 0,
            nth,
            last: Place::START,
            text: Found::default(),
        }
    }

    /// Takes the next event, which stands at `place`.
    pub(super) fn take(&mut self, event: Event<'_>, place: Place) {
        self.last = place;
        if self.skipped_levels > 0 {
            self.skip(&event);
            return;
        }
        match event {
            Event::Scalar { text, plain, marks } => self.scalar(&text, plain, marks, place),
            Event::ListStart(marks) => self.start(Parts::List(Vec::new()), marks, place),
            Event::MappingStart(marks) => {
                let parts = Parts::Mapping {
                    entries: Vec::new(),
                    seen: BTreeMap::new(),
                    key: None,
                    named: true,
                };
                self.start(parts, marks, place);
            }
            Event::Cut => self.cut(place),
            Event::End => self.end(true),
            Event::Alias(anchor) => self.alias(anchor, place),
        }
    }

    /// Ends the list of faults here: what follows cannot be read.
    pub(super) fn break_off(&mut self, place: Place, reason: impl Into<String>) {
        self.sink.end(place, reason);
    }

    /// The tree and what is told with it; of a text that broke off, what stands before.
    pub(super) fn finish(mut self) -> Option<Text> {
        if !self.open.is_empty() {
            self.last = Place { line: usize::MAX, column: usize::MAX };
        }
        while !self.open.is_empty() {
            self.end(false);
        }
        let Found { is_empty, mut repeats, repeats_max } = self.text;
        repeats.sort();
        self.root.map(|root| Text { root, is_empty, repeats, repeats_max })
    }

    fn scalar(&mut self, text: &str, plain: bool, marks: Marks, place: Place) {
        let meaning = if plain { scalar::resolve(text) } else { Plain::String };
        let tagged = self.refuse_tag(&marks, place);
        if self.wants_key() {
            let is_merge = plain && text == "<<";
            self.key_scalar(text, meaning, is_merge, tagged, place);
            self.remember(marks.anchor, &string_node(text, place));
            return;
        }
        // Nothing is written there, so the place of a value's key, or of a list's dash, is shown.
        let place = match (plain && text.is_empty(), self.key_place()) {
            (true, Some(key_place)) => key_place,
            _ => place,
        };
        let node = match meaning {
            _ if tagged => Node::faulty(place),
            Plain::Null => Node::scalar(place, Content::Null, 4),
            Plain::Bool(truth) => {
                Node::scalar(place, Content::Bool(truth), if truth { 4 } else { 5 })
            }
            Plain::Number => Node::scalar(place, Content::Number(String::from(text)), text.len()),
            Plain::String => string_node(text, place),
            Plain::LooksLikeNumber => {
                let reason = format!(
                    "{} looks like a number but is not one in JSON; quote it if it is a text, \
                     else write it as JSON does",
                    quoted(text)
                );
                self.report_here(place, reason);
                Node::faulty(place)
            }
        };
        self.text.is_empty = plain && text.is_empty() && !tagged && self.open.is_empty();
        self.expanded_bytes += node.bytes;
        self.remember(marks.anchor, &node);
        self.deliver(node);
    }

    /// What a scalar would have said is not known, so nothing is said about it.
    fn cut(&mut self, place: Place) {
        if self.wants_key() {
            self.set_key(None, place);
        } else {
            if let Some(Open { parts: Parts::Mapping { key: Some(key), .. }, .. }) =
                self.open.last_mut()
            {
                key.unsaid = None;
            }
            self.deliver(Node::faulty(place));
        }
    }

    fn key_scalar(
        &mut self,
        text: &str,
        meaning: Plain,
        is_merge: bool,
        tagged: bool,
        place: Place,
    ) {
        if is_merge {
            let reason = "merge keys are refused; write the members out, or quote \"<<\" if it \
                          is a name";
            self.report_here(place, reason);
            self.set_key(None, place);
        } else if meaning != Plain::String {
            let reason = if text.is_empty() {
                String::from("a key is missing before the colon; name it")
            } else {
                format!("the key {} is not a string; quote it", quoted(text))
            };
            self.report_here(place, reason);
            self.set_key(None, place);
        } else if tagged {
            self.set_key(None, place);
        } else {
            self.set_key(Some(Rc::from(text)), place);
        }
    }

    fn start(&mut self, parts: Parts, marks: Marks, place: Place) {
        self.refuse_tag(&marks, place);
        if self.open.len() == DEFINITION_DEPTH_MAX {
            self.report_here(place, too_deep());
            self.skipped_levels = 1;
            return;
        }
        self.expanded_bytes += 2;
        self.open.push(Open { place, anchor: marks.anchor, parts, bytes: 1, levels: 0 });
    }

    fn end(&mut self, whole: bool) {
        let Some(open) = self.open.pop() else {
            return;
        };
        let content = match open.parts {
            Parts::List(items) => Content::List(Items { items, whole }),
            Parts::Mapping { entries, named, .. } => {
                Content::Mapping(Entries { entries, whole: whole && named })
            }
        };
        let node = Node {
            place: open.place,
            content: Rc::new(content),
            bytes: open.bytes.max(2),
            levels: open.levels + 1,
        };
        self.remember(open.anchor, &node);
        self.deliver(node);
    }

    fn skip(&mut self, event: &Event<'_>) {
        match event {
            Event::ListStart(_) | Event::MappingStart(_) => self.skipped_levels += 1,
            Event::End => self.skipped_levels -= 1,
            Event::Scalar { .. } | Event::Cut | Event::Alias(_) => {}
        }
        if self.skipped_levels == 0 {
            self.deliver(Node::faulty(Place::START));
        }
    }

    fn alias(&mut self, anchor: usize, place: Place) {
        let node = match self.anchors.get(&anchor) {
            Some(node) => Node { place, ..node.clone() },
            None => {
                if self.open.iter().any(|open| open.anchor == anchor) {
                    let reason = "the alias stands inside the value that it stands for; write \
                                  the value out";
                    self.report_here(place, reason);
                }
                Node::faulty(place)
            }
        };
        if self.wants_key() {
            match &*node.content {
                Content::String(text) => self.set_key(Some(Rc::from(text.as_str())), place),
                Content::Faulty => self.set_key(None, place),
                _ => {
                    self.report_here(place, "the key is not a string; write it out in quotes");
                    self.set_key(None, place);
                }
            }
        } else {
            let node = self.within_limits(node);
            self.deliver(node);
        }
    }

    /// The aliased node, or a faulty one where it would pass a limit here.
    fn within_limits(&mut self, node: Node) -> Node {
        if self.open.len() + node.levels > DEFINITION_DEPTH_MAX {
            self.report_here(node.place, too_deep());
            return Node::faulty(node.place);
        }
        if self.expanded_bytes + node.bytes > DEFINITION_EXPANDED_BYTES_MAX {
            if !self.over_expanded {
                let reason = format!(
                    "with this alias the definition expands to more than \
                     {DEFINITION_EXPANDED_BYTES_MAX} bytes; write fewer aliases"
                );
                self.report_here(node.place, reason);
            }
            self.over_expanded = true;
            return Node::faulty(node.place);
        }
        self.expanded_bytes += node.bytes;
        node
    }

    /// Hands a finished node to what encloses it.
    fn deliver(&mut self, node: Node) {
        if self.wants_key() {
            self.set_key(None, node.place);
            if !matches!(&*node.content, Content::Faulty)
                && let Some(Open { parts: Parts::Mapping { key: Some(key), .. }, .. }) =
                    self.open.last_mut()
            {
                key.unsaid = Some("a key is a string; a list or mapping cannot be one");
            }
            return;
        }
        self.say_unsaid();
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return;
        };
        match &mut open.parts {
            Parts::List(items) => {
                open.bytes += node.bytes + 1;
                open.levels = open.levels.max(node.levels);
                items.push(node);
            }
            Parts::Mapping { entries, key, .. } => {
                let Some(Key { name: Some(name), place, index, nth, .. }) = key.take() else {
                    return;
                };
                if nth > self.nth {
                    return;
                }
                open.bytes += json_string_bytes(&name) + 1 + node.bytes + 1;
                open.levels = open.levels.max(node.levels);
                match entries.get_mut(index) {
                    // The key keeps its place: what is wrong with its name was said there.
                    Some(entry) => {
                        entry.value = node;
                        self.text.repeats.push((place, self.last));
                    }
                    None => entries.push(Entry { key: name, place, value: node }),
                }
            }
        }
    }

    fn say_unsaid(&mut self) {
        let Some(Open { parts: Parts::Mapping { key: Some(key), .. }, .. }) = self.open.last_mut()
        else {
            return;
        };
        if let Some(reason) = key.unsaid.take() {
            let place = key.place;
            self.report_here(place, reason);
        }
    }

    fn wants_key(&self) -> bool {
        matches!(self.open.last(), Some(Open { parts: Parts::Mapping { key: None, .. }, .. }))
    }

    fn key_place(&self) -> Option<Place> {
        match &self.open.last()?.parts {
            Parts::Mapping { key: Some(key), .. } => Some(key.place),
            _ => None,
        }
    }

    fn set_key(&mut self, name: Option<Rc<str>>, place: Place) {
        let Some(Open { parts: Parts::Mapping { entries, seen, key, named, .. }, .. }) =
            self.open.last_mut()
        else {
            return;
        };
        *named &= name.is_some();
        let (mut index, mut nth) = (entries.len(), 0);
        if let Some(name) = &name {
            let came = seen.entry(Rc::clone(name)).or_insert((index, 0));
            (index, nth) = *came;
            came.1 += 1;
        }
        self.text.repeats_max = self.text.repeats_max.max(nth);
        self.expanded_bytes += name.as_ref().map_or(0, |name| json_string_bytes(name) + 1);
        *key = Some(Key { name, place, index, nth, unsaid: None });
        if nth > 0 {
            self.report_here(place, "the key stands here a second time; keep one");
        }
    }

    /// Reports a tag; true when there is one.
    fn refuse_tag(&mut self, marks: &Marks, place: Place) -> bool {
        let Some(tag) = &marks.tag else {
            return false;
        };
        let reason = format!(
            "tags such as {} are refused; take it out, and quote a text that looks like a number",
            quoted(tag)
        );
        self.report_here(place, reason);
        true
    }

    fn remember(&mut self, anchor: usize, node: &Node) {
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
    }

    fn report_here(&mut self, place: Place, reason: impl Into<String>) {
        let path = self.path_here();
        self.sink.report(place, whole_if_empty(&path), reason);
    }

    /// The path of the node that comes next.
    fn path_here(&self) -> String {
        let mut path = String::new();
        for open in &self.open {
            match &open.parts {
                Parts::List(items) => push_index(&mut path, items.len()),
                Parts::Mapping { key, .. } => {
                    if let Some(name) = key.as_ref().and_then(|key| key.name.as_ref()) {
                        push_key(&mut path, name);
                    }
                }
            }
        }
        path
    }
}

fn string_node(text: &str, place: Place) -> Node {
    Node::scalar(place, Content::String(String::from(text)), json_string_bytes(text))
}

/// Bytes of `text` as a compact JSON string.
fn json_string_bytes(text: &str) -> usize {
    let escapes: usize = text
        .bytes()
        .map(|byte| match byte {
            b'"' | b'\\' | 0x08 | 0x0c | b'\n' | b'\r' | b'\t' => 1,
            0..=0x1f => 5,
            _ => 0,
        })
        .sum();
    text.len() + escapes + 2
}

fn too_deep() -> String {
    format!("nested more than {DEFINITION_DEPTH_MAX} levels deep; make it flatter")
}

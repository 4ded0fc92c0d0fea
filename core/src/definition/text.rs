//! From the bytes of a definition to its tree.
//!
//! Spec: "The definition file".

use std::borrow::Cow;

use super::compose::Composer;
use super::node::{Node, Place};
use super::sink::Sink;
use super::{json_events, yaml_events};
use crate::limits::DEFINITION_BYTES_MAX;

/// What both readers of a definition's text, the one for JSON and the one for YAML, tell the
/// composer, one after the other.
#[derive(Debug)]
pub(super) enum Event<'a> {
    Scalar {
        text: Cow<'a, str>,
        /// Without quotes and no block scalar, so that it may be something else than a string.
        plain: bool,
        marks: Marks,
    },
    /// A scalar in which the text broke off.
    Cut,
    ListStart(Marks),
    MappingStart(Marks),
    /// Of the list or mapping that was opened last.
    End,
    /// The anchor's number.
    Alias(usize),
}

/// What stands before a node in YAML.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// The number of its anchor, 0 for none.
    pub(super) anchor: usize,
    /// Its tag as a message shows it.
    pub(super) tag: Option<String>,
}

/// A text's tree and what is to be known beside it.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) root: Node,
    /// Whether there is a document and nothing in it, which makes the root a null.
    pub(super) is_empty: bool,
    /// The further values that keys have in this tree: from the key to the end of its value,
    /// sorted.
    pub(super) repeats: Vec<(Place, Place)>,
    /// The most further values that any key has.
    pub(super) repeats_max: usize,
}

/// Where a text must not be read on, though a reader could.
#[derive(Debug)]
pub(super) struct Stop {
    /// In bytes and in characters from the start of the text.
    pub(super) at: usize,
    pub(super) index: usize,
    pub(super) place: Place,
    pub(super) reason: String,
}

impl Stop {
    /// A stop behind the first `at` bytes of `text`.
    pub(super) fn new(text: &str, at: usize, reason: impl Into<String>) -> Stop {
        let before = &text[..at];
        Stop { at, index: before.chars().count(), place: end_of(before), reason: reason.into() }
    }
}

/// Reads the tree. `None` when there is none to speak of; whatever is wrong with the text is in
/// `sink`, and a text that breaks off yields what stands before. A key that stands there again
/// keeps its first value.
pub(super) fn read(bytes: &[u8], sink: &mut Sink) -> Option<Text> {
    read_repeats(bytes, 0, sink)
}

/// As [`read`], but a key that stands there again has its `nth` further value, or its last.
pub(super) fn read_repeats(bytes: &[u8], nth: usize, sink: &mut Sink) -> Option<Text> {
    if bytes.len() > DEFINITION_BYTES_MAX {
        let reason = format!(
            "the file has {} bytes, more than the {DEFINITION_BYTES_MAX} of a definition; \
             shorten its seed records",
            bytes.len()
        );
        sink.end(Place::START, reason);
        return None;
    }
    // With its wrong bytes replaced the text is still one, so that quotes and brackets are closed
    // and the first such byte is what it breaks off at.
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let text = String::from_utf8_lossy(bytes);
    let stop = std::str::from_utf8(bytes).err().map(|error| {
        Stop::new(&text, error.valid_up_to(), "the file is not UTF-8; save it as UTF-8")
    });
    let mut composer = Composer::new(nth, sink);
    if !json_events::feed(&text, stop.as_ref(), &mut composer) {
        yaml_events::feed(&text, stop, &mut composer);
    }
    let text = composer.finish();
    if text.is_none() && !sink.broken_off() {
        report_empty(sink);
    }
    text
}

/// Lists that there is nothing in the file.
pub(super) fn report_empty(sink: &mut Sink) {
    let reason = "the file is empty; a definition has at least the keys world_version, \
                  base_url_env and resources";
    sink.report(Place::START, "(file)", reason);
}

/// The place right behind `text`.
pub(super) fn end_of(text: &str) -> Place {
    let mut place = Place::START;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' if characters.peek() == Some(&'\n') => {}
            '\r' | '\n' => place = Place { line: place.line + 1, column: 1 },
            _ => place.column += 1,
        }
    }
    place
}

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

/// Reads the tree. `None` when there is none to speak of; whatever is wrong with the text is in
/// `sink`, and a text that breaks off yields what stands before.
pub(super) fn read(bytes: &[u8], sink: &mut Sink) -> Option<Node> {
    if bytes.len() > DEFINITION_BYTES_MAX {
        let reason = format!(
            "the file has {} bytes, more than the {DEFINITION_BYTES_MAX} of a definition; \
             shorten its seed records",
            bytes.len()
        );
        sink.end(Place::START, reason);
        return None;
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => {
            let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let before = before.strip_prefix('\u{feff}').unwrap_or(&before);
            sink.end(end_of(before), "the file is not UTF-8; save it as UTF-8");
            return None;
        }
    };
    let mut composer = Composer::new(sink);
    if !json_events::feed(text, &mut composer) {
        yaml_events::feed(text, &mut composer);
    }
    let root = composer.finish();
    if root.is_none() && !sink.broken_off() {
        report_empty(sink);
    }
    root
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

//! Where faults are collected.

use std::fmt::Display;

use super::node::Place;
use super::{DefinitionFault, Faults};
use crate::limits::DEFINITION_FAULTS_LISTED_MAX;

/// Every fault found so far, in the order in which they were found.
#[derive(Debug, Default)]
pub(super) struct Sink {
    faults: Vec<DefinitionFault>,
    syntax: Option<DefinitionFault>,
    /// Faults that are too far down to be listed.
    more: usize,
    /// Once there are very many: the last place at which one is still listed.
    horizon: Option<Place>,
    /// Where faults are listed, both ends included and sorted; everywhere when there is none.
    only: Option<Vec<(Place, Place)>>,
}

impl Sink {
    /// Lists one fault. `reason` is one clear sentence without a full stop, the way out included.
    ///
    /// Where there are very many, those too far down to be listed are only counted, so that a
    /// hostile file cannot make this costly.
    pub(super) fn report(&mut self, place: Place, path: impl Display, reason: impl Into<String>) {
        if !self.lists_at(place) {
            return;
        }
        if self.horizon.is_some_and(|horizon| place > horizon) {
            self.more += 1;
            return;
        }
        self.push(fault(place, path.to_string(), reason.into()));
    }

    fn push(&mut self, fault: DefinitionFault) {
        const VERY_MANY: usize = 20 * DEFINITION_FAULTS_LISTED_MAX;
        self.faults.push(fault);
        if self.faults.len() == VERY_MANY {
            self.faults.sort_by_key(place_of);
            self.cut();
            self.horizon = self.faults.last().map(place_of);
        }
    }

    /// Forgets what was listed, and lists from now on only what stands in one of `ranges`, which
    /// are sorted by their starts.
    pub(super) fn keep_only(&mut self, ranges: Vec<(Place, Place)>) {
        self.faults.clear();
        (self.more, self.horizon) = (0, None);
        // Ranges inside others say nothing new, and without them one look finds the right one.
        let mut outer: Vec<(Place, Place)> = Vec::new();
        for range in ranges {
            if outer.last().is_none_or(|last| range.1 > last.1) {
                outer.push(range);
            }
        }
        self.only = Some(outer);
    }

    fn lists_at(&self, place: Place) -> bool {
        self.only.as_ref().is_none_or(|ranges| {
            let behind = ranges.partition_point(|(start, _)| *start <= place);
            ranges[..behind].last().is_some_and(|(_, end)| place <= *end)
        })
    }

    /// Lists the faults of `other` that are not listed yet.
    pub(super) fn adopt(&mut self, other: Sink) {
        for fault in other.faults {
            let is_beyond = self.horizon.is_some_and(|horizon| place_of(&fault) > horizon);
            if is_beyond {
                self.more += 1;
            } else if !self.faults.contains(&fault) {
                self.push(fault);
            }
        }
        self.more += other.more;
    }

    /// Counts the faults behind the last that is listed, rather than keeping them.
    fn cut(&mut self) {
        self.more += self.faults.len().saturating_sub(DEFINITION_FAULTS_LISTED_MAX);
        self.faults.truncate(DEFINITION_FAULTS_LISTED_MAX);
    }

    /// Lists the fault that ends the list: behind it nothing could be read.
    pub(super) fn end(&mut self, place: Place, reason: impl Into<String>) {
        self.syntax = Some(fault(place, String::from("(file)"), reason.into()));
    }

    /// Whether the text broke off before its end, so that what is missing may stand behind.
    pub(super) fn broken_off(&self) -> bool {
        self.syntax.is_some()
    }

    /// The faults sorted by place, the one that ends the list last; `None` when there is none.
    pub(super) fn into_faults(mut self) -> Option<Faults> {
        self.faults.sort_by_key(place_of);
        self.faults.extend(self.syntax.take());
        self.cut();
        let Sink { faults: listed, more, .. } = self;
        (!listed.is_empty()).then_some(Faults { listed, more })
    }
}

fn place_of(fault: &DefinitionFault) -> Place {
    Place { line: fault.line, column: fault.column }
}

fn fault(place: Place, path: String, reason: String) -> DefinitionFault {
    DefinitionFault { line: place.line, column: place.column, path, reason }
}

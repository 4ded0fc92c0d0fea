//! Where faults are collected.

use std::fmt::Display;

use super::DefinitionFault;
use super::node::Place;
use crate::limits::DEFINITION_FAULTS_LISTED_MAX;

/// Every fault found so far, in the order in which they were found.
#[derive(Debug, Default)]
pub(super) struct Sink {
    faults: Vec<DefinitionFault>,
    syntax: Option<DefinitionFault>,
    /// Once there are very many: a place behind which no fault is listed any more.
    horizon: Option<Place>,
}

impl Sink {
    /// Lists one fault. `reason` is one clear sentence without a full stop, the way out included.
    ///
    /// Where there are very many, those too far down to be listed are only counted, so that a
    /// hostile file cannot make this costly: their path and reason stay empty.
    pub(super) fn report(&mut self, place: Place, path: impl Display, reason: impl Into<String>) {
        const VERY_MANY: usize = 20 * DEFINITION_FAULTS_LISTED_MAX;
        if self.horizon.is_some_and(|horizon| place > horizon) {
            self.faults.push(fault(place, String::new(), String::new()));
            return;
        }
        self.faults.push(fault(place, path.to_string(), reason.into()));
        if self.faults.len() == VERY_MANY {
            let mut places: Vec<Place> = self.faults.iter().map(place_of).collect();
            places.sort();
            self.horizon = Some(places[DEFINITION_FAULTS_LISTED_MAX]);
        }
    }

    /// Lists the fault that ends the list: behind it nothing could be read.
    pub(super) fn end(&mut self, place: Place, reason: impl Into<String>) {
        self.syntax = Some(fault(place, String::from("(file)"), reason.into()));
    }

    /// Whether the text broke off before its end, so that what is missing may stand behind.
    pub(super) fn broken_off(&self) -> bool {
        self.syntax.is_some()
    }

    /// The faults sorted by place, the one that ends the list last.
    pub(super) fn into_sorted(self) -> Vec<DefinitionFault> {
        let mut faults = self.faults;
        faults.sort_by_key(place_of);
        faults.extend(self.syntax);
        faults
    }
}

fn place_of(fault: &DefinitionFault) -> Place {
    Place { line: fault.line, column: fault.column }
}

fn fault(place: Place, path: String, reason: String) -> DefinitionFault {
    DefinitionFault { line: place.line, column: place.column, path, reason }
}

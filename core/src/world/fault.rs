//! The fault script: which fault strikes a request, and which have struck.
//!
//! Spec: "Faults".

use std::collections::BTreeMap;

use super::generator::Draws;
use crate::definition::fault_listing::{entry, listable, longest_entry_bytes};
use crate::definition::{Definition, Operation, Trigger};
use crate::limits::FAULTS_LISTED_MAX;

/// The faults of a world, ready to be asked in the order of the requests.
#[derive(Debug)]
pub(super) struct Script {
    operations: BTreeMap<Operation, Counted>,
}

/// One operation: how many requests it has taken, and its faults in file order.
#[derive(Debug, Default)]
struct Counted {
    ordinal: u64,
    faults: Vec<(usize, When)>,
}

#[derive(Debug)]
enum When {
    /// Ordinals in ascending order.
    OnRequests(Vec<u64>),
    Chance {
        probability: f64,
        draws: Box<Draws>,
    },
}

/// A fault that is due on a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Due {
    /// Index of the fault in [`Definition::faults`].
    pub(super) fault: usize,
    /// The request's ordinal.
    pub(super) ordinal: u64,
}

impl Script {
    pub(super) fn new(definition: &Definition) -> Script {
        let mut operations: BTreeMap<Operation, Counted> = BTreeMap::new();
        for (index, fault) in definition.faults.iter().enumerate() {
            let when = match &fault.trigger {
                Trigger::OnRequests(ordinals) => {
                    let mut ordinals = ordinals.clone();
                    ordinals.sort_unstable();
                    When::OnRequests(ordinals)
                }
                Trigger::Probability(probability) => When::Chance {
                    probability: *probability,
                    draws: Box::new(Draws::new(definition.seed, &fault.id)),
                },
            };
            operations.entry(fault.operation).or_default().faults.push((index, when));
        }
        Script { operations }
    }

    /// Gives the next request of `operation` its ordinal, and picks the first fault that is due
    /// on it. Every fault by chance draws, picked or not: a draw belongs to an ordinal.
    pub(super) fn next_due(&mut self, operation: Operation) -> Option<Due> {
        let counted = self.operations.get_mut(&operation)?;
        counted.ordinal += 1;
        let ordinal = counted.ordinal;
        let mut picked = None;
        for (fault, when) in &mut counted.faults {
            let due = match when {
                When::OnRequests(ordinals) => ordinals.binary_search(&ordinal).is_ok(),
                When::Chance { probability, draws } => draws.next_due(*probability),
            };
            if due && picked.is_none() {
                picked = Some(Due { fault: *fault, ordinal });
            }
        }
        picked
    }
}

/// The faults that have fired.
#[derive(Debug)]
pub(super) struct Ledger {
    /// The listed entries, joined by commas.
    joined: String,
    listed: usize,
    count: u64,
    listable: usize,
    /// Bytes of the longest entry with the comma before it.
    entry_bytes_max: usize,
}

impl Ledger {
    pub(super) fn new(definition: &Definition) -> Ledger {
        Ledger {
            joined: String::new(),
            listed: 0,
            count: 0,
            listable: listable(definition),
            entry_bytes_max: longest_entry_bytes(definition) + 1,
        }
    }

    /// Counts a fault that fired, and lists it while there is room in the list.
    pub(super) fn record(&mut self, definition: &Definition, due: Due) {
        self.count += 1;
        if self.listed == FAULTS_LISTED_MAX {
            return;
        }
        let fault = &definition.faults[due.fault];
        let resource = &definition.resources[fault.operation.resource].name;
        if self.listed > 0 {
            self.joined.push(',');
        }
        self.joined.push_str(&entry(fault, resource, due.ordinal));
        self.listed += 1;
    }

    /// The listed entries, joined by commas.
    pub(super) fn joined(&self) -> &str {
        &self.joined
    }

    /// How many faults have fired, listed or not.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Bytes of the JSON array of listed entries.
    pub(super) fn bytes(&self) -> usize {
        self.joined.len() + "[]".len()
    }

    /// Bytes that are kept free for the entries still to be listed.
    pub(super) fn reserved_bytes(&self) -> usize {
        self.listable.saturating_sub(self.listed) * self.entry_bytes_max
    }
}

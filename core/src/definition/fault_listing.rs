//! What a snapshot lists of the faults that fired: one entry, the longest entry, how many.
//!
//! Spec: "Limits", "Snapshot".

use super::{Definition, Fault, Trigger};
use crate::json;
use crate::limits::{FAULTS_LISTED_MAX, INTEGER_MAX};

/// The compact JSON entry of `fault`, which struck the request with this ordinal of a route of
/// the resource named `resource`.
pub fn entry(fault: &Fault, resource: &str, ordinal: u64) -> String {
    let mut out = String::from("{\"id\":");
    json::write_string(&fault.id, &mut out);
    out.push_str(",\"resource\":");
    json::write_string(resource, &mut out);
    out.push_str(",\"route\":");
    json::write_string(fault.operation.route.name(), &mut out);
    out.push_str(",\"fault\":");
    json::write_string(fault.kind.name(), &mut out);
    out.push_str(&format!(",\"request\":{ordinal}}}"));
    out
}

/// How many entries the snapshots of a world with this definition can come to list.
pub fn listable(definition: &Definition) -> usize {
    listable_of(&definition.faults)
}

/// Bytes of the longest entry, without a comma, that this definition can come to list; 0 without
/// faults.
pub fn longest_entry_bytes(definition: &Definition) -> usize {
    let resources = &definition.resources;
    longest_entry_bytes_of(&definition.faults, |index| Some(resources.get(index)?.name.as_str()))
}

/// Bytes kept free in a fresh world for all of its entries with their commas. `name_of` gives the
/// name of the resource with an index.
pub(super) fn reserve_bytes<'r>(
    faults: &[Fault],
    name_of: impl Fn(usize) -> Option<&'r str>,
) -> usize {
    match listable_of(faults) {
        0 => 0,
        listable => listable * (1 + longest_entry_bytes_of(faults, name_of)),
    }
}

fn listable_of(faults: &[Fault]) -> usize {
    let scripted = faults.iter().map(|fault| match &fault.trigger {
        Trigger::OnRequests(ordinals) => ordinals.len(),
        Trigger::Probability(_) => FAULTS_LISTED_MAX,
    });
    scripted.sum::<usize>().min(FAULTS_LISTED_MAX)
}

fn longest_entry_bytes_of<'r>(
    faults: &[Fault],
    name_of: impl Fn(usize) -> Option<&'r str>,
) -> usize {
    let longest_of = |fault: &Fault| {
        let ordinal = match &fault.trigger {
            Trigger::OnRequests(ordinals) => ordinals.iter().copied().max().unwrap_or(0),
            Trigger::Probability(_) => INTEGER_MAX,
        };
        Some(entry(fault, name_of(fault.operation.resource)?, ordinal).len())
    };
    faults.iter().filter_map(longest_of).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_faults(faults: &str) -> Definition {
        let head = "world_version: 1\nbase_url_env: X\nresources:\n  orders:\n    path: /o\n    \
                    routes: [create, get]\nfaults:\n";
        Definition::parse(format!("{head}{faults}").as_bytes()).expect("a definition")
    }

    #[test]
    fn an_entry_has_its_members_in_order_and_the_kind_as_a_string() {
        let definition = with_faults(
            "- {id: a.b, resource: orders, route: create, fault: 429, on_requests: [7]}\n",
        );
        let wanted =
            r#"{"id":"a.b","resource":"orders","route":"create","fault":"429","request":7}"#;
        assert_eq!(entry(&definition.faults[0], "orders", 7), wanted);
        assert_eq!(longest_entry_bytes(&definition), wanted.len());
        assert_eq!(listable(&definition), 1);
    }

    #[test]
    fn the_longest_entry_is_that_of_the_largest_ordinal_of_any_fault() {
        let definition = with_faults(
            "- {id: a, resource: orders, route: get, fault: 500, on_requests: [5, 1000, 6]}\n\
             - {id: b, resource: orders, route: get, fault: 500, on_requests: [8]}\n",
        );
        let longest = entry(&definition.faults[0], "orders", 1000).len();
        assert_eq!(longest_entry_bytes(&definition), longest);
        assert_eq!(listable(&definition), 4);
    }

    #[test]
    fn a_probability_makes_every_entry_listable_with_the_largest_ordinal() {
        let definition = with_faults(
            "- {id: a, resource: orders, route: get, fault: 500, probability: 0}\n\
             - {id: b, resource: orders, route: create, fault: 500, on_requests: [8]}\n",
        );
        let longest = entry(&definition.faults[0], "orders", INTEGER_MAX).len();
        assert_eq!(longest_entry_bytes(&definition), longest);
        assert_eq!(listable(&definition), FAULTS_LISTED_MAX);
    }

    #[test]
    fn without_faults_nothing_is_listable() {
        let definition = with_faults("  []\n");
        assert_eq!((listable(&definition), longest_entry_bytes(&definition)), (0, 0));
    }
}

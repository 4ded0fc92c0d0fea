//! The world-v1 snapshot, and the line that sums it up.
//!
//! Spec: "Snapshot".

use super::fault::Ledger;
use super::store::Store;
use crate::definition::Definition;
use crate::{json, state_size};

pub(super) fn write(definition: &Definition, stores: &[Store], ledger: &Ledger) -> String {
    let mut out = String::with_capacity(state_bytes(definition, stores) + ledger.bytes() + 256);
    out.push_str(r#"{"world_version":1,"definition_sha256":"#);
    json::write_string(&definition.sha256, &mut out);
    out.push_str(r#","state":{"#);
    for (index, (resource, store)) in definition.resources.iter().zip(stores).enumerate() {
        if index > 0 {
            out.push(',');
        }
        json::write_string(&resource.name, &mut out);
        out.push_str(":[");
        out.push_str(store.joined());
        out.push(']');
    }
    out.push_str(r#"},"faults_fired":["#);
    out.push_str(ledger.joined());
    out.push_str(r#"],"faults_fired_count":"#);
    out.push_str(&ledger.count().to_string());
    out.push('}');
    out
}

/// Bytes of the compact JSON of `state`.
pub(super) fn state_bytes(definition: &Definition, stores: &[Store]) -> usize {
    let resources = definition.resources.iter().zip(stores);
    state_size::bytes(
        resources.map(|(resource, store)| (resource.name.as_str(), store.joined().len())),
    )
}

pub(super) fn summary(definition: &Definition, stores: &[Store], ledger: &Ledger) -> String {
    let records: Vec<String> = definition
        .resources
        .iter()
        .zip(stores)
        .map(|(resource, store)| counted(store.len() as u64, &resource.name))
        .collect();
    format!("{}; {} fired", records.join(", "), counted(ledger.count(), "faults"))
}

/// `2 refunds`, `1 refund`: a count of one drops one final `s` of the name.
fn counted(count: u64, name: &str) -> String {
    let singular = name.strip_suffix('s').filter(|rest| !rest.is_empty());
    match (count, singular) {
        (1, Some(singular)) => format!("1 {singular}"),
        _ => format!("{count} {name}"),
    }
}

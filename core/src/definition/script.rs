//! The fault script of a definition.

use std::collections::BTreeSet;

use super::node::{Content, Node};
use super::path::Path;
use super::read::{Fields, KeySpec, fields, integer, list, text, unknown_value, wrong_kind};
use super::resource::Draft;
use super::sink::Sink;
use super::suggest::suggestion;
use super::{Fault, FaultKind, Operation, Route, Trigger, names, routes};
use crate::decimal;
use crate::quoted::quoted;

const KEYS: [KeySpec; 6] = [
    KeySpec::required("id", "name the fault"),
    KeySpec::required("resource", "name the resource that it strikes"),
    KeySpec::required("route", "name the route that it strikes"),
    KeySpec::required("fault", "write one of timeout_after_commit, 429, 500"),
    KeySpec::optional("on_requests"),
    KeySpec::optional("probability"),
];

const WAY_OUT: &str = "write a fault with its keys, such as {id: slow, resource: orders, route: create, \
                       fault: 500, on_requests: [1]}";

/// The faults at `node`. One with a fault of its own is left out.
pub(super) fn faults(node: &Node, drafts: &[Draft], sink: &mut Sink) -> Vec<Fault> {
    let path = Path::Root.key("faults");
    let Some((items, _)) = list(node, &path, sink) else {
        return Vec::new();
    };
    let mut ids = BTreeSet::new();
    let mut faults = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let path = path.index(index);
        let Some(fields) = fields(item, &path, &KEYS, WAY_OUT, sink) else {
            continue;
        };
        let id = id(&fields, &path, &mut ids, sink);
        let operation = operation(&fields, &path, drafts, sink);
        let kind = kind(&fields, &path, sink);
        let trigger = trigger(&fields, item, &path, sink);
        if let (Some(id), Some(operation), Some(kind), Some(trigger)) =
            (id, operation, kind, trigger)
        {
            faults.push(Fault { id, operation, kind, trigger });
        }
    }
    faults
}

fn id<'n>(
    fields: &Fields<'n>,
    path: &Path<'_>,
    ids: &mut BTreeSet<&'n str>,
    sink: &mut Sink,
) -> Option<String> {
    let node = fields.get("id")?;
    let path = path.key("id");
    let id = text(node, &path, sink)?;
    if let Err(reason) = names::check_name(id) {
        sink.report(node.place, path, reason);
        return None;
    }
    if !ids.insert(id) {
        let reason = format!("the id {} belongs to an earlier fault; make it unique", quoted(id));
        sink.report(node.place, path, reason);
    }
    Some(String::from(id))
}

fn operation(
    fields: &Fields<'_>,
    path: &Path<'_>,
    drafts: &[Draft],
    sink: &mut Sink,
) -> Option<Operation> {
    let resource =
        fields.get("resource").and_then(|node| resource(node, &path.key("resource"), drafts, sink));
    let node = fields.get("route")?;
    let path = path.key("route");
    let route = routes::one(node, &path, sink)?;
    let resource = resource?;
    let draft = &drafts[resource];
    if draft.routes_known && !draft.resource.routes.serves(route) {
        let reason = format!(
            "the resource {} has no route {}; it has {}",
            quoted(&draft.resource.name),
            route.name(),
            draft.resource.routes.names().join(", ")
        );
        sink.report(node.place, path, reason);
    }
    Some(Operation { resource, route })
}

/// The index of the resource named at `node`.
fn resource(node: &Node, path: &Path<'_>, drafts: &[Draft], sink: &mut Sink) -> Option<usize> {
    let name = text(node, path, sink)?;
    let index = drafts.iter().position(|draft| draft.resource.name == name);
    // A text that broke off may have declared it further down, and without readable resources
    // there is nothing to compare with.
    if index.is_none() && !drafts.is_empty() && !sink.broken_off() {
        let names: Vec<&str> = drafts.iter().map(|draft| draft.resource.name.as_str()).collect();
        let advice = match suggestion(name, names.iter().copied()) {
            Some(near) => format!("did you mean {}?", quoted(near)),
            None => {
                let shown: Vec<String> = names.iter().take(8).map(|name| quoted(name)).collect();
                format!("name a declared one, such as {}", shown.join(", "))
            }
        };
        let reason = format!("unknown resource {}; {advice}", quoted(name));
        sink.report(node.place, path, reason);
    }
    index
}

fn kind(fields: &Fields<'_>, path: &Path<'_>, sink: &mut Sink) -> Option<FaultKind> {
    let node = fields.get("fault")?;
    let path = path.key("fault");
    let way_out = "write one of timeout_after_commit, 429, 500";
    let name = match &*node.content {
        Content::String(text) | Content::Number(text) => text.as_str(),
        _ => return wrong_kind(node, &path, "a string or a status number", way_out, sink),
    };
    let kind = FaultKind::NAMES.into_iter().find(|(known, _)| *known == name);
    let Some((_, kind)) = kind else {
        let names = FaultKind::NAMES.map(|(name, _)| name);
        sink.report(node.place, path, unknown_value(name, &names));
        return None;
    };
    let route = fields.get("route").map(|node| &*node.content);
    let on_create = match route {
        Some(Content::String(route)) => {
            let named = Route::NAMES.iter().find(|(name, _)| name == route);
            named.is_none_or(|(_, route)| *route == Route::Create)
        }
        _ => true,
    };
    if kind == FaultKind::TimeoutAfterCommit && !on_create {
        let reason = "timeout_after_commit strikes only the route create, which commits; choose \
                      429 or 500 here";
        sink.report(node.place, path, reason);
    }
    Some(kind)
}

fn trigger(fields: &Fields<'_>, item: &Node, path: &Path<'_>, sink: &mut Sink) -> Option<Trigger> {
    let ordinals =
        fields.get("on_requests").map(|node| on_requests(node, &path.key("on_requests"), sink));
    let chance =
        fields.get("probability").map(|node| probability(node, &path.key("probability"), sink));
    match (ordinals, chance) {
        (Some(trigger), None) | (None, Some(trigger)) => trigger,
        (Some(_), Some(_)) => {
            let reason = "a fault has on_requests or probability, not both; take one out";
            sink.report(item.place, path, reason);
            None
        }
        (None, None) => {
            if fields.leaves_out("probability") {
                let reason = "the fault never strikes; add on_requests: [1] or a probability";
                sink.report(item.place, path, reason);
            }
            None
        }
    }
}

fn on_requests(node: &Node, path: &Path<'_>, sink: &mut Sink) -> Option<Trigger> {
    let (items, whole) = list(node, path, sink)?;
    if items.is_empty() && whole {
        let reason = "no request is listed; list the ordinals of requests, from 1";
        sink.report(node.place, path, reason);
        return None;
    }
    let mut seen = BTreeSet::new();
    let mut ordinals = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let path = path.index(index);
        let Some(ordinal) = integer(item, &path, 1, sink) else {
            continue;
        };
        if seen.insert(ordinal) {
            ordinals.push(ordinal);
        } else {
            let reason = format!("request {ordinal} is listed twice; keep one");
            sink.report(item.place, path, reason);
        }
    }
    Some(Trigger::OnRequests(ordinals))
}

fn probability(node: &Node, path: &Path<'_>, sink: &mut Sink) -> Option<Trigger> {
    let Content::Number(number) = &*node.content else {
        return wrong_kind(node, path, "a number from 0 to 1", "write one such as 0.25", sink);
    };
    if let Err(reason) = decimal::door_rule(number) {
        sink.report(node.place, path, reason);
        return None;
    }
    match number.parse::<f64>() {
        // The double nearest to a number outside may lie inside.
        Ok(chance) if decimal::is_from_zero_to_one(number) => Some(Trigger::Probability(chance)),
        _ => {
            sink.report(node.place, path, "a probability is a number from 0 to 1");
            None
        }
    }
}

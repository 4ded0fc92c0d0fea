//! One resource of a definition, and what resources may not have in common.

use std::collections::BTreeSet;

use super::node::{Content, Node, Place};
use super::path::Path;
use super::read::{KeySpec, fields, filled_text, list, text};
use super::sink::Sink;
use super::{IdFormat, Idempotency, Resource, Routes, names, routes, seed};
use crate::quoted::quoted;

const KEYS: [KeySpec; 7] = [
    KeySpec::required("path", "add the collection path, such as /orders"),
    KeySpec::required("routes", "list at least one of create, list, get"),
    KeySpec::optional("id_field"),
    KeySpec::optional("id_format"),
    KeySpec::optional("filters"),
    KeySpec::optional("idempotency"),
    KeySpec::optional("seed"),
];

const IDEMPOTENCY_KEYS: [KeySpec; 2] = [
    KeySpec::required("header", "name the request header that carries the key"),
    KeySpec::required("field", "name the record field that stores the key"),
];

const WAY_OUT: &str =
    "write its keys below its name, such as path: /orders and routes: [create, list, get]";

const IDEMPOTENCY_WAY_OUT: &str = "write {header: Idempotency-Key, field: idempotency_key}";

/// A resource while faults are still being found. A faulty part is at its default.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    /// Its path is empty when that is missing or faulty.
    pub(super) resource: Resource,
    pub(super) path_place: Place,
    /// Whether its routes are all readable, so that a route that is not there is surely not there.
    pub(super) routes_known: bool,
    /// Seed records, faulty ones included.
    pub(super) record_count: usize,
}

/// Reads the resource at `node`.
pub(super) fn read(name: &str, node: &Node, path: &Path<'_>, sink: &mut Sink) -> Draft {
    let mut draft = Draft {
        resource: Resource {
            name: String::from(name),
            path: Vec::new(),
            routes: Routes::default(),
            id_field: String::from("id"),
            id_format: IdFormat::default(),
            filters: Vec::new(),
            idempotency: None,
            seed: Vec::new(),
        },
        path_place: node.place,
        routes_known: false,
        record_count: 0,
    };
    let Some(fields) = fields(node, path, &KEYS, WAY_OUT, sink) else {
        return draft;
    };
    let resource = &mut draft.resource;
    if let Some(node) = fields.get("path") {
        resource.path = collection_path(node, &path.key("path"), sink).unwrap_or_default();
        draft.path_place = node.place;
    }
    if let Some(node) = fields.get("routes") {
        (resource.routes, draft.routes_known) = routes::all(node, &path.key("routes"), sink);
    }
    // Without an id field that is surely meant, records cannot be judged by their ids; nor can
    // ids without such a format.
    let id_field = match fields.get("id_field") {
        Some(node) => filled_text(node, &path.key("id_field"), sink),
        None => fields.leaves_out("id_field").then_some("id"),
    };
    resource.id_field = String::from(id_field.unwrap_or("id"));
    let id_format = match fields.get("id_format") {
        Some(node) => id_format(node, &path.key("id_format"), sink),
        None => fields.leaves_out("id_format").then(IdFormat::default),
    };
    if let Some(node) = fields.get("filters") {
        resource.filters = filters(node, &path.key("filters"), sink);
    }
    let mut key_field = None;
    if let Some(node) = fields.get("idempotency") {
        let path = path.key("idempotency");
        (resource.idempotency, key_field) = idempotency(node, &path, id_field, sink);
    }
    if let Some(node) = fields.get("seed") {
        let rules = seed::Rules {
            id_field,
            reserved_ids: id_format.as_ref().filter(|_| resource.routes.create),
            key_field,
        };
        if let Content::List(list) = &*node.content {
            draft.record_count = list.items.len();
        }
        resource.seed = seed::records(node, &path.key("seed"), &rules, sink);
    }
    resource.id_format = id_format.unwrap_or_default();
    draft
}

/// Lists collection paths that two resources share, and those that the `get` of another resource
/// would take for one of its records.
pub(super) fn check_paths(drafts: &[Draft], sink: &mut Sink) {
    let known = |draft: &&Draft| !draft.resource.path.is_empty();
    for (index, draft) in drafts.iter().enumerate().filter(|(_, draft)| known(draft)) {
        let resource = &draft.resource;
        let path = Path::Root.key("resources");
        let path = path.key(&resource.name);
        let path = path.key("path");
        let twin = drafts[..index].iter().find(|other| other.resource.path == resource.path);
        if let Some(twin) = twin {
            let reason = format!(
                "the resource {} has this path already; give each its own",
                quoted(&twin.resource.name)
            );
            sink.report(draft.path_place, path, reason);
        }
        let parent = &resource.path[..resource.path.len() - 1];
        let shadow = drafts
            .iter()
            .filter(known)
            .find(|other| other.resource.routes.get && other.resource.path == parent);
        if let Some(shadow) = shadow {
            let reason = format!(
                "the route get of the resource {} serves this path as one of its records; \
                 choose another path",
                quoted(&shadow.resource.name)
            );
            sink.report(draft.path_place, path, reason);
        }
    }
}

fn collection_path(node: &Node, path: &Path<'_>, sink: &mut Sink) -> Option<Vec<String>> {
    match names::path_segments(text(node, path, sink)?) {
        Ok(segments) => Some(segments),
        Err(reason) => {
            sink.report(node.place, path, reason);
            None
        }
    }
}

fn id_format(node: &Node, path: &Path<'_>, sink: &mut Sink) -> Option<IdFormat> {
    match IdFormat::parse(text(node, path, sink)?) {
        Ok(format) => Some(format),
        Err(reason) => {
            sink.report(node.place, path, reason);
            None
        }
    }
}

fn filters(node: &Node, path: &Path<'_>, sink: &mut Sink) -> Vec<String> {
    let Some((items, _)) = list(node, path, sink) else {
        return Vec::new();
    };
    let mut seen = BTreeSet::new();
    let mut filters = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let path = path.index(index);
        let Some(name) = filled_text(item, &path, sink) else {
            continue;
        };
        if seen.insert(name) {
            filters.push(String::from(name));
        } else {
            let reason = format!("the filter {} is listed twice; keep one", quoted(name));
            sink.report(item.place, path, reason);
        }
    }
    filters
}

/// The header and the field, and the field alone, which judges records whatever the header is.
fn idempotency<'n>(
    node: &'n Node,
    path: &Path<'_>,
    id_field: Option<&str>,
    sink: &mut Sink,
) -> (Option<Idempotency>, Option<&'n str>) {
    let Some(fields) = fields(node, path, &IDEMPOTENCY_KEYS, IDEMPOTENCY_WAY_OUT, sink) else {
        return (None, None);
    };
    let header = fields.get("header").and_then(|node| {
        let path = path.key("header");
        let name = text(node, &path, sink)?;
        if let Err(reason) = names::check_header(name) {
            sink.report(node.place, path, reason);
        }
        Some(String::from(name))
    });
    let field = fields.get("field").and_then(|node| {
        let path = path.key("field");
        let name = filled_text(node, &path, sink)?;
        if Some(name) == id_field {
            let reason = format!(
                "the field {} holds the record's id; store the key in another field",
                quoted(name)
            );
            sink.report(node.place, path, reason);
            return None;
        }
        Some(name)
    });
    let both = header.zip(field);
    let both = both.map(|(header, field)| Idempotency { header, field: String::from(field) });
    (both, field)
}

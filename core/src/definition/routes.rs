//! Routes, as a resource lists them and as a fault names one.

use super::node::Node;
use super::path::Path;
use super::read::{list, text, unknown_value};
use super::sink::Sink;
use super::{Route, Routes};
use crate::quoted::quoted;

/// The routes, and whether every one of them was readable.
pub(super) fn all(node: &Node, path: &Path<'_>, sink: &mut Sink) -> (Routes, bool) {
    let mut routes = Routes::default();
    let Some((items, whole)) = list(node, path, sink) else {
        return (routes, false);
    };
    if items.is_empty() && whole {
        sink.report(node.place, path, "no route is listed; list at least one of create, list, get");
        return (routes, false);
    }
    let mut known = whole;
    for (index, item) in items.iter().enumerate() {
        let path = path.index(index);
        let Some(route) = one(item, &path, sink) else {
            known = false;
            continue;
        };
        if routes.serves(route) {
            let reason = format!("the route {} is listed twice; keep one", route.name());
            sink.report(item.place, path, reason);
        }
        match route {
            Route::Create => routes.create = true,
            Route::List => routes.list = true,
            Route::Get => routes.get = true,
        }
    }
    (routes, known)
}

/// The route named at `node`.
pub(super) fn one(node: &Node, path: &Path<'_>, sink: &mut Sink) -> Option<Route> {
    let text = text(node, path, sink)?;
    if let Some((_, route)) = Route::NAMES.into_iter().find(|(name, _)| *name == text) {
        return Some(route);
    }
    sink.report(node.place, path, unknown(text));
    None
}

/// The reason for a text that names no route.
fn unknown(text: &str) -> String {
    /// What other interfaces do to a record; a world of version 1 never changes one.
    const CHANGES: [&str; 7] = ["update", "delete", "patch", "put", "replace", "remove", "destroy"];
    let word = text.to_ascii_lowercase();
    if CHANGES.contains(&word.as_str()) {
        return format!(
            "version 1 has no route {}, only create, list and get; take it out",
            quoted(text)
        );
    }
    if word == "post" {
        return format!("unknown value {}; did you mean \"create\"?", quoted(text));
    }
    unknown_value(text, &Route::NAMES.map(|(name, _)| name))
}

//! From a method and a path to a route of a resource.
//!
//! Spec: "Requests".

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::Request;
use super::refusal::{self, Refusal};
use crate::definition::{Definition, Operation, Resource, Route};

/// What a request addresses.
#[derive(Debug)]
pub(super) enum Target<'a> {
    /// The snapshot.
    State,
    /// A route of a resource; `id` is empty unless the route is get.
    Route { operation: Operation, id: Cow<'a, str> },
}

/// Everything outside RFC 3986 `unreserved`.
const OUTSIDE_UNRESERVED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

const RESERVED_SEGMENT: &str = "_attest";

/// Finds the target of `request`.
///
/// # Errors
/// 404 where no route is declared on the path, 405 where the path has routes and none of them
/// takes the method. Neither is counted by any ordinal.
pub(super) fn resolve<'a>(
    definition: &Definition,
    request: &Request<'a>,
) -> Result<Target<'a>, Refusal> {
    let segments = decoded_segments(request.path).ok_or_else(refusal::nothing_served)?;
    if segments.first().is_some_and(|first| first == RESERVED_SEGMENT) {
        return resolve_reserved(&segments, request.method);
    }
    let (collection, last) = match segments.split_last() {
        Some((last, collection)) => (collection, last),
        None => return Err(refusal::nothing_served()),
    };
    for (index, resource) in definition.resources.iter().enumerate() {
        let target = |route| Operation { resource: index, route };
        if same_path(&resource.path, &segments) {
            return match (request.method, resource.routes.create, resource.routes.list) {
                (_, false, false) => Err(refusal::nothing_served()),
                ("POST", true, _) => {
                    Ok(Target::Route { operation: target(Route::Create), id: Cow::Borrowed("") })
                }
                ("GET" | "HEAD", _, true) => {
                    Ok(Target::Route { operation: target(Route::List), id: Cow::Borrowed("") })
                }
                (method, _, _) => Err(refusal::method_not_allowed(method, allow(resource))),
            };
        }
        if resource.routes.get && !last.is_empty() && same_path(&resource.path, collection) {
            return match request.method {
                "GET" | "HEAD" => {
                    Ok(Target::Route { operation: target(Route::Get), id: last.clone() })
                }
                method => Err(refusal::method_not_allowed(method, String::from("GET, HEAD"))),
            };
        }
    }
    Err(refusal::nothing_served())
}

fn resolve_reserved<'a>(segments: &[Cow<'a, str>], method: &str) -> Result<Target<'a>, Refusal> {
    match (segments, method) {
        ([_, state], "GET" | "HEAD") if state == "state" => Ok(Target::State),
        ([_, state], _) if state == "state" => {
            Err(refusal::method_not_allowed(method, String::from("GET, HEAD")))
        }
        _ => Err(refusal::nothing_served()),
    }
}

/// The methods that a collection path takes.
fn allow(resource: &Resource) -> String {
    let methods = match (resource.routes.create, resource.routes.list) {
        (true, true) => "GET, HEAD, POST",
        (true, false) => "POST",
        _ => "GET, HEAD",
    };
    String::from(methods)
}

/// The path of the record with this id: what a `Location` says, without the base URL's part.
pub(super) fn record_path(resource: &Resource, id: &str) -> String {
    let mut path = String::new();
    for segment in &resource.path {
        path.push('/');
        path.push_str(segment);
    }
    path.push('/');
    path.extend(utf8_percent_encode(id, OUTSIDE_UNRESERVED));
    path
}

fn same_path(path: &[String], segments: &[Cow<'_, str>]) -> bool {
    path.len() == segments.len() && path.iter().zip(segments).all(|(own, other)| own == other)
}

/// The segments behind the first `/`, percent-decoded; `None` when one cannot be decoded or the
/// path does not begin with `/`.
fn decoded_segments(path: &str) -> Option<Vec<Cow<'_, str>>> {
    path.strip_prefix('/')?.split('/').map(decoded).collect()
}

fn decoded(segment: &str) -> Option<Cow<'_, str>> {
    let mut rest = segment.as_bytes();
    while let Some(at) = rest.iter().position(|&byte| byte == b'%') {
        let digits = rest.get(at + 1..at + 3)?;
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        rest = &rest[at + 3..];
    }
    percent_decode_str(segment).decode_utf8().ok()
}

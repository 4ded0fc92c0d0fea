//! The query of a list: filters, decoded as forms are.
//!
//! Spec: "List".

use std::borrow::Cow;
use std::collections::BTreeMap;

use percent_encoding::percent_decode;

use super::refusal::{self, Refusal};
use super::store::Store;
use crate::definition::Resource;
use crate::quoted::quoted;

/// One filter of a list: its name and the text asked for.
pub(super) type Filter = (String, String);

/// Reads the filters of a list of `resource`, whose records are in `store`.
///
/// # Errors
/// 400 for a parameter that is not declared, comes twice, or is not UTF-8.
pub(super) fn filters(
    resource: &Resource,
    store: &Store,
    query: &str,
) -> Result<Vec<Filter>, Refusal> {
    let mut filters: BTreeMap<String, String> = BTreeMap::new();
    for piece in query.split('&').filter(|piece| !piece.is_empty()) {
        let (name, value) = piece.split_once('=').unwrap_or((piece, ""));
        let invalid = |problem: String| refusal::invalid_query(&problem, resource);
        let (Some(name), Some(value)) = (form_decoded(name), form_decoded(value)) else {
            return Err(invalid(format!("The query parameter {} is not UTF-8", quoted(piece))));
        };
        if !store.has_filter(&name) {
            return Err(invalid(format!("The query parameter {} is not a filter", quoted(&name))));
        }
        if filters.contains_key(&name) {
            return Err(invalid(format!("The query parameter {} comes twice", quoted(&name))));
        }
        filters.insert(name, value);
    }
    Ok(filters.into_iter().collect())
}

/// `+` is a space, `%XX` a byte; a broken escape stays as it is. `None` when the bytes are no
/// UTF-8.
fn form_decoded(text: &str) -> Option<String> {
    let spaced: Cow<'_, str> =
        if text.contains('+') { text.replace('+', " ").into() } else { text.into() };
    let bytes: Vec<u8> = percent_decode(spaced.as_bytes()).collect();
    String::from_utf8(bytes).ok()
}

//! The records of one resource.
//!
//! Spec: "Create", "List", "Get".

use std::collections::BTreeMap;

use super::query::Filter;
use crate::decimal;
use crate::definition::Resource;
use crate::json::Value;

/// Records in creation order, seed records first.
///
/// The compact texts stand one behind the other with commas between, which is what a list and a
/// snapshot need, and what makes their cost that of a copy. Indexes find a record by its id and
/// by the value of a declared filter, so that neither grows with the number of records.
#[derive(Debug, Default)]
pub(super) struct Store {
    joined: String,
    /// Where each record's text begins and ends in `joined`.
    spans: Vec<(usize, usize)>,
    by_id: BTreeMap<String, usize>,
    /// For each filter by its name, the positions of the records for each value, ascending.
    by_filter: BTreeMap<String, BTreeMap<String, Vec<usize>>>,
    created: u64,
}

impl Store {
    /// A store that holds the seed records of `resource`.
    pub(super) fn seeded(resource: &Resource) -> Store {
        let by_filter = resource.filters.iter().map(|name| (name.clone(), BTreeMap::new()));
        let mut store = Store { by_filter: by_filter.collect(), ..Store::default() };
        for record in &resource.seed {
            let id = match record.member(&resource.id_field) {
                Some(Value::String(id) | Value::Number(id)) => id.clone().into_owned(),
                _ => String::new(),
            };
            store.push(&id, record, &record.to_compact());
        }
        store
    }

    /// Adds a record that a create made, and counts it. Returns its position.
    pub(super) fn create(&mut self, id: &str, record: &Value<'_>, text: &str) -> usize {
        self.created += 1;
        self.push(id, record, text)
    }

    fn push(&mut self, id: &str, record: &Value<'_>, text: &str) -> usize {
        let position = self.spans.len();
        if position > 0 {
            self.joined.push(',');
        }
        let start = self.joined.len();
        self.joined.push_str(text);
        self.spans.push((start, self.joined.len()));
        self.by_id.insert(id.to_owned(), position);
        // Once over the members, so that many filters and many members do not multiply.
        for (name, value) in record.as_object().unwrap_or_default() {
            if let Some(index) = self.by_filter.get_mut(name.as_ref())
                && let Some(key) = value_key(value)
            {
                index.entry(key).or_default().push(position);
            }
        }
        position
    }

    /// How many records there are.
    pub(super) fn len(&self) -> usize {
        self.spans.len()
    }

    /// How many of them a create made.
    pub(super) fn created(&self) -> u64 {
        self.created
    }

    /// The compact texts of all records, joined by commas.
    pub(super) fn joined(&self) -> &str {
        &self.joined
    }

    /// The compact text of the record at `position`.
    pub(super) fn record(&self, position: usize) -> &str {
        let (start, end) = self.spans[position];
        &self.joined[start..end]
    }

    /// The position of the record with this id.
    pub(super) fn position(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// Whether its list takes this filter.
    pub(super) fn has_filter(&self, name: &str) -> bool {
        self.by_filter.contains_key(name)
    }

    /// The JSON array of the records that match every filter.
    pub(super) fn list(&self, filters: &[Filter]) -> String {
        let mut list = String::from("[");
        let mut matching = filters.iter().map(|(filter, text)| self.matching(filter, text));
        match matching.next() {
            None => list.push_str(&self.joined),
            Some(first) => {
                let rest: Vec<Vec<usize>> = matching.collect();
                let all = first
                    .into_iter()
                    .filter(|position| rest.iter().all(|r| r.binary_search(position).is_ok()));
                for (index, position) in all.enumerate() {
                    if index > 0 {
                        list.push(',');
                    }
                    list.push_str(self.record(position));
                }
            }
        }
        list.push(']');
        list
    }

    /// The positions, ascending, of the records whose value for `filter` matches `text`.
    fn matching(&self, filter: &str, text: &str) -> Vec<usize> {
        let mut positions: Vec<usize> = text_keys(text)
            .iter()
            .filter_map(|key| self.by_filter.get(filter)?.get(key))
            .flatten()
            .copied()
            .collect();
        positions.sort_unstable();
        positions
    }
}

const STRING: char = 's';
const NUMBER: char = 'n';
const WORD: char = 'w';

/// The index key of a record's value; `None` for an array or object, which no text matches.
fn value_key(value: &Value<'_>) -> Option<String> {
    match value {
        Value::String(text) => Some(key(STRING, text)),
        Value::Number(text) => decimal::canonical(text).map(|canonical| key(NUMBER, &canonical)),
        Value::Null => Some(key(WORD, "null")),
        Value::Bool(true) => Some(key(WORD, "true")),
        Value::Bool(false) => Some(key(WORD, "false")),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// The index keys of the values that a query's text matches.
fn text_keys(text: &str) -> Vec<String> {
    let mut keys = vec![key(STRING, text)];
    if matches!(text, "null" | "true" | "false") {
        keys.push(key(WORD, text));
    }
    if decimal::is_json_number(text) {
        keys.extend(decimal::canonical(text).map(|canonical| key(NUMBER, &canonical)));
    }
    keys
}

fn key(kind: char, text: &str) -> String {
    let mut key = String::with_capacity(text.len() + 1);
    key.push(kind);
    key.push_str(text);
    key
}

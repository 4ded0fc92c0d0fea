//! The definition that users start from: the reader and the schema accept it, and it teaches
//! every key that there is.

use std::collections::BTreeSet;

use attest_core::definition::{Definition, plain_value};
use serde_json::Value;

const STARTER: &str = include_str!("../../proto/attest/v1/world-starter.yaml");
const SCHEMA: &str = include_str!("../../proto/attest/v1/world-v1.schema.json");

#[test]
fn the_reader_and_the_schema_accept_it() {
    let definition = Definition::parse(STARTER.as_bytes()).map_err(|faults| faults.listed);
    assert_eq!(definition.err().unwrap_or_default().len(), 0);
    let plain = plain_value(STARTER.as_bytes()).map_err(drop).expect("it is plain YAML");
    let value: Value = serde_json::from_str(&plain.to_compact()).expect("JSON");
    let validator = jsonschema::validator_for(&schema()).expect("the schema is one");
    let faults: Vec<String> = validator.iter_errors(&value).map(|e| e.to_string()).collect();
    assert_eq!(faults, Vec::<String>::new());
}

#[test]
fn its_first_line_names_the_schema_beside_it() {
    let first = STARTER.lines().next().unwrap_or_default();
    assert_eq!(first, "# yaml-language-server: $schema=world-v1.schema.json");
}

#[test]
fn it_teaches_every_key_and_every_word() {
    let mut taught = BTreeSet::new();
    collect(&schema(), &mut taught);
    assert!(taught.contains("probability:") && taught.contains("timeout_after_commit"));
    for text in taught {
        assert!(STARTER.contains(&text), "{text} is not in the starter");
    }
}

/// Every key of `schema` as a file writes it, and every string among its values.
fn collect(schema: &Value, taught: &mut BTreeSet<String>) {
    let members = schema.as_object().into_iter().flatten();
    for (name, part) in members {
        match name.as_str() {
            "properties" => {
                let keys = part.as_object().into_iter().flatten();
                taught.extend(keys.clone().map(|(key, _)| format!("{key}:")));
                keys.for_each(|(_, part)| collect(part, taught));
            }
            "enum" => {
                let words = part.as_array().into_iter().flatten().filter_map(Value::as_str);
                taught.extend(words.map(str::to_owned));
            }
            // What conditions say is said of keys that stand elsewhere.
            "if" | "then" | "not" => {}
            _ => collect(part, taught),
        }
    }
}

fn schema() -> Value {
    serde_json::from_str(SCHEMA).expect("the schema is JSON")
}

//! Runs every definition vector against the parser and against the published schema.
//!
//! Only `accepts` and `judges` below touch the code under test; the rest compares.

use std::collections::BTreeSet;

use attest_core::definition::{
    Definition, DefinitionFault, Fault, Faults, IdFormat, Resource, Trigger, plain_value,
};
use attest_core::json::Value as Plain;
use attest_vectors::{Text, suites};
use serde::Deserialize;
use serde_json::{Value, json};

const SCHEMA: &str = include_str!("../../proto/attest/v1/world-v1.schema.json");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Suite {
    #[serde(rename = "suite")]
    _suite: String,
    #[serde(rename = "spec")]
    _spec: String,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    description: String,
    definition: Text,
    valid: bool,
    #[serde(default)]
    expect: Value,
    #[serde(default)]
    faults: Vec<ExpectedFault>,
    schema: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedFault {
    line: usize,
    column: usize,
    path: String,
    mentions: Vec<String>,
}

#[test]
fn parser_agrees_with_every_vector() {
    let mut failures = Vec::new();
    for (file, case) in cases() {
        if let Err(difference) = compare(&case) {
            failures.push(format!("{file}: {}: {difference}", case.description));
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn schema_agrees_with_the_parser_but_where_a_vector_says_otherwise() {
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    let mut failures = Vec::new();
    for (file, case) in cases() {
        let expected = match (case.valid, case.schema.as_deref()) {
            (true, None) => "accepts",
            (false, None) => "refuses",
            (false, Some(marked)) => marked,
            (true, Some(_)) => "no mark, for it is valid",
        };
        let judged = judges(&validator, &case.definition.to_bytes());
        if judged != expected {
            let name = &case.description;
            failures.push(format!("{file}: {name}: expected {expected}, got {judged}"));
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn schema_is_valid_under_both_drafts_and_describes_every_key() {
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    assert!(jsonschema::draft7::meta::is_valid(&schema));
    assert!(jsonschema::draft202012::meta::is_valid(&schema));
    for key in ["$id", "$defs", "$anchor", "definitions", "dependentRequired", "prefixItems"] {
        assert!(schema.get(key).is_none(), "{key} is not shared by both drafts");
    }
    let mut undescribed = Vec::new();
    find_undescribed(&schema["properties"], "", &mut undescribed);
    assert_eq!(undescribed, Vec::<String>::new());
}

#[test]
fn suites_are_about_one_fault_each_and_name_their_cases_once() {
    let mut seen = BTreeSet::new();
    for (file, case) in cases() {
        let name = (file.clone(), case.description.clone());
        assert!(seen.insert(name), "{file}: {} twice", case.description);
        assert_eq!(case.valid, case.faults.is_empty(), "{file}: {}", case.description);
        assert_eq!(case.valid, file.starts_with("valid/"), "{file}: {}", case.description);
        if !file.ends_with("several-faults.json") {
            assert!(case.faults.len() <= 1, "{file}: {}", case.description);
        }
    }
}

fn cases() -> Vec<(String, Case)> {
    let mut cases = Vec::new();
    for (path, suite) in suites("definitions") {
        let folder = path.parent().and_then(|folder| folder.file_name());
        let name = [folder, path.file_name()]
            .map(|part| part.unwrap_or_default().to_string_lossy().into_owned())
            .join("/");
        let suite: Suite = serde_json::from_value(suite).unwrap_or_else(|e| panic!("{name}: {e}"));
        cases.extend(suite.cases.into_iter().map(|case| (name.clone(), case)));
    }
    cases
}

fn accepts(bytes: &[u8]) -> Result<Definition, Faults> {
    Definition::parse(bytes)
}

/// What the schema makes of the plain JSON that a definition's text stands for.
fn judges(validator: &jsonschema::Validator, bytes: &[u8]) -> &'static str {
    match plain_value(bytes) {
        Err(_) => "unread",
        Ok(value) if validator.is_valid(&to_serde(&value)) => "accepts",
        Ok(_) => "refuses",
    }
}

fn compare(case: &Case) -> Result<(), String> {
    match (accepts(&case.definition.to_bytes()), case.valid) {
        (Ok(definition), true) => compare_seen(&definition, &case.expect),
        (Err(faults), false) => compare_faults(&faults, &case.faults),
        (Ok(_), false) => Err(String::from("accepted")),
        (Err(faults), true) => Err(format!("refused: {}", shown(&faults))),
    }
}

fn compare_faults(found: &Faults, expected: &[ExpectedFault]) -> Result<(), String> {
    let same = found.listed.len() + found.more == expected.len()
        && found.listed.iter().zip(expected).all(|(found, expected)| {
            (found.line, found.column, &found.path)
                == (expected.line, expected.column, &expected.path)
                && expected.mentions.iter().all(|words| found.reason.contains(words))
                && !found.reason.ends_with('.')
        });
    if same { Ok(()) } else { Err(format!("other faults: {}", shown(found))) }
}

fn shown(faults: &Faults) -> String {
    let lines = faults.listed.iter().take(5).map(|fault| {
        let DefinitionFault { line, column, path, reason } = fault;
        format!("\n    {line}:{column}: {path}: {reason}")
    });
    lines.collect()
}

fn compare_seen(definition: &Definition, expected: &Value) -> Result<(), String> {
    let seen = json!({
        "base_url_env": definition.base_url_env,
        "seed": definition.seed,
        "resources": definition.resources.iter().map(resource_seen).collect::<Vec<_>>(),
        "faults": definition.faults.iter()
            .map(|fault| fault_seen(fault, definition)).collect::<Vec<_>>(),
    });
    match differs(expected, &seen, "expect") {
        None => Ok(()),
        Some(difference) => Err(difference),
    }
}

/// The first place where `seen` is not what is expected; what is left out is not compared.
fn differs(expected: &Value, seen: &Value, at: &str) -> Option<String> {
    match (expected, seen) {
        (Value::Null, _) if at == "expect" => None,
        (Value::Object(members), Value::Object(_)) => members
            .iter()
            .find_map(|(key, expected)| differs(expected, &seen[key], &format!("{at}.{key}"))),
        (Value::Array(items), Value::Array(others)) if items.len() == others.len() => items
            .iter()
            .zip(others)
            .enumerate()
            .find_map(|(index, (item, other))| differs(item, other, &format!("{at}[{index}]"))),
        _ if expected == seen => None,
        _ => Some(format!("{at}: expected {expected}, seen {seen}")),
    }
}

fn resource_seen(resource: &Resource) -> Value {
    let idempotency = resource.idempotency.as_ref().map(|idempotency| {
        json!({"header": idempotency.header.to_ascii_lowercase(), "field": idempotency.field})
    });
    json!({
        "name": resource.name,
        "path": format!("/{}", resource.path.join("/")),
        "routes": resource.routes.names(),
        "id_field": resource.id_field,
        "id_format": written(&resource.id_format),
        "filters": resource.filters,
        "idempotency": idempotency,
        "seed": Plain::Array(resource.seed.clone()).to_compact(),
    })
}

fn written(format: &IdFormat) -> String {
    let zero = if format.zero_padded { "0" } else { "" };
    let width = match format.width {
        0 => String::new(),
        width => width.to_string(),
    };
    let [prefix, suffix] = [&format.prefix, &format.suffix].map(|text| text.replace('%', "%%"));
    format!("{prefix}%{zero}{width}d{suffix}")
}

fn fault_seen(fault: &Fault, definition: &Definition) -> Value {
    let mut seen = json!({
        "id": fault.id,
        "resource": definition.resources[fault.operation.resource].name,
        "route": fault.operation.route.name(),
        "fault": fault.kind.name(),
    });
    match &fault.trigger {
        Trigger::OnRequests(ordinals) => seen["on_requests"] = json!(ordinals),
        Trigger::Probability(chance) => seen["probability"] = json!(chance),
    }
    seen
}

/// The same value for the schema library, which reads numbers as doubles.
fn to_serde(value: &Plain<'_>) -> Value {
    match value {
        Plain::Null => Value::Null,
        Plain::Bool(truth) => json!(truth),
        Plain::Number(text) => serde_json::from_str(text).unwrap_or(json!(f64::MAX)),
        Plain::String(text) => json!(text),
        Plain::Array(items) => items.iter().map(to_serde).collect(),
        Plain::Object(members) => members
            .iter()
            .map(|(key, value)| (key.to_string(), to_serde(value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
    }
}

fn find_undescribed(properties: &Value, path: &str, undescribed: &mut Vec<String>) {
    for (key, schema) in properties.as_object().into_iter().flatten() {
        let path = format!("{path}.{key}");
        for (part, schema) in
            [("", schema), ("[]", &schema["items"]), (".*", &schema["additionalProperties"])]
        {
            if schema.is_object() {
                let path = format!("{path}{part}");
                if !schema["description"].is_string() {
                    undescribed.push(path.clone());
                }
                find_undescribed(&schema["properties"], &path, undescribed);
                find_undescribed(&schema["items"]["properties"], &path, undescribed);
            }
        }
    }
}

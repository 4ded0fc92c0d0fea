//! The vector files against their schema, and the snapshots in them against theirs.

use attest_vectors::{Text, suites};
use jsonschema::{Validator, draft7, draft202012};
use serde_json::Value;

const VECTOR_SCHEMA: &str = include_str!("../../tests/vector.schema.json");
const SNAPSHOT_SCHEMA: &str = include_str!("../../proto/attest/v1/world-snapshot-v1.schema.json");

fn read(schema: &str) -> Value {
    serde_json::from_str(schema).expect("a schema in JSON")
}

/// The first fault that `validator` finds, with its place.
fn fault(validator: &Validator, instance: &Value) -> Option<String> {
    let fault = validator.iter_errors(instance).next()?;
    Some(format!("{}: {fault}", fault.instance_path()))
}

#[test]
fn every_vector_file_keeps_to_the_schema() {
    let schema = read(VECTOR_SCHEMA);
    for kind in ["definitions", "worlds", "generator"] {
        let mut of_kind = schema.clone();
        // One definition of the schema for each folder.
        of_kind["$ref"] = Value::from(format!("#/$defs/{kind}"));
        if let Some(members) = of_kind.as_object_mut() {
            members.remove("oneOf");
            members.remove("anyOf");
        }
        let validator = draft202012::new(&of_kind).expect("a valid schema");
        for (file, suite) in suites(kind) {
            assert_eq!(fault(&validator, &suite), None, "{}", file.display());
        }
    }
}

#[test]
fn every_snapshot_of_a_vector_keeps_to_the_published_schema_under_both_drafts() {
    let schema = read(SNAPSHOT_SCHEMA);
    let validators = [
        draft7::new(&schema).expect("a valid schema"),
        draft202012::new(&schema).expect("a valid schema"),
    ];
    let mut snapshots = 0;
    for (file, suite) in suites("worlds") {
        for case in suite["cases"].as_array().into_iter().flatten() {
            let Some(snapshot) = case.get("snapshot") else { continue };
            let bytes = Text::from_json(snapshot).expect("a text").to_bytes();
            let snapshot: Value = serde_json::from_slice(&bytes).expect("a snapshot in JSON");
            snapshots += 1;
            for validator in &validators {
                let name = format!("{}: {}", file.display(), case["description"]);
                assert_eq!(fault(validator, &snapshot), None, "{name}");
            }
        }
    }
    assert!(snapshots > 0, "no case has a snapshot");
}

#[test]
fn the_snapshot_schema_refuses_what_is_no_snapshot() {
    let schema = read(SNAPSHOT_SCHEMA);
    let validator = draft202012::new(&schema).expect("a valid schema");
    let sha256 = "0".repeat(64);
    let snapshot = serde_json::json!({
        "world_version": 1, "definition_sha256": sha256, "state": {"notes": [{"id": "1"}]},
        "faults_fired": [], "faults_fired_count": 0,
    });
    assert!(validator.is_valid(&snapshot));
    for (member, value) in [
        ("world_version", Value::from(2)),
        ("definition_sha256", Value::from("x")),
        ("state", Value::from(Vec::<Value>::new())),
        ("faults_fired", Value::Null),
        ("faults_fired_count", Value::from(-1)),
        ("surprise", Value::from(1)),
    ] {
        let mut other = snapshot.clone();
        other[member] = value;
        assert!(!validator.is_valid(&other), "{other}");
    }
}

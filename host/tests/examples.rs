//! The examples, run as the README runs them: what the agents leave behind in the world.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn payments() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/payments")
}

/// Runs `agent` in a fresh payments world and returns the final snapshot.
fn snapshot_after(agent: &[&str]) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let snapshot = folder.path().join("snapshot.json");
    let output = Command::new(env!("CARGO_BIN_EXE_attest-engine"))
        .current_dir(payments())
        .args(["world", "--file", "world.yaml", "--snapshot-out"])
        .arg(&snapshot)
        .arg("--")
        .args(agent)
        .output()
        .expect("the engine runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{agent:?}: {:?}\n{said}", output.status);
    let text = std::fs::read_to_string(&snapshot).expect("a snapshot");
    serde_json::from_str(&text).expect("the snapshot is JSON")
}

fn refunds(snapshot: &Value) -> &Vec<Value> {
    snapshot["state"]["refunds"].as_array().expect("a list of refunds")
}

fn check_without_key(agent: &[&str]) {
    let snapshot = snapshot_after(agent);
    let ids: Vec<&str> =
        refunds(&snapshot).iter().filter_map(|refund| refund["refund_id"].as_str()).collect();
    assert_eq!(ids, ["R-0001", "R-0002"]);
    assert_eq!(snapshot["faults_fired_count"], 1);
    assert_eq!(snapshot["faults_fired"][0]["id"], "inc-1042");
}

fn check_with_key(agent: &[&str]) {
    let snapshot = snapshot_after(agent);
    let [refund] = refunds(&snapshot).as_slice() else {
        panic!("expected one refund: {snapshot}");
    };
    assert_eq!(refund["idempotency_key"], "refund-O-1042");
    assert_eq!(refund["order_id"], "O-1042");
    assert_eq!(refund["amount_cents"], 4999);
}

#[test]
fn python_agent_without_a_key_refunds_twice() {
    check_without_key(&["python3", "agent.py"]);
}

#[test]
fn python_agent_with_a_key_refunds_once() {
    check_with_key(&["python3", "agent.py", "--idempotency-key", "refund-O-1042"]);
}

#[test]
fn node_agent_without_a_key_refunds_twice() {
    check_without_key(&["node", "agent.mjs"]);
}

#[test]
fn node_agent_with_a_key_refunds_once() {
    check_with_key(&["node", "agent.mjs", "--idempotency-key", "refund-O-1042"]);
}

#[test]
fn demo_says_two_refunds_and_then_one() {
    let output = Command::new("python3")
        .arg(payments().join("demo.py"))
        .env("ATTEST_ENGINE", env!("CARGO_BIN_EXE_attest-engine"))
        .output()
        .expect("the demo runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("The world holds 2 refunds for O-1042."), "{said}");
    assert!(said.contains("The world holds 1 refund for O-1042."), "{said}");
}

#[test]
fn readme_shows_a_mistake_as_the_engine_tells_it() {
    let definition = std::fs::read_to_string(payments().join("world.yaml")).expect("the example");
    let folder = tempfile::tempdir().expect("a folder");
    let misspelt = definition.replace("[create, list, get]", "[crete, list, get]");
    std::fs::write(folder.path().join("world.yaml"), misspelt).expect("a definition");
    let output = Command::new(env!("CARGO_BIN_EXE_attest-engine"))
        .current_dir(folder.path())
        .args(["check", "--file", "world.yaml"])
        .output()
        .expect("the engine runs");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    let readme = payments().join("../../README.md");
    let readme = std::fs::read_to_string(readme).expect("the README");
    assert!(readme.contains(said.lines().next().expect("a line")), "{said}");
}

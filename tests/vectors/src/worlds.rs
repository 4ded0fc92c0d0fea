//! World cases: a definition, requests in order, the expected replies and the final snapshot.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::text::Text;

/// One way of reaching a world, as a runner brings it.
pub trait Machine {
    /// Sends one request and returns what came back. `held` says that the case expects the answer
    /// to be held, so that a machine that can only see an answer come need not wait for one.
    fn handle(&mut self, request: &Request, held: bool) -> Reply;
    /// The current snapshot's bytes.
    fn snapshot(&mut self) -> Vec<u8>;
}

/// A request of a case.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Method as sent.
    pub method: String,
    /// Raw path behind the base URL's.
    pub path: String,
    /// Raw query without `?`.
    #[serde(default)]
    pub query: String,
    /// Headers in order.
    #[serde(default)]
    pub headers: Vec<(String, RawHeader)>,
    /// Body; none and empty are the same.
    #[serde(default)]
    pub body: Option<Text>,
    /// Whether the body is over the limit.
    #[serde(default)]
    pub too_large: bool,
}

/// A header value: text, or pieces for bytes that are no text.
pub type RawHeader = Text;

/// What a machine answered.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Status; 0 where a held answer shows none.
    pub status: u16,
    /// Headers by lower-case name.
    pub headers: BTreeMap<String, String>,
    /// Body bytes.
    pub body: Vec<u8>,
    /// Whether the answer was held.
    pub held: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Suite {
    suite: String,
    #[serde(rename = "spec")]
    _spec: String,
    cases: Vec<Case>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    description: String,
    #[serde(default, rename = "spec")]
    _spec: Option<String>,
    definition: Text,
    #[serde(default)]
    only: Option<String>,
    #[serde(default)]
    reason: Option<String>,
    steps: Vec<Step>,
    #[serde(default)]
    snapshot: Option<Text>,
    #[serde(default)]
    snapshot_sha256: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    request: Request,
    #[serde(default = "once")]
    times: u32,
    reply: Expected,
}

fn once() -> u32 {
    1
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    #[serde(default)]
    status: Option<u16>,
    #[serde(default)]
    headers: BTreeMap<String, Option<String>>,
    #[serde(default)]
    held: bool,
    #[serde(default)]
    body: Option<Text>,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    mentions: Vec<String>,
}

/// What a listener sends of a reply's body: nothing in answer to a HEAD.
pub fn sent_body(method: &str, body: Vec<u8>) -> Vec<u8> {
    if method == "HEAD" { Vec::new() } else { body }
}

/// A request as the core's text door takes it: the head in JSON, and the body.
pub fn text_door_request(request: &Request) -> (String, Vec<u8>) {
    // A byte of a header is one character there, as JavaScript's `fetch` shows it.
    let latin1 = |value: &Text| value.to_bytes().iter().map(|b| char::from(*b)).collect::<String>();
    let headers = request.headers.iter().map(|(name, value)| (name, latin1(value)));
    let head = json!({
        "method": request.method,
        "path": request.path,
        "query": request.query,
        "headers": headers.collect::<Vec<_>>(),
    });
    let body = match (&request.body, request.too_large) {
        (_, true) => vec![b' '; TOO_LARGE_BYTES],
        (Some(body), false) => body.to_bytes(),
        (None, false) => Vec::new(),
    };
    (head.to_string(), body)
}

/// The text door's outcome of `request`.
///
/// # Panics
/// When it is not of the form that the spec gives it.
pub fn text_door_reply(request: &Request, outcome: &str) -> Reply {
    let outcome: Value = serde_json::from_str(outcome).expect("an outcome in JSON");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let headers = outcome["headers"].as_array().expect("a list of headers").iter();
    Reply {
        status: outcome["status"].as_u64().expect("a status") as u16,
        headers: headers
            .map(|pair| (text(&pair[0]).to_ascii_lowercase(), text(&pair[1])))
            .collect(),
        body: sent_body(&request.method, text(&outcome["body"]).into_bytes()),
        held: outcome["hold_ms"] == 30_000,
    }
}

/// One byte over the limit of a request's body.
const TOO_LARGE_BYTES: usize = 1024 * 1024 + 1;

/// Runs every world case on machines that `open` makes from a definition's bytes, and returns
/// how many cases ran.
///
/// `runner` names the runner; a case that carries `only` runs only where that is its name, and
/// has to say why.
///
/// # Panics
/// After all cases ran, with every difference, when there was one.
pub fn run_worlds<M: Machine>(runner: &str, mut open: impl FnMut(&[u8]) -> M) -> usize {
    let (mut ran, mut faults) = (0, String::new());
    for (file, suite) in crate::suites("worlds") {
        let suite: Suite =
            serde_json::from_value(suite).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        for case in &suite.cases {
            if let Some(only) = &case.only {
                assert!(case.reason.is_some(), "{}: `only` without a reason", case.description);
                if only != runner {
                    continue;
                }
            }
            ran += 1;
            let mut machine = open(&case.definition.to_bytes());
            if let Err(fault) = run_case(case, &mut machine) {
                let _ = writeln!(faults, "{}: {}: {fault}", suite.suite, case.description);
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
    ran
}

fn run_case(case: &Case, machine: &mut impl Machine) -> Result<(), String> {
    for (index, step) in case.steps.iter().enumerate() {
        for turn in 1..=step.times {
            let reply = machine.handle(&step.request, step.reply.held);
            compare(&step.request, &step.reply, &reply)
                .map_err(|fault| format!("step {} (turn {turn}): {fault}", index + 1))?;
        }
    }
    let snapshot = machine.snapshot();
    if let Some(expected) = &case.snapshot {
        same_bytes("snapshot", &expected.to_bytes(), &snapshot)?;
    }
    if let Some(expected) = &case.snapshot_sha256 {
        let actual: String =
            Sha256::digest(&snapshot).iter().map(|byte| format!("{byte:02x}")).collect();
        if *expected != actual {
            return Err(format!("snapshot hash: expected {expected}, got {actual}"));
        }
    }
    Ok(())
}

fn compare(request: &Request, expected: &Expected, reply: &Reply) -> Result<(), String> {
    if expected.held != reply.held {
        return Err(format!("expected held = {}, got {reply:?}", expected.held));
    }
    let silent = reply.held && reply.status == 0;
    if silent {
        return Ok(());
    }
    let shown = String::from_utf8_lossy(&reply.body);
    let status = expected.status.ok_or("a case that names no status")?;
    if status != reply.status {
        return Err(format!("expected status {status}, got {} {shown}", reply.status));
    }
    for (name, value) in &expected.headers {
        let actual = reply.headers.get(&name.to_ascii_lowercase());
        if actual != value.as_ref() {
            return Err(format!("header {name}: expected {value:?}, got {actual:?}"));
        }
    }
    for (name, value) in [("content-type", "application/json"), ("cache-control", "no-store")] {
        if reply.headers.get(name).map(String::as_str) != Some(value) {
            return Err(format!("header {name}: expected {value}, got {:?}", reply.headers));
        }
    }
    if let Some(body) = &expected.body {
        same_bytes("body", &body.to_bytes(), &reply.body)?;
    }
    match &expected.error {
        Some(_) if request.method == "HEAD" => Ok(()),
        Some(code) => compare_error(code, &expected.mentions, &reply.body),
        None => Ok(()),
    }
}

fn compare_error(code: &str, mentions: &[String], body: &[u8]) -> Result<(), String> {
    let shown = String::from_utf8_lossy(body);
    let value: Value = serde_json::from_slice(body).map_err(|e| format!("{e}: {shown}"))?;
    let message = value["error"]["message"].as_str().unwrap_or("");
    let canonical = format!(
        r#"{{"error":{{"code":{},"message":{}}}}}"#,
        Value::from(code),
        Value::from(message)
    );
    if message.is_empty() || canonical.as_bytes() != body {
        return Err(format!("expected the error {code}, got {shown}"));
    }
    match mentions.iter().find(|words| !message.contains(words.as_str())) {
        Some(words) => Err(format!("expected a message that mentions {words:?}, got {message:?}")),
        None => Ok(()),
    }
}

fn same_bytes(what: &str, expected: &[u8], actual: &[u8]) -> Result<(), String> {
    if expected == actual {
        return Ok(());
    }
    let at = expected.iter().zip(actual).take_while(|(left, right)| left == right).count();
    let window = |bytes: &[u8]| {
        let from = at.saturating_sub(40).min(bytes.len());
        String::from_utf8_lossy(&bytes[from..(at + 80).min(bytes.len())]).into_owned()
    };
    Err(format!(
        "{what} differs at byte {at} (lengths {} and {})\n  expected …{}\n  got      …{}",
        expected.len(),
        actual.len(),
        window(expected),
        window(actual)
    ))
}

//! Every world vector through the JavaScript door, in Node, with the very module that is built
//! into the engine.
//!
//! Spec: "The core's doors".

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;

use attest_vectors::{Machine, Reply, run_worlds, worlds};
use serde_json::{Value, json};

#[test]
fn every_world_vector_holds_in_node() {
    let node = Rc::new(RefCell::new(Node::start()));
    let mut opened = 0;
    let ran = run_worlds("machine", |definition| {
        opened += 1;
        JsWorld::open(&node, opened, definition)
    });
    println!("{ran} world cases, in Node");
}

#[test]
fn a_refused_definition_is_thrown_as_json() {
    let thrown = Node::start().call(json!([0, "open", hex(b"world_version: 2")])).unwrap_err();
    let refusal: Value = serde_json::from_str(&thrown).expect("a message in JSON");
    let paths: Vec<_> = refusal["faults"]
        .as_array()
        .expect("a list of faults")
        .iter()
        .map(|fault| fault["path"].as_str().expect("a path"))
        .collect();
    assert!(paths.contains(&"world_version"), "{thrown}");
    assert_eq!(refusal["more"], 0);
}

#[test]
fn a_head_of_another_form_is_thrown_and_takes_no_ordinal() {
    let mut node = Node::start();
    let definition = std::fs::read(example()).expect("the example");
    node.call(json!([0, "open", hex(&definition)])).expect("the example is accepted");
    let before = node.call(json!([0, "snapshot"])).expect("a snapshot");
    for head in [
        "",
        "[]",
        "{}",
        r#"{"method":"GET"}"#,
        r#"{"method":"GET","path":1}"#,
        r#"{"method":"GET","path":"/orders/1","query":null}"#,
        r#"{"method":"GET","path":"/orders/1","headers":{}}"#,
        r#"{"method":"GET","path":"/orders/1","headers":[["a"]]}"#,
        r#"{"method":"GET","path":"/orders/1","body":""}"#,
    ] {
        let thrown = node.call(json!([0, "handle", head, ""])).expect_err(head);
        let message: Value = serde_json::from_str(&thrown).expect("a message in JSON");
        assert!(message["error"].is_string(), "{head}: {thrown}");
    }
    assert_eq!(node.call(json!([0, "snapshot"])).expect("a snapshot"), before);

    // The example's fault holds the first create, which therefore still has its turn.
    let head = r#"{"method":"POST","path":"/refunds"}"#;
    let outcome = node.call(json!([0, "handle", head, hex(b"{}")])).expect("an outcome");
    let outcome: Value = serde_json::from_str(&outcome).expect("an outcome in JSON");
    assert_eq!(outcome["hold_ms"], 30_000);
    let summary = node.call(json!([0, "summary"])).expect("a summary");
    assert_eq!(summary, "2 orders, 1 refund; 1 fault fired");
}

#[test]
fn the_module_names_the_version_of_its_packages() {
    let version = Node::start().call(json!([0, "version"])).expect("a version");
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
}

/// One world inside the Node process.
struct JsWorld {
    node: Rc<RefCell<Node>>,
    name: usize,
}

impl JsWorld {
    fn open(node: &Rc<RefCell<Node>>, name: usize, definition: &[u8]) -> JsWorld {
        let opened = node.borrow_mut().call(json!([name, "open", hex(definition)]));
        opened.expect("a world vector's definition is accepted");
        JsWorld { node: Rc::clone(node), name }
    }
}

impl Machine for JsWorld {
    fn handle(&mut self, request: &worlds::Request, _held: bool) -> Reply {
        let (head, body) = worlds::text_door_request(request);
        let call = json!([self.name, "handle", head, hex(&body)]);
        let outcome = self.node.borrow_mut().call(call).expect("an outcome");
        worlds::text_door_reply(request, &outcome)
    }

    fn snapshot(&mut self) -> Vec<u8> {
        let call = json!([self.name, "snapshot"]);
        self.node.borrow_mut().call(call).expect("a snapshot").into_bytes()
    }
}

/// A Node process with the module in it. It ends when its input does.
struct Node {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Node {
    fn start() -> Node {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/js_door.mjs");
        let mut process = Command::new("node")
            .arg(script)
            .arg(env!("ATTEST_GLUE"))
            .arg(env!("ATTEST_WASM"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("node is installed");
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().expect("a pipe"));
        Node { process, input, output }
    }

    /// The text that a call answers, empty where it answers nothing; or the message it throws.
    fn call(&mut self, call: Value) -> Result<String, String> {
        let input = self.input.as_mut().expect("an open pipe");
        writeln!(input, "{call}").expect("node reads");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("node answers in UTF-8");
        let said: Value = serde_json::from_str(&line).expect("node answers in JSON");
        match said["thrown"].as_str() {
            Some(thrown) => Err(thrown.to_owned()),
            None => Ok(said["answer"].as_str().unwrap_or_default().to_owned()),
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.input = None;
        let ended = self.process.wait();
        if !std::thread::panicking() {
            assert!(ended.expect("node ends").success());
        }
    }
}

fn example() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/payments/world.yaml")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

//! Every world vector through the text door, natively.

use std::collections::BTreeMap;

use attest_core::limits::BODY_BYTES_MAX;
use attest_core::protocol::text::TextWorld;
use attest_vectors::{Machine, Reply, run_worlds, worlds};
use serde_json::{Value, json};

#[test]
fn every_world_vector_holds_at_the_text_door() {
    let ran = run_worlds("machine", |definition| Texted {
        world: TextWorld::open(definition).expect("a world vector's definition is accepted"),
    });
    println!("{ran} world cases, at the text door");
}

#[test]
fn a_refused_definition_is_told_in_json_with_its_places() {
    let refusal = TextWorld::open(b"world_version: 2\nseed: x\n").expect_err("two faults");
    let refusal: Value = serde_json::from_str(&refusal).expect("a refusal in JSON");
    let faults = refusal["faults"].as_array().expect("a list of faults");
    let place = |path: &str| {
        let fault = faults.iter().find(|fault| fault["path"] == path);
        fault.map(|fault| (fault["line"].clone(), fault["column"].clone()))
    };
    assert_eq!(place("world_version"), Some((json!(1), json!(16))));
    assert_eq!(place("seed"), Some((json!(2), json!(7))));
    assert_eq!(refusal["more"], 0);
}

struct Texted {
    world: TextWorld,
}

impl Machine for Texted {
    fn handle(&mut self, request: &worlds::Request, _held: bool) -> Reply {
        let headers: Vec<_> =
            request.headers.iter().map(|(name, value)| (name, latin1(&value.to_bytes()))).collect();
        let head = json!({
            "method": request.method,
            "path": request.path,
            "query": request.query,
            "headers": headers,
        });
        let body = match (&request.body, request.too_large) {
            (_, true) => vec![b' '; BODY_BYTES_MAX + 1],
            (Some(body), false) => body.to_bytes(),
            (None, false) => Vec::new(),
        };
        let outcome = self.world.handle(&head.to_string(), &body).expect("an outcome");
        let outcome: Value = serde_json::from_str(&outcome).expect("an outcome in JSON");
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let headers: BTreeMap<String, String> = outcome["headers"]
            .as_array()
            .expect("a list of headers")
            .iter()
            .map(|pair| (text(&pair[0]).to_ascii_lowercase(), text(&pair[1])))
            .collect();
        Reply {
            status: outcome["status"].as_u64().expect("a status") as u16,
            headers,
            body: worlds::sent_body(&request.method, text(&outcome["body"]).into_bytes()),
            held: outcome["hold_ms"] == 30_000,
        }
    }

    fn snapshot(&mut self) -> Vec<u8> {
        self.world.snapshot().into_bytes()
    }
}

/// Bytes as JavaScript's `fetch` shows them: one character each.
fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

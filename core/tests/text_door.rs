//! Every world vector through the text door, natively.

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
        let (head, body) = worlds::text_door_request(request);
        let outcome = self.world.handle(&head, &body).expect("an outcome");
        worlds::text_door_reply(request, &outcome)
    }

    fn snapshot(&mut self) -> Vec<u8> {
        self.world.snapshot().into_bytes()
    }
}

//! Every world vector against the core, natively.

use std::collections::BTreeMap;

use attest_core::definition::Definition;
use attest_core::world::{Body, Delivery, Input, Request, World};
use attest_vectors::{Machine, Reply, run_worlds, worlds};

#[test]
fn every_world_vector_holds_natively() {
    let ran = run_worlds("machine", |definition| {
        let definition = Definition::parse(definition)
            .unwrap_or_else(|faults| panic!("a world vector's definition is refused: {faults:?}"));
        Native { world: World::new(definition) }
    });
    println!("{ran} world cases, natively");
}

struct Native {
    world: World,
}

impl Machine for Native {
    fn handle(&mut self, request: &worlds::Request, _held: bool) -> Reply {
        let headers: Vec<(String, Vec<u8>)> = request
            .headers
            .iter()
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_bytes()))
            .collect();
        let body = request.body.as_ref().map(|body| body.to_bytes()).unwrap_or_default();
        let outcome = self.world.handle(&Input::Request(Request {
            method: &request.method,
            path: &request.path,
            query: &request.query,
            headers: headers.iter().map(|(n, v)| (n.as_str(), v.as_slice())).collect(),
            body: if request.too_large { Body::TooLarge } else { Body::Complete(&body) },
        }));
        let headers: BTreeMap<String, String> = outcome
            .reply
            .headers
            .iter()
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_string()))
            .collect();
        Reply {
            status: outcome.reply.status,
            headers,
            body: worlds::sent_body(&request.method, outcome.reply.body.into_bytes()),
            held: matches!(outcome.delivery, Delivery::Hold { ms: 30_000 }),
        }
    }

    fn snapshot(&mut self) -> Vec<u8> {
        self.world.snapshot().into_bytes()
    }
}

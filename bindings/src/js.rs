//! The JavaScript door.
//!
//! Text crosses, never live objects: JavaScript rounds the numbers of a JSON text as soon as
//! it parses one, so what must stay exact stays text. Strings must be well formed
//! (`isWellFormed()`), because a lone surrogate becomes U+FFFD on the way in.
//!
//! Spec: "The core's doors".

use attest_core::protocol::text::TextWorld;
use wasm_bindgen::prelude::*;

/// The version of the core, which is the version of every package that carries it.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// A world inside this module's memory.
///
/// Call `free()` when it is no longer needed. If a call throws anything but an `Error` with a
/// JSON message, the module has trapped: throw the whole instance away.
#[wasm_bindgen]
pub struct World {
    world: TextWorld,
}

#[wasm_bindgen]
impl World {
    /// Opens the world that the bytes of a definition file describe.
    ///
    /// Throws an `Error` whose message is JSON,
    /// `{"faults":[{"line","column","path","reason"}],"more"}`, when the definition is refused.
    #[wasm_bindgen(constructor)]
    pub fn new(definition: &[u8]) -> Result<World, JsError> {
        let world = TextWorld::open(definition).map_err(|refusal| JsError::new(&refusal))?;
        Ok(World { world })
    }

    /// What the world serves: JSON with `base_url_env`, `request_headers`, `routes`,
    /// `resources` and `faults`.
    pub fn description(&self) -> String {
        self.world.description()
    }

    /// Hands the world one request.
    ///
    /// `head` is JSON, `{"method","path","query","headers":[[name,value],…]}`. The answer is
    /// JSON too, `{"status","headers":[[name,value],…],"body","hold_ms"}`: with a `hold_ms`
    /// other than 0, hold the answer that many milliseconds and never send it.
    ///
    /// Throws an `Error` whose message is `{"error"}` when `head` is of another form.
    pub fn handle(&mut self, head: &str, body: &[u8]) -> Result<String, JsError> {
        self.world.handle(head, body).map_err(|reason| JsError::new(&reason))
    }

    /// The snapshot's text. Keep the text: parsing it in JavaScript rounds its numbers.
    pub fn snapshot(&self) -> String {
        self.world.snapshot()
    }

    /// Records and fired faults in one line, for a person.
    pub fn summary(&self) -> String {
        self.world.summary()
    }
}

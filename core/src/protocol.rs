//! The raw door's operations: bytes in, bytes out.
//!
//! Spec: "The core's doors".

mod frame;
pub mod text;

use crate::definition::{Definition, Fault, Faults, Resource, Trigger};
use crate::json::Value;
use crate::world::World;

/// The version of the operations and frames. It changes whenever either does.
pub const ABI_VERSION: u32 = 1;

/// The first byte of an answer: the operation was carried out, its result follows.
const DONE: u8 = 0;
/// The first byte of an answer: the operation was refused, JSON that says why follows.
const REFUSED: u8 = 1;

/// The operations, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    /// Definition bytes in; a new world's handle and description out.
    Open = 1,
    /// An input frame in, a reply frame out.
    Handle = 2,
    /// The snapshot out.
    Snapshot = 3,
    /// Ends a world and frees its handle.
    Close = 4,
    /// One line for a person out.
    Summary = 5,
}

/// Everything that one instance of the core holds: its worlds, by handle.
#[derive(Debug, Default)]
pub struct Session {
    worlds: Vec<Option<World>>,
}

impl Session {
    /// A session without worlds.
    pub const fn new() -> Session {
        Session { worlds: Vec::new() }
    }

    /// Carries out operation `op` on the world `handle`.
    ///
    /// The answer's first byte is 0 when it was done and 1 when it was refused; the rest is the
    /// operation's result, or JSON that says why not.
    pub fn dispatch(&mut self, op: u32, handle: u32, input: &[u8]) -> Vec<u8> {
        self.carry_out(op, handle, input)
            .unwrap_or_else(|reason| answer(REFUSED, reason.as_bytes()))
    }

    /// The whole answer of an operation that was done, or the reason of one that was refused.
    fn carry_out(&mut self, op: u32, handle: u32, input: &[u8]) -> Result<Vec<u8>, String> {
        match Op::numbered(op) {
            None => Err(error("there is no such operation")),
            Some(Op::Open) => Ok(answer(DONE, self.open(input)?.as_bytes())),
            Some(Op::Handle) => {
                let world = self.world(handle)?;
                let input = frame::decode_input(input).map_err(|fault| error(fault.clause()))?;
                Ok(frame::encode_outcome(DONE, &world.handle(&input)))
            }
            Some(Op::Snapshot) => Ok(answer(DONE, self.world(handle)?.snapshot().as_bytes())),
            Some(Op::Summary) => Ok(answer(DONE, self.world(handle)?.summary().as_bytes())),
            Some(Op::Close) => {
                self.world(handle)?;
                self.worlds[handle as usize] = None;
                Ok(answer(DONE, &[]))
            }
        }
    }

    fn world(&mut self, handle: u32) -> Result<&mut World, String> {
        let slot = self.worlds.get_mut(handle as usize).and_then(Option::as_mut);
        slot.ok_or_else(|| error("there is no such world"))
    }

    fn open(&mut self, definition: &[u8]) -> Result<String, String> {
        let definition = Definition::parse(definition).map_err(|faults| refused(&faults))?;
        let world = World::new(definition);
        let free = self.worlds.iter().position(Option::is_none);
        let handle = free.unwrap_or(self.worlds.len());
        let description = described(&world, handle);
        match free {
            Some(free) => self.worlds[free] = Some(world),
            None => self.worlds.push(Some(world)),
        }
        Ok(description)
    }
}

impl Op {
    fn numbered(op: u32) -> Option<Op> {
        use Op::{Close, Handle, Open, Snapshot, Summary};
        [Open, Handle, Snapshot, Close, Summary].into_iter().find(|known| *known as u32 == op)
    }
}

fn answer(status: u8, rest: &[u8]) -> Vec<u8> {
    let mut answer = Vec::with_capacity(rest.len() + 1);
    answer.push(status);
    answer.extend_from_slice(rest);
    answer
}

fn error(clause: &str) -> String {
    object([("error", text(clause))]).to_compact()
}

/// The JSON of a refused definition: its first faults by place, and how many more there are.
pub fn refused(faults: &Faults) -> String {
    let listed = faults.listed.iter().map(|fault| {
        object([
            ("line", number(fault.line)),
            ("column", number(fault.column)),
            ("path", text(&fault.path)),
            ("reason", text(&fault.reason)),
        ])
    });
    object([("faults", Value::Array(listed.collect())), ("more", number(faults.more))]).to_compact()
}

/// The JSON that tells a host what it needs of a world: which variable carries the base URL,
/// which headers to pass, and what `check` prints.
fn described(world: &World, handle: usize) -> String {
    let definition = world.definition();
    let headers = world.request_headers().into_iter().map(text_owned).collect();
    let resources = definition.resources.iter().map(described_resource).collect();
    let faults = definition.faults.iter().map(|fault| text_owned(fault_line(definition, fault)));
    object([
        ("handle", number(handle)),
        ("base_url_env", text(&definition.base_url_env)),
        ("request_headers", Value::Array(headers)),
        ("routes", Value::Array(routes(definition).into_iter().map(text_owned).collect())),
        ("resources", Value::Array(resources)),
        ("faults", Value::Array(faults.collect())),
    ])
    .to_compact()
}

fn described_resource(resource: &Resource) -> Value<'_> {
    let key = match &resource.idempotency {
        None => Value::Null,
        Some(key) => object([("header", text(&key.header)), ("field", text(&key.field))]),
    };
    let first_id = match resource.routes.create {
        true => text_owned(resource.id_format.format(1)),
        false => Value::Null,
    };
    object([
        ("name", text(&resource.name)),
        ("records", number(resource.seed.len())),
        ("id_field", text(&resource.id_field)),
        ("first_id", first_id),
        ("idempotency", key),
    ])
}

/// Every route of a definition as a method and a path.
fn routes(definition: &Definition) -> Vec<String> {
    let mut lines = Vec::new();
    for resource in &definition.resources {
        let path = format!("/{}", resource.path.join("/"));
        if resource.routes.create {
            lines.push(format!("POST {path}"));
        }
        if resource.routes.list {
            let query = match resource.filters.as_slice() {
                [] => String::new(),
                filters => format!("?{}", filters.join("&")),
            };
            lines.push(format!("GET {path}{query}"));
        }
        if resource.routes.get {
            lines.push(format!("GET {path}/{{{}}}", resource.id_field));
        }
    }
    lines
}

/// A fault in one line, for a person.
fn fault_line(definition: &Definition, fault: &Fault) -> String {
    let resource = &definition.resources[fault.operation.resource].name;
    let when = match &fault.trigger {
        Trigger::OnRequests(ordinals) => {
            let ordinals: Vec<String> = ordinals.iter().map(u64::to_string).collect();
            match ordinals.as_slice() {
                [one] => format!("request {one}"),
                several => format!("requests {}", several.join(", ")),
            }
        }
        Trigger::Probability(probability) => format!("probability {probability}"),
    };
    format!(
        "{}: {} on {resource} {}, {when}",
        fault.id,
        fault.kind.name(),
        fault.operation.route.name()
    )
}

fn object<'a, const N: usize>(members: [(&'a str, Value<'a>); N]) -> Value<'a> {
    Value::Object(members.into_iter().map(|(key, value)| (key.into(), value)).collect())
}

fn text(text: &str) -> Value<'_> {
    Value::String(text.into())
}

fn text_owned<'a>(text: String) -> Value<'a> {
    Value::String(text.into())
}

fn number<'a>(number: usize) -> Value<'a> {
    Value::Number(number.to_string().into())
}

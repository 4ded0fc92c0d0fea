//! The world machine: a definition and inputs in, replies and snapshots out.
//!
//! # How to drive it
//!
//! Make a [`World`] from a [`Definition`], hand it every input through [`World::handle`] in the
//! order in which they happened, and carry out each [`Outcome`]: send the reply, or hold it and
//! never send it. The world never acts on its own and never waits; after `handle` it is free for
//! the next input, also while an answer is held. [`World::snapshot`] may be taken at any time
//! and changes nothing. Two worlds with equal definitions and equal inputs are equal in every
//! byte they give out.
//!
//! Nothing here fails: what a client does wrong is a [`refusal`] in the reply.

mod body;
mod fault;
mod generator;
mod header;
mod idempotency;
mod query;
pub mod refusal;
mod reply;
mod route;
mod snapshot;
mod store;

use crate::definition::{Definition, FaultKind, Operation, Resource, Route};
use crate::json::{self, Value};
use crate::limits::{HOLD_MS_MAX, RECORDS_MAX};
use crate::state_size;

pub use reply::Reply;

use fault::{Ledger, Script};
use idempotency::{Key, Keys};
use refusal::Refusal;
use route::Target;
use store::Store;

/// Everything that can happen to a world.
#[derive(Clone, Debug)]
pub enum Input<'a> {
    /// An HTTP request whose body is complete.
    Request(Request<'a>),
}

/// One HTTP request, as it stood on the wire behind the base URL.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The method, in the case in which it came.
    pub method: &'a str,
    /// The path, still percent-encoded. It begins with `/`; an empty path is one that did not
    /// begin with the base URL's, and is answered as any path where nothing is served.
    pub path: &'a str,
    /// The query without its `?`, still encoded; empty when there was none.
    pub query: &'a str,
    /// Headers in order, names in lower case. Those that [`World::request_headers`] does not
    /// name are never looked at.
    pub headers: Vec<(&'a str, &'a [u8])>,
    /// The body.
    pub body: Body<'a>,
}

/// A request's body as the listener found it.
#[derive(Clone, Copy, Debug)]
pub enum Body<'a> {
    /// The whole body, at most [`crate::limits::BODY_BYTES_MAX`] bytes.
    Complete(&'a [u8]),
    /// A body over the limit; its bytes were dropped.
    TooLarge,
}

/// What a world answers to one input.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The reply.
    pub reply: Reply,
    /// What becomes of the reply.
    pub delivery: Delivery,
    /// What the input changed, if it changed a record.
    pub change: Option<Change>,
}

/// What becomes of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Send it now.
    Send,
    /// Never send it: keep the connection open until the client leaves, for this many
    /// milliseconds at most, then close it.
    Hold {
        /// Milliseconds.
        ms: u32,
    },
}

/// One record that an input changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Index of the resource in [`Definition::resources`].
    pub resource: usize,
    /// The record's compact JSON before; `None` when the input made it.
    pub before: Option<String>,
    /// The record's compact JSON after; `None` when the input removed it.
    pub after: Option<String>,
}

/// A running world.
#[derive(Debug)]
pub struct World {
    definition: Definition,
    /// One per resource, in the same order.
    stores: Vec<Store>,
    /// One per resource, in the same order; empty where no keys are honoured.
    keys: Vec<Keys>,
    script: Script,
    ledger: Ledger,
}

impl World {
    /// A world in its initial state: the seed records, no ordinal taken, no fault fired.
    pub fn new(definition: Definition) -> World {
        let stores = definition.resources.iter().map(Store::seeded).collect();
        let keys = definition.resources.iter().map(Keys::seeded).collect();
        let script = Script::new(&definition);
        let ledger = Ledger::new(&definition);
        World { definition, stores, keys, script, ledger }
    }

    /// The definition that this world runs.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// The request headers that this world reads, in lower case, none twice.
    pub fn request_headers(&self) -> Vec<String> {
        let own = [header::CONTENT_TYPE, header::CONTENT_ENCODING].map(String::from);
        let keys = self.definition.resources.iter().filter_map(|r| r.idempotency.as_ref());
        let mut names = Vec::from(own);
        for name in keys.map(|idempotency| idempotency.header.to_ascii_lowercase()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Takes one input and answers it.
    pub fn handle(&mut self, input: &Input<'_>) -> Outcome {
        let Input::Request(request) = input;
        match self.answer(request) {
            Ok(outcome) => outcome,
            Err(refusal) => Outcome::send(refusal.into_reply()),
        }
    }

    /// The stages of a request, in the order of the spec: route, ordinal, a fault that answers
    /// in the route's place, then the route itself.
    fn answer(&mut self, request: &Request<'_>) -> Result<Outcome, Refusal> {
        let (operation, id) = match route::resolve(&self.definition, request)? {
            Target::State => return Ok(Outcome::send(Reply::ok(self.snapshot()))),
            Target::Route { operation, id } => (operation, id),
        };
        let due = self.script.next_due(operation);
        if let Some(due) = due
            && let Some(refusal) = Refusal::scripted(self.definition.faults[due.fault].kind)
        {
            self.ledger.record(&self.definition, due);
            return Err(refusal);
        }
        match operation.route {
            Route::Create => {
                let (reply, change) = self.create(operation, request)?;
                let mut outcome = Outcome { reply, delivery: Delivery::Send, change };
                if let Some(due) = due {
                    debug_assert_eq!(
                        self.definition.faults[due.fault].kind,
                        FaultKind::TimeoutAfterCommit
                    );
                    self.ledger.record(&self.definition, due);
                    outcome.delivery = Delivery::Hold { ms: HOLD_MS_MAX };
                }
                Ok(outcome)
            }
            Route::List => self.list(operation, request).map(Outcome::send),
            Route::Get => self.get(operation, &id).map(Outcome::send),
        }
    }

    /// The stages of a create, in the order in which they refuse: media type, size, body, key,
    /// a key seen before, limits. Only a create that passes all of them commits.
    fn create(
        &mut self,
        operation: Operation,
        request: &Request<'_>,
    ) -> Result<(Reply, Option<Change>), Refusal> {
        let resource = &self.definition.resources[operation.resource];
        header::media_type(&request.headers)?;
        let members = body::read(resource, &request.body)?;
        let key = idempotency::request_key(resource, &request.headers)?;

        let keys = &self.keys[operation.resource];
        let store = &self.stores[operation.resource];
        let fingerprint = key.as_ref().map(|_| idempotency::fingerprint(&members));
        if let (Some(key), Some(fingerprint)) = (&key, &fingerprint) {
            match keys.look_up(key, fingerprint) {
                Key::New => {}
                Key::Replay(record) => {
                    return Ok((Reply::replayed(store.record(record)), None));
                }
                Key::Reused => return Err(idempotency::reused(resource, key)),
            }
        }

        let id = resource.id_format.format(store.created() + 1);
        let record = new_record(resource, &id, members, key.as_deref());
        let text = record.to_compact();
        self.check_limits(operation.resource, text.len())?;

        let position = self.stores[operation.resource].create(&id, &record, &text);
        if let (Some(key), Some(fingerprint)) = (key, fingerprint) {
            self.keys[operation.resource].remember(key, fingerprint, position);
        }
        let location = resource.routes.get.then(|| route::record_path(resource, &id));
        let change =
            Change { resource: operation.resource, before: None, after: Some(text.clone()) };
        Ok((Reply::created(text, location), Some(change)))
    }

    /// Whether one more record of `bytes` bytes keeps the world within its limits.
    fn check_limits(&self, resource: usize, bytes: usize) -> Result<(), Refusal> {
        let records: usize = self.stores.iter().map(Store::len).sum();
        if records >= RECORDS_MAX {
            return Err(refusal::too_many_records());
        }
        let comma = usize::from(self.stores[resource].len() > 0);
        let after = snapshot::state_bytes(&self.definition, &self.stores) + bytes + comma;
        if !state_size::fits(after, self.ledger.bytes(), self.ledger.reserved_bytes()) {
            return Err(refusal::state_full());
        }
        Ok(())
    }

    fn list(&self, operation: Operation, request: &Request<'_>) -> Result<Reply, Refusal> {
        let resource = &self.definition.resources[operation.resource];
        let store = &self.stores[operation.resource];
        let filters = query::filters(resource, store, request.query)?;
        Ok(Reply::ok(store.list(&filters)))
    }

    fn get(&self, operation: Operation, id: &str) -> Result<Reply, Refusal> {
        let store = &self.stores[operation.resource];
        let name = &self.definition.resources[operation.resource].name;
        match store.position(id) {
            Some(position) => Ok(Reply::ok(store.record(position).to_owned())),
            None => Err(refusal::no_such_record(name, id)),
        }
    }

    /// The world-v1 snapshot: canonical bytes, equal for equal histories.
    ///
    /// Spec: "Snapshot".
    pub fn snapshot(&self) -> String {
        snapshot::write(&self.definition, &self.stores, &self.ledger)
    }

    /// One line for a person: records per resource, faults fired.
    pub fn summary(&self) -> String {
        snapshot::summary(&self.definition, &self.stores, &self.ledger)
    }
}

impl Outcome {
    fn send(reply: Reply) -> Outcome {
        Outcome { reply, delivery: Delivery::Send, change: None }
    }
}

/// A record as a create makes it: the id first, the body's members as sent, the key last.
fn new_record<'a>(
    resource: &'a Resource,
    id: &'a str,
    members: Vec<json::Member<'a>>,
    key: Option<&'a str>,
) -> Value<'a> {
    let mut record = Vec::with_capacity(members.len() + 2);
    record.push((resource.id_field.as_str().into(), Value::String(id.into())));
    record.extend(members);
    if let (Some(idempotency), Some(key)) = (&resource.idempotency, key) {
        record.push((idempotency.field.as_str().into(), Value::String(key.into())));
    }
    Value::Object(record)
}

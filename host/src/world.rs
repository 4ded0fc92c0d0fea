//! The owner of a world: the one place through which anything reaches the core.
//!
//! Spec: "The core's doors".

use serde::Deserialize;

use crate::frame::{ReplyFrame, RequestFrame};
use crate::guest::{Guest, GuestError};

/// An open world.
///
/// Requests take effect in the order of the calls to [`World::handle`]. Once a call into the
/// core has failed, [`World::failure`] says why: every request is then answered with an
/// `engine_fault`, and there is neither a snapshot nor a summary any more.
#[derive(Debug)]
pub struct World {
    guest: Guest,
    handle: u32,
    description: Description,
    failure: Option<GuestError>,
}

/// What a world serves.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Description {
    /// The environment variable that carries the base URL.
    pub base_url_env: String,
    /// The request headers that the world reads, in lower case.
    pub request_headers: Vec<String>,
    /// Every route, as a method and a path.
    pub routes: Vec<String>,
    /// Every resource, in the order of the file.
    pub resources: Vec<ResourceDescription>,
    /// Every fault of the script, in one line each.
    pub faults: Vec<String>,
}

/// A resource at the beginning.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct ResourceDescription {
    /// Its name.
    pub name: String,
    /// How many seed records it has.
    pub records: u64,
    /// The member that holds a record's id.
    pub id_field: String,
    /// The id of the first record that is created; none where none can be.
    pub first_id: Option<String>,
    /// The idempotency keys that it honours.
    pub idempotency: Option<KeyDescription>,
}

/// Where a resource takes idempotency keys from, and where it stores them.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct KeyDescription {
    /// The request header.
    pub header: String,
    /// The record's member.
    pub field: String,
}

/// Why no world could be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenError {
    /// The definition is faulty. Show its faults to whoever wrote the file.
    Refused {
        /// The first faults, ordered by place.
        faults: Vec<DefinitionFault>,
        /// How many more there are.
        more: u64,
    },
    /// The core failed.
    Guest(GuestError),
}

/// One fault of a definition, and where it is.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct DefinitionFault {
    /// Line, from 1.
    pub line: u64,
    /// Column in characters, from 1.
    pub column: u64,
    /// Dotted path with indexes; `(file)` for the file as a whole.
    pub path: String,
    /// What is wrong, in one line.
    pub reason: String,
}

impl World {
    /// Opens the world that the bytes of a definition file describe.
    ///
    /// # Errors
    ///
    /// [`OpenError::Refused`] lists what is wrong with the definition; [`OpenError::Guest`]
    /// means that the core failed over it.
    pub fn open(mut guest: Guest, definition: &[u8]) -> Result<World, OpenError> {
        let answer = guest.call(OPEN, 0, definition).map_err(OpenError::Guest)?;
        match split_answer(&answer) {
            Some((true, description)) => {
                let opened: Opened = read(description).map_err(OpenError::Guest)?;
                let Opened { handle, description } = opened;
                Ok(World { guest, handle, description, failure: None })
            }
            Some((false, refusal)) => {
                let RefusedAnswer { faults, more } = read(refusal).map_err(OpenError::Guest)?;
                Err(OpenError::Refused { faults, more })
            }
            None => Err(OpenError::Guest(nonsense("its answer is empty"))),
        }
    }

    /// What this world serves.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Carries out one request. A failure of the core becomes an `engine_fault` reply.
    pub fn handle(&mut self, request: &RequestFrame<'_>) -> ReplyFrame {
        let reply = self.call(HANDLE, &request.encode()).and_then(|answer| {
            ReplyFrame::decode(&answer[1..]).map_err(|error| nonsense(&error.to_string()))
        });
        reply.unwrap_or_else(|error| {
            self.failure.get_or_insert(error);
            engine_fault()
        })
    }

    /// The bytes of the snapshot.
    ///
    /// # Errors
    ///
    /// When the core has failed, now or earlier: the state is lost.
    pub fn snapshot(&mut self) -> Result<Vec<u8>, GuestError> {
        Ok(self.call(SNAPSHOT, &[])?.split_off(1))
    }

    /// Records per resource and fired faults, in one line without a line end.
    ///
    /// # Errors
    ///
    /// When the core has failed, now or earlier.
    pub fn summary(&mut self) -> Result<String, GuestError> {
        let text = self.call(SUMMARY, &[])?.split_off(1);
        String::from_utf8(text).map_err(|_| nonsense("its summary is not UTF-8"))
    }

    /// Whether the core has failed; see [`World::failure`].
    pub fn faulted(&self) -> bool {
        self.failure.is_some()
    }

    /// The first failure of the core, if there was one.
    pub fn failure(&self) -> Option<&GuestError> {
        self.failure.as_ref()
    }

    /// The answer of an operation that was done; its result follows the first byte. Every failure
    /// is remembered.
    fn call(&mut self, op: u32, input: &[u8]) -> Result<Vec<u8>, GuestError> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let result =
            self.guest.call(op, self.handle, input).and_then(|answer| {
                match split_answer(&answer) {
                    Some((true, _)) => Ok(answer),
                    Some((false, why)) => Err(nonsense(&String::from_utf8_lossy(why))),
                    None => Err(nonsense("its answer is empty")),
                }
            });
        result.inspect_err(|error| self.failure = Some(error.clone()))
    }
}

/// The reply to everything after a failure of the core.
fn engine_fault() -> ReplyFrame {
    ReplyFrame::error(
        500,
        "engine_fault",
        "The engine failed, and nothing that this world says can be relied on any more; \
         see the engine's standard error.",
    )
}

/// Whether an operation was done, and what follows its first byte.
fn split_answer(answer: &[u8]) -> Option<(bool, &[u8])> {
    let (&first, rest) = answer.split_first()?;
    Some((first == DONE, rest))
}

fn read<'a, T: Deserialize<'a>>(json: &'a [u8]) -> Result<T, GuestError> {
    serde_json::from_slice(json).map_err(|error| nonsense(&format!("its answer: {error}")))
}

/// The error of a core that answers, but not as agreed.
fn nonsense(what: &str) -> GuestError {
    GuestError::Failed(what.to_owned())
}

#[derive(Deserialize)]
struct Opened {
    handle: u32,
    #[serde(flatten)]
    description: Description,
}

#[derive(Deserialize)]
struct RefusedAnswer {
    faults: Vec<DefinitionFault>,
    more: u64,
}

const DONE: u8 = 0;
const OPEN: u32 = 1;
const HANDLE: u32 = 2;
const SNAPSHOT: u32 = 3;
const SUMMARY: u32 = 5;

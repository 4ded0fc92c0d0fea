//! The definition of a world: a YAML or JSON text in, a [`Definition`] that cannot be wrong out.
//!
//! [`Definition::parse`] either yields a value in which every rule of the spec holds, or
//! every fault of the text with its place. Whoever holds a `Definition` checks nothing again.
//!
//! Spec: "The definition file".

mod compose;
pub mod fault_listing;
mod id_format;
mod json_break;
mod json_events;
mod names;
mod node;
mod path;
mod read;
mod resource;
mod routes;
mod scalar;
mod script;
mod seed;
mod sink;
mod suggest;
mod text;
mod whole;
mod yaml_break;
mod yaml_events;

use crate::json::Value;

/// A valid definition. Order of resources and faults is the file's.
#[derive(Clone, Debug)]
pub struct Definition {
    /// SHA-256 of the file's bytes, 64 lower-case hexadecimal digits.
    pub sha256: String,
    /// The environment variable that carries the base URL to the agent.
    pub base_url_env: String,
    /// Seed of the faults by chance, 0..2^53-1.
    pub seed: u64,
    /// 1 to 32 resources.
    pub resources: Vec<Resource>,
    /// The fault script.
    pub faults: Vec<Fault>,
}

impl Definition {
    /// Reads a definition file: YAML 1.2 or JSON in UTF-8.
    ///
    /// # Errors
    /// The faults of the text, sorted by place, a fault of its syntax last.
    ///
    /// Spec: "The definition file".
    pub fn parse(bytes: &[u8]) -> Result<Definition, Faults> {
        whole::parse(bytes)
    }
}

/// The plain JSON value that the text of a definition stands for, whatever it means: what the
/// published schema judges. An alias is written out.
///
/// # Errors
/// The faults of the text itself, sorted by place; those of its meaning are not looked for.
///
/// Spec: "The definition file".
pub fn plain_value(bytes: &[u8]) -> Result<Value<'static>, Faults> {
    whole::plain_value(bytes)
}

/// One collection of records.
#[derive(Clone, Debug)]
pub struct Resource {
    /// Its name, unique.
    pub name: String,
    /// The decoded segments of its collection path; joined by `/` behind a `/` they are the path.
    pub path: Vec<String>,
    /// The routes that it serves.
    pub routes: Routes,
    /// The member that holds a record's id.
    pub id_field: String,
    /// How ids of created records are written.
    pub id_format: IdFormat,
    /// Query parameters of its list, distinct.
    pub filters: Vec<String>,
    /// Idempotency keys, where the resource honours them.
    pub idempotency: Option<Idempotency>,
    /// The records it starts with: objects whose first member is the id, a non-empty string or
    /// an integer, unique by its text.
    pub seed: Vec<Value<'static>>,
}

/// Which routes a resource serves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Routes {
    /// `POST PATH`.
    pub create: bool,
    /// `GET PATH`.
    pub list: bool,
    /// `GET PATH/{id}`.
    pub get: bool,
}

/// One of the three routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Route {
    /// `POST PATH`.
    Create,
    /// `GET PATH`.
    List,
    /// `GET PATH/{id}`.
    Get,
}

/// What a fault strikes and what an ordinal counts: one route of one resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Operation {
    /// Index of the resource in [`Definition::resources`].
    pub resource: usize,
    /// The route.
    pub route: Route,
}

/// The header that carries a create's idempotency key, and the field that stores it.
#[derive(Clone, Debug)]
pub struct Idempotency {
    /// Header name as the file writes it; header names are compared without case.
    pub header: String,
    /// Member of the record that stores the key; never the id field.
    pub field: String,
}

/// One entry of the fault script.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Its id, unique.
    pub id: String,
    /// What it strikes; the resource serves this route.
    pub operation: Operation,
    /// What it does.
    pub kind: FaultKind,
    /// When it is due.
    pub trigger: Trigger,
}

/// What a fault does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The create is committed and its answer held; on create only.
    TimeoutAfterCommit,
    /// Answers 429 and commits nothing.
    TooManyRequests,
    /// Answers 500 and commits nothing.
    InternalError,
}

/// When a fault is due.
#[derive(Clone, Debug, PartialEq)]
pub enum Trigger {
    /// On these ordinals, each at least 1, none twice, in file order.
    OnRequests(Vec<u64>),
    /// With this chance, 0..=1, on every request.
    Probability(f64),
}

/// A printf-style format with exactly one `%d`, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdFormat {
    /// Text before the counter, `%%` already one `%`.
    pub prefix: String,
    /// Smallest width of the counter in characters, at most 20; 0 when none was given.
    pub width: usize,
    /// Whether the width is filled with zeros rather than spaces.
    pub zero_padded: bool,
    /// Text behind the counter, `%%` already one `%`.
    pub suffix: String,
}

/// Why a text is no definition: at least one fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults {
    /// The first faults by place, at most
    /// [`DEFINITION_FAULTS_LISTED_MAX`](crate::limits::DEFINITION_FAULTS_LISTED_MAX).
    pub listed: Vec<DefinitionFault>,
    /// How many more there are behind them.
    pub more: usize,
}

/// One fault of a definition file, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionFault {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Dotted path with indexes, `(file)` for the whole.
    pub path: String,
    /// What is wrong and the way out, in one sentence without a full stop.
    pub reason: String,
}

impl Route {
    /// Every route and its name, in the order in which messages list them.
    pub const NAMES: [(&'static str, Route); 3] =
        [("create", Route::Create), ("list", Route::List), ("get", Route::Get)];

    /// The name as definitions and snapshots write it.
    pub fn name(self) -> &'static str {
        match self {
            Route::Create => "create",
            Route::List => "list",
            Route::Get => "get",
        }
    }
}

impl Routes {
    /// Whether `route` is one of them.
    pub fn serves(self, route: Route) -> bool {
        match route {
            Route::Create => self.create,
            Route::List => self.list,
            Route::Get => self.get,
        }
    }

    /// Their names: create, list, get in this order, as far as they are served.
    pub fn names(self) -> Vec<&'static str> {
        Route::NAMES
            .into_iter()
            .filter(|(_, route)| self.serves(*route))
            .map(|(name, _)| name)
            .collect()
    }
}

impl FaultKind {
    /// Every kind and its name, in the order in which messages list them.
    pub const NAMES: [(&'static str, FaultKind); 3] = [
        ("timeout_after_commit", FaultKind::TimeoutAfterCommit),
        ("429", FaultKind::TooManyRequests),
        ("500", FaultKind::InternalError),
    ];

    /// The name as snapshots write it, always a string.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::TimeoutAfterCommit => "timeout_after_commit",
            FaultKind::TooManyRequests => "429",
            FaultKind::InternalError => "500",
        }
    }
}

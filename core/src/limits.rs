//! Every limit of version 1, in one place, with its unit in its name.
//!
//! Spec: "Limits".

/// Bytes of a definition file.
pub const DEFINITION_BYTES_MAX: usize = 256 * 1024;
/// Levels of nesting in a definition file as a whole; records have their own, smaller limit.
pub const DEFINITION_DEPTH_MAX: usize = 80;
/// Bytes of compact JSON that a definition may come to once its aliases are expanded.
pub const DEFINITION_EXPANDED_BYTES_MAX: usize = 1024 * 1024;
/// Faults of a definition that are listed one by one; the rest is counted.
pub const DEFINITION_FAULTS_LISTED_MAX: usize = 50;
/// Resources of one world.
pub const RESOURCES_MAX: usize = 32;
/// Characters of a resource's or fault's name.
pub const NAME_CHARS_MAX: usize = 64;
/// The widest `%Nd` of an id format, in characters.
pub const ID_WIDTH_CHARS_MAX: usize = 20;
/// Records of a world, over all of its resources.
pub const RECORDS_MAX: usize = 10_000;
/// Bytes of the compact JSON of `state` and `faults_fired` together.
pub const STATE_BYTES_MAX: usize = 1024 * 1024;
/// Fired faults that a snapshot lists; later ones are only counted.
pub const FAULTS_LISTED_MAX: usize = 1_000;
/// Levels of objects and arrays in a record, the record itself included.
pub const RECORD_DEPTH_MAX: usize = 64;
/// The largest magnitude of an integer literal: 2^53 - 1.
pub const INTEGER_MAX: u64 = (1 << 53) - 1;
/// The largest magnitude of a number's written decimal exponent.
pub const EXPONENT_MAX: u64 = 400;
/// Characters of an idempotency key.
pub const IDEMPOTENCY_KEY_CHARS_MAX: usize = 255;
/// Bytes of a request body; the listener reports a longer one as too large.
pub const BODY_BYTES_MAX: usize = 1024 * 1024;
/// How long a held answer keeps its connection open, in milliseconds.
pub const HOLD_MS_MAX: u32 = 30_000;

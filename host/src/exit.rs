//! The engine's exit codes.
//!
//! Spec: "The command line".

use crate::error::Error;

/// It went well. Of `world -- CMD`: the command ended with 0.
pub const SUCCESS: u8 = 0;

/// The command line or the definition is wrong, serving could not begin, or a file could not be
/// made: nothing ran, and nothing was served. Standard error says what to change.
pub const USAGE: u8 = 2;

/// The engine itself failed, so that what it served or wrote is no evidence: a failure of the
/// core, or a final snapshot that could not be written.
pub const ENGINE: u8 = 70;

/// The command exists but cannot be run.
pub const NOT_RUNNABLE: u8 = 126;

/// The command was not found.
pub const NOT_FOUND: u8 = 127;

/// Added to the number of the signal that ended the command, or the serving.
pub const SIGNAL_BASE: u8 = 128;

/// The code that says `error`.
pub fn code(error: &Error) -> u8 {
    match error {
        Error::NoSubcommand
        | Error::NotAHost { .. }
        | Error::DefinitionRefused { .. }
        | Error::DefinitionUnreadable { .. }
        | Error::Exists { .. }
        | Error::Unwritable { .. }
        | Error::SnapshotOutUnusable { .. }
        | Error::BeforeServing(_) => USAGE,
        Error::CommandNotFound { .. } => NOT_FOUND,
        Error::CommandNotRunnable { .. } => NOT_RUNNABLE,
        Error::Guest(_)
        | Error::Listen(_)
        | Error::Output(_)
        | Error::SnapshotUnwritable { .. }
        | Error::Supervise(_) => ENGINE,
    }
}

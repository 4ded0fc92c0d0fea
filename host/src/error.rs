//! Everything that can go wrong in the engine, and how it is told.
//!
//! Spec: "The command line".

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::guest::GuestError;
use crate::world::{DefinitionFault, OpenError};

/// Why the engine did not do what it was asked. [`crate::exit::code`] has the exit code of each.
#[derive(Debug)]
pub enum Error {
    /// The command line names no subcommand.
    NoSubcommand,
    /// What `--allow-host` names is no host name. Name the host alone.
    NotAHost {
        /// The value as it was given.
        name: String,
    },
    /// The definition file cannot be read. Check its name and its permissions.
    DefinitionUnreadable {
        /// The file as it was named.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The definition has faults. Its display is one line for each.
    DefinitionRefused {
        /// The file as it was named.
        file: PathBuf,
        /// The first faults, ordered by place.
        faults: Vec<DefinitionFault>,
        /// How many more there are.
        more: u64,
    },
    /// A file that was to be made is there already. It stays as it is; name another one.
    Exists {
        /// The file as it was named.
        file: PathBuf,
    },
    /// A file could not be made.
    Unwritable {
        /// The file as it was named.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The final snapshot could not be written where it was asked for, found out before the
    /// command was started. Name a file in a folder that exists and can be written to.
    SnapshotOutUnusable {
        /// The file as it was named.
        file: PathBuf,
        /// What is in the way.
        source: io::Error,
    },
    /// The final snapshot could not be written when the command had ended.
    SnapshotUnwritable {
        /// The file as it was named.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The command does not exist.
    CommandNotFound {
        /// The command as it was named.
        program: OsString,
    },
    /// The command exists but cannot be run.
    CommandNotRunnable {
        /// The command as it was named.
        program: OsString,
        /// What the system said.
        source: io::Error,
    },
    /// The command could not be kept under supervision, so it was not started or was ended.
    Supervise(io::Error),
    /// No port of 127.0.0.1 could be opened.
    Listen(io::Error),
    /// The core failed. What the world said cannot be relied on.
    Guest(GuestError),
    /// Standard output took no more.
    Output(io::Error),
    /// `--serve` failed before its first line.
    BeforeServing(Box<Error>),
}

impl Error {
    /// The error of a definition `file` that could not be opened as a world.
    pub fn open(file: PathBuf, error: OpenError) -> Error {
        match error {
            OpenError::Refused { faults, more } => Error::DefinitionRefused { file, faults, more },
            OpenError::Guest(error) => Error::Guest(error),
        }
    }

    /// Whether the message is a list of places in a file, which stands without a prefix.
    pub fn is_listing(&self) -> bool {
        match self {
            Error::DefinitionRefused { .. } => true,
            Error::BeforeServing(cause) => cause.is_listing(),
            _ => false,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoSubcommand => formatter.write_str(
                "say what to do: init, check, world, schema, completions or man; attest-engine --help \
                 describes them",
            ),
            Error::NotAHost { name } => write!(
                formatter,
                "--allow-host takes one host name, without scheme, path or wildcard; {name:?} is \
                 none"
            ),
            Error::DefinitionUnreadable { file, source } => {
                write!(formatter, "cannot read {}: {source}", file.display())
            }
            Error::DefinitionRefused { file, faults, more } => {
                let file = file.display();
                for (index, fault) in faults.iter().enumerate() {
                    let DefinitionFault { line, column, path, reason } = fault;
                    let line_end = if index == 0 { "" } else { "\n" };
                    write!(formatter, "{line_end}{file}:{line}:{column}: {path}: {reason}")?;
                }
                match more {
                    0 => Ok(()),
                    1 => formatter.write_str("\n… and 1 more fault"),
                    more => write!(formatter, "\n… and {more} more faults"),
                }
            }
            Error::Exists { file } => {
                let file = file.display();
                write!(formatter, "{file} is there and stays as it is; name another with --file")
            }
            Error::Unwritable { file, source } => {
                write!(formatter, "cannot write {}: {source}", file.display())
            }
            Error::SnapshotOutUnusable { file, source }
            | Error::SnapshotUnwritable { file, source } => {
                write!(formatter, "cannot write the snapshot to {}: {source}", file.display())
            }
            Error::CommandNotFound { program } => {
                write!(formatter, "cannot run {}: command not found", program.display())
            }
            Error::CommandNotRunnable { program, source } => {
                write!(formatter, "cannot run {}: {source}", program.display())
            }
            Error::Supervise(source) => {
                write!(formatter, "cannot supervise the command: {source}")
            }
            Error::Listen(source) => write!(formatter, "cannot listen on 127.0.0.1: {source}"),
            Error::Guest(error) => error.fmt(formatter),
            Error::Output(source) => {
                write!(formatter, "cannot write to standard output: {source}")
            }
            Error::BeforeServing(cause) => cause.fmt(formatter),
        }
    }
}

impl std::error::Error for Error {}

impl From<GuestError> for Error {
    fn from(error: GuestError) -> Error {
        Error::Guest(error)
    }
}

//! What the engine says on standard error.
//!
//! Spec: "The command line".

use std::env;
use std::fmt;
use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;

/// How much is said: everything of a level and of those above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Level {
    /// Every request, and what becomes of connections.
    Debug,
    /// What the engine does.
    Info,
    /// What is probably not as it was meant.
    Warn,
    /// What went wrong.
    Error,
}

/// The logger: a level and whether standard error takes colours. It is passed around by value.
#[derive(Clone, Copy, Debug)]
pub struct Log {
    level: Level,
    color: bool,
}

impl Log {
    /// A logger that says everything from `level` on, in colour where standard error is a
    /// terminal and `NO_COLOR` is unset or empty.
    pub fn new(level: Level) -> Log {
        let plain = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Log { level, color: !plain && io::stderr().is_terminal() }
    }

    /// Says what went wrong.
    pub fn error(self, text: impl fmt::Display) {
        self.say(Level::Error, &text);
    }

    /// Says what is probably not as it was meant.
    pub fn warn(self, text: impl fmt::Display) {
        self.say(Level::Warn, &text);
    }

    /// Says what the engine does.
    pub fn info(self, text: impl fmt::Display) {
        self.say(Level::Info, &text);
    }

    /// Says what is worth knowing when something has to be found.
    pub fn debug(self, text: impl fmt::Display) {
        self.say(Level::Debug, &text);
    }

    /// Says one line at every level: the closing line of a run.
    pub fn closing(self, text: impl fmt::Display) {
        write_line(format_args!("attest: {text}"));
    }

    fn say(self, level: Level, text: &dyn fmt::Display) {
        if level < self.level {
            return;
        }
        let (word, color) = match level {
            Level::Debug => ("debug", "2"),
            Level::Info => ("info", "36"),
            Level::Warn => ("warning", "33"),
            Level::Error => ("error", "31"),
        };
        if self.color {
            write_line(format_args!("attest: \x1b[{color}m{word}:\x1b[0m {text}"));
        } else {
            write_line(format_args!("attest: {word}: {text}"));
        }
    }
}

/// Writes a line to standard error in one piece, so that it does not mix with a command's.
/// Where standard error is gone there is nobody left to tell.
fn write_line(line: fmt::Arguments<'_>) {
    let _ = io::stderr().write_all(format!("{line}\n").as_bytes());
}

//! The command that runs inside a world, and what keeps it from outliving the engine.
//!
//! Spec: "The command line".

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

use crate::error::Error;

#[cfg(unix)]
pub use unix::{Child, guard_main, raise_file_limit};
#[cfg(windows)]
pub use windows::{Child, guard_main, raise_file_limit};

/// What to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The program: a path, or a name to be looked up in `PATH`.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The variables that it gets besides those of the engine.
    pub variables: Vec<(OsString, OsString)>,
    /// The base URL of its world. It stands in one of the variables, holds a secret of this
    /// world, and so marks what inherits them.
    pub base_url: String,
}

impl Plan {
    /// A plan to run `command`, whose first item is the program, with the base URL in
    /// `variable`, and with loopback addresses kept from proxies.
    pub fn new(command: &[OsString], variable: &str, base_url: String) -> Plan {
        let (program, arguments) = match command.split_first() {
            Some((program, arguments)) => (program.clone(), arguments.to_vec()),
            None => (OsString::new(), Vec::new()),
        };
        let upper = env::var_os("NO_PROXY");
        let lower = env::var_os("no_proxy");
        // Clients read one of the two, most of them the lower one first; what is set in one
        // only has to go on holding for those that read the other.
        let mut variables = vec![
            (OsString::from("NO_PROXY"), with_loopback(upper.as_deref().or(lower.as_deref()))),
            (OsString::from("no_proxy"), with_loopback(lower.as_deref().or(upper.as_deref()))),
        ];
        variables.push((OsString::from(variable), OsString::from(&base_url)));
        Plan { program, arguments, variables, base_url }
    }
}

/// The error of a plan that could not be started.
fn start_error(plan: &Plan, source: io::Error) -> Error {
    let program = plan.program.clone();
    // A file that is there is not what was not found; its interpreter is.
    let is_there = Path::new(&program).components().count() > 1 && Path::new(&program).exists();
    match source.kind() {
        io::ErrorKind::NotFound if !is_there => Error::CommandNotFound { program },
        _ => Error::CommandNotRunnable { program, source },
    }
}

/// `hosts` and the loopback addresses behind it.
fn with_loopback(hosts: Option<&OsStr>) -> OsString {
    match hosts {
        None => OsString::from(LOOPBACK),
        Some(hosts) if hosts.is_empty() => OsString::from(LOOPBACK),
        // This one holds for every host, but only while it stands alone.
        Some(hosts) if hosts == "*" => hosts.to_owned(),
        Some(hosts) if ends_with_loopback(hosts) => hosts.to_owned(),
        Some(hosts) => {
            let mut hosts = hosts.to_owned();
            hosts.push(",");
            hosts.push(LOOPBACK);
            hosts
        }
    }
}

/// Whether the last items of the list are the loopback addresses.
fn ends_with_loopback(hosts: &OsStr) -> bool {
    let hosts: Vec<&[u8]> = hosts.as_encoded_bytes().split(|byte| *byte == b',').collect();
    let loopback: Vec<&[u8]> = LOOPBACK.split(',').map(str::as_bytes).collect();
    hosts.ends_with(&loopback)
}

/// The only form that every common client understands: no ports, no ranges, no wildcard.
const LOOPBACK: &str = "127.0.0.1,localhost,::1";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_added_behind_what_was_there() {
        for (before, after) in [
            (None, "127.0.0.1,localhost,::1"),
            (Some(""), "127.0.0.1,localhost,::1"),
            (Some("a.example"), "a.example,127.0.0.1,localhost,::1"),
            (Some("a,127.0.0.1,localhost,::1"), "a,127.0.0.1,localhost,::1"),
            (Some("127.0.0.1,localhost,::1"), "127.0.0.1,localhost,::1"),
            (
                Some("10.127.0.0.1,localhost,::1"),
                "10.127.0.0.1,localhost,::1,127.0.0.1,localhost,::1",
            ),
            (Some("*"), "*"),
        ] {
            assert_eq!(with_loopback(before.map(OsStr::new)), after);
        }
    }
}

//! The guard: a process that outlives a killed engine for as long as it takes to end the
//! command's process group.
//!
//! It is this very program, started before the command as the leader of a new group, which the
//! command then joins. Its standard input is a pipe whose other end only the engine holds. When
//! that end closes, the engine is gone, however it went; the guard then kills its group, itself
//! included. A command that is only just starting holds the pipe too until it has joined the
//! group, so there is no moment at which it could be missed.

use std::env;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};

use rustix::process::{Pid, Signal, getpgrp, getpid, kill_current_process_group};

use super::signals;
use crate::exit;

/// The running guard, as the engine sees it. Dropping it ends its group.
#[derive(Debug)]
pub(super) struct Guard {
    process: Child,
    /// None once closed.
    lifeline: Option<ChildStdin>,
}

impl Guard {
    /// Starts the guard and waits until it is on its watch.
    pub(super) fn start() -> io::Result<Guard> {
        let mut process = Command::new(own_program()?)
            .arg0("attest-engine")
            .arg(GUARD_ARGUMENT)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        let lifeline = process.stdin.take();
        let ready = process.stdout.take();
        let guard = Guard { process, lifeline };
        // Before this byte a signal to the group could still end the guard.
        match ready.map(|mut ready| ready.read_exact(&mut [0])) {
            Some(Ok(())) => Ok(guard),
            _ => Err(io::Error::other("the guard process did not start")),
        }
    }

    /// The process group that the guard leads.
    pub(super) fn group(&self) -> Pid {
        Pid::from_child(&self.process)
    }

    /// Ends the guard and leaves its group alone.
    pub(super) fn release(mut self) {
        // The pipe stays open until the guard can no longer act on its end.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.lifeline.take());
        let _ = self.process.wait();
    }
}

/// Where this process was started as a guard: does the guard's work and returns its exit code.
pub fn guard_main() -> Option<ExitCode> {
    let mut arguments = env::args_os().skip(1);
    if arguments.next()? != GUARD_ARGUMENT || arguments.next().is_some() {
        return None;
    }
    // Started by hand it would kill a group that is not its own.
    if getpgrp() != getpid() {
        return Some(ExitCode::from(exit::USAGE));
    }
    signals::ignore_all();
    let watching = io::stdout().write_all(b".").and_then(|()| io::stdout().flush());
    if watching.is_ok() {
        while matches!(io::stdin().read(&mut [0]), Ok(1..) | Err(_)) {}
    }
    let _ = kill_current_process_group(Signal::KILL);
    Some(ExitCode::from(exit::ENGINE))
}

/// The file of this program, also after it was replaced or removed on disk.
fn own_program() -> io::Result<PathBuf> {
    let running = PathBuf::from("/proc/self/exe");
    if cfg!(target_os = "linux") && running.exists() { Ok(running) } else { env::current_exe() }
}

/// Not a subcommand of the command line: no user has a reason to know it.
const GUARD_ARGUMENT: &str = "__guard";

//! The guard: a process that outlives a killed engine for as long as it takes to end the
//! command and what it started.
//!
//! It is this very program, started before the command as the leader of a new group. Its
//! standard input is a pipe whose other end only the engine holds. Through it come the base URL
//! and, from the command itself before it becomes another program, the command's number. When
//! that end closes, the engine is gone, however it went; the guard then kills everything that
//! is within [`Reach`], itself last. A command that is only just starting holds the pipe too
//! until it is within reach, so there is no moment at which it could be missed.
//!
//! The guard's environment is empty: an engine inside another world must not lose its guard to
//! the one that ends everything inside that world.

use std::env;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};

use rustix::process::{Pid, getpgrp, getpid};

use super::reach::Reach;
use super::signals;
use crate::exit;

/// The running guard, as the engine sees it. Dropping it ends the command and what it started.
#[derive(Debug)]
pub(super) struct Guard {
    process: Child,
    /// None once closed.
    lifeline: Option<ChildStdin>,
}

/// How a process that is to become the command tells the guard its number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Announcer(Option<RawFd>);

impl Announcer {
    /// Tells the guard the number of this process. Makes one system call and nothing else.
    ///
    /// # Safety
    ///
    /// The guard that this came from has not been dropped, or this is a copy of the engine's
    /// process from that time.
    pub(super) unsafe fn announce(self) -> io::Result<()> {
        let Some(lifeline) = self.0 else {
            return Ok(());
        };
        // SAFETY: the guard keeps it open.
        let lifeline = unsafe { BorrowedFd::borrow_raw(lifeline) };
        rustix::io::write(lifeline, &getpid().as_raw_pid().to_ne_bytes())?;
        Ok(())
    }
}

impl Guard {
    /// Starts the guard over what will have `mark` in its environment, which is text without
    /// line ends, and waits until it is on its watch.
    pub(super) fn start(mark: &str) -> io::Result<Guard> {
        let mut process = Command::new(own_program()?)
            .arg0("attest-engine")
            .arg(GUARD_ARGUMENT)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        let lifeline = process.stdin.take();
        let ready = process.stdout.take();
        let mut guard = Guard { process, lifeline };
        if let Some(lifeline) = &mut guard.lifeline {
            lifeline.write_all(format!("{mark}\n").as_bytes())?;
        }
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

    /// For the process that is to become the command.
    pub(super) fn announcer(&self) -> Announcer {
        Announcer(self.lifeline.as_ref().map(AsRawFd::as_raw_fd))
    }

    /// Ends the guard and leaves everybody else alone.
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
    let told = if watching.is_ok() { read_to_end(io::stdin()) } else { Vec::new() };
    reach_of(&told).kill();
    Some(ExitCode::from(exit::ENGINE))
}

/// Everything that comes before the end of input. Nothing but the end may end it.
fn read_to_end(mut input: impl Read) -> Vec<u8> {
    let mut told = Vec::new();
    let mut piece = [0; 256];
    loop {
        match input.read(&mut piece) {
            Ok(0) => return told,
            Ok(count) => told.extend_from_slice(&piece[..count]),
            Err(_) => {}
        }
    }
}

/// What the guard was told: the mark's line, then the command's number. Either is missing where
/// the engine did not get so far.
fn reach_of(told: &[u8]) -> Reach {
    let line_end = told.iter().position(|byte| *byte == b'\n');
    let (mark, rest) = line_end.map_or((&[][..], &[][..]), |end| (&told[..end], &told[end + 1..]));
    let command = rest.first_chunk().and_then(|number| Pid::from_raw(i32::from_ne_bytes(*number)));
    Reach { group: getpid(), command, mark: mark.to_vec() }
}

/// The file of this program, also after it was replaced or removed on disk.
fn own_program() -> io::Result<PathBuf> {
    let running = PathBuf::from("/proc/self/exe");
    if cfg!(target_os = "linux") && running.exists() { Ok(running) } else { env::current_exe() }
}

/// Not a subcommand of the command line: no user has a reason to know it.
const GUARD_ARGUMENT: &str = "__guard";

//! Signals: those that the engine waits for, and those that a process must not feel.
//!
//! The only file with `unsafe` calls into the C library, each of which touches the
//! dispositions or the mask of signals and nothing else.

use std::future::pending;
use std::io;
use std::mem::MaybeUninit;
use std::ptr;

use rustix::process::Signal;
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};
use tokio::time::{Instant, sleep_until};

/// What the engine waits for while the command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// The command, or the guard, has ended, stopped or gone on.
    ChildChanged,
    /// One of INT, TERM and HUP has come.
    Signal(Signal),
    /// The given moment has come.
    KillDue,
    /// The engine was continued after a stop.
    Continued,
    /// Another process of the engine's own group has asked for the terminal.
    SiblingWantsTerminal,
}

/// The signals that the engine receives.
#[derive(Debug)]
pub(super) struct Signals {
    child: Stream,
    /// This and the next two are None where they are ignored.
    interrupt: Option<Stream>,
    terminate: Option<Stream>,
    hang_up: Option<Stream>,
    resume: Stream,
    terminal_read: Stream,
    terminal_write: Stream,
}

impl Signals {
    /// Receives these signals from now on, so that they do not end or stop the engine. INT,
    /// TERM or HUP that it was started to ignore, as `nohup` does, stays ignored, by the
    /// command too.
    pub(super) fn listen() -> io::Result<Signals> {
        Ok(Signals {
            child: signal(SignalKind::child())?,
            interrupt: unless_ignored(SignalKind::interrupt())?,
            terminate: unless_ignored(SignalKind::terminate())?,
            hang_up: unless_ignored(SignalKind::hangup())?,
            resume: signal(SignalKind::from_raw(libc::SIGCONT))?,
            terminal_read: signal(SignalKind::from_raw(libc::SIGTTIN))?,
            terminal_write: signal(SignalKind::from_raw(libc::SIGTTOU))?,
        })
    }

    /// The next event; [`Event::KillDue`] at `kill_at` if it is a moment.
    pub(super) async fn next(&mut self, kill_at: Option<Instant>) -> Event {
        let kill_due = async {
            match kill_at {
                Some(moment) => sleep_until(moment).await,
                None => pending().await,
            }
        };
        tokio::select! {
            _ = self.child.recv() => Event::ChildChanged,
            _ = received(&mut self.interrupt) => Event::Signal(Signal::INT),
            _ = received(&mut self.terminate) => Event::Signal(Signal::TERM),
            _ = received(&mut self.hang_up) => Event::Signal(Signal::HUP),
            _ = self.resume.recv() => Event::Continued,
            _ = self.terminal_read.recv() => Event::SiblingWantsTerminal,
            _ = self.terminal_write.recv() => Event::SiblingWantsTerminal,
            () = kill_due => Event::KillDue,
        }
    }
}

/// None where the signal is ignored.
fn unless_ignored(kind: SignalKind) -> io::Result<Option<Stream>> {
    if is_ignored(kind.as_raw_value()) { Ok(None) } else { signal(kind).map(Some) }
}

async fn received(stream: &mut Option<Stream>) {
    match stream {
        Some(stream) => drop(stream.recv().await),
        None => pending().await,
    }
}

/// Ignores every signal that may be sent to a whole process group and that can be ignored.
pub(super) fn ignore_all() {
    for number in [
        libc::SIGHUP,
        libc::SIGINT,
        libc::SIGQUIT,
        libc::SIGUSR1,
        libc::SIGUSR2,
        libc::SIGPIPE,
        libc::SIGALRM,
        libc::SIGTERM,
        libc::SIGTSTP,
        libc::SIGTTIN,
        libc::SIGTTOU,
        libc::SIGVTALRM,
        libc::SIGPROF,
        libc::SIGIO,
    ] {
        // SAFETY: ignoring a signal runs no code of ours.
        unsafe { libc::signal(number, libc::SIG_IGN) };
    }
}

/// Whether this process was started with the signal ignored.
fn is_ignored(number: libc::c_int) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action the call only writes the present one to `action`, for which
    // all zeroes are a valid value should it fail.
    let action = unsafe {
        libc::sigaction(number, ptr::null(), action.as_mut_ptr());
        action.assume_init()
    };
    action.sa_sigaction == libc::SIG_IGN
}

/// Does `work` while this thread does not feel the signal.
pub(super) fn while_blocked<T>(number: libc::c_int, work: impl FnOnce() -> T) -> T {
    let mut blocked = MaybeUninit::<libc::sigset_t>::zeroed();
    let mut before = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: both sets are this function's own; the mask is this thread's alone.
    unsafe {
        libc::sigemptyset(blocked.as_mut_ptr());
        libc::sigaddset(blocked.as_mut_ptr(), number);
        libc::pthread_sigmask(libc::SIG_BLOCK, blocked.as_ptr(), before.as_mut_ptr());
    }
    let result = work();
    // SAFETY: `before` is what the first call wrote.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut()) };
    result
}

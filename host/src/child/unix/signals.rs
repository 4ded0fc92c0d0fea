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
    interrupt: Stream,
    terminate: Stream,
    /// None where the engine was told to ignore it, as `nohup` does.
    hang_up: Option<Stream>,
    resume: Stream,
    terminal_read: Stream,
    terminal_write: Stream,
}

impl Signals {
    /// Receives these signals from now on, so that they do not end or stop the engine.
    pub(super) fn listen() -> io::Result<Signals> {
        let hang_up = if is_ignored(libc::SIGHUP) { None } else { Some(SignalKind::hangup()) };
        Ok(Signals {
            child: signal(SignalKind::child())?,
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: hang_up.map(signal).transpose()?,
            resume: signal(SignalKind::from_raw(libc::SIGCONT))?,
            terminal_read: signal(SignalKind::from_raw(libc::SIGTTIN))?,
            terminal_write: signal(SignalKind::from_raw(libc::SIGTTOU))?,
        })
    }

    /// The next event; [`Event::KillDue`] at `kill_at` if it is a moment.
    pub(super) async fn next(&mut self, kill_at: Option<Instant>) -> Event {
        let hang_up = async {
            match &mut self.hang_up {
                Some(hang_up) => hang_up.recv().await,
                None => pending().await,
            }
        };
        let kill_due = async {
            match kill_at {
                Some(moment) => sleep_until(moment).await,
                None => pending().await,
            }
        };
        tokio::select! {
            _ = self.child.recv() => Event::ChildChanged,
            _ = self.interrupt.recv() => Event::Signal(Signal::INT),
            _ = self.terminate.recv() => Event::Signal(Signal::TERM),
            _ = hang_up => Event::Signal(Signal::HUP),
            _ = self.resume.recv() => Event::Continued,
            _ = self.terminal_read.recv() => Event::SiblingWantsTerminal,
            _ = self.terminal_write.recv() => Event::SiblingWantsTerminal,
            () = kill_due => Event::KillDue,
        }
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
pub(super) fn is_ignored(number: libc::c_int) -> bool {
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

//! The terminal that the engine was started from, lent to the command while it runs.
//!
//! In a terminal, one process group at a time is the foreground: it may read, and keys such as
//! Ctrl-C and Ctrl-Z signal it and no other. The command leads a group of its own, as every job
//! of a shell does, and makes that the foreground before it becomes another program; the engine
//! takes it back at the end. To the shell, though, the job is the
//! engine's group: it has to stop when the command is stopped, and what stands beside the
//! engine in a pipeline, such as a pager, has to get the terminal when it asks.

use std::cell::Cell;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};

use rustix::process::{
    Pid, Signal, getpgrp, getpid, kill_current_process_group, test_kill_process_group,
};
use rustix::termios::{tcgetpgrp, tcsetpgrp};

use super::signals::while_blocked;

/// The controlling terminal, between the engine's group and the command's.
#[derive(Debug)]
pub(super) struct Terminal {
    device: File,
    own: Pid,
    /// None before the command was started.
    commands: Cell<Option<Pid>>,
    /// Whether the engine's group had the terminal when it was last lent.
    lent: Cell<bool>,
    /// Whether the engine's group keeps the terminal, because one of its own asked for it.
    kept: Cell<bool>,
}

impl Terminal {
    /// The terminal that controls this process. None where there is no terminal.
    pub(super) fn open() -> Option<Terminal> {
        let device = OpenOptions::new().read(true).write(true).open("/dev/tty").ok()?;
        let (commands, lent, kept) = (Cell::new(None), Cell::new(false), Cell::new(false));
        Some(Terminal { device, own: getpgrp(), commands, lent, kept })
    }

    /// For the process that is to become the command: makes its group the foreground if the
    /// engine's is it now.
    pub(super) fn borrower(&self) -> Borrower {
        self.lent.set(self.foreground() == Some(self.own));
        Borrower { device: self.device.as_raw_fd(), own: self.own }
    }

    /// The command was started as the leader of the group `commands`.
    pub(super) fn belongs_to(&self, commands: Pid) {
        self.commands.set(Some(commands));
    }

    /// Makes the command's group the foreground, if the engine's is it now and does not keep it.
    pub(super) fn lend(&self) {
        if let Some(commands) = self.commands.get()
            && !self.kept.get()
            && self.foreground() == Some(self.own)
        {
            self.lent.set(true);
            let _ = make_foreground(self.device.as_fd(), commands);
        }
    }

    /// Makes the engine's group the foreground, if the command's is it now. If it was lent and
    /// nobody is left of the group that has it, that was the command's or one that it made.
    pub(super) fn take_back(&self) {
        let Some(foreground) = self.foreground() else {
            return;
        };
        let nobodys = || test_kill_process_group(foreground) == Err(rustix::io::Errno::SRCH);
        if Some(foreground) == self.commands.get() || (self.lent.get() && nobodys()) {
            self.lent.set(false);
            let _ = make_foreground(self.device.as_fd(), self.own);
        }
    }

    /// Follows the command, which `signal` has stopped, and returns when the shell has continued
    /// the engine. Returns whether the command is to go on at once; otherwise it goes on with
    /// the next signal that continues the engine.
    pub(super) fn follow_stop(&self, signal: Signal) -> bool {
        let asks = signal == Signal::TTIN || signal == Signal::TTOU;
        // Whoever asked last has it.
        if self.kept.take() && asks && self.foreground() == Some(self.own) {
            return true;
        }
        self.take_back();
        // Where no shell controls this job, the system drops this signal, and nothing stops. A
        // command that then went on in the background would only be stopped again.
        let _ = kill_current_process_group(Signal::TSTP);
        self.foreground() == Some(self.own)
    }

    /// Gives the terminal to another process of the engine's group, which was stopped for
    /// asking while the command had it.
    pub(super) fn give_to_sibling(&self) {
        if self.commands.get().is_some() && self.foreground() == self.commands.get() {
            self.kept.set(true);
            self.take_back();
            let _ = kill_current_process_group(Signal::CONT);
        }
    }

    fn foreground(&self) -> Option<Pid> {
        tcgetpgrp(&self.device).ok()
    }
}

/// What takes the terminal, in the process that is to become the command.
#[derive(Clone, Copy, Debug)]
pub(super) struct Borrower {
    device: RawFd,
    own: Pid,
}

impl Borrower {
    /// Makes the group of this process, which leads it, the foreground, if the engine's is it
    /// now. Makes system calls and nothing else.
    ///
    /// # Safety
    ///
    /// The terminal that this came from has not been dropped, or this is a copy of the engine's
    /// process from that time.
    pub(super) unsafe fn borrow(self) {
        // SAFETY: the terminal keeps it open.
        let device = unsafe { BorrowedFd::borrow_raw(self.device) };
        if tcgetpgrp(device).ok() == Some(self.own) {
            let _ = make_foreground(device, getpid());
        }
    }
}

fn make_foreground(device: BorrowedFd<'_>, group: Pid) -> io::Result<()> {
    // A background group that passes the terminal on is stopped for it, unless it does not feel
    // that.
    while_blocked(libc::SIGTTOU, || tcsetpgrp(device, group)).map_err(io::Error::from)
}

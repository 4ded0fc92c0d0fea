//! The terminal that the engine was started from, lent to the command while it runs.
//!
//! In a terminal, one process group at a time is the foreground: it may read, and keys such as
//! Ctrl-C and Ctrl-Z signal it and no other. The command has a group of its own, so the engine
//! makes that the foreground and takes it back at the end. To the shell, though, the job is the
//! engine's group: it has to stop when the command is stopped, and what stands beside the
//! engine in a pipeline, such as a pager, has to get the terminal when it asks.

use std::cell::Cell;
use std::fs::{File, OpenOptions};

use rustix::process::{Pid, Signal, getpgrp, kill_current_process_group};
use rustix::termios::{tcgetpgrp, tcsetpgrp};

use super::signals::while_blocked;

/// The controlling terminal, between the engine's group and the command's.
#[derive(Debug)]
pub(super) struct Terminal {
    device: File,
    own: Pid,
    commands: Pid,
    /// Whether the engine's group keeps the terminal, because one of its own asked for it.
    kept: Cell<bool>,
}

impl Terminal {
    /// The terminal that controls this process, to be lent to the group `commands`. None where
    /// there is no terminal.
    pub(super) fn open(commands: Pid) -> Option<Terminal> {
        let device = OpenOptions::new().read(true).write(true).open("/dev/tty").ok()?;
        Some(Terminal { device, own: getpgrp(), commands, kept: Cell::new(false) })
    }

    /// Makes the command's group the foreground, if the engine's is it now and does not keep it.
    pub(super) fn lend(&self) {
        if !self.kept.get() {
            self.pass(self.own, self.commands);
        }
    }

    /// Makes the engine's group the foreground, if the command's is it now.
    pub(super) fn take_back(&self) {
        self.pass(self.commands, self.own);
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
        if self.foreground() == Some(self.commands) {
            self.kept.set(true);
            self.take_back();
            let _ = kill_current_process_group(Signal::CONT);
        }
    }

    fn pass(&self, from: Pid, to: Pid) {
        if self.foreground() == Some(from) {
            // A background group that passes the terminal on is stopped for it, unless it does
            // not feel that.
            let _ = while_blocked(libc::SIGTTOU, || tcsetpgrp(&self.device, to));
        }
    }

    fn foreground(&self) -> Option<Pid> {
        tcgetpgrp(&self.device).ok()
    }
}

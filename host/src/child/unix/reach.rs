//! The processes that belong to a command, wherever they went: its group, itself, and on Linux
//! everything that inherited its world.
//!
//! A group alone is easy to leave: GNU `timeout` and `setsid` do it, and so do shells with job
//! control. What no descendant leaves by accident is its environment, and there the base URL
//! stands, with a token that nobody else has.
//!
//! Spec: "The command line".

use rustix::process::{Pid, Signal, getpgid, kill_process, kill_process_group};

/// What is known of a command's processes.
#[derive(Clone, Debug)]
pub(super) struct Reach {
    /// The guard's group, which the command joins where there is no terminal.
    pub(super) group: Pid,
    /// The command, if it was started. It must not have been waited for.
    pub(super) command: Option<Pid>,
    /// The base URL. Empty means none.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "it is looked for there"))]
    pub(super) mark: Vec<u8>,
}

impl Reach {
    /// Sends a signal to the group, and to the command and its own group where it has left.
    /// Who is gone has nothing to be told.
    pub(super) fn signal(&self, signal: Signal) {
        let _ = kill_process_group(self.group, signal);
        self.signal_leaver(signal);
    }

    /// Kills everything, the leader of the group last: where that is the caller, this does not
    /// return.
    pub(super) fn kill(&self) {
        self.signal_leaver(Signal::KILL);
        #[cfg(target_os = "linux")]
        marked::kill(&self.mark);
        let _ = kill_process_group(self.group, Signal::KILL);
    }

    fn signal_leaver(&self, signal: Signal) {
        let Some(command) = self.command else {
            return;
        };
        let _ = match getpgid(Some(command)) {
            Ok(group) if group == self.group => Ok(()),
            Ok(group) if group == command => kill_process_group(group, signal),
            // A group that it has joined is not its own, and may be the engine's.
            _ => kill_process(command, signal),
        };
    }
}

#[cfg(target_os = "linux")]
mod marked {
    use std::fs;
    use std::thread;
    use std::time::Duration;

    use rustix::io::Errno;
    use rustix::process::{
        Pid, PidfdFlags, Signal, getpid, kill_process, pidfd_open, pidfd_send_signal,
    };

    /// Kills every process in whose environment `mark` stands, until none is found any more.
    pub(super) fn kill(mark: &[u8]) {
        if mark.is_empty() {
            return;
        }
        let mut clean_rounds = 0;
        for _ in 0..ROUNDS_MAX {
            clean_rounds = if kill_those_found(mark) { 0 } else { clean_rounds + 1 };
            if clean_rounds == CLEAN_ROUNDS {
                return;
            }
            thread::sleep(PAUSE);
        }
    }

    /// One round. Returns whether there was any.
    fn kill_those_found(mark: &[u8]) -> bool {
        let Ok(listing) = fs::read_dir("/proc") else {
            return false;
        };
        let pids = listing.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        let mut found = false;
        for pid in pids.filter_map(Pid::from_raw).filter(|pid| *pid != getpid()) {
            if is_marked(pid, mark) {
                found = true;
                kill_if_marked(pid, mark);
            }
        }
        found
    }

    /// Looks once more, with a hold on the process, since its number may have gone to another.
    fn kill_if_marked(pid: Pid, mark: &[u8]) {
        match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(process) if is_marked(pid, mark) => {
                let _ = pidfd_send_signal(process, Signal::KILL);
            }
            Ok(_) | Err(Errno::SRCH) => {}
            // A system that has no such hold, or does not allow it.
            Err(_) => {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }

    /// Whether the mark stands in the process's environment. One that may not be read has none:
    /// it would not take a signal either.
    fn is_marked(pid: Pid, mark: &[u8]) -> bool {
        let environment = fs::read(format!("/proc/{}/environ", pid.as_raw_pid()));
        environment.is_ok_and(|bytes| bytes.windows(mark.len()).any(|window| window == mark))
    }

    /// How many rounds without a find it takes: a process that is just being replaced by
    /// another program has no environment for a moment.
    const CLEAN_ROUNDS: u32 = 3;
    /// How many rounds at most, should a process be slow to die or quick to multiply.
    const ROUNDS_MAX: u32 = 250;
    const PAUSE: Duration = Duration::from_millis(4);
}

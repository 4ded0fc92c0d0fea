//! The command in a process group that is not the engine's.
//!
//! Before the command there is a guard (see [`guard`]). In a terminal the command leads a group
//! of its own and has the foreground, as a shell's jobs do; tools such as `timeout`, which would
//! make a group for themselves, then stay in it. Elsewhere it joins the guard's group and leads
//! none, as a script's commands do; `setsid` then needs no further process. A signal to the
//! engine goes on to the group, and to a command that has left it.
//!
//! Spec: "The command line".

mod guard;
mod reach;
mod signals;
mod terminal;

use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus};
use std::time::Duration;

use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, getrlimit, setrlimit, waitid,
};
use tokio::time::Instant;

use crate::child::{Plan, start_error};
use crate::error::Error;
use crate::exit;
use crate::log::Log;

use guard::Guard;
pub use guard::guard_main;
use reach::Reach;
use signals::{Event, Signals};
use terminal::Terminal;

/// The running command. Dropping it ends the command and what it started at once.
#[derive(Debug)]
pub struct Child {
    command: std::process::Child,
    signals: Signals,
    terminal: Option<Terminal>,
    reach: Reach,
    guard: Guard,
    log: Log,
}

impl Child {
    /// Starts the command.
    ///
    /// From now on signals to the engine no longer end it, but go on to the command in
    /// [`Child::wait`].
    ///
    /// # Errors
    ///
    /// When the command is not found, cannot be run, or cannot be supervised.
    pub fn start(plan: &Plan, log: Log) -> Result<Child, Error> {
        let signals = Signals::listen().map_err(Error::Supervise)?;
        let guard = Guard::start(&plan.base_url).map_err(Error::Supervise)?;
        let terminal = Terminal::open();
        match launch(plan, &guard, terminal.as_ref()) {
            Ok(command) => {
                // Not earlier: the command has the limit that it would have without a world.
                raise_file_limit();
                let pid = Pid::from_child(&command);
                if let Some(terminal) = &terminal {
                    terminal.belongs_to(pid);
                }
                let mark = plan.base_url.clone().into_bytes();
                let reach = Reach { group: guard.group(), command: Some(pid), mark };
                Ok(Child { command, signals, terminal, reach, guard, log })
            }
            Err(error) => {
                if let Some(terminal) = &terminal {
                    terminal.take_back();
                }
                // It was told the number of a process that is no more.
                guard.release();
                Err(start_error(plan, error))
            }
        }
    }

    /// Waits for the command's end and returns the exit code that tells of it. Until then,
    /// signals to the engine go on to the command.
    ///
    /// # Errors
    ///
    /// When the command cannot be waited for.
    pub async fn wait(&mut self) -> Result<u8, Error> {
        let mut kill_at = None;
        loop {
            if let Some(status) = self.command.try_wait().map_err(Error::Supervise)? {
                return Ok(code_of(status));
            }
            match self.signals.next(kill_at).await {
                Event::ChildChanged => self.follow_stop(),
                Event::Signal(Signal::TERM) if kill_at.is_some() => self.reach.kill(),
                Event::Signal(signal) => {
                    self.log.debug(format_args!("passing {signal:?} on"));
                    self.signal(signal);
                    if signal == Signal::TERM {
                        kill_at = Some(Instant::now() + TERM_PATIENCE);
                    }
                }
                Event::KillDue => {
                    self.log.warn("the command outlived its termination signal; killing it");
                    self.reach.kill();
                    kill_at = None;
                }
                Event::Continued => self.go_on(),
                Event::SiblingWantsTerminal => {
                    if let Some(terminal) = &self.terminal {
                        terminal.give_to_sibling();
                    }
                }
            }
        }
    }

    /// Lets go after the command has ended: what it left running stays.
    pub fn release(self) {
        if let Some(terminal) = &self.terminal {
            terminal.take_back();
        }
        self.guard.release();
    }

    /// Sends a signal to the command, and wakes it where it is stopped.
    fn signal(&self, signal: Signal) {
        self.reach.signal(signal);
        if signal == Signal::TERM || signal == Signal::HUP {
            self.reach.signal(Signal::CONT);
        }
    }

    /// Where there is a terminal and the command has been stopped, stops along with it, as the
    /// shell expects of the job that it started.
    fn follow_stop(&self) {
        let Some(terminal) = &self.terminal else {
            return;
        };
        let command = WaitId::Pid(Pid::from_child(&self.command));
        let stop = waitid(command, WaitIdOptions::STOPPED | WaitIdOptions::NOHANG);
        let signal = stop.ok().flatten().and_then(|stop| stop.stopping_signal());
        let Some(signal) = signal.and_then(Signal::from_named_raw) else {
            return;
        };
        if terminal.follow_stop(signal) {
            self.go_on();
        }
    }

    /// After a stop: the command gets the terminal if it is the engine's to give, and goes on.
    fn go_on(&self) {
        if let Some(terminal) = &self.terminal {
            terminal.lend();
        }
        self.reach.signal(Signal::CONT);
    }
}

/// Starts the command within the guard's reach and, where there is a terminal, with it.
fn launch(
    plan: &Plan,
    guard: &Guard,
    terminal: Option<&Terminal>,
) -> io::Result<std::process::Child> {
    let mut command = Command::new(&plan.program);
    command.args(&plan.arguments);
    command.envs(plan.variables.iter().map(|(name, value)| (name, value)));
    let group = if terminal.is_some() { OWN_GROUP } else { guard.group().as_raw_pid() };
    command.process_group(group);
    let announcer = guard.announcer();
    let borrower = terminal.map(Terminal::borrower);
    // SAFETY: between fork and exec only system calls are made, and `guard` and `terminal` are
    // there until the command is spawned.
    unsafe {
        command.pre_exec(move || {
            announcer.announce()?;
            if let Some(borrower) = borrower {
                borrower.borrow();
            }
            Ok(())
        });
    }
    command.spawn()
}

/// Lets the engine hold as many connections as the system allows.
pub fn raise_file_limit() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    // Where it is refused, the limit stays as it is, and is a limit on connections.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
}

fn code_of(status: ExitStatus) -> u8 {
    let code = match (status.code(), status.signal()) {
        (Some(code), _) => code,
        (None, Some(signal)) => i32::from(exit::SIGNAL_BASE) + signal,
        (None, None) => i32::from(exit::ENGINE),
    };
    // Both are a byte: the system keeps no more of a code, and there are fewer signals.
    code as u8
}

/// Stands for the group that the new process leads.
const OWN_GROUP: i32 = 0;
/// How long the command may live on after the first TERM.
const TERM_PATIENCE: Duration = Duration::from_secs(10);

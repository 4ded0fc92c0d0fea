//! The command in a job: whatever it starts ends with the engine.
//!
//! The engine puts itself into a job that ends with its last handle, so the command and what it
//! starts are in it from their first moment, and there is no process that guards them.
//!
//! Spec: "The command line".

use std::io;
use std::mem;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::process::{Command, ExitCode};
use std::ptr;
use std::thread;

use tokio::sync::oneshot;
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation,
    SetInformationJobObject,
};
use windows_sys::Win32::System::Threading::GetCurrentProcess;

use crate::child::{Plan, start_error};
use crate::error::Error;
use crate::log::Log;

/// The running command.
#[derive(Debug)]
pub struct Child {
    ended: oneshot::Receiver<io::Result<u8>>,
    job: Job,
}

impl Child {
    /// Starts the command.
    ///
    /// # Errors
    ///
    /// When the command is not found, cannot be run, or cannot be supervised.
    pub fn start(plan: &Plan, _: Log) -> Result<Child, Error> {
        let job = Job::around_this_process().map_err(Error::Supervise)?;
        let mut command = Command::new(&plan.program)
            .args(&plan.arguments)
            .envs(plan.variables.iter().map(|(name, value)| (name, value)))
            .spawn()
            .map_err(|source| start_error(plan, source))?;
        let (end, ended) = oneshot::channel();
        thread::spawn(move || {
            let code = command.wait().map(|status| status.code().unwrap_or_default());
            // A code here has 32 bits; the engine's own has 8, and must not lose a failure.
            let _ = end.send(code.map(|code| u8::try_from(code).unwrap_or(1)));
        });
        Ok(Child { ended, job })
    }

    /// Waits for the command's end and returns the exit code that tells of it. The console
    /// sends Ctrl-C to the command by itself, so the engine only has to live through it.
    ///
    /// # Errors
    ///
    /// When the command cannot be waited for.
    pub async fn wait(&mut self) -> Result<u8, Error> {
        loop {
            tokio::select! {
                code = &mut self.ended => {
                    let lost = |_| io::Error::other("the waiting thread is gone");
                    return code.map_err(lost).flatten().map_err(Error::Supervise);
                }
                pressed = tokio::signal::ctrl_c() => pressed.map_err(Error::Supervise)?,
            }
        }
    }

    /// Lets go of what the command left running.
    pub fn release(self) {
        // Where that fails it ends with the engine.
        let _ = self.job.limit(0);
    }
}

/// There are no guard processes here.
pub fn guard_main() -> Option<ExitCode> {
    None
}

/// There is no such limit here.
pub fn raise_file_limit() {}

#[derive(Debug)]
struct Job(OwnedHandle);

impl Job {
    fn around_this_process() -> io::Result<Job> {
        // SAFETY: no attributes and no name are allowed; the handle is new and this owner's.
        let job = unsafe {
            let handle = CreateJobObjectW(ptr::null(), ptr::null());
            if handle.is_null() {
                return Err(io::Error::last_os_error());
            }
            Job(OwnedHandle::from_raw_handle(handle))
        };
        job.limit(JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE)?;
        // SAFETY: both handles are valid for the call.
        match unsafe { AssignProcessToJobObject(job.0.as_raw_handle(), GetCurrentProcess()) } {
            0 => Err(io::Error::last_os_error()),
            _ => Ok(job),
        }
    }

    fn limit(&self, flags: u32) -> io::Result<()> {
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = flags;
        // SAFETY: the structure is of the class that is named, with its size.
        let done = unsafe {
            SetInformationJobObject(
                self.0.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                ptr::from_ref(&limits).cast(),
                mem::size_of_val(&limits) as u32,
            )
        };
        if done == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}

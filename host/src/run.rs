//! `attest-engine world -- CMD`: a command inside a world.
//!
//! Spec: "The command line".

mod snapshot_file;

use std::ffi::OsString;
use std::path::PathBuf;

use crate::child::{Child, Plan};
use crate::error::Error;
use crate::listener::{HostRule, serve_during};
use crate::log::Log;
use crate::world::World;
use crate::{check, cli, exit};

use snapshot_file::SnapshotFile;

/// What to run, and in which world.
#[derive(Clone, Debug)]
pub struct Options {
    /// The definition file.
    pub file: PathBuf,
    /// Names that `Host` headers may carry too.
    pub allow_hosts: Vec<String>,
    /// Whether the closing line is left out.
    pub quiet: bool,
    /// Where the final snapshot goes.
    pub snapshot_out: Option<PathBuf>,
    /// The command and its arguments.
    pub command: Vec<OsString>,
}

/// Runs the command inside the world and returns the exit code: the command's, or that of an
/// engine that failed. What went wrong once the command was to start has been told by then.
///
/// # Errors
///
/// When nothing was started, because of a host name, of the definition, of where the snapshot should go, or of
/// the engine itself.
pub fn run(options: Options, log: Log) -> Result<u8, Error> {
    let hosts = HostRule::new(&options.allow_hosts)?;
    let world = check::open(&options.file)?;
    let snapshot_out = options.snapshot_out.map(|out| SnapshotFile::find(out, &options.file));
    let snapshot_out = snapshot_out.transpose()?;
    let variable = world.description().base_url_env.clone();
    let command = options.command;
    let (ended, world) = serve_during(world, hosts, log, async |base_url| {
        let mut child = Child::start(&Plan::new(&command, &variable, base_url), log)?;
        let code = child.wait().await?;
        child.release();
        Ok(code)
    })?;
    let code = ended.unwrap_or_else(|error| told(log, &error));
    Ok(finish(world, code, snapshot_out, options.quiet, log))
}

/// Writes the snapshot and the closing line. Returns `code`, unless the engine has failed.
fn finish(
    mut world: World,
    code: u8,
    snapshot_out: Option<SnapshotFile>,
    quiet: bool,
    log: Log,
) -> u8 {
    // A failure over a request was told when it happened.
    if world.faulted() {
        return exit::ENGINE;
    }
    let (snapshot, summary) = match world.snapshot().and_then(|s| Ok((s, world.summary()?))) {
        Ok(both) => both,
        Err(error) => return told(log, &Error::Guest(error)),
    };
    let mut code = code;
    if let Some(file) = snapshot_out
        && let Err(error) = file.write(&snapshot)
    {
        let failed = told(log, &error);
        // A command that failed is the more important news.
        if code == exit::SUCCESS {
            code = failed;
        }
    }
    if !quiet {
        log.closing(summary);
    }
    code
}

/// Tells of `error`, and returns its code.
fn told(log: Log, error: &Error) -> u8 {
    cli::tell(log, error);
    exit::code(error)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::frame::{RequestBody, RequestFrame};
    use crate::guest::{CALL_DEADLINE, Guest};
    use crate::log::Level;

    /// A world whose core traps on the first request.
    fn faulty_world() -> World {
        let path = concat!(env!("ATTEST_FIXTURES"), "/trap_on_handle.cwasm");
        let image = std::fs::read(path).unwrap().leak();
        // SAFETY: the build made this image with wasmtime's own compiler.
        let guest = unsafe { Guest::from_image(image, CALL_DEADLINE) }.unwrap();
        World::open(guest, b"").unwrap()
    }

    #[test]
    fn after_a_failure_of_the_core_the_code_is_the_engines_and_nothing_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("snapshot.json");
        for code in [exit::SUCCESS, 3] {
            let mut world = faulty_world();
            let request = RequestFrame {
                method: "GET",
                path: "/",
                query: "",
                headers: Vec::new(),
                body: RequestBody::Complete(b""),
            };
            assert_eq!(world.handle(&request).status, 500);
            let file = SnapshotFile::find(out.clone(), Path::new("world.yaml")).unwrap();
            let ended = finish(world, code, Some(file), true, Log::new(Level::Error));
            assert_eq!(ended, exit::ENGINE);
            assert!(!out.exists());
        }
    }
}

//! A cargo that is started from within cargo, as if from a plain shell.
//!
//! Shared with `host/build.rs`.

use std::io;
use std::path::Path;
use std::process::Command;

/// Variables that cargo, rustup or clippy set for the programs they start and that would make
/// a cargo below them build something else.
const REMOVED: &[&str] = &[
    "CARGO",
    "DEBUG",
    "HOST",
    "NUM_JOBS",
    "OPT_LEVEL",
    "OUT_DIR",
    "PROFILE",
    "RUSTC",
    "RUSTC_BOOTSTRAP",
    "RUSTC_LINKER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTDOC",
    "RUSTDOCFLAGS",
    "RUSTFLAGS",
    "RUSTUP_TOOLCHAIN",
    "TARGET",
];

/// What survives of `CARGO_*`: where crates come from, and the jobs shared with the cargo above.
const KEPT: &[&str] = &[
    "CARGO_HOME",
    "CARGO_HTTP_",
    "CARGO_MAKEFLAGS",
    "CARGO_NET_",
    "CARGO_REGISTR",
    "CARGO_SOURCE_",
];

/// `program`, started in `dir` with an environment that no outer cargo has touched. The
/// toolchain is then the one that `rust-toolchain.toml` above `dir` names.
pub fn command(program: &str, dir: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(dir);
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        let cargos = name.starts_with("CARGO_") && !KEPT.iter().any(|kept| name.starts_with(kept));
        if cargos || REMOVED.contains(&&*name) {
            command.env_remove(&*name);
        }
    }
    command
}

/// Runs `command`.
///
/// # Errors
///
/// When it cannot be started or does not succeed; the text names the command.
pub fn run(command: &mut Command) -> io::Result<()> {
    let status = command
        .status()
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", name(command))))?;
    if status.success() {
        Ok(())
    } else {
        Err(io::Error::other(format!("{} ended with {status}", name(command))))
    }
}

/// A command as a person would type it: without the environment, which is long.
pub fn name(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    format!("`{}`", words.join(" "))
}

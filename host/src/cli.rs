//! The command line: what can be asked for, and where each request goes.
//!
//! Spec: "The command line".

use std::ffi::OsString;
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory, Parser, Subcommand};
use clap_complete::Shell;

use crate::error::Error;
use crate::guest::{CORE_SHA256, WASMTIME_VERSION};
use crate::log::{Level, Log};
use crate::{check, child, exit, init, manual, run, serve};

/// Does what the process's arguments ask for, and returns the exit code. Messages go to
/// standard error.
pub fn main() -> ExitCode {
    if let Some(code) = child::guard_main() {
        return code;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // Help and usage errors come this way; their codes are 0 and 2.
        Err(answer) => {
            let _ = answer.print();
            return ExitCode::from(if answer.use_stderr() { exit::USAGE } else { exit::SUCCESS });
        }
    };
    let log = Log::new(cli.log_level);
    let code = carry_out(cli, log).unwrap_or_else(|error| {
        tell(log, &error);
        exit::code(&error)
    });
    ExitCode::from(code)
}

/// Says `error` on standard error.
pub(crate) fn tell(log: Log, error: &Error) {
    if error.is_listing() {
        let _ = io::stderr().write_all(format!("{error}\n").as_bytes());
    } else {
        log.error(error);
    }
}

/// Writes to standard output in one piece.
///
/// # Errors
///
/// [`Error::Output`] when it takes no more.
pub(crate) fn print(text: &[u8]) -> Result<(), Error> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text).and_then(|()| stdout.flush()).map_err(Error::Output)
}

/// Prints what a person asked for. A reader who has seen enough and left, as `head` does, is no
/// error.
fn show(text: &[u8]) -> Result<u8, Error> {
    match print(text) {
        Err(Error::Output(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(exit::SUCCESS),
        printed => printed.map(|()| exit::SUCCESS),
    }
}

/// Serves worlds: local, stateful HTTP stand-ins for the systems that an agent acts on
#[derive(Debug, Parser)]
#[command(name = "attest-engine", disable_version_flag = true, subcommand_required = false)]
struct Cli {
    /// Print the version
    #[arg(long, short = 'V')]
    version: bool,

    /// With --version: print also what the engine is made of
    #[arg(long, requires = "version")]
    verbose: bool,

    /// How much to say on standard error
    #[arg(long, global = true, value_enum, default_value = "warn", value_name = "LEVEL")]
    log_level: Level,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write a commented definition file to start from, and its schema for editors
    Init(InitArgs),
    /// Check a definition file and print what its world serves
    Check(CheckArgs),
    /// Run a command inside a world, or serve one to a test helper
    World(WorldArgs),
    /// Print the JSON schema of a definition file
    Schema,
    /// Print a script with which a shell completes this command line
    #[command(after_help = COMPLETIONS_HELP)]
    Completions(CompletionsArgs),
    /// Print the manual page
    #[command(after_help = "To read it at once: attest-engine man | man -l -")]
    Man(ManArgs),
}

#[derive(Debug, Args)]
struct InitArgs {
    /// The file to write; it must not be there yet
    #[arg(long, value_name = "FILE", default_value = "world.yaml")]
    file: PathBuf,
}

#[derive(Debug, Args)]
struct CheckArgs {
    /// The definition file
    #[arg(long, value_name = "FILE")]
    file: PathBuf,
}

#[derive(Debug, Args)]
struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Debug, Args)]
struct ManArgs {
    /// The subcommand whose page to print, rather than that of the program
    #[arg(value_parser = manual::SUBCOMMANDS)]
    subcommand: Option<String>,
}

#[derive(Debug, Args)]
#[command(override_usage = "attest-engine world --file <FILE> [OPTIONS] -- <COMMAND>...\n       \
                            attest-engine world --file <FILE> [OPTIONS] --serve",
          after_long_help = EXIT_STATUS)]
struct WorldArgs {
    /// The definition file
    #[arg(long, value_name = "FILE")]
    file: PathBuf,

    /// Accept this name in Host headers too; may be given several times
    #[arg(long = "allow-host", value_name = "NAME")]
    allow_hosts: Vec<String>,

    /// Serve until a line `stop` or the end of standard input, as test helpers want it
    #[arg(long, conflicts_with_all = ["quiet", "snapshot_out"])]
    serve: bool,

    /// Leave the closing line out
    #[arg(long)]
    quiet: bool,

    /// Write the final snapshot to this file
    #[arg(long, value_name = "FILE")]
    snapshot_out: Option<PathBuf>,

    /// The command to run, with its arguments
    #[arg(
        last = true,
        value_name = "COMMAND",
        required_unless_present = "serve",
        conflicts_with = "serve"
    )]
    command: Vec<OsString>,
}

fn carry_out(cli: Cli, log: Log) -> Result<u8, Error> {
    if cli.version {
        return show(version(cli.verbose).as_bytes());
    }
    match cli.command.ok_or(Error::NoSubcommand)? {
        Command::Init(InitArgs { file }) => show(init::init(&file)?.as_bytes()),
        Command::Check(CheckArgs { file }) => show(check::check(&file)?.as_bytes()),
        Command::World(world) if world.serve => {
            let file = world.file;
            serve::serve(serve::Options { file, allow_hosts: world.allow_hosts }, log)
        }
        Command::World(world) => {
            let options = run::Options {
                file: world.file,
                allow_hosts: world.allow_hosts,
                quiet: world.quiet,
                snapshot_out: world.snapshot_out,
                command: world.command,
            };
            run::run(options, log)
        }
        Command::Schema => show(init::SCHEMA.as_bytes()),
        Command::Completions(CompletionsArgs { shell }) => {
            show(manual::completions(Cli::command(), shell).as_bytes())
        }
        Command::Man(ManArgs { subcommand }) => {
            show(&manual::page(Cli::command(), subcommand.as_deref()))
        }
    }
}

fn version(verbose: bool) -> String {
    let short = concat!("attest-engine ", env!("CARGO_PKG_VERSION"), "\n");
    if verbose {
        format!("{short}core {CORE_SHA256}\nwasmtime {WASMTIME_VERSION}\n")
    } else {
        short.to_owned()
    }
}

const EXIT_STATUS: &str = "\
Exit status:
  that of the command, where it ran
  0 or 128 + the number of the signal that ended serving
  127 where the command is not found, 126 where it cannot be run
  2 where nothing was started: wrong usage, or a definition that is refused
  70 where the engine failed, so that what it served is no evidence";

const COMPLETIONS_HELP: &str = "\
In bash: source <(attest-engine completions bash)
In zsh:  source <(attest-engine completions zsh)
In fish: attest-engine completions fish | source";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_subcommand_has_a_manual_page() {
        let program = Cli::command();
        let names: Vec<&str> =
            program.get_subcommands().map(|command| command.get_name()).collect();
        assert_eq!(names, manual::SUBCOMMANDS);
    }

    #[test]
    fn a_command_keeps_its_own_options() {
        let line = ["attest-engine", "world", "--file", "w", "--", "a", "--quiet", "--", "b"];
        let Some(Command::World(world)) = Cli::parse_from(line).command else { unreachable!() };
        assert_eq!(world.command, ["a", "--quiet", "--", "b"]);
        assert!(!world.quiet);
    }
}

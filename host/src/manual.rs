//! `attest-engine man` and `attest-engine completions`: what the program says of its own
//! command line, in the forms that `man` and shells read.
//!
//! Spec: "The command line".

use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;

/// The subcommands that have a manual page of their own.
pub const SUBCOMMANDS: [&str; 6] = ["init", "check", "world", "schema", "completions", "man"];

/// The manual page of `program`, or of one of its [`SUBCOMMANDS`], as `man` reads it.
pub fn page(program: Command, subcommand: Option<&str>) -> Vec<u8> {
    let mut program = program.disable_help_subcommand(true).after_help(OTHER_PAGES);
    // Gives every subcommand its full name.
    program.build();
    let command = subcommand.and_then(|name| program.find_subcommand(name)).cloned();
    let source = concat!("attest-engine ", env!("CARGO_PKG_VERSION"));
    let mut page = Vec::new();
    let page_of = Man::new(command.unwrap_or(program)).source(source);
    page_of.render(&mut page).expect("a vector takes everything");
    page
}

const OTHER_PAGES: &str = "attest-engine man SUBCOMMAND prints the page of a subcommand.";

/// The script with which `shell` completes the command line of `program`.
pub fn completions(mut program: Command, shell: Shell) -> String {
    let mut script = Vec::new();
    let name = program.get_name().to_owned();
    clap_complete::generate(shell, &mut program, &name, &mut script);
    // For bash the library spells the hyphen of a program's name in two ways, so that nothing
    // behind a subcommand would be completed. This makes it one.
    let (wrong, right) = (name.replace('-', "__subcmd__"), name.replace('-', "__"));
    String::from_utf8_lossy(&script).replace(&wrong, &right)
}

//! The program `attest-engine`.

use std::process::ExitCode;

fn main() -> ExitCode {
    attest_host::cli::main()
}

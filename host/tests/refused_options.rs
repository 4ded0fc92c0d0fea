//! `world`: what is wrong before anything starts, beside the definition.

mod support;

use support::{ITEMS, folder_with, text, world};

#[test]
fn a_value_that_is_no_host_is_refused() {
    for name in ["", "*", "a,b", "http://ex.com", "ex.com/", "a b"] {
        let (_folder, file) = folder_with(ITEMS);
        for end in [&["--serve"][..], &["--", "true"]] {
            let mut command = world(&file);
            command.args(["--allow-host", "fine.example", "--allow-host", name]).args(end);
            let output = command.output().expect("the engine runs");
            let err = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{name}: {err}");
            assert!(err.contains("--allow-host takes one host name"), "{err}");
            assert!(err.contains(&format!("{name:?}")), "{err}");
            assert_eq!(text(&output.stdout), "");
        }
    }
}

#[cfg(unix)]
#[test]
fn too_few_files_are_told_in_a_sentence() {
    let (_folder, file) = folder_with(ITEMS);
    for limit in 4..40 {
        let script = format!("ulimit -n {limit}; exec \"$@\"");
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &script, "sh"]).arg(env!("CARGO_BIN_EXE_attest-engine"));
        shell.args(["world", "--file"]).arg(&file).args(["--quiet", "--", "true"]);
        let output = shell.output().expect("a shell");
        let err = text(&output.stderr);
        match output.status.code() {
            Some(0) => assert_eq!(err, ""),
            // Below some limit not even the program's libraries can be opened.
            Some(127) => assert!(err.contains("open"), "{limit}: {err}"),
            Some(70 | 2) => assert!(
                err.starts_with("attest: error: ") && err.contains("open files"),
                "{limit}: {err}"
            ),
            code => panic!("{limit}: {code:?}: {err}"),
        }
    }
}

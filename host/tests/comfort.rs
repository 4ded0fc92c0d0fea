//! What makes the command line pleasant: a definition to start from, manual pages, completions,
//! suggestions, and readers who leave early.

mod support;

use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};

use support::{engine, text};

const STARTER: &str = include_str!("../../proto/attest/v1/world-starter.yaml");
const SCHEMA: &str = include_str!("../../proto/attest/v1/world-v1.schema.json");

/// Runs the engine in `folder`; returns its exit code, standard output and standard error.
fn run_in(folder: &Path, line: &[&str]) -> (i32, String, String) {
    let output = engine().args(line).current_dir(folder).stdin(Stdio::null()).output();
    let Output { status, stdout, stderr } = output.expect("the engine runs");
    (status.code().expect("an exit code"), text(&stdout).to_owned(), text(&stderr).to_owned())
}

fn run(line: &[&str]) -> (i32, String, String) {
    run_in(Path::new("."), line)
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("it is there")
}

#[test]
fn init_writes_a_definition_that_check_accepts_and_the_schema_that_it_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let (code, out, err) = run_in(folder, &["init"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(read(folder, "world.yaml"), STARTER);
    assert_eq!(read(folder, "world-v1.schema.json"), SCHEMA);
    // What it says to do next works as it stands.
    let next = out.lines().find_map(|line| line.strip_prefix("next: attest-engine "));
    let next: Vec<&str> = next.expect("it says what is next").split(' ').collect();
    let (code, out, err) = run_in(folder, &next);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("POST /refunds"), "{out}");
}

#[test]
fn init_takes_another_name_and_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("worlds")).expect("a folder");
    let (code, out, err) = run_in(folder.path(), &["init", "--file", "worlds/shop.yaml"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("worlds/shop.yaml") && out.contains("worlds/world-v1.schema.json"));
    assert_eq!(read(folder.path(), "worlds/shop.yaml"), STARTER);
    assert_eq!(read(folder.path(), "worlds/world-v1.schema.json"), SCHEMA);
    // A second definition in the same folder shares the schema.
    let (code, _, err) = run_in(folder.path(), &["init", "--file", "worlds/other.yaml"]);
    assert_eq!((code, err.as_str()), (0, ""));
}

#[test]
fn init_never_overwrites_anything() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("world.yaml"), "mine").expect("it is written");
    let (code, out, err) = run_in(folder, &["init"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("world.yaml") && err.contains("--file"), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
    assert_eq!(read(folder, "world.yaml"), "mine");
    assert!(!folder.join("world-v1.schema.json").exists(), "nothing was begun");

    fs::write(folder.join("world-v1.schema.json"), "{}").expect("it is written");
    let (code, out, _) = run_in(folder, &["init", "--file", "other.yaml"]);
    assert_eq!(code, 0);
    assert_eq!(read(folder, "world-v1.schema.json"), "{}");
    assert!(out.contains("attest-engine schema"), "it says how to get this engine's: {out}");
}

#[test]
fn init_says_where_it_cannot_write() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, out, err) = run_in(folder.path(), &["init", "--file", "missing/world.yaml"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("missing/world.yaml") && err.lines().count() == 1, "{err}");
}

#[cfg(unix)]
#[test]
fn init_leaves_nothing_behind_when_it_fails_half_way() {
    let folder = tempfile::tempdir().expect("a folder");
    // The definition fits in what may be written to a file, the schema does not.
    let script = "trap '' XFSZ; ulimit -f 6; exec \"$0\" init";
    let mut shell = std::process::Command::new("bash");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_attest-engine")]).current_dir(folder.path());
    let output = shell.output().expect("the engine runs");
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("world-v1.schema.json"), "{err}");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

#[test]
fn what_is_misspelt_gets_a_suggestion() {
    for (line, suggestion) in [
        (&["wrold"][..], "'world'"),
        (&["chekc"], "'check'"),
        (&["scheme"], "'schema'"),
        (&["completion"], "'completions'"),
        (&["completions", "bsh"], "'bash'"),
        (&["man", "wrld"], "'world'"),
        (&["init", "--flie", "x"], "'--file'"),
        (&["check", "--fil", "x"], "'--file'"),
        (&["check", "--file", "x", "--log-lvl", "warn"], "'--log-level'"),
        (&["check", "--file", "x", "--log-level", "wran"], "'warn'"),
        (&["world", "--file", "x", "--snapshot", "y", "--", "true"], "'--snapshot-out'"),
        (&["world", "--file", "x", "--quite", "--", "true"], "'--quiet'"),
        (&["world", "--file", "x", "--sevre"], "'--serve'"),
    ] {
        let (code, out, err) = run(line);
        assert_eq!((code, out.as_str()), (2, ""), "{line:?}");
        assert!(err.contains("similar") && err.contains(suggestion), "{line:?}: {err}");
    }
}

#[test]
fn a_manual_page_names_every_option_and_subcommand() {
    let (code, page, err) = run(&["man"]);
    assert_eq!((code, err.as_str()), (0, ""));
    for command in ["init", "check", "world", "schema", "completions", "man"] {
        assert!(page.contains(&format!("attest\\-engine\\-{command}(1)")), "{command}: {page}");
        let (code, own, _) = run(&["man", command]);
        assert_eq!(code, 0);
        assert!(own.contains(&format!(".TH attest-engine-{command} 1 ")), "{own}");
    }
    assert!(!page.contains("guard") && !page.contains("engine\\-help"), "{page}");
    let (_, page, _) = run(&["man", "world"]);
    for option in ["file", "allow\\-host", "serve", "quiet", "snapshot\\-out", "log\\-level"] {
        assert!(page.contains(&format!("\\-\\-{option}")), "{option}: {page}");
    }
}

#[test]
fn every_shell_gets_a_script_of_its_own() {
    let mut scripts = Vec::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let (code, script, err) = run(&["completions", shell]);
        assert_eq!((code, err.as_str()), (0, ""), "{shell}");
        assert!(script.contains("snapshot-out") && !script.contains("guard"), "{shell}: {script}");
        assert!(!scripts.contains(&script), "{shell}");
        scripts.push(script);
    }
}

#[cfg(unix)]
#[test]
fn bash_completes_with_its_script() {
    let script = "source /dev/stdin; COMP_WORDS=(attest-engine \"$@\"); COMP_CWORD=$#; \
        entry=$(complete -p attest-engine); entry=${entry##*-F }; ${entry%% *} attest-engine \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD - 1]}\"; \
        echo \"${COMPREPLY[*]}\"";
    let folder = tempfile::tempdir().expect("a folder");
    let completions = folder.path().join("completions");
    fs::write(&completions, run(&["completions", "bash"]).1).expect("it is written");
    for (words, completed) in [
        (&["wor"][..], "world"),
        (&["c"], "check completions"),
        (&["world", "--snap"], "--snapshot-out"),
        (&["world", "--log-level", "w"], "warn"),
    ] {
        let mut shell = std::process::Command::new("bash");
        shell.args(["-c", script, "bash"]).args(words).current_dir(folder.path());
        shell.stdin(fs::File::open(&completions).expect("it is there"));
        let output = shell.output().expect("bash runs");
        assert_eq!(text(&output.stdout).trim_end(), completed, "{}", text(&output.stderr));
    }
}

#[test]
fn a_reader_who_leaves_early_is_no_error() {
    let (_folder, file) = support::folder_with(support::ITEMS);
    let file = file.to_str().expect("UTF-8");
    let folder = tempfile::tempdir().expect("a folder");
    for line in [
        &["--help"][..],
        &["--version"],
        &["help", "world"],
        &["schema"],
        &["man"],
        &["completions", "bash"],
        &["check", "--file", file],
        &["init"],
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = engine();
        command.args(line).current_dir(folder.path()).stdin(Stdio::null()).stdout(writer);
        let output = command.output().expect("the engine runs");
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""), "{line:?}");
    }
    assert!(folder.path().join("world.yaml").exists(), "what was asked for is done all the same");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    for line in [&["schema"][..], &["man"], &["completions", "zsh"], &["--version"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a full disk");
        let output = engine().args(line).stdout(full).output().expect("the engine runs");
        assert_eq!(output.status.code(), Some(70), "{line:?}");
        assert!(text(&output.stderr).contains("standard output"), "{line:?}");
    }
}

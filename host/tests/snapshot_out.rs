//! `--snapshot-out`: what is refused before the command runs, and what becomes of what was there.
#![cfg(unix)]

mod support;

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Output, Stdio};

use support::{ITEMS, folder_with, text, world};

/// Runs a command that leaves a file `ran` in `folder`.
fn run(folder: &Path, out: &str) -> Output {
    let mut command = world(Path::new("world.yaml"));
    command.args(["--snapshot-out", out, "--", "sh", "-c", "echo > ran"]).current_dir(folder);
    command.output().expect("the engine runs")
}

fn is_snapshot(file: &Path) -> bool {
    fs::read(file).is_ok_and(|bytes| bytes.starts_with(b"{\"world_version\":1,"))
}

#[test]
fn what_cannot_be_a_file_is_refused_before_the_command_runs() {
    let (folder, _) = folder_with(ITEMS);
    let there = |name: &str| folder.path().join(name);
    fs::create_dir(there("folder")).expect("a folder");
    symlink("no/such/folder/file", there("astray")).expect("a link");
    symlink("round", there("round")).expect("a link");
    symlink("new/", there("to_folder")).expect("a link");
    let too_long = "a".repeat(256);
    for out in
        ["new/", "new/.", "folder", "folder/", "no/file", "astray", "round", "to_folder", &too_long]
    {
        let output = run(folder.path(), out);
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{out}: {err}");
        assert!(err.contains("cannot write the snapshot to"), "{err}");
        assert!(!there("ran").exists(), "{out}");
    }
    assert!(!there("new").exists());
}

#[test]
fn the_definition_and_the_commands_output_stay_as_they_are() {
    let (folder, file) = folder_with(ITEMS);
    let log = folder.path().join("log");
    for out in ["world.yaml", "./world.yaml", "/dev/stdout", "log", "/dev/stderr"] {
        fs::write(&log, "before\n").expect("it is written");
        let append = || Stdio::from(File::options().append(true).open(&log).expect("it is there"));
        let mut command = world(&file);
        command.args(["--snapshot-out", out, "--", "sh", "-c", "echo > ran"]);
        command.current_dir(folder.path()).stdout(append()).stderr(append());
        let status = command.status().expect("the engine runs");
        assert_eq!(status.code(), Some(2), "{out}");
        assert_eq!(fs::read_to_string(&file).expect("it is there"), ITEMS);
        let log = fs::read_to_string(&log).expect("it is there");
        assert!(log.starts_with("before\nattest: error: cannot write"), "{out}: {log}");
        assert!(!folder.path().join("ran").exists(), "{out}");
    }
}

#[test]
fn a_name_as_long_as_the_system_allows_will_do() {
    let (folder, _) = folder_with(ITEMS);
    for length in [250, 255] {
        let name = "a".repeat(length);
        let output = run(folder.path(), &name);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(is_snapshot(&folder.path().join(name)));
    }
    let names = fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(names, 4, "the definition, `ran` and the two");
}

#[test]
fn a_link_to_a_file_that_is_not_there_yet_is_followed() {
    let (folder, _) = folder_with(ITEMS);
    let there = |name: &str| folder.path().join(name);
    fs::create_dir(there("place")).expect("a folder");
    symlink("next", there("link")).expect("a link");
    symlink("place/real", there("next")).expect("a link");
    for _ in 0..2 {
        let output = run(folder.path(), "link");
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(is_snapshot(&there("place/real")));
        assert_eq!(fs::read_link(there("link")).expect("a link"), Path::new("next"));
        assert_eq!(fs::read_link(there("next")).expect("a link"), Path::new("place/real"));
    }
}

#[test]
fn a_file_keeps_its_permissions() {
    let (folder, _) = folder_with(ITEMS);
    let out = folder.path().join("out.json");
    for mode in [0o600, 0o640, 0o666, 0o400] {
        fs::write(&out, "").expect("it is ours");
        fs::set_permissions(&out, Permissions::from_mode(mode)).expect("it is ours");
        let output = run(folder.path(), "out.json");
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(is_snapshot(&out));
        let metadata = fs::metadata(&out).expect("it is there");
        assert_eq!(metadata.permissions().mode() & 0o777, mode);
        fs::remove_file(&out).expect("it is ours");
    }
}

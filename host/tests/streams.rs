//! `world -- CMD` where a stream is closed or a disk is full, and two of them side by side.
#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

use serde_json::Value;
use support::{PAYMENTS, folder_with, text, wait, world};

#[test]
fn a_command_whose_reader_leaves_ends_as_it_would_without_a_world() {
    let (_folder, file) = folder_with(PAYMENTS);
    let mut process = world(&file).args(["--", "yes"]).spawn().expect("the engine starts");
    let mut stdout = process.stdout.take().expect("a pipe");
    stdout.read_exact(&mut [0; 2]).expect("it says something");
    drop(stdout);
    // 128 and the number of PIPE, which ends a program that does not ask for anything else.
    assert_eq!(wait(&mut process).code(), Some(141));
}

#[test]
fn standard_input_reaches_the_command_to_its_end() {
    let (_folder, file) = folder_with(PAYMENTS);
    let mut command = world(&file);
    command.args(["--quiet", "--", "wc", "-c"]).stdin(Stdio::piped());
    let mut process = command.spawn().expect("the engine starts");
    let mut stdin = process.stdin.take().expect("a pipe");
    // More than a pipe holds, and what is no text.
    stdin.write_all(&[0xff; 300_000]).expect("it is read");
    drop(stdin);
    let output = process.wait_with_output().expect("it ends");
    assert_eq!((text(&output.stdout).trim(), text(&output.stderr)), ("300000", ""));
}

#[test]
fn closed_streams_are_no_obstacle() {
    for closed in ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"] {
        let (folder, file) = folder_with(PAYMENTS);
        let out = folder.path().join("snapshot.json");
        let script =
            format!("exec \"$0\" world --snapshot-out \"$1\" --file \"$2\" -- true {closed}");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script, env!("CARGO_BIN_EXE_attest-engine")]).arg(&out).arg(&file);
        let status = shell.stderr(Stdio::null()).status();
        assert_eq!(status.expect("a shell").code(), Some(0), "{closed}");
        let snapshot = fs::read_to_string(&out).expect("a snapshot");
        assert!(snapshot.starts_with("{\"world_version\":1,"), "{closed}: {snapshot}");
        assert_eq!(fs::read_to_string(&file).expect("the definition"), PAYMENTS, "{closed}");
    }
}

#[test]
fn a_closing_line_that_nobody_reads_is_no_failure() {
    let (_folder, file) = folder_with(PAYMENTS);
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let status = world(&file).args(["--", "sh", "-c", "exit 4"]).stderr(writer).status();
    assert_eq!(status.expect("the engine runs").code(), Some(4));
}

#[test]
fn a_full_disk_for_the_snapshot_is_a_failure_unless_the_command_failed() {
    for (code, expected) in [(0, 70), (9, 9)] {
        let (_folder, file) = folder_with(PAYMENTS);
        let mut command = world(&file);
        command.args(["--snapshot-out", "/dev/full", "--", "sh", "-c", &format!("exit {code}")]);
        let output = command.output().expect("the engine runs");
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(expected), "{err}");
        assert!(err.contains("cannot write the snapshot to /dev/full"), "{err}");
    }
}

#[test]
fn two_worlds_side_by_side_have_records_of_their_own() {
    let (folder, file) = folder_with(PAYMENTS);
    let mut lines = Vec::new();
    let mut engines = Vec::new();
    for name in ["one.json", "other.json"] {
        let mut command = world(&file);
        command.args(["--quiet", "--snapshot-out"]).arg(folder.path().join(name));
        command.args(["--", "sh", "-c", "echo \"$PAYMENTS_BASE_URL\"; read line"]);
        let mut process = command.stdin(Stdio::piped()).spawn().expect("the engine starts");
        let stdout = process.stdout.take().expect("a pipe");
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut line)
            .expect("a line");
        lines.push(line.trim_end().to_owned());
        engines.push(process);
    }
    assert_ne!(lines[0], lines[1]);
    let (address, token) = lines[0]["http://".len()..].split_once('/').expect("a token");
    let refund = format!("POST /{token}/refunds HTTP/1.1\r\nContent-Length: 2\r\n\r\n{{}}");
    // Its answer is held; that it counts is seen in the snapshot.
    let held = attest_vectors::http::send(address, refund.as_bytes()).expect("a connection");
    for process in &mut engines {
        drop(process.stdin.take());
        // The shell's `read` has met the end of its input.
        assert_eq!(wait(process).code(), Some(1));
    }
    drop(held);
    let refunds = |name: &str| {
        let snapshot = fs::read(folder.path().join(name)).expect("a snapshot");
        let snapshot: Value = serde_json::from_slice(&snapshot).expect("JSON");
        snapshot["state"]["refunds"].as_array().map(Vec::len)
    };
    assert_eq!((refunds("one.json"), refunds("other.json")), (Some(1), Some(0)));
}

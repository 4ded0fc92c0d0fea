//! `world --serve` as a test helper uses it.
#![cfg(unix)]

mod support;

use std::io::Write;
use std::net::TcpStream;
use std::process::{ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use support::{ITEMS, PAYMENTS, Served, folder_with, post, wait, wait_until, world};

/// Ends serving with `end`, and checks that one line with the world came, and nothing else.
fn check_end(end: impl FnOnce(&mut Served)) -> (ExitStatus, String) {
    let mut served = Served::open(ITEMS);
    served.exchange(&post("/items", r#"{"n":12.10}"#));
    let state = served.fetch("/_attest/state").body;
    end(&mut served);
    let (status, out, err) = served.ended();
    let state = String::from_utf8(state).expect("UTF-8");
    assert_eq!(out, format!("{{\"world\":{state}}}\n"));
    assert!(TcpStream::connect(&served.address).is_err(), "the port is closed");
    (status, err)
}

fn say(served: &mut Served, text: &str) {
    served.stdin.as_mut().expect("a pipe").write_all(text.as_bytes()).expect("it is read");
}

fn signal(served: &Served, signal: Signal) {
    kill_process(Pid::from_child(&served.process), signal).expect("the engine runs");
}

#[test]
fn the_first_line_carries_the_variable_of_the_definition() {
    let (folder, file) = folder_with(PAYMENTS);
    let mut command = world(&file);
    let process = command.arg("--serve").stdin(Stdio::piped()).spawn().expect("it starts");
    let served = Served::adopt(process, folder);
    assert!(served.address.starts_with("127.0.0.1:"));
    let token = &served.base_path[1..];
    assert!(token.len() >= 22, "{token}");
    assert!(token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
    assert_eq!(served.fetch("/orders/O-1042").status, 200);
}

#[test]
fn a_line_stop_ends_it() {
    for line in ["stop\n", "stop\r\n", "  stop  \n"] {
        let (status, err) = check_end(|served| say(served, line));
        assert_eq!((status.code(), err.as_str()), (Some(0), ""), "{line:?}");
    }
}

#[test]
fn the_end_of_input_ends_it_with_or_without_a_line() {
    let (status, err) = check_end(|served| drop(served.stdin.take()));
    assert_eq!((status.code(), err.as_str()), (Some(0), ""));
    let (status, _) = check_end(|served| {
        say(served, "half a line");
        drop(served.stdin.take());
    });
    assert_eq!(status.code(), Some(0));
}

#[test]
fn other_lines_are_warned_about_and_ignored() {
    let (status, err) = check_end(|served| say(served, "STOP\nstop now\nstop\n"));
    assert_eq!(status.code(), Some(0));
    let lines: Vec<&str> = err.lines().collect();
    assert_eq!(lines.len(), 2, "{err}");
    assert!(lines.iter().all(|line| line.starts_with("attest: warning: ")), "{err}");
    assert!(lines[0].contains("\"STOP\"") && lines[1].contains("\"stop now\""), "{err}");
}

#[test]
fn term_and_int_end_it_the_same_way_with_their_codes() {
    let (status, err) = check_end(|served| signal(served, Signal::TERM));
    assert_eq!((status.code(), err.as_str()), (Some(143), ""));
    let (status, err) = check_end(|served| signal(served, Signal::INT));
    assert_eq!((status.code(), err.as_str()), (Some(130), ""));
}

#[test]
fn a_held_answer_does_not_keep_it_from_stopping() {
    let served = Served::open(PAYMENTS);
    let mut held = served.send(&post("/refunds", "{}"));
    wait_until("the fault fires", || served.state()["faults_fired_count"] == 1);
    let (status, out, _) = served.stop();
    assert_eq!(status.code(), Some(0));
    let last: Value = serde_json::from_str(&out).expect("one line");
    assert_eq!(last["world"]["state"]["refunds"][0]["refund_id"], "R-0001");
    assert_eq!(support::read_to_close(&mut held), b"", "a held answer is never sent");
}

#[test]
fn a_failure_before_the_first_line_exits_with_2() {
    let (_folder, file) = folder_with("world_version: 2");
    let output = world(&file).arg("--serve").output().expect("the engine runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty() && !output.stderr.is_empty());
}

#[test]
fn standard_output_that_nobody_reads_is_told_on_standard_error() {
    // Gone before the first line: it never served.
    let (_folder, file) = folder_with(ITEMS);
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = world(&file);
    command.arg("--serve").stdin(Stdio::piped()).stdout(writer);
    let output = command.output().expect("the engine runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(support::text(&output.stderr).contains("standard output"));

    // Gone before the last line: the world is lost.
    let (_folder, file) = folder_with(ITEMS);
    let mut process = world(&file).arg("--serve").stdin(Stdio::piped()).spawn().expect("it starts");
    let mut stdout = process.stdout.take().expect("a pipe");
    std::io::Read::read_exact(&mut stdout, &mut [0]).expect("a first line");
    drop(stdout);
    drop(process.stdin.take());
    assert_eq!(wait(&mut process).code(), Some(70));
}

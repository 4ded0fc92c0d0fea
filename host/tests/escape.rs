//! `world -- CMD` where CMD leaves its process group: it is still told of signals, and what has
//! to end ends. It looks for processes in `/proc`.
#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use support::{ITEMS, folder_with, kill_while_starting, running_in, text, wait, wait_until, world};
use tempfile::TempDir;

/// Commands that leave their group, or start what does.
const LEAVERS: [&[&str]; 6] = [
    &["timeout", "1000", "sh", "-c", "echo ready; sleep 1000"],
    &["setsid", "sh", "-c", "sleep 1000 & echo ready; wait"],
    &["setsid", "env", "-i", "sh", "-c", "echo ready; sleep 1000"],
    &["bash", "-c", "set -m; sleep 1000 & echo ready; wait"],
    &["sh", "-c", "(setsid setsid sleep 1000 > /dev/null 2>&1 &); echo ready; sleep 1000"],
    &["timeout", "1000", "timeout", "1000", "sh", "-c", "trap '' TERM; echo ready; sleep 1000"],
];

#[test]
fn signals_reach_a_command_that_has_left_its_group() {
    let plain: &[&str] = &["setsid", "sleep", "1000"];
    for (command, signal, code) in [
        (LEAVERS[0], Signal::TERM, 143),
        (LEAVERS[1], Signal::TERM, 143),
        (plain, Signal::INT, 130),
        (plain, Signal::HUP, 129),
        (LEAVERS[2], Signal::TERM, 143),
    ] {
        let mut engine = Running::start(command);
        engine.signal(signal);
        assert_eq!(wait(&mut engine.process).code(), Some(code), "{command:?} {signal:?}");
        engine.nothing_stays();
    }
}

#[test]
fn a_stopped_command_that_has_left_its_group_is_woken_to_end() {
    let mut engine = Running::start(&["setsid", "sh", "-c", "echo ready $$; kill -STOP $$"]);
    let command: i32 = engine.ready["ready ".len()..].trim().parse().expect("a number");
    wait_until("it has stopped", || {
        let stat = fs::read_to_string(format!("/proc/{command}/stat")).expect("it runs");
        stat.rsplit(") ").next().expect("a state").starts_with('T')
    });
    engine.signal(Signal::TERM);
    assert_eq!(wait(&mut engine.process).code(), Some(143));
}

#[test]
fn a_second_term_kills_all_that_the_command_started() {
    // Not `sh`: where that is dash, it loses a signal that comes while it starts a program.
    for script in [
        "(setsid sleep 1000 > /dev/null 2>&1 &); exec setsid bash -c \"$WAIT\"",
        "set -m; sleep 1000 & eval \"$WAIT\"",
    ] {
        let wait_for_ever = "trap 'echo >> heard' TERM; echo ready; while :; do sleep 0.05; done";
        let mut engine =
            Running::start(&["env", &format!("WAIT={wait_for_ever}"), "bash", "-c", script]);
        engine.signal(Signal::TERM);
        wait_until(&format!("the first is heard: {script}"), || {
            engine.folder.path().join("heard").exists()
        });
        engine.signal(Signal::TERM);
        assert_eq!(wait(&mut engine.process).code(), Some(137), "{script}");
        engine.nothing_stays();
    }
}

#[test]
fn nothing_that_left_its_group_outlives_a_killed_engine() {
    for command in LEAVERS {
        let mut engine = Running::start(command);
        engine.signal(Signal::KILL);
        wait(&mut engine.process);
        engine.nothing_stays();
    }
}

#[test]
fn nothing_that_leaves_its_group_outlives_an_engine_that_is_killed_as_it_starts() {
    let (folder, file) = folder_with(ITEMS);
    kill_while_starting(60, &folder, &file, &["timeout", "1000", "setsid", "sleep", "1000"]);
    wait_until("nothing runs in the folder", || running_in(folder.path()).is_empty());
}

#[test]
fn a_killed_engine_leaves_everybody_else_alone() {
    let mut bystander = Command::new("sleep");
    bystander.arg("1000").env("ITEMS_BASE_URL", "http://127.0.0.1:1/0123456789");
    let mut bystander = bystander.spawn().expect("it starts");
    let mut other = Running::start(&["sleep", "1000"]);
    let mut engine = Running::start(LEAVERS[0]);
    engine.signal(Signal::KILL);
    wait(&mut engine.process);
    engine.nothing_stays();
    assert!(bystander.try_wait().expect("it is ours").is_none());
    assert!(other.process.try_wait().expect("it is ours").is_none());
    bystander.kill().expect("it is ours");
    wait(&mut bystander);
    other.signal(Signal::TERM);
    assert_eq!(wait(&mut other.process).code(), Some(143));
}

#[test]
fn a_world_inside_a_world_ends_with_the_outer_one_and_not_the_other_way() {
    let binary = env!("CARGO_BIN_EXE_attest-engine");
    let inner = [binary, "world", "--file", "world.yaml", "--"];
    let command = [&inner[..], &["setsid", "sh", "-c", "echo ready; sleep 1000"]].concat();
    let mut outer = Running::start(&command);
    outer.signal(Signal::KILL);
    wait(&mut outer.process);
    outer.nothing_stays();

    let script = "mkfifo lines; \"$@\" > lines & read line < lines; kill -KILL $!; wait $!; \
        echo ready; while [ ! -e go ]; do sleep 0.05; done; exit 5";
    let command = [&["sh", "-c", script, "sh"], &command[..]].concat();
    let mut outer = Running::start(&command);
    // What is left is the outer engine, its guard and the shell, with what it sleeps in.
    wait_until("all inside is gone", || running_in(outer.folder.path()).len() <= 4);
    fs::write(outer.folder.path().join("go"), "").expect("it is written");
    assert_eq!(wait(&mut outer.process).code(), Some(5));
    outer.nothing_stays();
}

#[test]
fn what_left_its_group_goes_on_after_a_normal_end() {
    let script = "echo ready; setsid sh -c 'while [ ! -e go ]; do sleep 0.05; done; echo > done' \
        > err 2>&1 & exit 6";
    let mut engine = Running::start(&["sh", "-c", script]);
    assert_eq!(wait(&mut engine.process).code(), Some(6));
    fs::write(engine.folder.path().join("go"), "").expect("it is written");
    wait_until("it has gone on", || engine.folder.path().join("done").exists());
    engine.nothing_stays();
}

#[test]
fn signals_that_were_to_be_ignored_are_ignored_by_the_command_too() {
    let (_folder, file) = folder_with(ITEMS);
    let ignored = |trap: &str| {
        let script = format!("{trap} exec \"$@\" -- grep SigIgn /proc/self/status");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_attest-engine"), "world", "--file"]);
        let output = shell.arg(&file).output().expect("it runs");
        let mask = text(&output.stdout).trim().rsplit('\t').next().expect("a mask").to_owned();
        u64::from_str_radix(&mask, 16).expect("hexadecimal digits")
    };
    // HUP, INT and TERM are signals 1, 2 and 15.
    let all = 1 | 1 << 1 | 1 << 14;
    assert_eq!(ignored("trap '' HUP INT TERM;") & all, all);
    assert_eq!(ignored("trap - HUP INT TERM;") & all, ignored("") & all);
}

/// An engine whose command is ready, in a folder of its own.
struct Running {
    process: Child,
    folder: TempDir,
    /// The command's first line.
    ready: String,
}

impl Running {
    /// Runs `command` inside a world and waits until it is ready: for its first line, or where
    /// it is to become a `sleep`, until it has.
    fn start(command: &[&str]) -> Running {
        let (folder, file) = folder_with(ITEMS);
        let mut engine = world(&file);
        engine.arg("--quiet").arg("--").args(command).current_dir(folder.path());
        engine.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = engine.spawn().expect("the engine starts");
        let mut ready = String::new();
        let is_sleep = command.ends_with(&["sleep", "1000"]);
        if !is_sleep {
            let stdout = process.stdout.take().expect("a pipe");
            BufReader::new(stdout).read_line(&mut ready).expect("a line");
            assert!(ready.starts_with("ready"), "{command:?}: {ready}");
        } else {
            wait_until("it sleeps", || {
                let mut running = running_in(folder.path()).into_iter();
                let name = |pid| fs::read_to_string(format!("/proc/{pid}/comm"));
                running.any(|pid| name(pid).is_ok_and(|name| name == "sleep\n"))
            });
        }
        Running { process, folder, ready }
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.process), signal).expect("the engine runs");
    }

    fn nothing_stays(&self) {
        let folder = self.folder.path();
        wait_until("nothing runs in the folder", || running_in(folder).is_empty());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        if thread::panicking() {
            // What a failed test was about.
            for pid in running_in(self.folder.path()).into_iter().filter_map(Pid::from_raw) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }
}

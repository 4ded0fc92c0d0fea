//! `world -- npm run …`: what npm starts, and what that starts, ends with the engine. It looks
//! for processes in `/proc`.
#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use support::{PAYMENTS, folder_with, running_in, wait, wait_until, world};
use tempfile::TempDir;

/// An agent that starts a process of its own, says which world it was given, and stays.
const AGENT: &str = "\
    import { spawn } from 'node:child_process';\n\
    spawn('sleep', ['1000']);\n\
    console.log(process.env.PAYMENTS_BASE_URL);\n\
    setInterval(() => {}, 1000);\n";

/// Starts `npm run agent` inside a world and waits for the agent.
fn start() -> (Child, TempDir) {
    let (folder, file) = folder_with(PAYMENTS);
    let package = r#"{"name": "agent", "private": true, "scripts": {"agent": "node agent.mjs"}}"#;
    fs::write(folder.path().join("package.json"), package).expect("it is written");
    fs::write(folder.path().join("agent.mjs"), AGENT).expect("it is written");
    let mut command = world(&file);
    command.args(["--", "npm", "run", "--silent", "agent"]).current_dir(folder.path());
    // Nothing of it outside the folder, and no look for a newer npm.
    command.env("npm_config_cache", folder.path().join("cache"));
    command.env("npm_config_update_notifier", "false");
    let mut process = command.stderr(Stdio::inherit()).spawn().expect("the engine starts");
    let stdout = process.stdout.take().expect("a pipe");
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line).expect("a line");
    assert!(line.starts_with("http://127.0.0.1:"), "npm, which comes with Node, ran it: {line:?}");
    // The engine, its guard, npm, node and sleep at least.
    wait_until("the agent's own process runs", || running_in(folder.path()).len() >= 5);
    (process, folder)
}

#[test]
fn what_npm_starts_ends_with_a_killed_engine() {
    let (mut process, folder) = start();
    process.kill().expect("it runs");
    wait(&mut process);
    wait_until("nothing runs in the folder", || running_in(folder.path()).is_empty());
}

#[test]
fn what_npm_starts_hears_of_a_signal() {
    let (mut process, folder) = start();
    kill_process(Pid::from_child(&process), Signal::TERM).expect("it runs");
    assert_eq!(wait(&mut process).code(), Some(143));
    wait_until("nothing runs in the folder", || running_in(folder.path()).is_empty());
}

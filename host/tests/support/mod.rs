//! What the tests of the real binary share: engines, worlds, raw requests, patient waits.

#![allow(dead_code, reason = "each test file is a program of its own and uses a part of this")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use attest_vectors::http::{self, Answer, PATIENCE};
use serde_json::Value;
use tempfile::TempDir;

/// The payments world of the examples: the first refund is held.
pub const PAYMENTS: &str = include_str!("../../../examples/payments/world.yaml");

/// A world without faults: `items` with all three routes.
pub const ITEMS: &str = r#"{"world_version": 1, "base_url_env": "ITEMS_BASE_URL",
    "resources": {"items": {"path": "/items", "routes": ["create", "list", "get"]}}}"#;

/// The binary under test.
pub fn engine() -> Command {
    Command::new(env!("CARGO_BIN_EXE_attest-engine"))
}

/// A folder with `definition` as `world.yaml`.
pub fn folder_with(definition: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("world.yaml");
    std::fs::write(&file, definition).expect("the definition is written");
    (folder, file)
}

/// `attest-engine world --file FILE`, with standard input closed and the rest captured.
pub fn world(file: &Path) -> Command {
    let mut command = engine();
    command.args(["world", "--file"]).arg(file);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the shell script `script` inside the payments world, with `options` before the `--`.
pub fn run_script(options: &[&str], script: &str) -> Output {
    let (_folder, file) = folder_with(PAYMENTS);
    let mut command = world(&file);
    command.args(options).args(["--", "sh", "-c", script]);
    command.output().expect("the engine runs")
}

/// Starts the engine with `command` in `folder`, `times` times, and kills it each time at another
/// moment of its start, which takes a few milliseconds.
pub fn kill_while_starting(times: u64, folder: &TempDir, file: &Path, command: &[&str]) {
    for step in 0..times {
        let mut engine = world(file);
        engine.current_dir(folder.path()).arg("--").args(command);
        let mut process = engine.spawn().expect("the engine starts");
        thread::sleep(Duration::from_micros(step * 250));
        process.kill().expect("it can be killed");
        wait(&mut process);
    }
}

/// Captured output as text.
pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

/// Waits until `holds` does, and fails the test when it never does.
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "waited in vain: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Waits for a process to end, and ends it where it never does.
pub fn wait(process: &mut Child) -> ExitStatus {
    let mut status = None;
    let deadline = Instant::now() + PATIENCE;
    while status.is_none() && Instant::now() < deadline {
        status = process.try_wait().expect("the process can be waited for");
        thread::sleep(Duration::from_millis(5));
    }
    status.unwrap_or_else(|| {
        let _ = process.kill();
        panic!("the process did not end");
    })
}

/// An engine that serves, as an SDK starts it. Dropping it kills it.
pub struct Served {
    /// The engine's process.
    pub process: Child,
    /// Where lines such as `stop` go.
    pub stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    /// `127.0.0.1:PORT`.
    pub address: String,
    /// `/TOKEN`.
    pub base_path: String,
    _folder: TempDir,
}

impl Served {
    /// Serves `definition`.
    pub fn open(definition: &str) -> Served {
        Served::open_with(definition, &[])
    }

    /// Serves `definition` with further options.
    pub fn open_with(definition: &str, options: &[&str]) -> Served {
        let (folder, file) = folder_with(definition);
        let mut command = world(&file);
        command.arg("--serve").args(options).stdin(Stdio::piped());
        Served::adopt(command.spawn().expect("the engine starts"), folder)
    }

    /// Takes over an engine that has been started with all streams piped.
    pub fn adopt(mut process: Child, folder: TempDir) -> Served {
        let stdin = process.stdin.take();
        let mut stdout = BufReader::new(process.stdout.take().expect("a pipe"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("a first line");
        let said: Value = serde_json::from_str(&line).expect("the first line is JSON");
        let env = said["env"].as_object().expect("an env");
        let url = env.values().next().and_then(Value::as_str).expect("a base URL");
        let place = url.strip_prefix("http://").expect("an http URL");
        let (address, token) = place.split_once('/').expect("a token");
        let (address, base_path) = (address.to_owned(), format!("/{token}"));
        Served { process, stdin, stdout, address, base_path, _folder: folder }
    }

    /// Sends bytes on a new connection; `TOKEN` in them becomes the token's path.
    pub fn send(&self, bytes: &[u8]) -> TcpStream {
        http::send(&self.address, &self.with_token(bytes)).expect("a connection")
    }

    /// Puts the token's path in the place of each `TOKEN`.
    pub fn with_token(&self, bytes: &[u8]) -> Vec<u8> {
        let mut result = Vec::new();
        let mut rest = bytes;
        while let Some(at) = rest.windows(5).position(|window| window == b"TOKEN") {
            result.extend_from_slice(&rest[..at]);
            result.extend_from_slice(&self.base_path.as_bytes()[1..]);
            rest = &rest[at + 5..];
        }
        result.extend_from_slice(rest);
        result
    }

    /// Sends bytes on a new connection and reads the one answer.
    pub fn exchange(&self, bytes: &[u8]) -> Answer {
        http::read_answer(&mut self.send(bytes), false).expect("an answer")
    }

    /// GETs a path behind the token.
    pub fn fetch(&self, path: &str) -> Answer {
        self.exchange(format!("GET /TOKEN{path} HTTP/1.1\r\n\r\n").as_bytes())
    }

    /// The snapshot that the world serves.
    pub fn state(&self) -> Value {
        json(&self.fetch("/_attest/state"))
    }

    /// Stops it by a line; returns its status, the rest of standard output, standard error.
    pub fn stop(mut self) -> (ExitStatus, String, String) {
        let mut stdin = self.stdin.take().expect("a pipe");
        stdin.write_all(b"stop\n").expect("the line is taken");
        self.ended()
    }

    /// Waits for the end; returns status, the rest of standard output, standard error.
    pub fn ended(&mut self) -> (ExitStatus, String, String) {
        let status = wait(&mut self.process);
        let (mut out, mut err) = (String::new(), String::new());
        self.stdout.read_to_string(&mut out).expect("UTF-8");
        let stderr = self.process.stderr.as_mut().expect("a pipe");
        stderr.read_to_string(&mut err).expect("UTF-8");
        (status, out, err)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A create request in the items or refunds world, as bytes.
pub fn post(path: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("POST /TOKEN{path} HTTP/1.1\r\nContent-Length: {length}\r\n\r\n{body}").into_bytes()
}

/// The body of an answer, as JSON.
pub fn json(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).expect("the body is JSON")
}

/// The code of a refusal.
pub fn error_code(answer: &Answer) -> String {
    json(answer)["error"]["code"].as_str().expect("a code").to_owned()
}

/// Everything that still comes on a connection until it is closed, a reset included.
pub fn read_to_close(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        match stream.read(&mut chunk) {
            Ok(0) => return bytes,
            Ok(count) => bytes.extend_from_slice(&chunk[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                panic!("the connection was not closed")
            }
            Err(_) => return bytes,
        }
    }
}

/// The processes whose working folder is `folder`: every engine, guard and command of a test
/// that has one of its own.
#[cfg(target_os = "linux")]
pub fn running_in(folder: &Path) -> Vec<i32> {
    let listing = std::fs::read_dir("/proc").expect("processes can be listed");
    let folder = folder.canonicalize().expect("the folder exists");
    let pids = listing.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter(|pid| {
        let there = std::fs::read_link(format!("/proc/{pid}/cwd"));
        there.is_ok_and(|there| there == folder)
    })
    .collect()
}

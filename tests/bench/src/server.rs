//! The two servers under measure, as processes.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// A running server. It ends when dropped.
pub struct Server {
    process: Child,
    /// `127.0.0.1:PORT`.
    pub address: String,
    /// The path part of the base URL.
    pub base_path: String,
}

impl Server {
    /// Starts the engine with a world.
    pub fn engine(engine: &Path, definition: &Path) -> Server {
        let mut command = Command::new(engine);
        command.args(["world", "--serve", "--file"]).arg(definition);
        let (process, line) = started(command);
        let said: Value = serde_json::from_str(&line).expect("the engine's first line");
        let env = said["env"].as_object().expect("an env");
        let url = env.values().filter_map(Value::as_str).find_map(|v| v.strip_prefix("http://"));
        let (address, token) = url.and_then(|url| url.split_once('/')).expect("a base URL");
        Server { process, address: address.to_owned(), base_path: format!("/{token}") }
    }

    /// Starts the bare server, answering with bodies of these sizes.
    pub fn bare(bare: &Path, get_bytes: usize, post_bytes: usize) -> Server {
        let mut command = Command::new(bare);
        command.args([get_bytes.to_string(), post_bytes.to_string()]);
        let (process, line) = started(command);
        Server {
            process,
            address: line.trim().to_owned(),
            base_path: format!("/{}", "0".repeat(40)),
        }
    }

    /// Kilobytes of memory that the process holds, as Linux counts them.
    pub fn resident_kb(&self) -> u64 {
        let status = format!("/proc/{}/status", self.process.id());
        let status = std::fs::read_to_string(status).expect("a process status");
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("a VmRSS line");
        line.split_whitespace().nth(1).and_then(|kb| kb.parse().ok()).expect("a number")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Starts `command` and waits for its first line.
fn started(mut command: Command) -> (Child, String) {
    let mut process = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let mut line = String::new();
    let stdout = process.stdout.as_mut().expect("a pipe");
    BufReader::new(stdout).read_line(&mut line).expect("a first line");
    (process, line)
}

/// One blocking exchange on a connection of its own: how a first client meets a server.
pub fn first_answer(server: &Server, path: &str) {
    use std::io::Read;
    let mut stream = std::net::TcpStream::connect(&server.address).expect("a connection");
    let request =
        format!("GET {}{path} HTTP/1.1\r\nHost: {}\r\n\r\n", server.base_path, server.address);
    stream.write_all(request.as_bytes()).expect("a request");
    let mut answer = [0; 4096];
    let read = stream.read(&mut answer).expect("an answer");
    assert!(answer[..read].starts_with(b"HTTP/1.1 200"), "not a 200");
}

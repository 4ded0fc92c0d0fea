//! Every world vector against the wasm file in wasmtime, and against the engine over HTTP.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use attest_host::guest::Guest;
use attest_vectors::http::{self, Answer, PATIENCE};
use attest_vectors::{Machine, Reply, run_worlds, worlds};
use serde_json::Value;

#[test]
fn every_world_vector_holds_in_wasm() {
    let ran = run_worlds("machine", Wasm::open);
    println!("{ran} world cases, in wasm");
}

#[test]
fn every_world_vector_holds_over_http() {
    let ran = run_worlds("http", Served::open);
    println!("{ran} world cases, over HTTP");
}

/// The raw door, spoken by hand from its description in the spec.
struct Wasm {
    guest: Guest,
    handle: u32,
}

impl Wasm {
    fn open(definition: &[u8]) -> Wasm {
        let mut guest = Guest::load().expect("the module loads");
        let answer = guest.call(1, 0, definition).expect("open does not trap");
        let text = String::from_utf8_lossy(&answer[1..]).into_owned();
        assert_eq!(answer[0], 0, "a world vector's definition is refused: {text}");
        let opened: Value = serde_json::from_str(&text).expect("a description in JSON");
        let handle = opened["handle"].as_u64().expect("a handle") as u32;
        Wasm { guest, handle }
    }

    fn done(&mut self, op: u32, input: &[u8]) -> Vec<u8> {
        let answer = self.guest.call(op, self.handle, input).expect("the call does not trap");
        assert_eq!(answer[0], 0, "{}", String::from_utf8_lossy(&answer[1..]));
        answer[1..].to_vec()
    }
}

impl Machine for Wasm {
    fn handle(&mut self, request: &worlds::Request, _held: bool) -> Reply {
        let mut frame = vec![1, u8::from(request.too_large)];
        let mut push = |bytes: &[u8]| {
            frame.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
            frame.extend_from_slice(bytes);
        };
        push(request.method.as_bytes());
        push(request.path.as_bytes());
        push(request.query.as_bytes());
        let body = request.body.as_ref().map(|body| body.to_bytes()).unwrap_or_default();
        frame.extend_from_slice(&(request.headers.len() as u32).to_le_bytes());
        for (name, value) in &request.headers {
            for part in [name.to_ascii_lowercase().into_bytes(), value.to_bytes()] {
                frame.extend_from_slice(&(part.len() as u32).to_le_bytes());
                frame.extend_from_slice(&part);
            }
        }
        frame.extend_from_slice(&(body.len() as u32).to_le_bytes());
        frame.extend_from_slice(&body);

        let answer = self.done(2, &frame);
        let status = u16::from_le_bytes([answer[0], answer[1]]);
        let hold_ms = u32::from_le_bytes(answer[2..6].try_into().expect("four bytes"));
        let mut parts = Parts { frame: &answer[6..] };
        let count = parts.number();
        let headers: BTreeMap<String, String> =
            (0..count).map(|_| (parts.text().to_ascii_lowercase(), parts.text())).collect();
        let body = worlds::sent_body(&request.method, parts.text().into_bytes());
        assert!(parts.frame.is_empty(), "bytes behind the reply frame");
        Reply { status, headers, body, held: hold_ms == 30_000 }
    }

    fn snapshot(&mut self) -> Vec<u8> {
        self.done(3, &[])
    }
}

struct Parts<'a> {
    frame: &'a [u8],
}

impl Parts<'_> {
    fn number(&mut self) -> u32 {
        let (number, rest) = self.frame.split_first_chunk::<4>().expect("four bytes");
        self.frame = rest;
        u32::from_le_bytes(*number)
    }

    fn text(&mut self) -> String {
        let length = self.number() as usize;
        let (text, rest) = self.frame.split_at(length);
        self.frame = rest;
        String::from_utf8(text.to_vec()).expect("UTF-8")
    }
}

/// The engine as an SDK starts it, and a client that adds nothing to what a vector says.
struct Served {
    engine: Child,
    stdin: Option<ChildStdin>,
    address: String,
    base_path: String,
    /// Connections whose answer is held, kept open until the world stops.
    held: Vec<TcpStream>,
    _folder: tempfile::TempDir,
}

impl Served {
    fn open(definition: &[u8]) -> Served {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("world.yaml");
        std::fs::write(&file, definition).expect("the definition is written");
        let mut engine = Command::new(env!("CARGO_BIN_EXE_attest-engine"))
            .args(["world", "--serve", "--file"])
            .arg(&file)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the engine starts");
        let stdin = engine.stdin.take();
        let mut line = String::new();
        BufReader::new(engine.stdout.as_mut().expect("a pipe"))
            .read_line(&mut line)
            .expect("the engine's first line");
        let said: Value = serde_json::from_str(&line).expect("the first line is JSON");
        let env = said["env"].as_object().expect("an env");
        let base_url = env
            .values()
            .filter_map(Value::as_str)
            .find_map(|url| url.strip_prefix("http://"))
            .expect("a base URL in env");
        let (address, token) = base_url.split_once('/').expect("a token");
        let (address, base_path) = (address.to_owned(), format!("/{token}"));
        Served { engine, stdin, address, base_path, held: Vec::new(), _folder: folder }
    }

    fn exchange(&self, request: &worlds::Request) -> io::Result<TcpStream> {
        let mut target = format!("{}{}", self.base_path, request.path);
        if !request.query.is_empty() {
            target = format!("{target}?{}", request.query);
        }
        let headers: Vec<(String, Vec<u8>)> =
            request.headers.iter().map(|(name, value)| (name.clone(), value.to_bytes())).collect();
        let body = match (&request.body, request.too_large) {
            (_, true) => vec![b' '; (1 << 20) + 1],
            (Some(body), false) => body.to_bytes(),
            (None, false) => Vec::new(),
        };
        let bytes = http::request_bytes(&request.method, &target, &self.address, &headers, &body);
        http::send(&self.address, &bytes)
    }

    fn state(&self) -> Answer {
        let target = format!("{}/_attest/state", self.base_path);
        let bytes = http::request_bytes("GET", &target, &self.address, &[], &[]);
        let mut stream = http::send(&self.address, &bytes).expect("a connection");
        http::read_answer(&mut stream, false).expect("the state")
    }

    fn faults_fired(&self) -> u64 {
        let snapshot: Value = serde_json::from_slice(&self.state().body).expect("a snapshot");
        snapshot["faults_fired_count"].as_u64().expect("a count")
    }
}

impl Machine for Served {
    fn handle(&mut self, request: &worlds::Request, held: bool) -> Reply {
        let fired_before = if held { self.faults_fired() } else { 0 };
        let mut stream = self.exchange(request).expect("a connection");
        if held {
            // The world has dealt with the request once the fault is counted; from then on a
            // byte would be an answer.
            let deadline = Instant::now() + PATIENCE;
            while self.faults_fired() == fired_before {
                assert!(Instant::now() < deadline, "no fault fired");
                std::thread::sleep(Duration::from_millis(1));
            }
            stream.set_nonblocking(true).expect("a socket option");
            let silent = matches!(
                stream.peek(&mut [0]),
                Err(e) if e.kind() == io::ErrorKind::WouldBlock
            );
            self.held.push(stream);
            return Reply { status: 0, headers: BTreeMap::new(), body: Vec::new(), held: silent };
        }
        let answer = http::read_answer(&mut stream, request.method == "HEAD")
            .unwrap_or_else(|e| panic!("{} {}: {e}", request.method, request.path));
        let mut headers = answer.headers;
        if let Some(location) = headers.get_mut("location") {
            let inside = location.strip_prefix(&self.base_path).map(str::to_owned);
            *location = inside.unwrap_or_else(|| format!("outside the base URL: {location}"));
        }
        Reply { status: answer.status, headers, body: answer.body, held: false }
    }

    fn snapshot(&mut self) -> Vec<u8> {
        self.state().body
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Some(mut stdin) = self.stdin.take() {
            let _ = stdin.write_all(b"stop\n");
        }
        // The engine's last line holds the whole snapshot: unread, it would fill the pipe.
        if let Some(mut stdout) = self.engine.stdout.take() {
            let _ = stdout.read_to_end(&mut Vec::new());
        }
        let _ = self.engine.wait();
    }
}

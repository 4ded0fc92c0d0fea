//! A client that sends exactly what it is told, for vectors that a polite one could not send.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// How long a client waits for an answer that has to come.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// An answer as it stood on the wire.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Status code.
    pub status: u16,
    /// Headers by lower-case name; the values of a repeated one are joined by `, `.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Vec<u8>,
}

/// One request as bytes: a request line, these headers, and the body behind a `Content-Length`
/// where there is a body or the method is one that has them.
pub fn request_bytes(
    method: &str,
    target: &str,
    host: &str,
    headers: &[(String, Vec<u8>)],
    body: &[u8],
) -> Vec<u8> {
    let mut bytes = format!("{method} {target} HTTP/1.1\r\nHost: {host}\r\n").into_bytes();
    for (name, value) in headers {
        bytes.extend_from_slice(name.as_bytes());
        bytes.extend_from_slice(b": ");
        bytes.extend_from_slice(value);
        bytes.extend_from_slice(b"\r\n");
    }
    if !body.is_empty() || method == "POST" {
        bytes.extend_from_slice(format!("Content-Length: {}\r\n", body.len()).as_bytes());
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(body);
    bytes
}

/// Sends `bytes` and leaves the connection open. A server may answer and close before it has
/// read everything, so a broken pipe is no error here: the answer tells.
///
/// # Errors
/// The connection cannot be made or set up.
pub fn send(address: &str, bytes: &[u8]) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    let _ = stream.write_all(bytes);
    Ok(stream)
}

/// Reads one answer from `stream`; `without_body` for the answer to a HEAD.
///
/// # Errors
/// The connection ends before the answer does, or what comes is no HTTP.
pub fn read_answer(stream: &mut TcpStream, without_body: bool) -> io::Result<Answer> {
    let bad = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        if read_some(stream, &mut bytes)? == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "closed before an answer"));
        }
    };
    let head = String::from_utf8_lossy(&bytes[..head_end]).into_owned();
    let mut lines = head.split("\r\n");
    let status = lines
        .next()
        .and_then(|line| line.split(' ').nth(1))
        .and_then(|code| code.parse().ok())
        .ok_or_else(|| bad("no status line"))?;
    let mut headers: BTreeMap<String, String> = BTreeMap::new();
    for line in lines.filter(|line| !line.is_empty()) {
        let (name, value) = line.split_once(':').ok_or_else(|| bad("a header without `:`"))?;
        headers
            .entry(name.to_ascii_lowercase())
            .and_modify(|all| *all = format!("{all}, {}", value.trim()))
            .or_insert_with(|| value.trim().to_owned());
    }
    let mut body = bytes.split_off(head_end);
    let length = match headers.get("content-length") {
        _ if without_body => 0,
        Some(length) => length.parse().map_err(|_| bad("no number in Content-Length"))?,
        None => usize::MAX,
    };
    while body.len() < length && read_some(stream, &mut body)? > 0 {}
    if length != usize::MAX && body.len() != length {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "closed inside the body"));
    }
    Ok(Answer { status, headers, body })
}

fn read_some(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> io::Result<usize> {
    let mut chunk = [0; 64 * 1024];
    let count = stream.read(&mut chunk)?;
    bytes.extend_from_slice(&chunk[..count]);
    Ok(count)
}

//! A load of keep-alive connections from one thread: each sends its next request as soon as the
//! last answer is complete.

use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::server::Server;

/// Sends `total` times the same request over `connections` connections and returns how long it
/// took.
pub fn run(server: &Server, request: &[u8], connections: usize, total: usize) -> Duration {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let mut streams = Vec::new();
        for _ in 0..connections {
            let stream = TcpStream::connect(&server.address).await.expect("a connection");
            stream.set_nodelay(true).expect("a socket option");
            streams.push(stream);
        }
        let begin = Instant::now();
        let tasks: Vec<_> = streams
            .into_iter()
            .enumerate()
            .map(|(index, stream)| {
                let share = total / connections + usize::from(index < total % connections);
                tokio::spawn(client(stream, request.to_vec(), share))
            })
            .collect();
        for task in tasks {
            task.await.expect("a client that ended well");
        }
        begin.elapsed()
    })
}

async fn client(mut stream: TcpStream, request: Vec<u8>, requests: usize) {
    let mut buffer = vec![0; 16 * 1024];
    for _ in 0..requests {
        stream.write_all(&request).await.expect("a request");
        let mut filled = 0;
        loop {
            let read = stream.read(&mut buffer[filled..]).await.expect("an answer");
            assert!(read > 0, "the server closed a connection");
            filled += read;
            if is_whole(&buffer[..filled]) {
                break;
            }
        }
        assert!(buffer.starts_with(b"HTTP/1.1 20"), "not a 2xx answer");
    }
}

/// Whether `answer` holds a head and as many bytes behind it as its `content-length` says.
fn is_whole(answer: &[u8]) -> bool {
    let Some(head_end) = answer.windows(4).position(|window| window == b"\r\n\r\n") else {
        return false;
    };
    let head = std::str::from_utf8(&answer[..head_end]).expect("a head in ASCII");
    let length: usize = head
        .split("\r\n")
        .find_map(|line| line.strip_prefix("content-length: "))
        .and_then(|length| length.parse().ok())
        .expect("a content-length");
    answer.len() == head_end + 4 + length
}

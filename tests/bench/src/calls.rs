//! Single calls into the core, in process: what a request costs without HTTP.

use std::time::{Duration, Instant};

use attest_host::guest::Guest;

/// A world in the wasm file, behind the raw door.
pub struct Core {
    guest: Guest,
}

impl Core {
    /// Opens a world.
    pub fn open(definition: &str) -> Core {
        let mut guest = Guest::load().expect("the core loads");
        let answer = guest.call(1, 0, definition.as_bytes()).expect("open does not trap");
        assert_eq!(answer[0], 0, "{}", String::from_utf8_lossy(&answer));
        Core { guest }
    }

    /// Hands the world one request and returns how long the call took.
    pub fn handle(&mut self, method: &str, path: &str, query: &str, body: &str) -> Duration {
        let mut frame = vec![1, 0];
        for part in [method, path, query] {
            frame.extend_from_slice(&(part.len() as u32).to_le_bytes());
            frame.extend_from_slice(part.as_bytes());
        }
        frame.extend_from_slice(&0_u32.to_le_bytes());
        frame.extend_from_slice(&(body.len() as u32).to_le_bytes());
        frame.extend_from_slice(body.as_bytes());
        let begin = Instant::now();
        let answer = self.guest.call(2, 0, &frame).expect("the call does not trap");
        let took = begin.elapsed();
        let status = u16::from_le_bytes([answer[1], answer[2]]);
        assert!((200..300).contains(&status), "{}", String::from_utf8_lossy(&answer));
        took
    }
}

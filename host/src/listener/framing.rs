//! Where requests begin and end in a client's bytes, followed beside the HTTP library.
//!
//! The library takes a `Transfer-Encoding` and silently drops the `Content-Length` beside it.
//! Two programs that disagree about which of the two holds see different requests, so such a
//! request has to be refused; this is what notices it.
//!
//! Spec: "The listener".

/// Follows one connection's bytes from its beginning.
#[derive(Debug, Default)]
pub(super) struct Framing {
    place: Place,
    head: Head,
    /// The line that is being read, as far as it matters.
    line: Vec<u8>,
    /// How many heads have been read.
    heads: u64,
    ambiguous_head: Option<u64>,
}

/// What the next byte belongs to.
#[derive(Clone, Copy, Debug, Default)]
enum Place {
    #[default]
    RequestLine,
    HeaderLine,
    /// So many more bytes of a body.
    Body(u64),
    ChunkSize,
    /// So many more bytes of a chunk.
    Chunk(u64),
    ChunkEnd,
    Trailer,
    /// Behind something that is not clear.
    Lost,
}

/// What a head says about its body's length.
#[derive(Clone, Copy, Debug, Default)]
struct Head {
    content_length: Option<u64>,
    chunked: bool,
    broken: bool,
}

impl Framing {
    /// The index, from 0, of the first request that has both a `Content-Length` and a
    /// `Transfer-Encoding`, or whose beginning or length is not clear. Nothing behind it is
    /// followed.
    pub(super) fn ambiguous_head(&self) -> Option<u64> {
        self.ambiguous_head
    }

    /// Goes on over the next bytes.
    pub(super) fn advance(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            match self.place {
                Place::Lost => return,
                Place::Body(left) => match skip(&mut bytes, left) {
                    0 => self.place = Place::RequestLine,
                    left => self.place = Place::Body(left),
                },
                Place::Chunk(left) => match skip(&mut bytes, left) {
                    0 => self.place = Place::ChunkEnd,
                    left => self.place = Place::Chunk(left),
                },
                _ => self.advance_line(&mut bytes),
            }
        }
    }

    /// Goes on to the end of a line, or of what there is of it.
    fn advance_line(&mut self, bytes: &mut &[u8]) {
        let (piece, ended) = match bytes.iter().position(|byte| *byte == b'\n') {
            Some(end) => (&bytes[..end], true),
            None => (*bytes, false),
        };
        *bytes = &bytes[(piece.len() + usize::from(ended))..];
        let room = LINE_BYTES_KEPT_MAX.saturating_sub(self.line.len());
        self.line.extend_from_slice(&piece[..piece.len().min(room)]);
        if ended {
            let mut line = std::mem::take(&mut self.line);
            if line.last() == Some(&b'\r') {
                line.pop();
            }
            self.place = self.behind_line(&line);
            line.clear();
            self.line = line;
        }
    }

    /// The place behind a whole line.
    fn behind_line(&mut self, line: &[u8]) -> Place {
        match self.place {
            // Empty lines before a request are ignored.
            Place::RequestLine if line.is_empty() => Place::RequestLine,
            Place::RequestLine => {
                self.head = Head::default();
                Place::HeaderLine
            }
            Place::HeaderLine if line.is_empty() => self.behind_head(),
            Place::HeaderLine => {
                self.head.read_line(line);
                Place::HeaderLine
            }
            Place::ChunkSize => match chunk_size(line) {
                Some(0) => Place::Trailer,
                Some(size) => Place::Chunk(size),
                None => self.lost_at(self.heads),
            },
            Place::ChunkEnd => Place::ChunkSize,
            Place::Trailer if line.is_empty() => Place::RequestLine,
            Place::Trailer => Place::Trailer,
            Place::Body(_) | Place::Chunk(_) | Place::Lost => self.place,
        }
    }

    fn behind_head(&mut self) -> Place {
        let index = self.heads;
        self.heads += 1;
        match self.head {
            Head { broken: true, .. } | Head { content_length: Some(_), chunked: true, .. } => {
                self.lost_at(index)
            }
            Head { chunked: true, .. } => Place::ChunkSize,
            Head { content_length: None | Some(0), .. } => Place::RequestLine,
            Head { content_length: Some(length), .. } => Place::Body(length),
        }
    }

    fn lost_at(&mut self, index: u64) -> Place {
        self.ambiguous_head = Some(index);
        Place::Lost
    }
}

impl Head {
    fn read_line(&mut self, line: &[u8]) {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            return;
        };
        let (name, value) = (&line[..colon], &line[colon + 1..]);
        if name.eq_ignore_ascii_case(b"transfer-encoding") {
            self.chunked = true;
        } else if name.eq_ignore_ascii_case(b"content-length") {
            let value = std::str::from_utf8(value).ok().map(str::trim);
            let length = value.and_then(|value| value.parse().ok());
            self.broken |= length.is_none();
            self.content_length = length.or(Some(0));
        }
    }
}

/// Drops up to `count` bytes from the front; returns how many are still to be dropped.
fn skip(bytes: &mut &[u8], count: u64) -> u64 {
    let dropped = bytes.len().min(usize::try_from(count).unwrap_or(usize::MAX));
    *bytes = &bytes[dropped..];
    count - dropped as u64
}

fn chunk_size(line: &[u8]) -> Option<u64> {
    let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    u64::from_str_radix(std::str::from_utf8(&line[..digits]).ok()?, 16).ok()
}

/// What is kept of a line: longer ones are none of the two headers, or are refused.
const LINE_BYTES_KEPT_MAX: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: &str = "POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n";

    /// Feeds `text` whole and byte by byte.
    fn ambiguous(text: &str) -> Option<u64> {
        let mut whole = Framing::default();
        whole.advance(text.as_bytes());
        let mut slow = Framing::default();
        text.as_bytes().chunks(1).for_each(|byte| slow.advance(byte));
        assert_eq!(whole.ambiguous_head(), slow.ambiguous_head(), "{text}");
        whole.ambiguous_head()
    }

    #[test]
    fn both_headers_are_noticed_in_either_order_and_any_case() {
        assert_eq!(ambiguous(BOTH), Some(0));
        let swapped = "POST / HTTP/1.1\ntransfer-encoding: chunked\nCONTENT-LENGTH:3\n\n";
        assert_eq!(ambiguous(swapped), Some(0));
        assert_eq!(ambiguous(&BOTH.replace("chunked", "gzip")), Some(0));
        assert_eq!(ambiguous(&BOTH.replace("chunked", "gzip, chunked")), Some(0));
        assert_eq!(ambiguous(&BOTH.replace(": 3", ": 0")), Some(0));
    }

    #[test]
    fn one_of_them_is_fine_and_so_is_both_in_a_body() {
        assert_eq!(ambiguous("GET / HTTP/1.1\r\n\r\n"), None);
        let hidden = format!("POST / HTTP/1.1\r\nContent-Length: {}\r\n\r\n{BOTH}", BOTH.len());
        assert_eq!(ambiguous(&hidden), None);
        let size = BOTH.len();
        let head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
        let chunked = format!("{head}{size:X};x=y\r\n{BOTH}\r\n0\r\n\r\n");
        assert_eq!(ambiguous(&chunked), None);
    }

    #[test]
    fn a_later_request_is_told_by_its_index() {
        let chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\
                       2\r\n{}\r\n1\r\nx\r\n0\r\nTrailer: y\r\n\r\n";
        let sized = "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}";
        let get = "\r\nGET / HTTP/1.0\r\nHost: x\r\n\r\n";
        assert_eq!(ambiguous(&format!("{chunked}{sized}{get}{BOTH}{BOTH}")), Some(3));
    }

    #[test]
    fn what_is_not_clear_is_ambiguous() {
        let padded = format!("POST / HTTP/1.1\r\nContent-Length:{}3\r\n\r\n", " ".repeat(200));
        assert_eq!(ambiguous(&padded), Some(0));
        let chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n 2\r\n{}\r\n";
        assert_eq!(ambiguous(chunked), Some(1));
    }
}

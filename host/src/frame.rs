//! Request and reply frames of the raw door: little-endian numbers, and byte strings behind
//! their length.
//!
//! Spec: "The core's doors".

use std::fmt;

/// One HTTP request as the world sees it, ready to be encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestFrame<'a> {
    /// The method as it was sent.
    pub method: &'a str,
    /// The raw path behind the token; it begins with `/`. Empty when the path did not begin
    /// with the token: nothing is served there.
    pub path: &'a str,
    /// The raw query without its `?`; empty when there is none.
    pub query: &'a str,
    /// The headers that the world reads: names in lower case, repeated headers repeated.
    pub headers: Vec<(&'a str, &'a [u8])>,
    /// What came of the body.
    pub body: RequestBody<'a>,
}

/// What came of a request's body. A body that was cut off never becomes a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestBody<'a> {
    /// The whole body.
    Complete(&'a [u8]),
    /// It was over the limit, and has been read and dropped.
    TooLarge,
}

impl RequestFrame<'_> {
    /// The frame's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let (body_state, body) = match self.body {
            RequestBody::Complete(body) => (BODY_COMPLETE, body),
            RequestBody::TooLarge => (BODY_TOO_LARGE, &[][..]),
        };
        let mut frame =
            Vec::with_capacity(FIXED_BYTES + self.path.len() + self.query.len() + body.len());
        frame.push(KIND_REQUEST);
        frame.push(body_state);
        push_string(&mut frame, self.method.as_bytes());
        push_string(&mut frame, self.path.as_bytes());
        push_string(&mut frame, self.query.as_bytes());
        push_number(&mut frame, self.headers.len());
        for (name, value) in &self.headers {
            push_string(&mut frame, name.as_bytes());
            push_string(&mut frame, value);
        }
        push_string(&mut frame, body);
        frame
    }
}

/// What the world says about a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyFrame {
    /// HTTP status.
    pub status: u16,
    /// 0 when the reply is to be sent. Otherwise it must never be sent, and the connection is
    /// kept open for at most that many milliseconds.
    pub hold_ms: u32,
    /// Names and values in order; neither `Content-Length` nor the token in `Location`.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl ReplyFrame {
    /// Reads a frame.
    ///
    /// # Errors
    ///
    /// When the bytes are no reply frame. The core that wrote them cannot be trusted any more.
    pub fn decode(frame: &[u8]) -> Result<ReplyFrame, NoReplyFrame> {
        let mut rest = Rest { bytes: frame };
        let status = u16::from_le_bytes(rest.take()?);
        let hold_ms = u32::from_le_bytes(rest.take()?);
        let header_count = u32::from_le_bytes(rest.take()?);
        let mut headers = Vec::new();
        for _ in 0..header_count {
            headers.push((rest.text()?, rest.text()?));
        }
        let body = rest.string()?.to_vec();
        if !rest.bytes.is_empty() {
            return Err(NoReplyFrame);
        }
        Ok(ReplyFrame { status, hold_ms, headers, body })
    }

    /// An error reply of the host itself, in the form of the world's own.
    pub(crate) fn error(status: u16, code: &str, message: &str) -> ReplyFrame {
        let body = serde_json::json!({"error": {"code": code, "message": message}});
        let headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")];
        ReplyFrame {
            status,
            hold_ms: 0,
            headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
            body: body.to_string().into_bytes(),
        }
    }
}

/// Bytes that are no reply frame. Only a faulty core writes such.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoReplyFrame;

impl fmt::Display for NoReplyFrame {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("its answer is no reply frame")
    }
}

impl std::error::Error for NoReplyFrame {}

/// What is left of a frame.
struct Rest<'a> {
    bytes: &'a [u8],
}

impl<'a> Rest<'a> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], NoReplyFrame> {
        let (taken, rest) = self.bytes.split_first_chunk::<N>().ok_or(NoReplyFrame)?;
        self.bytes = rest;
        Ok(*taken)
    }

    fn string(&mut self) -> Result<&'a [u8], NoReplyFrame> {
        let length = u32::from_le_bytes(self.take()?) as usize;
        let (string, rest) = self.bytes.split_at_checked(length).ok_or(NoReplyFrame)?;
        self.bytes = rest;
        Ok(string)
    }

    fn text(&mut self) -> Result<String, NoReplyFrame> {
        String::from_utf8(self.string()?.to_vec()).map_err(|_| NoReplyFrame)
    }
}

fn push_string(frame: &mut Vec<u8>, string: &[u8]) {
    push_number(frame, string.len());
    frame.extend_from_slice(string);
}

/// Everything that becomes part of a frame has a limit far below 4 GiB.
fn push_number(frame: &mut Vec<u8>, number: usize) {
    frame.extend_from_slice(&(number as u32).to_le_bytes());
}

const KIND_REQUEST: u8 = 1;
const BODY_COMPLETE: u8 = 0;
const BODY_TOO_LARGE: u8 = 1;
/// Room for a frame's fixed parts and a few short headers.
const FIXED_BYTES: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_laid_out_as_the_door_wants_it() {
        let frame = RequestFrame {
            method: "POST",
            path: "/a",
            query: "q",
            headers: vec![("k", b"v\xff")],
            body: RequestBody::Complete(b"{}"),
        };
        let expected: &[u8] = b"\x01\x00\
            \x04\0\0\0POST\x02\0\0\0/a\x01\0\0\0q\
            \x01\0\0\0\x01\0\0\0k\x02\0\0\0v\xff\
            \x02\0\0\0{}";
        assert_eq!(frame.encode(), expected);
    }

    #[test]
    fn a_body_that_is_too_large_has_no_bytes() {
        let frame = RequestFrame {
            method: "",
            path: "",
            query: "",
            headers: Vec::new(),
            body: RequestBody::TooLarge,
        };
        assert_eq!(frame.encode(), [&[1, 1][..], &[0; 20]].concat());
    }

    #[test]
    fn a_reply_is_read_and_every_shorter_or_longer_one_refused() {
        let bytes = b"\xc9\x00\x30\x75\0\0\x01\0\0\0\x01\0\0\0A\x01\0\0\0b\x02\0\0\0{}";
        let reply = ReplyFrame {
            status: 201,
            hold_ms: 30_000,
            headers: vec![("A".to_owned(), "b".to_owned())],
            body: b"{}".to_vec(),
        };
        assert_eq!(ReplyFrame::decode(bytes), Ok(reply));
        for length in 0..bytes.len() {
            assert_eq!(ReplyFrame::decode(&bytes[..length]), Err(NoReplyFrame), "{length}");
        }
        let longer = [&bytes[..], b"x"].concat();
        assert_eq!(ReplyFrame::decode(&longer), Err(NoReplyFrame));
    }
}

//! Input and reply frames: little-endian numbers, and byte strings behind their length.
//!
//! Spec: "The core's doors".

use crate::world::{Body, Delivery, Input, Outcome, Request};

/// Why bytes are no input frame. Only a faulty host can cause one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameError {
    /// The frame ends before its last part.
    Short,
    /// Bytes follow the last part.
    Long,
    /// A text part is not UTF-8.
    NotText,
    /// The first byte names no kind of input.
    UnknownKind,
    /// The second byte names no state of a body.
    UnknownBodyState,
}

impl FrameError {
    /// What is wrong, as a clause.
    pub(super) fn clause(self) -> &'static str {
        match self {
            FrameError::Short => "the input frame is cut short",
            FrameError::Long => "the input frame has bytes behind its end",
            FrameError::NotText => "the input frame holds a text that is not UTF-8",
            FrameError::UnknownKind => "the input frame is of no known kind",
            FrameError::UnknownBodyState => "the input frame's body is in no known state",
        }
    }
}

const KIND_REQUEST: u8 = 1;
const BODY_COMPLETE: u8 = 0;
const BODY_TOO_LARGE: u8 = 1;

pub(super) fn decode_input(frame: &[u8]) -> Result<Input<'_>, FrameError> {
    let mut rest = Rest { bytes: frame };
    if rest.byte()? != KIND_REQUEST {
        return Err(FrameError::UnknownKind);
    }
    let body_state = rest.byte()?;
    let method = rest.text()?;
    let path = rest.text()?;
    let query = rest.text()?;
    let header_count = rest.number()?;
    let mut headers = Vec::new();
    for _ in 0..header_count {
        headers.push((rest.text()?, rest.string()?));
    }
    let body = match body_state {
        BODY_COMPLETE => Body::Complete(rest.string()?),
        BODY_TOO_LARGE => {
            rest.string()?;
            Body::TooLarge
        }
        _ => return Err(FrameError::UnknownBodyState),
    };
    if !rest.bytes.is_empty() {
        return Err(FrameError::Long);
    }
    Ok(Input::Request(Request { method, path, query, headers, body }))
}

/// The reply frame of `outcome`, behind the first byte of an answer.
pub(super) fn encode_outcome(first: u8, outcome: &Outcome) -> Vec<u8> {
    let reply = &outcome.reply;
    let headers = reply.headers.iter().map(|(name, value)| 8 + name.len() + value.len());
    let mut frame = Vec::with_capacity(FIXED_BYTES + headers.sum::<usize>() + reply.body.len());
    frame.push(first);
    frame.extend_from_slice(&reply.status.to_le_bytes());
    let hold_ms = match outcome.delivery {
        Delivery::Send => 0,
        Delivery::Hold { ms } => ms,
    };
    frame.extend_from_slice(&hold_ms.to_le_bytes());
    frame.extend_from_slice(&(reply.headers.len() as u32).to_le_bytes());
    for (name, value) in &reply.headers {
        push_string(&mut frame, name);
        push_string(&mut frame, value);
    }
    push_string(&mut frame, &reply.body);
    frame
}

/// The first byte, status, time to hold, number of headers, length of the body.
const FIXED_BYTES: usize = 1 + 2 + 4 + 4 + 4;

fn push_string(frame: &mut Vec<u8>, text: &str) {
    frame.extend_from_slice(&(text.len() as u32).to_le_bytes());
    frame.extend_from_slice(text.as_bytes());
}

/// What is left of a frame.
struct Rest<'a> {
    bytes: &'a [u8],
}

impl<'a> Rest<'a> {
    fn byte(&mut self) -> Result<u8, FrameError> {
        let (&first, rest) = self.bytes.split_first().ok_or(FrameError::Short)?;
        self.bytes = rest;
        Ok(first)
    }

    fn number(&mut self) -> Result<u32, FrameError> {
        let (number, rest) = self.bytes.split_first_chunk::<4>().ok_or(FrameError::Short)?;
        self.bytes = rest;
        Ok(u32::from_le_bytes(*number))
    }

    fn string(&mut self) -> Result<&'a [u8], FrameError> {
        let length = self.number()? as usize;
        let (string, rest) = self.bytes.split_at_checked(length).ok_or(FrameError::Short)?;
        self.bytes = rest;
        Ok(string)
    }

    fn text(&mut self) -> Result<&'a str, FrameError> {
        std::str::from_utf8(self.string()?).map_err(|_| FrameError::NotText)
    }
}

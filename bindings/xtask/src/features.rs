//! Takes reference types out of the list of features that a module says it uses.
//!
//! rustc's own crates are compiled with them, so the module's `target_features` section names
//! them even where nothing in it uses them, and `wasm-bindgen` then rebuilds its glue around
//! `externref` tables, which a runtime without garbage collection refuses to load.

use anyhow::{Context, Result, ensure};

const SECTION: &[u8] = b"target_features";
const FEATURE: &[u8] = b"reference-types";
const HEADER_BYTES: usize = 8;
const CUSTOM_SECTION: u8 = 0;

/// `module` without the entry, where it has one.
///
/// # Errors
///
/// When `module` is no wasm module.
pub fn without_reference_types(module: &[u8]) -> Result<Vec<u8>> {
    ensure!(module.starts_with(b"\0asm"), "rustc wrote something that is no wasm module");
    let mut out = module[..HEADER_BYTES.min(module.len())].to_vec();
    let mut rest = Reader(&module[out.len()..]);
    while !rest.0.is_empty() {
        let id = rest.byte()?;
        let content = rest.vector()?;
        let edited = match id {
            CUSTOM_SECTION => edit(content)?,
            _ => None,
        };
        out.push(id);
        push_vector(&mut out, edited.as_deref().unwrap_or(content));
    }
    Ok(out)
}

/// The section's new content, if it is the one that lists features and names this one.
fn edit(content: &[u8]) -> Result<Option<Vec<u8>>> {
    let mut reader = Reader(content);
    if reader.vector()? != SECTION {
        return Ok(None);
    }
    let mut kept = Vec::new();
    let count = reader.number()?;
    for _ in 0..count {
        let prefix = reader.byte()?;
        let name = reader.vector()?;
        if name != FEATURE {
            kept.push((prefix, name));
        }
    }
    if kept.len() == count {
        return Ok(None);
    }
    let mut edited = Vec::new();
    push_vector(&mut edited, SECTION);
    push_number(&mut edited, kept.len());
    for (prefix, name) in kept {
        edited.push(prefix);
        push_vector(&mut edited, name);
    }
    Ok(Some(edited))
}

/// Reads the few forms that section headers are made of.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Result<u8> {
        let (first, rest) = self.0.split_first().context("the module ends early")?;
        self.0 = rest;
        Ok(*first)
    }

    /// An unsigned LEB128 number of at most 32 bits.
    fn number(&mut self) -> Result<usize> {
        let mut value = 0;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            value |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        anyhow::bail!("a number in the module is too long")
    }

    /// A length and that many bytes.
    fn vector(&mut self) -> Result<&'a [u8]> {
        let len = self.number()?;
        let (vector, rest) = self.0.split_at_checked(len).context("the module ends early")?;
        self.0 = rest;
        Ok(vector)
    }
}

fn push_vector(out: &mut Vec<u8>, bytes: &[u8]) {
    push_number(out, bytes.len());
    out.extend_from_slice(bytes);
}

fn push_number(out: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

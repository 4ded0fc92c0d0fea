//! `attest-engine check`: what a definition's world serves.
//!
//! Spec: "The command line".

use std::fmt::Write;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::error::Error;
use crate::guest::Guest;
use crate::world::{Description, KeyDescription, ResourceDescription, World};

/// Reads the definition `file`, opens its world, and returns what it serves, in lines for a
/// person.
///
/// # Errors
///
/// As [`open`].
pub fn check(file: &Path) -> Result<String, Error> {
    Ok(describe(file, open(file)?.description()))
}

/// Opens the world of the definition `file`.
///
/// # Errors
///
/// When the file cannot be read, its definition is faulty, or the core fails.
pub fn open(file: &Path) -> Result<World, Error> {
    let definition = read(file)
        .map_err(|source| Error::DefinitionUnreadable { file: file.to_owned(), source })?;
    World::open(Guest::load()?, &definition).map_err(|error| Error::open(file.to_owned(), error))
}

/// Reads a file of any kind, but no endless one. The core has the exact limit.
fn read(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file)?.take(READ_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > READ_BYTES_MAX {
        return Err(io::Error::other("it is far too large for a definition"));
    }
    Ok(bytes)
}

fn describe(file: &Path, world: &Description) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}: a valid definition", file.display());
    let _ = writeln!(text, "base URL in: {}", world.base_url_env);
    section(&mut text, "routes", &world.routes);
    section(&mut text, "resources", &world.resources.iter().map(line_of).collect::<Vec<_>>());
    section(&mut text, "faults", &world.faults);
    text
}

fn line_of(resource: &ResourceDescription) -> String {
    let ResourceDescription { name, records, id_field, first_id, idempotency } = resource;
    let plural = if *records == 1 { "" } else { "s" };
    let mut line = format!("{name}: {records} record{plural}");
    if let Some(first) = first_id {
        let _ = write!(line, ", new ones from {id_field} {first:?}");
    }
    if let Some(KeyDescription { header, field }) = idempotency {
        let _ = write!(line, ", key of {header} kept in {field}");
    }
    line
}

fn section(text: &mut String, title: &str, lines: &[String]) {
    if lines.is_empty() {
        let _ = writeln!(text, "{title}: none");
        return;
    }
    let _ = writeln!(text, "{title}:");
    for line in lines {
        let _ = writeln!(text, "  {line}");
    }
}

const READ_BYTES_MAX: u64 = 16 * 1024 * 1024;

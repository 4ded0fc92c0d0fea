//! `attest-engine init`: a definition to start from, and beside it the schema that its first
//! line names, so that an editor knows every key.
//!
//! Spec: "The command line".

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use crate::error::Error;

/// The JSON schema of a definition file.
pub const SCHEMA: &str = include_str!("../../proto/attest/v1/world-v1.schema.json");

/// The definition that is written. Its first line names [`SCHEMA_NAME`].
pub const STARTER: &str = include_str!("../../proto/attest/v1/world-starter.yaml");

/// The name of the schema's file, which stands in the folder of the definition.
pub const SCHEMA_NAME: &str = "world-v1.schema.json";

/// Writes the starter to `file` and the schema beside it, and returns lines for a person that
/// say what was done and what to do next. A schema that is there already stays as it is.
///
/// # Errors
///
/// [`Error::Exists`] when `file` is there, and [`Error::Unwritable`] when one of the two cannot
/// be written. Then nothing new is left behind.
pub fn init(file: &Path) -> Result<String, Error> {
    create(file, STARTER.as_bytes())?;
    let schema_file = file.with_file_name(SCHEMA_NAME);
    let schema = match create(&schema_file, SCHEMA.as_bytes()) {
        Ok(()) => "the schema that its first line names, for editors",
        Err(Error::Exists { .. })
            if fs::read(&schema_file).is_ok_and(|b| b == SCHEMA.as_bytes()) =>
        {
            "the schema that its first line names, which was there"
        }
        Err(Error::Exists { .. }) => {
            "left as it was, which is not this engine's schema; attest-engine schema prints that"
        }
        Err(error) => {
            let _ = fs::remove_file(file);
            return Err(error);
        }
    };
    let (file, schema_file) = (file.display(), schema_file.display());
    Ok(format!(
        "{file}: a definition to start from\n{schema_file}: {schema}\n\
         next: attest-engine check --file {file}\n"
    ))
}

/// Writes a file that must not be there yet, as a whole or not at all.
fn create(file: &Path, bytes: &[u8]) -> Result<(), Error> {
    let unwritable = |source| Error::Unwritable { file: file.to_owned(), source };
    let mut opened = match OpenOptions::new().write(true).create_new(true).open(file) {
        Ok(opened) => opened,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            return Err(Error::Exists { file: file.to_owned() });
        }
        Err(error) => return Err(unwritable(error)),
    };
    let written: io::Result<()> = opened.write_all(bytes);
    if written.is_err() {
        drop(opened);
        let _ = fs::remove_file(file);
    }
    written.map_err(unwritable)
}

//! The file that the final snapshot goes to.
//!
//! Spec: "The command line".

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// A place for the snapshot that looked usable before the command was started.
#[derive(Debug)]
pub(super) struct SnapshotFile {
    /// As the user named it.
    named: PathBuf,
    /// Where links lead.
    target: PathBuf,
    /// A pipe or a device is written to as it is; a file is replaced as a whole.
    special: bool,
}

impl SnapshotFile {
    /// Finds out where the snapshot can go. Nothing is created or changed.
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotOutUnusable`] when the folder does not exist or cannot be written to,
    /// or the name is that of a folder.
    pub(super) fn find(named: PathBuf) -> Result<SnapshotFile, Error> {
        match place(&named) {
            Ok((target, special)) => Ok(SnapshotFile { named, target, special }),
            Err(source) => Err(Error::SnapshotOutUnusable { file: named, source }),
        }
    }

    /// Writes the snapshot. A reader sees either what was there before or the whole snapshot.
    ///
    /// # Errors
    ///
    /// [`Error::SnapshotUnwritable`]; what was there before is still there.
    pub(super) fn write(self, snapshot: &[u8]) -> Result<(), Error> {
        let written = if self.special {
            fs::write(&self.target, snapshot)
        } else {
            replace(&self.target, snapshot)
        };
        written.map_err(|source| Error::SnapshotUnwritable { file: self.named, source })
    }
}

fn place(named: &Path) -> io::Result<(PathBuf, bool)> {
    match fs::metadata(named) {
        Ok(found) if found.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        Ok(found) if !found.is_file() => Ok((named.to_owned(), true)),
        Ok(_) => {
            let target = fs::canonicalize(named)?;
            writable(folder_of(&target))?;
            Ok((target, false))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if named.file_name().is_none() {
                return Err(error);
            }
            writable(folder_of(named))?;
            Ok((std::path::absolute(named)?, false))
        }
        Err(error) => Err(error),
    }
}

fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Whether a file can be made in `folder`.
fn writable(folder: &Path) -> io::Result<()> {
    if !fs::metadata(folder)?.is_dir() {
        return Err(io::Error::from(io::ErrorKind::NotADirectory));
    }
    #[cfg(unix)]
    {
        use rustix::fs::{Access, access};
        access(folder, Access::WRITE_OK | Access::EXEC_OK)?;
    }
    Ok(())
}

/// Writes a file beside `target` and puts it in its place.
fn replace(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = target.with_file_name(name);
    let written = fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, target));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

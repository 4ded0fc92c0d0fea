//! The file that the final snapshot goes to.
//!
//! Spec: "The command line".

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;

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
    /// or the name is that of a folder, of the definition file, or of the file that the
    /// command's output goes to.
    pub(super) fn find(named: PathBuf, definition: &Path) -> Result<SnapshotFile, Error> {
        match place(&named, definition) {
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

fn place(named: &Path, definition: &Path) -> io::Result<(PathBuf, bool)> {
    match fs::metadata(named) {
        Ok(found) if found.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        Ok(found) if !found.is_file() => Ok((named.to_owned(), true)),
        Ok(_) => {
            let target = fs::canonicalize(named)?;
            // Replacing either would destroy what the user did not mean to give away.
            if fs::canonicalize(definition).is_ok_and(|definition| definition == target) {
                return Err(io::Error::other("it is the definition file"));
            }
            #[cfg(unix)]
            if takes_output(&fs::metadata(&target)?) {
                return Err(io::Error::other("the command's output goes there"));
            }
            writable(folder_of(&target))?;
            Ok((target, false))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let target = behind_links(named)?;
            if !names_a_file(&target) {
                return Err(error);
            }
            writable(folder_of(&target))?;
            Ok((std::path::absolute(target)?, false))
        }
        Err(error) => Err(error),
    }
}

/// Where links lead that end at nothing. What is no link leads to itself.
fn behind_links(named: &Path) -> io::Result<PathBuf> {
    let mut place = named.to_owned();
    for _ in 0..LINKS_MAX {
        match fs::read_link(&place) {
            Ok(next) => place = folder_of(&place).join(next),
            Err(_) => return Ok(place),
        }
    }
    Err(io::Error::other("too many links"))
}

/// Whether the path ends with a name; one that ends with a separator can only be a folder's.
fn names_a_file(path: &Path) -> bool {
    let whole = path.as_os_str().as_encoded_bytes();
    path.file_name().is_some_and(|name| whole.ends_with(name.as_encoded_bytes()))
}

/// Whether standard output or standard error goes to the file with this metadata.
#[cfg(unix)]
fn takes_output(file: &fs::Metadata) -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;

    let streams =
        [io::stdout().as_fd().try_clone_to_owned(), io::stderr().as_fd().try_clone_to_owned()];
    let streams = streams.into_iter().flatten().map(|stream| File::from(stream).metadata());
    streams.flatten().any(|stream| (stream.dev(), stream.ino()) == (file.dev(), file.ino()))
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

/// Writes a file beside `target` and puts it in its place, with the permissions of what was
/// there before.
fn replace(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let before = fs::metadata(target).ok().map(|before| before.permissions());
    let (mut file, beside) = create_beside(target, before.is_some())?;
    let written = file
        .write_all(bytes)
        .and_then(|()| before.map_or(Ok(()), |before| file.set_permissions(before)))
        .and_then(|()| fs::rename(&beside, target));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Makes a file in the folder of `target`, under a name of its own: one that is made of the
/// target's could be too long.
fn create_beside(target: &Path, private: bool) -> io::Result<(File, PathBuf)> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if private {
        // Until it has the permissions that it is to have.
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    let _ = private;
    let mut attempt = 0;
    loop {
        let beside = target.with_file_name(format!(".attest-{}-{attempt}.tmp", process::id()));
        match options.open(&beside) {
            // Left behind by a process that had the same number.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 100 => {
                attempt += 1;
            }
            opened => return opened.map(|file| (file, beside)),
        }
    }
}

/// As many as systems follow.
const LINKS_MAX: u32 = 40;

//! Loads the vector files under `tests/v1` and compares what a runner saw with what they expect.
//!
//! `tests/README.md` defines suite, case and runner. A runner brings a [`Machine`]; everything
//! else about a world case is here, so that each runner is about one way of reaching a world.

pub mod http;
mod text;
pub mod worlds;

use std::fs;
use std::path::{Path, PathBuf};

pub use text::Text;
pub use worlds::{Machine, Reply, run_worlds};

/// The folder of the version-1 vectors.
pub fn v1() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../v1")
}

/// Every suite below `tests/v1/DIR`: its file and its content, in the order of the file names.
///
/// # Panics
/// When a file cannot be read or is no JSON, or when there is none at all: a runner that finds
/// nothing to run has failed.
pub fn suites(dir: &str) -> Vec<(PathBuf, serde_json::Value)> {
    let mut files = Vec::new();
    collect_json(&v1().join(dir), &mut files);
    files.sort();
    assert!(!files.is_empty(), "no vector file below tests/v1/{dir}");
    files
        .into_iter()
        .map(|file| {
            let text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{file:?}: {e}"));
            let suite = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{file:?}: {e}"));
            (file, suite)
        })
        .collect()
}

fn collect_json(dir: &Path, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(dir).unwrap_or_else(|e| panic!("{dir:?}: {e}"));
    for entry in entries {
        let path = entry.expect("a folder entry").path();
        if path.is_dir() {
            collect_json(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
}

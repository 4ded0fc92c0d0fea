//! The same sources give the same module in every folder, whoever builds it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use attest_host::guest::CORE_SHA256;

#[test]
fn two_folders_and_two_cargo_homes_give_the_module_that_is_built_in() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the project's root");
    let sources = sources(root);
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reproducible");
    if scratch.exists() {
        fs::remove_dir_all(&scratch).expect("an empty folder");
    }

    let plain = scratch.join("a");
    copy(root, &sources, &plain);
    assert_eq!(hash_of_build(&plain, None), CORE_SHA256);

    let nested = scratch.join("another folder").join("with-a-longer-name");
    copy(root, &sources, &nested);
    let home = scratch.join("cargo");
    link_cargo_home(&home);
    assert_eq!(hash_of_build(&nested, Some(&home)), CORE_SHA256);
    fs::remove_dir_all(&scratch).expect("the folder goes");
}

/// Every file of the project that is or could be under version control.
fn sources(root: &Path) -> Vec<PathBuf> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .expect("git is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let names = String::from_utf8(output.stdout).expect("names in UTF-8");
    names
        .split_terminator('\0')
        .map(PathBuf::from)
        .filter(|name| root.join(name).is_file())
        .collect()
}

fn copy(root: &Path, sources: &[PathBuf], to: &Path) {
    for name in sources {
        let copy = to.join(name);
        fs::create_dir_all(copy.parent().expect("a folder")).expect("a new folder");
        fs::copy(root.join(name), copy).expect("a copy");
    }
}

/// Builds the module in `root` and returns its hash.
fn hash_of_build(root: &Path, cargo_home: Option<&Path>) -> String {
    let xtask = Path::new(env!("ATTEST_XTASK"));
    assert!(xtask.is_file(), "this test needs a build without ATTEST_CORE_DIR");
    let out = root.join("target").join("attest");
    let mut build = Command::new(xtask);
    build.arg("--root").arg(root).arg("--out").arg(&out).current_dir(root);
    if let Some(home) = cargo_home {
        build.env("CARGO_HOME", home);
    }
    let output = build.output().expect("the build program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let line = fs::read_to_string(out.join("attest.wasm.sha256")).expect("a hash");
    line.split(' ').next().expect("a hash").to_owned()
}

/// A cargo home with another name and the same crates, so that nothing is fetched twice.
fn link_cargo_home(home: &Path) {
    let real = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let real = real.or_else(|| Some(std::env::home_dir()?.join(".cargo"))).expect("a cargo home");
    fs::create_dir_all(home).expect("a new folder");
    for entry in fs::read_dir(real).expect("a cargo home") {
        let entry = entry.expect("an entry");
        link(&entry.path(), &home.join(entry.file_name()));
    }
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) {
    std::os::unix::fs::symlink(from, to).expect("a link");
}

#[cfg(windows)]
fn link(from: &Path, to: &Path) {
    if from.is_dir() {
        std::os::windows::fs::symlink_dir(from, to).expect("a link");
    } else {
        std::os::windows::fs::symlink_file(from, to).expect("a link");
    }
}

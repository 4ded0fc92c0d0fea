//! Hands the core's module to the compiler of this crate.
//!
//! The module is built by the program in `bindings/xtask`, in a target folder of its own, so
//! that plain `cargo build` does it all. `ATTEST_CORE_DIR` names a folder with a module that
//! is ready (what that program writes: `attest.wasm`, `TRIPLE/attest.cwasm`, …); nothing is
//! built then.
//!
//! The crate sees, as environment variables at compile time:
//!
//! | variable | what |
//! |---|---|
//! | `ATTEST_IMAGE` | path of the module compiled ahead |
//! | `ATTEST_WASM` | path of the module |
//! | `ATTEST_WASM_SHA256` | its hash, lower-case hexadecimal |
//! | `ATTEST_WASMTIME` | version of wasmtime that compiled it |
//! | `ATTEST_GLUE` | path of the JavaScript that loads the module in a page without modules |
//! | `ATTEST_FIXTURES` | folder of the faulty modules for tests, compiled ahead |
//! | `ATTEST_XTASK` | path of the build program; empty where none was built |

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

#[path = "../bindings/xtask/src/cargo_env.rs"]
mod cargo_env;

/// What the module and its image are made of, from the project's root.
const SOURCES: &[&str] = &[
    "Cargo.lock",
    "Cargo.toml",
    "bindings/Cargo.toml",
    "bindings/src",
    "bindings/xtask/Cargo.lock",
    "bindings/xtask/Cargo.toml",
    "bindings/xtask/src",
    "core/Cargo.toml",
    "core/src",
    "host/build.rs",
    "host/src/guest/config.rs",
    "host/tests/fixtures",
    "rust-toolchain.toml",
];

fn main() {
    if let Err(error) = prepare() {
        // A build script has no other way to say why.
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}

fn prepare() -> Result<(), Box<dyn Error>> {
    let root = path_variable("CARGO_MANIFEST_DIR")?.parent().ok_or("no root")?.to_owned();
    let triple = env::var("TARGET")?;
    let out_dir = path_variable("OUT_DIR")?;
    println!("cargo::rerun-if-env-changed=ATTEST_CORE_DIR");
    let (built, xtask) = match env::var_os("ATTEST_CORE_DIR") {
        Some(dir) => (root.join(dir), PathBuf::new()),
        None => build(&root, &out_dir, &triple)?,
    };

    let wasm = read(&built.join("attest.wasm"))?;
    let images = built.join(&triple);
    let image = read(&images.join("attest.cwasm"))?;
    let stamp = String::from_utf8(read(&images.join("attest.cwasm.stamp"))?)?;
    let hash = sha256(&wasm);
    if stamp_line(&stamp, "wasm") != Some(&hash) {
        return Err(format!("{}: attest.cwasm is not made of attest.wasm", images.display()).into());
    }
    if stamp_line(&stamp, "image") != Some(&sha256(&image)) {
        return Err(format!("{}: attest.cwasm is damaged", images.display()).into());
    }
    // Copies, because another profile's build may replace the originals at any time.
    copy(&wasm, &out_dir.join("attest.wasm"), "ATTEST_WASM")?;
    copy(&image, &out_dir.join("attest.cwasm"), "ATTEST_IMAGE")?;
    let glue = read(&built.join("js/no-modules/attest.js"))?;
    copy(&glue, &out_dir.join("attest.js"), "ATTEST_GLUE")?;
    export("ATTEST_WASM_SHA256", &hash);
    export("ATTEST_WASMTIME", stamp_line(&stamp, "wasmtime").ok_or("no wasmtime version")?);
    export("ATTEST_FIXTURES", &images.join("fixtures").display().to_string());
    export("ATTEST_XTASK", &xtask.display().to_string());
    Ok(())
}

/// Runs the build program. Returns the folder with its output, and its own path.
fn build(root: &Path, out_dir: &Path, triple: &str) -> Result<(PathBuf, PathBuf), Box<dyn Error>> {
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", root.join(source).display());
    }
    let out = target_dir(out_dir, triple)?.join("attest");
    let xtask_dir = out.join("xtask");
    let manifest = root.join("bindings/xtask/Cargo.toml");
    let mut cargo = cargo_env::command("cargo", root);
    cargo
        .args(["run", "--quiet", "--locked", "--manifest-path"])
        .arg(manifest)
        .env("CARGO_TARGET_DIR", &xtask_dir);
    if architecture(triple) != architecture(&env::var("HOST")?) {
        cargo.args(["--features", "all-arch"]);
    }
    cargo.args(["--", "--target", triple, "--root"]).arg(root).arg("--out").arg(&out);
    cargo_env::run(&mut cargo)?;
    let name = format!("attest-xtask{}", env::consts::EXE_SUFFIX);
    Ok((out, xtask_dir.join("debug").join(name)))
}

/// The target folder that holds `out_dir`, wherever `CARGO_TARGET_DIR` or a flag has put it:
/// `TARGET_DIR[/TRIPLE]/PROFILE/build/…/out`.
fn target_dir(out_dir: &Path, triple: &str) -> Result<PathBuf, Box<dyn Error>> {
    let build = out_dir.ancestors().find(|folder| folder.ends_with("build"));
    let base = build.and_then(Path::parent).and_then(Path::parent);
    let base = base.ok_or_else(|| format!("{}: not in a target folder", out_dir.display()))?;
    match base.parent() {
        Some(parent) if base.ends_with(triple) => Ok(parent.to_owned()),
        _ => Ok(base.to_owned()),
    }
}

fn architecture(triple: &str) -> &str {
    triple.split('-').next().unwrap_or(triple)
}

fn stamp_line<'a>(stamp: &'a str, key: &str) -> Option<&'a str> {
    stamp.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '))
}

fn copy(bytes: &[u8], path: &Path, variable: &str) -> Result<(), Box<dyn Error>> {
    fs::write(path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    export(variable, &path.display().to_string());
    Ok(())
}

fn export(variable: &str, value: &str) {
    println!("cargo::rustc-env={variable}={value}");
}

fn path_variable(name: &str) -> Result<PathBuf, Box<dyn Error>> {
    Ok(PathBuf::from(env::var_os(name).ok_or_else(|| format!("cargo sets {name}"))?))
}

fn read(path: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
    fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()).into())
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

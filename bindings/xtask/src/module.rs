//! Step 1: rustc's wasm file, the same bytes in every folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::cargo_env;
use crate::stamp::{self, Stamp};

const TARGET: &str = "wasm32-unknown-unknown";
const PROFILE: &str = "wasm";
/// The most memory that an instance can grow to, 128 MiB. It stands in the module itself,
/// because a browser or Node has no other bound.
const MEMORY_BYTES_MAX: u32 = 134_217_728;

/// What our own code of the module is made of.
const OWN_SOURCES: &[&str] =
    &["core/src", "core/Cargo.toml", "bindings/src", "bindings/Cargo.toml"];
/// What else decides about its bytes.
const OTHER_SOURCES: &[&str] = &["Cargo.toml", "Cargo.lock", "rust-toolchain.toml"];

/// Builds `bindings/` for wasm in the profile that users run and returns the file's bytes,
/// before the glue step.
pub fn build(root: &Path, out: &Path) -> Result<Vec<u8>> {
    let toolchain = Toolchain::find(root)?;
    let target_dir = out.join("wasm");
    let file = target_dir.join(TARGET).join(PROFILE).join("attest_bindings.wasm");
    let mut own = Stamp::new();
    for source in OWN_SOURCES {
        own.add_path(root, source)?;
    }
    let own = own.finish();
    let mut all = Stamp::new();
    all.add("own", own.as_bytes());
    for source in OTHER_SOURCES {
        all.add_path(root, source)?;
    }
    all.add("rustc", toolchain.version.as_bytes());
    all.add("build", include_bytes!("module.rs"));
    let all = all.finish();

    let own_stamp = out.join("wasm.sources.stamp");
    let all_stamp = out.join("wasm.stamp");
    if !(file.is_file() && stamp::holds(&all_stamp, &all)) {
        add_target(&toolchain, root)?;
        let cargo = || {
            let mut command = cargo_env::command("cargo", root);
            command.env("CARGO_TARGET_DIR", &target_dir);
            command
        };
        cargo_env::run(cargo().args(["fetch", "--locked", "--quiet", "--target", TARGET]))?;
        if file.is_file() && !stamp::holds(&own_stamp, &own) {
            // Inside, cargo goes by modification times, which an unpacked older file defeats.
            let ours = ["--package", "attest-core", "--package", "attest-bindings"];
            let built_for = ["--profile", PROFILE, "--target", TARGET];
            cargo_env::run(cargo().args(["clean", "--quiet"]).args(ours).args(built_for))?;
        }
        let flags = toolchain.flags(root)?;
        cargo_env::run(
            cargo()
                .args(["build", "--locked", "--package", "attest-bindings"])
                .args(["--profile", PROFILE, "--target", TARGET])
                .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f")),
        )?;
        stamp::write(&own_stamp, own.as_bytes())?;
        stamp::write(&all_stamp, all.as_bytes())?;
    }
    stamp::read(&file)
}

/// Adds the target, if the toolchain does not have it.
fn add_target(toolchain: &Toolchain, root: &Path) -> Result<()> {
    if toolchain.sysroot.join("lib/rustlib").join(TARGET).is_dir() {
        return Ok(());
    }
    let mut rustup = cargo_env::command("rustup", root);
    cargo_env::run(rustup.args(["target", "add", TARGET])).with_context(|| {
        format!(
            "the toolchain in {} has no {TARGET}, and rustup could not add it",
            toolchain.sysroot.display()
        )
    })
}

/// The compiler that builds the module.
struct Toolchain {
    sysroot: PathBuf,
    /// What `rustc -vV` prints.
    version: String,
}

impl Toolchain {
    fn find(root: &Path) -> Result<Toolchain> {
        let rustc = |args: &[&str]| output(cargo_env::command("rustc", root).args(args));
        Ok(Toolchain {
            sysroot: PathBuf::from(rustc(&["--print", "sysroot"])?.trim_end()),
            version: rustc(&["-vV"])?,
        })
    }

    /// The flags for rustc. Three kinds of folders would otherwise enter the module in panic
    /// messages: the project's, those that crates are unpacked to, and the one of the standard
    /// library's source, which is only there with the component `rust-src`.
    fn flags(&self, root: &Path) -> Result<Vec<String>> {
        let mut flags = vec![
            "-Ctarget-feature=-reference-types".to_owned(),
            format!("-Clink-arg=--max-memory={MEMORY_BYTES_MAX}"),
        ];
        let mut remap = |from: &Path, to: &str| {
            flags.push(format!("--remap-path-prefix={}={to}", from.display()));
        };
        remap(root, "/attest");
        for folder in registry_folders()? {
            remap(&folder, "/registry");
        }
        let commit = self.version.lines().find_map(|line| line.strip_prefix("commit-hash: "));
        let std_source = self.sysroot.join("lib/rustlib/src/rust");
        remap(&std_source, &format!("/rustc/{}", commit.unwrap_or("unknown")));
        Ok(flags)
    }
}

/// The folders that crates are unpacked to, one for each registry. Their names depend on the
/// registry's address, so that each is mapped on its own.
fn registry_folders() -> Result<Vec<PathBuf>> {
    let home = match std::env::var_os("CARGO_HOME") {
        Some(home) => PathBuf::from(home),
        None => std::env::home_dir().context("no home folder")?.join(".cargo"),
    };
    let sources = home.join("registry").join("src");
    let mut folders = Vec::new();
    match fs::read_dir(&sources) {
        Ok(entries) => {
            for entry in entries {
                folders.push(entry?.path());
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => bail!("cannot read {}: {error}", sources.display()),
    }
    folders.sort();
    Ok(folders)
}

fn output(command: &mut Command) -> Result<String> {
    let name = cargo_env::name(command);
    let output = command.output().with_context(|| format!("cannot run {name}"))?;
    if !output.status.success() {
        bail!("{name} failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    String::from_utf8(output.stdout).with_context(|| format!("{name} wrote no UTF-8"))
}

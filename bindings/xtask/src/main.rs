//! Builds the one wasm file and compiles it ahead for the native host.
//!
//! `host/build.rs` runs this program; by hand it is
//! `cargo run --manifest-path bindings/xtask/Cargo.toml -- --root . --out target/attest`.
//! It writes below `--out`:
//!
//! | path | what |
//! |---|---|
//! | `attest.wasm` | the module that everybody runs |
//! | `attest.wasm.sha256` | its hash, in the form `sha256sum --check` reads |
//! | `js/{web,nodejs,no-modules}/` | the JavaScript glue, one folder for each kind of loader |
//! | `TRIPLE/attest.cwasm` | the module as machine code for the baseline processor of TRIPLE |
//! | `TRIPLE/attest.cwasm.stamp` | what that image was made of |
//! | `TRIPLE/fixtures/*.cwasm` | faulty modules for the host's tests |
//!
//! Each step is skipped when the hash of all that it reads is the hash of the last time;
//! modification times are never looked at.

mod cargo_env;
mod features;
mod glue;
mod image;
mod module;
mod stamp;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

const USAGE: &str = "\
usage: attest-xtask --root DIR --out DIR [--target TRIPLE]

  --root DIR       the project's root, with the workspace's Cargo.toml
  --out DIR        where everything is written
  --target TRIPLE  also compile ahead for this target of the native host";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let options = Options::from_args(std::env::args().skip(1))?;
    let _lock = stamp::lock(&options.out)?;
    let built = module::build(&options.root, &options.out)?;
    let module = glue::write(&built, &options.out)?;
    if let Some(triple) = &options.target {
        image::write(&module, &options.root, &options.out, triple)?;
    }
    Ok(())
}

struct Options {
    root: PathBuf,
    out: PathBuf,
    target: Option<String>,
}

impl Options {
    fn from_args(mut args: impl Iterator<Item = String>) -> Result<Options> {
        let (mut root, mut out, mut target) = (None, None, None);
        while let Some(flag) = args.next() {
            let slot = match flag.as_str() {
                "--root" => &mut root,
                "--out" => &mut out,
                "--target" => &mut target,
                other => bail!("unknown argument `{other}`\n\n{USAGE}"),
            };
            let value = args.next();
            *slot = Some(value.with_context(|| format!("{flag} needs a value\n\n{USAGE}"))?);
        }
        let absolute = |path: Option<String>, flag| -> Result<PathBuf> {
            let path = path.with_context(|| format!("{flag} is missing\n\n{USAGE}"))?;
            std::path::absolute(&path).with_context(|| format!("{flag} {path}"))
        };
        Ok(Options { root: absolute(root, "--root")?, out: absolute(out, "--out")?, target })
    }
}

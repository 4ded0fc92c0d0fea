//! Step 3: the module as machine code, so that the native host needs no compiler.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use wasmtime::{Config, Engine, OptLevel};

use crate::stamp::{self, Stamp};

#[path = "../../../host/src/guest/config.rs"]
mod config;

const CONFIG_SOURCE: &[u8] = include_bytes!("../../../host/src/guest/config.rs");
const FIXTURES: &str = "host/tests/fixtures";

/// Compiles `module`, and the faulty modules of the host's tests, for the baseline processor
/// of `triple`.
pub fn write(module: &[u8], root: &Path, out: &Path, triple: &str) -> Result<()> {
    let dir = out.join(triple);
    write_one(module, &dir.join("attest.cwasm"), triple)?;
    let fixtures = root.join(FIXTURES);
    let entries =
        fs::read_dir(&fixtures).with_context(|| format!("cannot read {}", fixtures.display()))?;
    for entry in entries {
        let path = entry?.path();
        let Some(stem) = path.file_stem() else {
            continue;
        };
        if path.extension().is_some_and(|extension| extension == "wat") {
            let wasm = wat::parse_file(&path)?;
            let image = dir.join("fixtures").join(stem).with_extension("cwasm");
            write_one(&wasm, &image, triple)?;
        }
    }
    Ok(())
}

/// Compiles one module, unless `image` was made of the same things already. Beside it stands a
/// text file that says of what.
fn write_one(wasm: &[u8], image: &Path, triple: &str) -> Result<()> {
    let stamp_file = image.with_extension("cwasm.stamp");
    let mut recipe = Stamp::new();
    recipe.add("image", include_bytes!("image.rs"));
    recipe.add("config", CONFIG_SOURCE);
    recipe.add("lock", include_bytes!("../Cargo.lock"));
    recipe.add("triple", triple.as_bytes());
    let stamp = format!(
        "wasm {}\nrecipe {}\nwasmtime {}\n",
        stamp::sha256(wasm),
        recipe.finish(),
        wasmtime_version()?,
    );
    // The stamp ends with the image's own hash, so that a damaged image is made again.
    let full = |bytes: &[u8]| format!("{stamp}image {}\n", stamp::sha256(bytes));
    if fs::read(image).is_ok_and(|bytes| stamp::holds(&stamp_file, &full(&bytes))) {
        return Ok(());
    }
    let bytes = engine(triple)?
        .precompile_module(wasm)
        .map_err(|error| anyhow::anyhow!("cannot compile {}: {error:?}", image.display()))?;
    stamp::write(image, &bytes)?;
    stamp::write(&stamp_file, full(&bytes).as_bytes())
}

/// A compiler for `triple`. A target that is named gets none of this machine's extra
/// instructions, even where it is this machine's own.
fn engine(triple: &str) -> Result<Engine> {
    let mut config: Config = config::engine_config();
    // Nothing unwinds through the guest, but Windows wants to be able to.
    config.native_unwind_info(triple.contains("-windows-"));
    // Which NaN an operation gives is the processor's choice; this takes the choice away.
    config.cranelift_nan_canonicalization(true).cranelift_opt_level(OptLevel::Speed);
    let target = config.target(triple).map(|_| ());
    target.map_err(|error| anyhow::anyhow!("unknown target {triple}: {error}"))?;
    Engine::new(&config).map_err(|error| anyhow::anyhow!("no compiler for {triple}: {error:?}"))
}

/// The version of wasmtime that is linked here.
fn wasmtime_version() -> Result<&'static str> {
    let mut lines = include_str!("../Cargo.lock").lines();
    lines.find(|line| *line == "name = \"wasmtime\"");
    lines
        .next()
        .and_then(|line| line.strip_prefix("version = \"")?.strip_suffix('"'))
        .context("Cargo.lock does not name wasmtime")
}

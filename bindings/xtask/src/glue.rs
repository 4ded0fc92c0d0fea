//! Step 2: `wasm-bindgen` turns rustc's file into the module that everybody runs, and writes
//! the JavaScript that loads it.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use wasm_bindgen_cli_support::Bindgen;

use crate::features;
use crate::stamp::{self, Stamp};

/// One folder of glue for each kind of loader.
const LOADERS: &[&str] = &["web", "nodejs", "no-modules"];
/// The name of the global object in the glue for pages without modules.
const GLOBAL: &str = "attest";

/// Writes module, hash and glue below `out`, and returns the module.
///
/// # Errors
///
/// When two loaders would get different modules: there would no longer be one artefact.
pub fn write(built: &[u8], out: &Path) -> Result<Vec<u8>> {
    let module_file = out.join("attest.wasm");
    let hash_file = out.join("attest.wasm.sha256");
    let stamp_file = out.join("js.stamp");
    let mut stamp = Stamp::new();
    stamp.add("built", built);
    stamp.add("glue", include_bytes!("glue.rs"));
    stamp.add("features", include_bytes!("features.rs"));
    stamp.add("lock", include_bytes!("../Cargo.lock"));
    let stamp = stamp.finish();
    if stamp::holds(&stamp_file, &stamp)
        && let Ok(module) = fs::read(&module_file)
        && stamp::holds(&hash_file, &hash_line(&module))
    {
        return Ok(module);
    }

    let input = features::without_reference_types(built)?;
    let mut module: Option<Vec<u8>> = None;
    for loader in LOADERS {
        let written = bind(&input, loader, &out.join("js").join(loader))?;
        let first = module.get_or_insert_with(|| written.clone());
        ensure!(*first == written, "the modules for {} and {loader} differ", LOADERS[0]);
    }
    let module = module.context("at least one loader")?;
    stamp::write(&module_file, &module)?;
    stamp::write(&hash_file, hash_line(&module).as_bytes())?;
    stamp::write(&stamp_file, stamp.as_bytes())?;
    Ok(module)
}

fn hash_line(module: &[u8]) -> String {
    format!("{}  attest.wasm\n", stamp::sha256(module))
}

/// Writes the glue for one kind of loader and returns its module, which is not kept beside it.
fn bind(input: &[u8], loader: &str, dir: &Path) -> Result<Vec<u8>> {
    let mut bindgen = Bindgen::new();
    bindgen.input_bytes("attest", input.to_vec()).typescript(true).remove_name_section(true);
    match loader {
        "web" => bindgen.web(true)?,
        "nodejs" => bindgen.nodejs(true)?,
        "no-modules" => bindgen.no_modules(true)?.no_modules_global(GLOBAL)?,
        other => anyhow::bail!("no such loader: {other}"),
    };
    if dir.exists() {
        fs::remove_dir_all(dir).with_context(|| format!("cannot empty {}", dir.display()))?;
    }
    bindgen.generate(dir)?;
    let file = dir.join("attest_bg.wasm");
    let module = stamp::read(&file)?;
    fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))?;
    Ok(module)
}

//! The one wasm file and its machine code: what they are, and how the host ends a faulty one.
//!
//! Spec: "The core's doors".

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use attest_host::guest::{CORE_SHA256, Guest, GuestError};
use sha2::{Digest, Sha256};
use wasmparser::{ExternalKind, Parser, Payload, TypeRef};

const OPEN: u32 = 1;
const HANDLE: u32 = 2;

/// What JavaScript's glue hands to the module. `wasm-bindgen` puts a hash behind each name.
const IMPORTS: &[&str] = &["__wbg_Error", "__wbg___wbindgen_throw"];

/// What the module gives out: its memory, the raw door, the JavaScript door, and what the glue
/// of the latter needs.
const EXPORTS: &[&str] = &[
    "memory",
    "attest_abi_version",
    "attest_alloc",
    "attest_call",
    "attest_free",
    "version",
    "world_description",
    "world_handle",
    "world_new",
    "world_snapshot",
    "world_summary",
    "__abort_handler",
    "__instance_terminated",
    "__wbg_world_free",
    "__wbindgen_free",
    "__wbindgen_malloc",
    "__wbindgen_realloc",
];

/// Bytes of the module. A browser loads it before anything happens.
const WASM_BYTES_MAX: usize = 450_000;

#[test]
fn the_module_imports_what_the_glue_provides_and_nothing_else() {
    let wasm = wasm();
    let mut found = BTreeSet::new();
    for payload in Parser::new(0).parse_all(&wasm) {
        if let Payload::ImportSection(section) = payload.expect("a module") {
            for import in section.into_imports() {
                let import = import.expect("an import");
                assert!(matches!(import.ty, TypeRef::Func(_)), "{} is no function", import.name);
                found.insert(without_hash(import.name).to_owned());
            }
        }
    }
    assert_eq!(found, names(IMPORTS));
}

#[test]
fn the_module_exports_both_doors_and_nothing_else() {
    let wasm = wasm();
    let mut found = BTreeSet::new();
    for payload in Parser::new(0).parse_all(&wasm) {
        if let Payload::ExportSection(section) = payload.expect("a module") {
            for export in section {
                let export = export.expect("an export");
                let memory = export.kind == ExternalKind::Memory;
                assert_eq!(memory, export.name == "memory", "{}", export.name);
                found.insert(export.name.to_owned());
            }
        }
    }
    assert_eq!(found, names(EXPORTS));
}

#[test]
fn the_module_bounds_its_own_memory() {
    let wasm = wasm();
    let mut bounds = Vec::new();
    for payload in Parser::new(0).parse_all(&wasm) {
        match payload.expect("a module") {
            Payload::MemorySection(section) => {
                bounds.extend(section.into_iter().map(|memory| memory.expect("a memory").maximum));
            }
            Payload::StartSection { .. } => panic!("a host would run code by loading it"),
            _ => {}
        }
    }
    assert_eq!(bounds, [Some(128 * 1024 * 1024 / 65536)]);
}

#[test]
fn the_hash_that_the_program_names_is_the_module_s() {
    let hash: String = Sha256::digest(wasm()).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hash, CORE_SHA256);
}

#[test]
fn the_module_holds_no_path_of_the_machine_that_built_it() {
    let wasm = wasm();
    let home = std::env::home_dir().expect("a home folder");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the project's root");
    for folder in [home.as_path(), root] {
        let folder = folder.to_str().expect("a path in UTF-8").as_bytes();
        let found = wasm.windows(folder.len()).any(|window| window == folder);
        assert!(!found, "{} stands in the module", String::from_utf8_lossy(folder));
    }
}

#[test]
fn the_module_is_small() {
    let bytes = wasm().len();
    assert!(bytes <= WASM_BYTES_MAX, "{bytes} bytes are over the budget of {WASM_BYTES_MAX}");
}

#[test]
fn the_core_answers_an_unknown_operation_with_a_refusal_and_lives() {
    let mut guest = Guest::load().expect("a guest");
    for _ in 0..2 {
        let answer = guest.call(4_000_000_000, 0, b"input").expect("an answer");
        let (first, rest) = answer.split_first().expect("a first byte");
        assert_eq!(*first, 1);
        assert!(rest.starts_with(br#"{"error":""#), "{}", String::from_utf8_lossy(rest));
    }
}

#[test]
fn a_trap_is_an_error_and_the_guest_stays_dead() {
    let mut guest = faulty("trap", Duration::from_secs(5));
    assert_dies(&mut guest, OPEN, "unreachable");
}

#[test]
fn a_trap_after_an_answer_is_an_error_and_the_guest_stays_dead() {
    let mut guest = faulty("trap_on_handle", Duration::from_secs(5));
    assert_eq!(guest.call(OPEN, 0, b"").expect("an answer").first(), Some(&0));
    assert_dies(&mut guest, HANDLE, "unreachable");
}

#[test]
fn a_call_that_never_returns_ends_at_its_deadline() {
    let mut guest = faulty("runaway", Duration::from_millis(100));
    assert_eq!(guest.call(OPEN, 0, b"").expect("an answer").first(), Some(&0));
    assert_dies(&mut guest, HANDLE, "interrupt");
}

#[test]
fn a_guest_that_takes_memory_without_end_is_refused_it() {
    let mut guest = faulty("memory", Duration::from_secs(5));
    assert_eq!(guest.call(OPEN, 0, b"").expect("an answer").first(), Some(&0));
    assert_dies(&mut guest, HANDLE, "unreachable");
}

#[test]
fn bytes_that_are_no_image_are_refused() {
    // SAFETY: wasmtime looks for its own header first and finds none.
    let error = unsafe { Guest::from_image(b"no image", Duration::from_secs(5)) };
    assert!(matches!(error, Err(GuestError::Load(_))), "{error:?}");
}

#[test]
fn the_engine_links_neither_the_core_nor_a_compiler() {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--package", "attest-host", "--edges", "normal,build"])
        .args(["--prefix", "none", "--format", "{p}"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8(output.stdout).expect("UTF-8");
    let crates: BTreeSet<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(crates.contains("wasmtime"), "this is not the engine's tree:\n{tree}");
    for unwanted in ["attest-core", "attest-bindings", "cranelift-codegen", "wasm-bindgen"] {
        assert!(!crates.contains(unwanted), "{unwanted} is linked");
    }
}

/// Makes a call that must fail for the reason `why`, and two more.
fn assert_dies(guest: &mut Guest, op: u32, why: &str) {
    match guest.call(op, 1, b"input") {
        Err(GuestError::Failed(text)) => assert!(text.contains(why), "{text}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(guest.call(OPEN, 0, b""), Err(GuestError::Dead));
    assert_eq!(guest.call(HANDLE, 1, b""), Err(GuestError::Dead));
}

/// A guest of the faulty module `name`.
fn faulty(name: &str, deadline: Duration) -> Guest {
    let path = Path::new(env!("ATTEST_FIXTURES")).join(name).with_extension("cwasm");
    let image = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    // SAFETY: the build program has just written this image.
    unsafe { Guest::from_image(image.leak(), deadline) }.expect("a guest")
}

fn wasm() -> Vec<u8> {
    fs::read(env!("ATTEST_WASM")).expect("the build has put the module here")
}

/// An import's name without the hash that ends it.
fn without_hash(name: &str) -> &str {
    match name.rsplit_once('_') {
        Some((stem, hash)) if hash.len() == 16 => stem,
        _ => name,
    }
}

fn names(list: &[&str]) -> BTreeSet<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

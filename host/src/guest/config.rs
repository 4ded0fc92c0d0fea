// The one description of how machine code for the guest is made and run. The build program
// compiles with it and the host loads with it: wasmtime refuses an image whose settings are
// not those of the engine that loads it. Shared as source, because the two must not share
// features.

use wasmtime::Config;

/// Settings for the core's module: what it uses and nothing more.
pub fn engine_config() -> Config {
    let mut config = Config::new();
    // The host's last resort against a call that never returns.
    config.epoch_interruption(true);
    // Proposals that rustc does not use for this module. Garbage collection, threads and
    // components are not even linked.
    config
        .wasm_relaxed_simd(false)
        .wasm_simd(false)
        .wasm_tail_call(false)
        .wasm_multi_memory(false)
        .wasm_memory64(false)
        .wasm_extended_const(false)
        .wasm_wide_arithmetic(false)
        .wasm_custom_page_sizes(false);
    // A trap ends the guest and its place is never printed, so nothing needs these tables.
    config.wasm_backtrace_max_frames(None).generate_address_map(false);
    config
}

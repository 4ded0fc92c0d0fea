//! The two doors of the one wasm file.
//!
//! Both are thin: bytes or text go in, bytes or text come out, and every decision is the
//! core's. `raw` is for hosts that call wasm exports by hand, such as the native engine;
//! `js` is for JavaScript, through the glue that `wasm-bindgen` writes. The file that the
//! `wasm-bindgen` step writes is the one that everybody runs.
//!
//! Spec: "The core's doors".

pub mod js;
#[cfg(target_arch = "wasm32")]
pub mod raw;

//! The raw door: wasm exports that take and return bytes in linear memory.
//!
//! A caller asks for room with [`attest_alloc`], writes its input there, calls
//! [`attest_call`], reads the answer, and gives both pieces of memory back with
//! [`attest_free`]. [`attest_abi_version`] says which form of this door it met. One instance
//! of the module holds one [`Session`], hence any number of worlds, each under its handle.
//!
//! This is the only file of the module with `unsafe` code. Pointers are `u32`: this file
//! exists for wasm32 alone.
//!
//! Spec: "The core's doors".

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cell::RefCell;

use attest_core::protocol::{ABI_VERSION, Session};

thread_local! {
    static SESSION: RefCell<Session> = const { RefCell::new(Session::new()) };
}

/// The version of this door. A host that finds another than it knows must not call anything
/// else.
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn attest_abi_version() -> u32 {
    ABI_VERSION
}

/// Room for `len` bytes of input, not yet written. It belongs to the caller, who gives it back
/// with [`attest_free`]. Zero bytes need no room: the pointer is then not null, but must not
/// be read or written. Traps when memory is exhausted.
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn attest_alloc(len: u32) -> u32 {
    let Some(layout) = layout_of(len) else {
        return Layout::new::<u8>().align() as u32;
    };
    // SAFETY: `layout_of` never gives a layout of zero bytes.
    let ptr = unsafe { alloc(layout) };
    if ptr.is_null() {
        handle_alloc_error(layout);
    }
    ptr as u32
}

/// Gives back `len` bytes at `ptr`: a piece that [`attest_alloc`] returned for this length, or
/// an answer of [`attest_call`]. Each piece is given back once. A length of 0 does nothing.
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn attest_free(ptr: u32, len: u32) {
    if let Some(layout) = layout_of(len) {
        // SAFETY: by this door's contract the piece came from `attest_alloc` or `attest_call`
        // with this length. Both use this allocator with alignment 1, and it is given back
        // only once.
        unsafe { dealloc(ptr as *mut u8, layout) }
    }
}

/// Carries out operation `op` on the world `handle` with the `len` bytes of input at `ptr`,
/// and returns the answer as `pointer << 32 | length`. The input stays the caller's; the
/// answer becomes the caller's, who gives it back with [`attest_free`].
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn attest_call(op: u32, handle: u32, ptr: u32, len: u32) -> u64 {
    let input: &[u8] = if len == 0 {
        &[]
    } else {
        // SAFETY: by this door's contract the caller owns these bytes and has written them;
        // nothing else runs in this one-threaded module until the call returns.
        unsafe { std::slice::from_raw_parts(ptr as *const u8, len as usize) }
    };
    let answer = SESSION.with_borrow_mut(|session| session.dispatch(op, handle, input));
    // A boxed slice has no spare capacity, so its length is all that `attest_free` needs.
    let answer = Box::leak(answer.into_boxed_slice());
    (u64::from(answer.as_mut_ptr() as u32) << 32) | answer.len() as u64
}

/// The memory layout of `len` bytes; none for 0.
fn layout_of(len: u32) -> Option<Layout> {
    let layout = Layout::array::<u8>(len as usize).ok()?;
    (layout.size() > 0).then_some(layout)
}

//! Machine code that runs where the program's file has it, instead of in a copy.
//!
//! Copying the image costs as much time as everything else at the start of the program
//! together. Where the system lets read-only pages of a program become executable, nothing has
//! to be copied; where it does not, the caller takes the copy.

use wasmtime::{Engine, Module};

/// Bytes that begin at a page's start, as code must.
#[repr(C, align(4096))]
pub struct PageAligned<Bytes: ?Sized>(pub Bytes);

/// The module of `image`, and the engine it belongs to; none where this system or kind of
/// processor does not allow it.
///
/// # Safety
///
/// `image` must be what wasmtime's own compiler wrote, unchanged.
///
/// # Panics
///
/// When it is called twice for one image: wasmtime knows a range of code once.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub unsafe fn load(image: &'static PageAligned<[u8]>) -> Option<(Engine, Module)> {
    let mut config = super::config::engine_config();
    config.with_custom_code_memory(Some(std::sync::Arc::new(linux::ProgramPages)));
    let engine = Engine::new(&config).ok()?;
    let bytes = std::ptr::NonNull::from(&image.0);
    // SAFETY: the caller vouches for the image, which is never written to and never goes away.
    let module = unsafe { Module::deserialize_raw(&engine, bytes) }.ok()?;
    Some((engine, module))
}

/// The module of `image`, and the engine it belongs to; none where this system or kind of
/// processor does not allow it.
///
/// # Safety
///
/// `image` must be what wasmtime's own compiler wrote, unchanged.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub unsafe fn load(_image: &'static PageAligned<[u8]>) -> Option<(Engine, Module)> {
    None
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod linux {
    use rustix::mm::{MprotectFlags, mprotect};
    use wasmtime::CustomCodeMemory;

    /// Read-only pages of the program's file. x86-64 keeps instructions and data coherent, so
    /// that nothing has to be flushed.
    pub struct ProgramPages;

    impl CustomCodeMemory for ProgramPages {
        fn required_alignment(&self) -> usize {
            align_of::<super::PageAligned<()>>()
        }

        fn publish_executable(&self, ptr: *const u8, len: usize) -> wasmtime::Result<()> {
            let flags = MprotectFlags::READ | MprotectFlags::EXEC;
            // SAFETY: the pages are the image's own. They stay readable, were never writable,
            // and hold code that the build's compiler wrote.
            unsafe { mprotect(ptr.cast_mut().cast(), len, flags) }
                .map_err(|error| wasmtime::Error::msg(error.to_string()))
        }

        /// Leaves the pages as they are: another guest of this process may be running in them.
        fn unpublish_executable(&self, _ptr: *const u8, _len: usize) -> wasmtime::Result<()> {
            Ok(())
        }
    }
}

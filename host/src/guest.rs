//! The core, running as machine code inside this process.
//!
//! A [`Guest`] is one instance of the core's module behind its raw door. Only this file and those
//! below it know wasmtime.
//!
//! Spec: "The core's doors".

mod config;
mod in_place;

use std::fmt;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use in_place::PageAligned;
use wasmtime::{Engine, Linker, Memory, Module, Store, StoreLimits, StoreLimitsBuilder, TypedFunc};

/// The SHA-256 of the module that this program runs, in lower-case hexadecimal.
pub const CORE_SHA256: &str = env!("ATTEST_WASM_SHA256");

/// The version of wasmtime that compiled the module and runs it.
pub const WASMTIME_VERSION: &str = env!("ATTEST_WASMTIME");

/// How long one call may take before it is given up. The core's own limits keep every honest
/// call far below a second.
pub const CALL_DEADLINE: Duration = Duration::from_secs(5);

/// One instance of the core.
///
/// It holds the worlds that were opened in it. Once a call has failed, nothing in it can be
/// trusted any more: its memory is dropped, and every later call is [`GuestError::Dead`].
pub struct Guest {
    /// None after the first failed call.
    live: Option<Live>,
    /// Keeps the clock going.
    _loaded: Arc<Loaded>,
}

impl fmt::Debug for Guest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Guest").field("dead", &self.live.is_none()).finish()
    }
}

impl Guest {
    /// A fresh instance of the module that is built into this program.
    ///
    /// # Errors
    ///
    /// [`GuestError::Load`] on a machine or in a sandbox that does not let the program run code
    /// of its own, [`GuestError::Clock`] when no thread can be started.
    pub fn load() -> Result<Guest, GuestError> {
        static LOADED: OnceLock<Result<Arc<Loaded>, GuestError>> = OnceLock::new();
        let loaded = LOADED.get_or_init(|| {
            // SAFETY: the build wrote this image with the compiler of this very wasmtime, and
            // this is the only place that runs it in place.
            match unsafe { in_place::load(EMBEDDED) } {
                Some((engine, module)) => Loaded::new(engine, module, CALL_DEADLINE),
                // SAFETY: as above.
                None => unsafe { Loaded::copy(&EMBEDDED.0, CALL_DEADLINE) },
            }
        });
        Guest::start(loaded.clone()?)
    }

    /// A fresh instance of another module, for tests: `image` is its machine code, `deadline`
    /// the time that one call may take.
    ///
    /// # Safety
    ///
    /// `image` must be what wasmtime's own compiler wrote, unchanged. Its code runs as it is.
    ///
    /// # Errors
    ///
    /// As [`Guest::load`], and [`GuestError::Door`] when the module has another door than this
    /// host knows.
    pub unsafe fn from_image(
        image: &'static [u8],
        deadline: Duration,
    ) -> Result<Guest, GuestError> {
        // SAFETY: the caller vouches for the image.
        Guest::start(unsafe { Loaded::copy(image, deadline) }?)
    }

    fn start(loaded: Arc<Loaded>) -> Result<Guest, GuestError> {
        let live = Live::start(&loaded.engine, &loaded.module)?;
        Ok(Guest { live: Some(live), _loaded: loaded })
    }

    /// Carries out operation `op` on the world `handle` with `input`, and returns the answer
    /// of the core as it is.
    ///
    /// # Errors
    ///
    /// [`GuestError::Failed`] when the call trapped, ran past the deadline or broke the rules of
    /// the door. The guest is dead from then on, and every later call is [`GuestError::Dead`]:
    /// answer requests with an engine fault and end the program with its own exit code.
    pub fn call(&mut self, op: u32, handle: u32, input: &[u8]) -> Result<Vec<u8>, GuestError> {
        let live = self.live.as_mut().ok_or(GuestError::Dead)?;
        let result = live.call(op, handle, input);
        if result.is_err() {
            self.live = None;
        }
        result
    }
}

/// Why the core could not be started or did not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GuestError {
    /// The machine code could not be loaded: this system forbids it, or the image was made for
    /// another. Holds what wasmtime said.
    Load(String),
    /// The thread that watches over the deadline could not be started. Holds what the system
    /// said.
    Clock(String),
    /// The module has another door than this host knows. The build has gone wrong.
    Door(String),
    /// A call trapped, ran past the deadline or broke the rules of the door. Holds what
    /// happened, in one line.
    Failed(String),
    /// An earlier call failed, and this guest answers nothing any more.
    Dead,
}

impl fmt::Display for GuestError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GuestError::Load(why) => write!(formatter, "cannot load the core: {why}"),
            GuestError::Clock(why) => write!(formatter, "cannot watch over the core: {why}"),
            GuestError::Door(why) => write!(formatter, "the core has an unknown door: {why}"),
            GuestError::Failed(why) => write!(formatter, "the core failed: {why}"),
            GuestError::Dead => formatter.write_str("the core failed earlier"),
        }
    }
}

impl std::error::Error for GuestError {}

/// Machine code that is ready to run, and the clock by which its calls are timed: one for all
/// instances, because the epoch is the engine's.
struct Loaded {
    engine: Engine,
    module: Module,
    /// Ends the clock when dropped.
    _clock: Sender<()>,
}

impl Loaded {
    /// # Safety
    ///
    /// As [`Guest::from_image`].
    unsafe fn copy(image: &'static [u8], deadline: Duration) -> Result<Arc<Loaded>, GuestError> {
        let engine = Engine::new(&config::engine_config()).map_err(load_error)?;
        // SAFETY: the caller vouches for the image.
        let module = unsafe { Module::deserialize(&engine, image) }.map_err(load_error)?;
        Loaded::new(engine, module, deadline)
    }

    fn new(engine: Engine, module: Module, deadline: Duration) -> Result<Arc<Loaded>, GuestError> {
        let clock = start_clock(&engine, deadline / DEADLINE_TICKS)?;
        Ok(Arc::new(Loaded { engine, module, _clock: clock }))
    }
}

/// An instance that has never failed.
struct Live {
    store: Store<StoreLimits>,
    memory: Memory,
    alloc: TypedFunc<u32, u32>,
    free: TypedFunc<(u32, u32), ()>,
    call: TypedFunc<(u32, u32, u32, u32), u64>,
}

impl Live {
    fn start(engine: &Engine, module: &Module) -> Result<Live, GuestError> {
        let limits = StoreLimitsBuilder::new()
            .memory_size(MEMORY_BYTES_MAX)
            .instances(1)
            .memories(1)
            .build();
        let mut store = Store::new(engine, limits);
        store.limiter(|limits| limits);
        store.set_epoch_deadline(u64::from(DEADLINE_TICKS) + 1);
        let mut linker = Linker::new(engine);
        // What is imported is for JavaScript's door; the raw one never calls it.
        linker.define_unknown_imports_as_traps(module).map_err(load_error)?;
        let instance = linker.instantiate(&mut store, module).map_err(load_error)?;
        let version = instance
            .get_typed_func::<(), u32>(&mut store, "attest_abi_version")
            .map_err(door_error)?
            .call(&mut store, ())
            .map_err(failed)?;
        if version != ABI_VERSION {
            return Err(GuestError::Door(format!("version {version}, not {ABI_VERSION}")));
        }
        let memory = instance
            .get_memory(&mut store, "memory")
            .ok_or_else(|| GuestError::Door("no memory".to_owned()))?;
        Ok(Live {
            alloc: instance.get_typed_func(&mut store, "attest_alloc").map_err(door_error)?,
            free: instance.get_typed_func(&mut store, "attest_free").map_err(door_error)?,
            call: instance.get_typed_func(&mut store, "attest_call").map_err(door_error)?,
            memory,
            store,
        })
    }

    fn call(&mut self, op: u32, handle: u32, input: &[u8]) -> Result<Vec<u8>, GuestError> {
        let outside = |_| GuestError::Failed("it named memory that it does not have".to_owned());
        let input_len = u32::try_from(input.len())
            .map_err(|_| GuestError::Failed("an input of 4 GiB or more".to_owned()))?;
        let store = &mut self.store;
        store.set_epoch_deadline(u64::from(DEADLINE_TICKS) + 1);
        let input_ptr = self.alloc.call(&mut *store, input_len).map_err(failed)?;
        self.memory.write(&mut *store, input_ptr as usize, input).map_err(outside)?;
        let packed =
            self.call.call(&mut *store, (op, handle, input_ptr, input_len)).map_err(failed)?;
        self.free.call(&mut *store, (input_ptr, input_len)).map_err(failed)?;
        let (ptr, len) = ((packed >> 32) as usize, packed as u32 as usize);
        let answer = self
            .memory
            .data(&*store)
            .get(ptr..)
            .and_then(|rest| rest.get(..len))
            .ok_or(())
            .map_err(|()| GuestError::Failed("its answer lies outside its memory".to_owned()))?
            .to_vec();
        self.free.call(&mut *store, (ptr as u32, len as u32)).map_err(failed)?;
        Ok(answer)
    }
}

/// Moves the engine's epoch on by one each `tick`, until the answer is dropped.
fn start_clock(engine: &Engine, tick: Duration) -> Result<Sender<()>, GuestError> {
    let (alive, ended) = mpsc::channel::<()>();
    let engine = engine.clone();
    thread::Builder::new()
        .name("core-deadline".to_owned())
        .spawn(move || {
            while ended.recv_timeout(tick) == Err(RecvTimeoutError::Timeout) {
                engine.increment_epoch();
            }
        })
        .map_err(|error| GuestError::Clock(error.to_string()))?;
    Ok(alive)
}

fn load_error(error: wasmtime::Error) -> GuestError {
    GuestError::Load(one_line(&error))
}

fn door_error(error: wasmtime::Error) -> GuestError {
    GuestError::Door(one_line(&error))
}

fn failed(error: wasmtime::Error) -> GuestError {
    GuestError::Failed(one_line(&error))
}

/// The error and its causes, without line ends.
fn one_line(error: &wasmtime::Error) -> String {
    format!("{error:#}").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The form of the raw door that this host speaks.
const ABI_VERSION: u32 = 1;
/// Ticks of the clock in one deadline: a call is given up between one deadline and 1.1.
const DEADLINE_TICKS: u32 = 10;
/// The most memory of one instance, which the module names too.
const MEMORY_BYTES_MAX: usize = 128 * 1024 * 1024;

static EMBEDDED: &PageAligned<[u8]> = &PageAligned(*include_bytes!(env!("ATTEST_IMAGE")));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guest_in_place_and_one_in_a_copy_answer_alike() {
        let mut in_place = Guest::load().unwrap();
        // SAFETY: the build wrote this image with the compiler of this very wasmtime.
        let mut copied = unsafe { Guest::from_image(&EMBEDDED.0, CALL_DEADLINE) }.unwrap();
        for op in 0..8 {
            assert_eq!(in_place.call(op, 0, b"{}"), copied.call(op, 0, b"{}"), "operation {op}");
        }
    }

    #[test]
    fn a_guest_lives_on_when_another_one_ends() {
        let mut first = Guest::load().unwrap();
        let second = Guest::load().unwrap();
        drop(second);
        assert_eq!(first.call(0, 0, b"").unwrap().first(), Some(&1));
    }
}

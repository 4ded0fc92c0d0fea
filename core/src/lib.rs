//! The world machine.
//!
//! Everything in this crate is a function of its arguments: there is no clock, no randomness of
//! its own, no file, no thread and no environment. A [`world::World`] is its
//! [`definition::Definition`] plus the inputs it was handed, in order.
#![forbid(unsafe_code)]

pub mod decimal;
pub mod definition;
pub mod json;
pub mod limits;
pub mod protocol;
mod quoted;
mod state_size;
mod token;
pub mod world;

//! The native engine: worlds over loopback HTTP, and commands that run inside them.
//!
//! [`cli`] reads the command line and calls [`run`], [`serve`] or [`check`]. Those open a
//! [`world`], put a [`listener`] before it, and end both. Requests and replies cross into the
//! core as [`frame`]s; [`guest`] is the core itself.

pub mod check;
pub mod child;
pub mod cli;
pub mod error;
pub mod exit;
pub mod frame;
pub mod guest;
pub mod init;
pub mod listener;
pub mod log;
pub mod manual;
pub mod run;
pub mod serve;
pub mod world;

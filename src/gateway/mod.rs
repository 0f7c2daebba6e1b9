//! The public door: it authenticates, finds a session's host and passes bytes; it starts, adopts
//! and reaps hosts. Holds no session state and does not know what a breakpoint is.

mod adoption;
mod all_events;
mod archived;
mod connections;
mod create;
mod door;
mod ending;
mod forward;
mod hosts;
mod info;
mod list;
mod pool;
pub mod provision;
mod reply;
mod serve;
mod wire;

pub use serve::run;

//! The public door: it authenticates, finds a session's host and passes bytes; it starts, adopts
//! and reaps hosts. Holds no session state and does not know what a breakpoint is.

mod adoption;
mod all_events;
mod archived;
mod audit;
mod calls;
mod connections;
mod create;
mod crowd;
mod door;
mod drain;
mod ending;
mod forward;
mod hosts;
mod incoming;
mod info;
mod list;
mod listening;
mod logs;
mod methods;
mod metrics;
mod observe;
mod operations;
mod pool;
pub mod provision;
mod reply;
mod serve;
mod shares;
mod starting;
mod story;
mod tls;
mod wire;

pub use serve::run;
pub use tls::{Checked as CheckedTls, check as check_tls};

//! One session's process: it wires the parts together, serves them on a private socket and outlives
//! the gateway. Knows nothing of other sessions.

mod dial;
mod dialler;
mod door;
pub mod guard;
mod lifetime;
mod os;
mod pace;
mod processes;
mod pump;
mod reach;
mod serve;
pub mod spare;
mod streams;

pub use os::{Usage, descendants_of, has_ended, usage_of, wait_for_process};
pub use serve::{HostOptions, READY, Rules, run};

/// This very binary, also when its file has been replaced since it was started.
pub fn own_executable() -> std::path::PathBuf {
    if cfg!(target_os = "linux") {
        return "/proc/self/exe".into();
    }
    std::env::current_exe().unwrap_or_else(|_| "debug-relay".into())
}

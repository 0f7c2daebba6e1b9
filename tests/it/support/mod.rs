//! What every test needs: a server of its own, clients, programs with markers, the process table.

mod access;
mod certificates;
mod client;
mod page;
mod processes;
mod programs;
mod proxy;
mod random;
mod running;
mod scripted;
mod server;
mod setup;

pub use access::AccessFile;
pub use certificates::Authority;
pub use client::{Client, reason, values};
pub use page::Page;
pub use processes::{
    Process, children_of, is_alive, peer_of, processes_that, shows_a_secret, wait_until_gone,
};
pub use programs::{Program, tools};
pub use proxy::{Kind as ProxyKind, Proxy};
pub use random::Random;
pub use running::{CHILDREN, Running, TICKS, count, dialling, endpoint, free_port};
pub use scripted::Scripted;
pub use server::{Server, ServerOptions, run_binary};
pub use setup::{Ran, Setup};

use std::time::Duration;

/// No wait of any test is longer.
pub const LIMIT: Duration = Duration::from_secs(60);

/// Waits until `check` gives something, looking again after every short pause.
pub async fn eventually<T>(what: &str, mut check: impl AsyncFnMut() -> Option<T>) -> T {
    let looked = async {
        loop {
            if let Some(found) = check().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(LIMIT, looked).await.unwrap_or_else(|_| panic!("never: {what}"))
}

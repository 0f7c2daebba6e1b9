//! The end of a server in steps: it is told to end, serves the sessions that are there for as long as
//! it may, and then takes leave of its callers. A second signal ends the waiting.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::Instant;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use super::door::Gateway;
use super::list;
use super::serve::{ServeError, service_names};
use crate::session;

/// How often it is looked whether all sessions are over.
const LOOK_INTERVAL: Duration = Duration::from_millis(200);

/// The signals that a server listens to; none that comes from now on is missed.
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl Signals {
    pub fn listen() -> Result<Self, ServeError> {
        let listen = |kind| signal(kind).map_err(|error| ServeError::Other(Box::new(error)));
        Ok(Self {
            terminate: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
            hang_up: listen(SignalKind::hangup())?,
        })
    }

    /// Returns when the server is to end. Until then, SIGHUP has files read again.
    pub async fn told_to_end(&mut self, gateway: &Gateway) {
        loop {
            tokio::select! {
                _ = self.terminate.recv() => return,
                _ = self.interrupt.recv() => return,
                _ = self.hang_up.recv() => {
                    notify(&[sd_notify::NotifyState::Reloading]);
                    gateway.gate.reload();
                    gateway.ledger.audit.iter().for_each(|audit| audit.reopen());
                    notify(&[sd_notify::NotifyState::Ready]);
                }
            }
        }
    }
}

/// Tells everybody that there will be no new sessions, and waits for those that are there: for all to
/// be over, for the time to be up, or for another signal.
pub async fn drain(
    gateway: &Arc<Gateway>,
    health: HealthReporter,
    signals: &mut Signals,
    limit: Duration,
) {
    tracing::info!(?limit, "told to end");
    notify(&[sd_notify::NotifyState::Stopping]);
    for name in service_names().into_iter().chain([String::new()]) {
        health.set_service_status(name, ServingStatus::NotServing).await;
    }
    gateway.is_draining.store(true, Ordering::Relaxed);
    if limit.is_zero() {
        return;
    }
    let deadline = Instant::now() + limit;
    let all_over = async {
        while !are_over(gateway).await {
            tokio::time::sleep(LOOK_INTERVAL).await;
        }
    };
    tokio::select! {
        () = all_over => tracing::info!("all sessions are over"),
        () = tokio::time::sleep_until(deadline) => tracing::info!("the time for draining is up"),
        () = signals.told_to_end(gateway) => tracing::info!("told to end at once"),
    }
}

async fn are_over(gateway: &Gateway) -> bool {
    let hosts = gateway.hosts.all();
    let living = hosts.iter().filter(|host| !host.has_ended());
    let asked = futures_util::future::join_all(living.map(|host| list::ask_living(host))).await;
    // One that does not answer is not over.
    asked.iter().all(|session| session.as_ref().is_some_and(|one| session::is_over(one.state())))
        && !gateway.hosts.is_starting_any()
}

/// Tells systemd, if that has started us.
pub fn notify(states: &[sd_notify::NotifyState]) {
    if let Err(error) = sd_notify::notify(states) {
        tracing::debug!(%error, "the service manager cannot be told");
    }
}

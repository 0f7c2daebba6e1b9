//! A look at everything, for metrics and probes: all sessions are asked, and the memory of all
//! processes is read, at most once a second however many ask.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

use super::crowd::Crowd;
use super::door::Gateway;
use super::list;
use super::metrics::{KindLabel, Metrics, StateLabel, catch_up};
use super::provision::Stage;
use super::tls::Tls;
use crate::host;
use crate::limits;
use crate::proto::{Session, SessionState};

const FRESH: Duration = Duration::from_secs(1);

pub struct Observer {
    pub gateway: Arc<Gateway>,
    pub metrics: Arc<Metrics>,
    pub crowd: Crowd,
    pub tls: Option<Arc<Tls>>,
    /// When it was last looked.
    looked: Mutex<Option<Instant>>,
}

impl Observer {
    pub fn new(
        gateway: Arc<Gateway>,
        metrics: Arc<Metrics>,
        crowd: Crowd,
        tls: Option<Arc<Tls>>,
    ) -> Self {
        Self { gateway, metrics, crowd, tls, looked: Mutex::default() }
    }

    /// Whether it can make sessions; else why not.
    pub fn readiness(&self) -> Result<(), String> {
        if self.is_draining() {
            return Err("the server is told to end".into());
        }
        match self.gateway.provision.stage() {
            Stage::Ready { .. } => Ok(()),
            Stage::Working { what } => Err(format!("debugpy: {what}")),
            Stage::Failed { problem } => Err(format!("debugpy: {problem}")),
        }
    }

    pub fn is_draining(&self) -> bool {
        self.gateway.is_draining.load(Ordering::Relaxed)
    }

    /// All that is counted, in the form that Prometheus reads.
    pub async fn metrics(&self) -> String {
        let mut looked = self.looked.lock().await;
        if looked.is_none_or(|looked| FRESH <= looked.elapsed()) {
            self.look().await;
            *looked = Some(Instant::now());
        }
        self.metrics.text()
    }

    async fn look(&self) {
        let observed = &self.metrics.observed;
        let hosts = self.gateway.hosts.all();
        let asked = hosts.iter().map(async |host| (host, list::ask_living(host).await));
        let asked = futures_util::future::join_all(asked).await;

        observed.sessions.clear();
        for state in STATES {
            // All of them, so that nobody takes what is not there for nothing.
            observed.sessions.get_or_create(&label(state)).set(0);
        }
        let (mut output, mut events, mut unanswered) = (Ring::default(), Ring::default(), 0);
        for (host, session) in &asked {
            let state = match session {
                Some(session) => {
                    let Session { counters, .. } = session;
                    let counters = counters.unwrap_or_default();
                    output.add(counters.output_bytes, counters.dropped_output_bytes);
                    events.add(counters.events, counters.dropped_events);
                    let told = host.gaps_told.swap(counters.gaps, Ordering::Relaxed);
                    observed.gaps.inc_by(counters.gaps.saturating_sub(told));
                    session.state()
                }
                None => {
                    unanswered += i64::from(!host.has_ended());
                    host.archive.session().state()
                }
            };
            observed.sessions.get_or_create(&label(state)).inc();
        }
        observed.output_kept.set(count(output.kept));
        observed.output_fullest.set(output.fullest_of(limits::get().output_bytes));
        observed.events_kept.set(count(events.kept));
        observed.events_fullest.set(events.fullest_of(limits::get().events));
        observed.unanswered.set(unanswered);
        self.look_at_memory().await;
        self.look_at_server();
    }

    async fn look_at_memory(&self) {
        let living = self.gateway.hosts.all().into_iter().filter(|host| !host.has_ended());
        let pids: Vec<_> = living.filter_map(|host| host.pid).collect();
        let spares = self.gateway.pool.pids();
        let looked =
            tokio::task::spawn_blocking(move || (host::usage_of(&pids), host::usage_of(&spares)));
        let Ok((usage, spares)) = looked.await else { return };
        let observed = &self.metrics.observed;
        let set =
            |kind, bytes| observed.memory.get_or_create(&KindLabel { kind }).set(count(bytes));
        set("gateway", usage.own_bytes);
        set("hosts", usage.host_bytes);
        set("programs", usage.program_bytes);
        set("spares", spares.host_bytes + spares.program_bytes);
        observed.processes.set(count(usage.program_processes));
    }

    fn look_at_server(&self) {
        let observed = &self.metrics.observed;
        let spares = self.gateway.pool.show("".as_ref());
        observed.spares_ready.set(spares.ready.into());
        observed.spares_wanted.set(spares.size.into());
        catch_up(&observed.spares_taken, spares.taken);
        catch_up(&observed.spares_missed, spares.missed);
        let crowd = self.crowd.counts();
        observed.connections.set(count(crowd.open as u64));
        for (kind, total) in [("refused", crowd.refused), ("displaced", crowd.displaced)] {
            let counter = observed.connections_turned_away.get_or_create(&KindLabel { kind });
            catch_up(&counter, total);
        }
        observed.sessions_limit.set(count(limits::get().sessions as u64));
        let files = std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
        observed.open_files.set(count(files as u64));
        observed.certificate_expires.set(self.tls.as_ref().map_or(0, |tls| tls.expires()));
        observed.is_draining.set(self.is_draining().into());
        observed.uptime.set(self.gateway.info.clock.elapsed().as_secs_f64());
    }
}

const STATES: [SessionState; 9] = [
    SessionState::Created,
    SessionState::Starting,
    SessionState::Running,
    SessionState::Stopped,
    SessionState::Exited,
    SessionState::Terminated,
    SessionState::Detached,
    SessionState::Failed,
    SessionState::Lost,
];

/// What the rings of all sessions hold.
#[derive(Default)]
struct Ring {
    kept: u64,
    fullest: u64,
    /// One was full, and goes on by forgetting.
    has_dropped: bool,
}

impl Ring {
    fn add(&mut self, total: u64, dropped: u64) {
        let kept = total.saturating_sub(dropped);
        self.kept += kept;
        self.fullest = self.fullest.max(kept);
        self.has_dropped |= 0 < dropped;
    }

    fn fullest_of(&self, limit: usize) -> f64 {
        match self.has_dropped {
            true => 1.0,
            false => self.fullest as f64 / limit.max(1) as f64,
        }
    }
}

fn label(state: SessionState) -> StateLabel {
    let name = state.as_str_name();
    StateLabel { state: name.strip_prefix("SESSION_STATE_").unwrap_or(name).to_lowercase() }
}

fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

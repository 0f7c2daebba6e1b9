//! ServerService: what this server is, allows and found.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

use super::door::Gateway;
use super::provision::{Provision, Stage};
use crate::adapters::PROFILES;
use crate::auth::{Caller, Reach};
use crate::build;
use crate::clock;
use crate::limits;
use crate::proto::{self, AdapterInfo, GetInfoResponse, Limits, SessionCounts, SessionState};

/// What does not change while the server runs.
pub struct Facts {
    pub address: String,
    pub started: SystemTime,
    pub clock: Instant,
}

impl Facts {
    pub fn show(&self, gateway: &Gateway, caller: &Caller) -> GetInfoResponse {
        let Gateway { hosts, provision, pool, .. } = gateway;
        let hosts = hosts.seen_by(caller);
        let ended = hosts.iter().filter(|host| host.has_ended());
        let states: Vec<_> = ended.map(|host| host.archive.session().state()).collect();
        let lost = states.iter().filter(|state| **state == SessionState::Lost).count() as u32;
        let over = states.len() as u32 - lost;
        let total = hosts.len() as u32;
        let limits = limits::get();
        let mut spares = pool.show(&provision.python().unwrap_or_default());
        if caller.reach != Reach::All {
            // It may be of somebody else's project.
            spares.python.clear();
        }
        GetInfoResponse {
            version: build::VERSION.into(),
            start_time: Some(clock::timestamp(self.started)),
            uptime: span(self.clock.elapsed()),
            address: self.address.clone(),
            limits: Some(Limits {
                max_request_bytes: limits.request_bytes as u64,
                events_per_session: limits.events as u64,
                output_bytes_per_session: limits.output_bytes as u64,
                idle_timeout: span(limits.idle_timeout),
                max_wait: span(limits.wait),
                sessions: count(limits.sessions),
                sessions_per_owner: count(limits.sessions_per_owner),
                breakpoints_per_session: count(limits.breakpoints),
                max_evaluate: span(limits.evaluate),
                max_idle_timeout: span(limits.max_idle_timeout),
                retention: span(limits.retention),
                archive_bytes: limits.archive_bytes,
                processes_per_session: count(limits.processes),
                memory_bytes_per_process: limits.memory_bytes,
            }),
            sessions: Some(SessionCounts { total, alive: total - lost - over, lost, over }),
            adapters: adapters(provision),
            spares: Some(spares),
            platform: format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH),
            commit: build::COMMIT.into(),
            build: format!("{}, {}", build::TARGET, build::PROFILE),
            caller: Some(show_caller(caller)),
            draining: gateway.is_draining.load(Ordering::Relaxed),
        }
    }
}

fn show_caller(caller: &Caller) -> proto::Caller {
    let session_id = match &caller.reach {
        Reach::Session(session) => session.to_string(),
        Reach::All | Reach::Own => String::new(),
    };
    proto::Caller {
        owner: caller.owner.to_string(),
        admin: caller.reach == Reach::All,
        read_only: caller.is_read_only,
        session_id,
        expire_time: caller.expires.map(clock::timestamp),
    }
}

/// The debuggers, found or not.
pub fn adapters(provision: &Provision) -> Vec<AdapterInfo> {
    PROFILES
        .iter()
        .map(|profile| {
            let stage = provision.stage();
            let (found, path, message) = match stage {
                Stage::Ready { folder, .. } => {
                    (true, folder.to_string_lossy().into_owned(), String::new())
                }
                Stage::Working { what } => (false, String::new(), what),
                Stage::Failed { problem } => (false, String::new(), problem),
            };
            AdapterInfo {
                name: profile.name.into(),
                languages: profile.languages.iter().map(|language| (*language).into()).collect(),
                found,
                version: provision.version().unwrap_or_default(),
                path,
                install_hint: profile.install_hint.into(),
                message,
            }
        })
        .collect()
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn span(duration: Duration) -> Option<prost_types::Duration> {
    duration.try_into().ok()
}

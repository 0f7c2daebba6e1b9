//! ServerService: what this server is, allows and found.

use std::time::{Duration, Instant, SystemTime};

use super::hosts::Hosts;
use super::provision::{Provision, Stage};
use crate::adapters::PROFILES;
use crate::clock;
use crate::limits::{DEFAULT_IDLE, KEPT_BYTES, KEPT_EVENTS, MAX_REQUEST, MAX_WAIT};
use crate::proto::{AdapterInfo, GetInfoResponse, Limits, SessionCounts};

/// What does not change while the server runs.
pub struct Facts {
    pub address: String,
    pub started: SystemTime,
    pub clock: Instant,
}

impl Facts {
    pub fn show(&self, hosts: &Hosts, provision: &Provision) -> GetInfoResponse {
        let hosts = hosts.all();
        let lost = hosts.iter().filter(|host| host.ended().is_some()).count() as u32;
        let total = hosts.len() as u32;
        GetInfoResponse {
            version: env!("CARGO_PKG_VERSION").into(),
            start_time: Some(clock::timestamp(self.started)),
            uptime: span(self.clock.elapsed()),
            address: self.address.clone(),
            limits: Some(Limits {
                max_request_bytes: MAX_REQUEST as u64,
                events_per_session: KEPT_EVENTS as u64,
                output_bytes_per_session: KEPT_BYTES as u64,
                idle_timeout: span(DEFAULT_IDLE),
                max_wait: span(MAX_WAIT),
            }),
            sessions: Some(SessionCounts { total, alive: total - lost, lost }),
            adapters: adapters(provision),
            platform: format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH),
        }
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

fn span(duration: Duration) -> Option<prost_types::Duration> {
    duration.try_into().ok()
}

//! The hosts: one process a session. They are started, found again after a restart of the gateway,
//! watched, and cleaned up after when they are gone. What is left of a session is its archive.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal};
use tokio::sync::watch;

use super::forward::Link;
use super::pool::Waiting;
use super::starting::{note_beginning, start_cold};
use crate::archive::{self, Archive};
use crate::auth::{Books, Caller, TokenBook};
use crate::config::MAX_SOCKET_PATH;
use crate::error::{Error, Result};
use crate::host::{self, HostOptions};
use crate::id::SessionId;
use crate::limits;
use crate::session;
use crate::store;
use crate::telemetry;

const LOG_TAIL: u64 = 1000;

/// Where hosts find what they need.
#[derive(Debug, Clone)]
pub struct HostSetup {
    pub debugpy: PathBuf,
    pub python: PathBuf,
}

/// Who asks for a session, and by which name of the request.
#[derive(Debug, Clone)]
pub struct Asker {
    pub owner: String,
    pub request_id: String,
}

/// All sessions of one run folder, living and over.
#[derive(Clone)]
pub struct Hosts {
    run_dir: PathBuf,
    state_dir: PathBuf,
    table: Arc<Mutex<Table>>,
    /// Counts the sessions that have appeared.
    pub(super) appeared: watch::Sender<u64>,
    /// Counts those that were forgotten, and their tokens with them.
    pub(super) forgotten: watch::Sender<u64>,
}

#[derive(Default)]
struct Table {
    entries: BTreeMap<String, Arc<Host>>,
    /// Hosts that are being started: they count, too.
    starting: BTreeSet<(String, String)>,
}

/// One host, living or gone.
pub struct Host {
    pub id: SessionId,
    pub owner: String,
    /// The request that made it, if that has a name.
    pub request_id: String,
    pub link: Link,
    pub archive: Archive,
    /// The tokens for it alone.
    pub tokens: Arc<TokenBook>,
    /// Gaps that its readers were told of, as far as they are counted.
    pub(super) gaps_told: AtomicU64,
    pub(super) folder: PathBuf,
    /// None for one that was dead when it was found.
    pub(super) pid: Option<Pid>,
    /// Set when the process has ended and its archive is final.
    pub(super) ended: watch::Sender<bool>,
    /// Nothing of it is left; another session may have its name.
    is_forgotten: AtomicBool,
}

impl Host {
    /// The process has ended; the archive tells the rest.
    pub fn has_ended(&self) -> bool {
        *self.ended.borrow()
    }

    pub fn is_forgotten(&self) -> bool {
        self.is_forgotten.load(Ordering::Relaxed)
    }

    /// The end of what the host wrote to its log.
    fn log_tail(&self) -> String {
        let mut log = Vec::new();
        let read = std::fs::File::open(self.folder.join("host.log")).and_then(|mut file| {
            let length = file.metadata()?.len();
            file.seek(SeekFrom::Start(length.saturating_sub(LOG_TAIL)))?;
            file.take(LOG_TAIL).read_to_end(&mut log)
        });
        match read {
            Ok(_) => String::from_utf8_lossy(&log).trim().to_owned(),
            Err(_) => String::new(),
        }
    }

    pub(super) fn send(&self, signal: Signal) {
        if let Some(pid) = self.pid {
            let _ = rustix::process::kill_process(pid, signal);
        }
    }

    pub async fn wait_for_end(&self, limit: Duration) -> bool {
        let mut ended = self.ended.subscribe();
        tokio::time::timeout(limit, ended.wait_for(|ended| *ended)).await.is_ok()
    }
}

/// A place among the sessions that there may be, until the host is there.
pub struct Place {
    hosts: Hosts,
    id: SessionId,
    owner: String,
}

impl Drop for Place {
    fn drop(&mut self) {
        let key = (self.id.to_string(), self.owner.clone());
        self.hosts.table().starting.remove(&key);
    }
}

impl Hosts {
    pub fn new(run_dir: &Path, state_dir: &Path) -> Self {
        Self {
            run_dir: run_dir.to_owned(),
            state_dir: state_dir.to_owned(),
            table: Arc::default(),
            appeared: watch::Sender::default(),
            forgotten: watch::Sender::default(),
        }
    }

    pub fn get(&self, id: &str) -> Option<Arc<Host>> {
        self.table().entries.get(id).cloned()
    }

    pub fn all(&self) -> Vec<Arc<Host>> {
        self.table().entries.values().cloned().collect()
    }

    /// A session is just being made.
    pub fn is_starting_any(&self) -> bool {
        !self.table().starting.is_empty()
    }

    /// Those that a caller may see.
    pub fn seen_by(&self, caller: &Caller) -> Vec<Arc<Host>> {
        let mut seen = self.all();
        seen.retain(|host| caller.may_see(host.id.as_str(), &host.owner));
        seen
    }

    /// Takes a place for a session, if there may be one more.
    pub(super) fn reserve(&self, id: &SessionId, caller: &Caller) -> Result<Place> {
        let owner = &*caller.owner;
        let mut table = self.table();
        let living = table.entries.values().filter(|host| !host.has_ended());
        let mut living: BTreeSet<(String, String)> =
            living.map(|host| (host.id.to_string(), host.owner.clone())).collect();
        living.extend(table.starting.iter().cloned());
        let of_owner = living.iter().filter(|(_, of)| of == owner).count();
        let limits = limits::get();
        let is_full = |count: usize, limit: usize| 0 < limit && limit <= count;
        if is_full(living.len(), limits.sessions) {
            return Err(Error::LimitExceeded {
                what: format!("{} sessions are open", living.len()),
                limit: "sessions",
                value: limits.sessions.to_string(),
            });
        }
        let own_limit = caller.sessions.unwrap_or(limits.sessions_per_owner);
        if is_full(of_owner, own_limit) {
            return Err(Error::LimitExceeded {
                what: format!("{of_owner} sessions of {owner} are open"),
                limit: "sessions_per_owner",
                value: own_limit.to_string(),
            });
        }
        let is_first = table.starting.insert((id.to_string(), owner.to_owned()));
        drop(table);
        if !is_first {
            return Err(Error::SessionExists { session: id.clone() });
        }
        Ok(Place { hosts: self.clone(), id: id.clone(), owner: owner.to_owned() })
    }

    /// Starts a host for a session that does not exist yet.
    pub async fn start(
        &self,
        place: Place,
        request_id: &str,
        setup: &HostSetup,
        spare: Option<Waiting>,
    ) -> Result<Arc<Host>> {
        let id = place.id.clone();
        let folder = self.sessions_dir().join(id.as_str());
        let socket = folder.join("host.sock");
        if MAX_SOCKET_PATH < socket.as_os_str().len() {
            let problem = format!(
                "the path {} is too long for a socket; choose a shorter --run-dir or session_id",
                socket.display()
            );
            return Err(start_failed(&id, problem));
        }
        let archive = self.archive(&id);
        if archive.folder().exists() {
            return Err(Error::SessionExists { session: id });
        }
        match std::fs::create_dir(&folder) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                return Err(Error::SessionExists { session: id });
            }
            created => created.map_err(|error| start_failed(&id, error))?,
        }
        let asker = Asker { owner: place.owner.clone(), request_id: request_id.to_owned() };
        let started = self.spawn(&id, &folder, &archive, &asker, setup, spare).await;
        if started.is_err() {
            let _ = std::fs::remove_dir_all(folder);
            archive.remove();
        }
        started
    }

    async fn spawn(
        &self,
        id: &SessionId,
        folder: &Path,
        archive: &Archive,
        asker: &Asker,
        setup: &HostSetup,
        spare: Option<Waiting>,
    ) -> Result<Arc<Host>> {
        let failed = |problem: &dyn std::fmt::Display| start_failed(id, problem);
        // Before there is a host: who repeats the request finds it, whatever dies meanwhile.
        note_beginning(archive, id, asker).map_err(|error| failed(&error))?;
        let log = folder.join("host.log");
        let options = HostOptions {
            session_id: id.to_string(),
            folder: folder.to_owned(),
            archive: archive.folder().to_owned(),
            owner: asker.owner.clone(),
            state_dir: self.state_dir.clone(),
            debugpy: setup.debugpy.clone(),
            python: setup.python.clone(),
            rules: host::Rules::own(),
            logs: telemetry::options(),
        };
        let held = match spare {
            Some(spare) => spare.hold(&options, &log).await,
            None => None,
        };
        let (mut child, _words) = match held {
            Some(held) => held,
            None => start_cold(&options, &log).await.map_err(|error| failed(&error))?,
        };
        let Some(pid) = child.id().and_then(|pid| Pid::from_raw(pid.cast_signed())) else {
            return Err(failed(&"it ended at once"));
        };
        let host = self.add(id.clone(), asker.clone(), Some(pid));
        let watched = Arc::clone(&host);
        let hosts = self.clone();
        tokio::spawn(async move {
            let how = match child.wait().await {
                Ok(status) => status.to_string(),
                Err(error) => error.to_string(),
            };
            hosts.host_ended(watched, how).await;
        });
        Ok(host)
    }

    pub(super) fn add(&self, id: SessionId, asker: Asker, pid: Option<Pid>) -> Arc<Host> {
        let folder = self.sessions_dir().join(id.as_str());
        let host = Arc::new(Host {
            id: id.clone(),
            owner: asker.owner,
            request_id: asker.request_id,
            link: Link::new(id.clone(), folder.join("host.sock")),
            tokens: Arc::new(TokenBook::open(self.archive(&id).folder())),
            archive: self.archive(&id),
            gaps_told: AtomicU64::default(),
            folder,
            pid,
            ended: watch::Sender::default(),
            is_forgotten: AtomicBool::default(),
        });
        self.table().entries.insert(id.to_string(), Arc::clone(&host));
        self.appeared.send_modify(|count| *count += 1);
        host
    }

    /// A host is gone. Its archive is made final and stays for a while, unless the session was
    /// deleted or never made.
    pub(super) async fn host_ended(&self, host: Arc<Host>, how: String) {
        let settled = Arc::clone(&host);
        let is_kept = tokio::task::spawn_blocking(move || settle(&settled, &how)).await;
        if !host.is_forgotten() {
            let _ = std::fs::remove_dir_all(&host.folder);
        }
        if !is_kept.unwrap_or(true) {
            self.forget(&host);
        }
        host.ended.send_replace(true);
    }

    /// Removes what is left of a session, unless another has taken its name meanwhile.
    pub(super) fn forget(&self, host: &Arc<Host>) {
        let is_it = |entry: &Arc<Host>| Arc::ptr_eq(entry, host);
        if self.get(host.id.as_str()).is_some_and(|entry| is_it(&entry)) {
            host.tokens.close();
            // First the folders, which nobody can take while it is listed; then the name.
            let _ = std::fs::remove_dir_all(&host.folder);
            host.archive.remove();
            host.is_forgotten.store(true, Ordering::Relaxed);
            let mut table = self.table();
            if table.entries.get(host.id.as_str()).is_some_and(is_it) {
                table.entries.remove(host.id.as_str());
            }
            drop(table);
            self.forgotten.send_modify(|count| *count += 1);
        }
    }

    pub(super) fn sessions_dir(&self) -> PathBuf {
        self.run_dir.join("sessions")
    }

    /// Where the sessions of this run folder are kept: others may share the state folder.
    pub(super) fn archives_dir(&self) -> PathBuf {
        let run = store::stable_hash(self.run_dir.as_os_str().as_encoded_bytes());
        self.state_dir.join("sessions").join(run)
    }

    pub(super) fn archive(&self, id: &SessionId) -> Archive {
        Archive::of(self.archives_dir().join(id.as_str()))
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Books for Hosts {
    fn book(&self, session: &str) -> Option<Arc<TokenBook>> {
        self.get(session).map(|host| Arc::clone(&host.tokens))
    }
}

/// Makes the archive final; false when there is nothing to keep.
fn settle(host: &Host, how: &str) -> bool {
    if host.is_forgotten() {
        return false;
    }
    let record = match host.archive.record() {
        Ok(record) => record,
        Err(error) => {
            let is_gone = error.kind() == std::io::ErrorKind::NotFound;
            if !is_gone {
                tracing::error!(session = %host.id, %error, "its record cannot be read; it is left");
            }
            return !is_gone;
        }
    };
    if record.state.is_empty() {
        // It died before there was a session: nobody knows of it.
        return false;
    }
    let was_over = session::is_over(archive::state_of(&record));
    match host.archive.settle(how, &host.log_tail()) {
        Ok(_) if was_over => {}
        Ok(record) => {
            tracing::warn!(session = %host.id, how, state = record.state, "the host of a session died");
        }
        Err(error) => tracing::error!(session = %host.id, %error, "its record cannot be written"),
    }
    true
}

pub fn start_failed(id: &SessionId, problem: impl std::fmt::Display) -> Error {
    Error::HostStartFailed { session: id.clone(), problem: problem.to_string() }
}

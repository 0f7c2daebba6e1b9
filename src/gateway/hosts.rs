//! The hosts: one process a session. They are started, found again after a restart of the gateway,
//! watched, and cleaned up after when they are gone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::UnixStream;
use tokio::process::Command;
use tokio::sync::watch;

use super::forward::Link;
use crate::error::{Error, Result};
use crate::host;
use crate::id::SessionId;
use crate::store::SessionRecord;

const READY_LIMIT: Duration = Duration::from_secs(20);
const CONNECT_LIMIT: Duration = Duration::from_secs(2);
/// A lost session can be looked at this long.
const LOST_RETENTION: Duration = Duration::from_secs(3600);
const LOG_TAIL: usize = 1000;
/// What a socket's path may be long, on any system.
const MAX_SOCKET_PATH: usize = 103;

/// Where hosts find what they need.
#[derive(Debug, Clone)]
pub struct HostSetup {
    pub debugpy: PathBuf,
    pub python: PathBuf,
}

/// All hosts of one run folder.
#[derive(Clone)]
pub struct Hosts {
    run_dir: PathBuf,
    entries: Arc<Mutex<BTreeMap<String, Arc<Host>>>>,
}

/// One host, living or dead.
pub struct Host {
    pub id: SessionId,
    pub link: Link,
    folder: PathBuf,
    /// None for one that was dead when it was found.
    pid: Option<Pid>,
    /// Set when the process has ended, with how.
    ended: watch::Sender<Option<String>>,
}

impl Host {
    /// How the process ended, if it has.
    pub fn ended(&self) -> Option<String> {
        self.ended.borrow().clone()
    }

    /// What is known of the session without its host.
    pub fn record(&self) -> Option<SessionRecord> {
        SessionRecord::read(&self.folder).ok()
    }

    /// The end of what the host wrote to its log.
    pub fn log_tail(&self) -> String {
        let log = std::fs::read(self.folder.join("host.log")).unwrap_or_default();
        let start = log.len().saturating_sub(LOG_TAIL);
        String::from_utf8_lossy(&log[start..]).trim().to_owned()
    }

    fn send(&self, signal: Signal) {
        if let Some(pid) = self.pid {
            let _ = rustix::process::kill_process(pid, signal);
        }
    }

    async fn wait_for_end(&self, limit: Duration) -> bool {
        let mut ended = self.ended.subscribe();
        tokio::time::timeout(limit, ended.wait_for(Option::is_some)).await.is_ok()
    }
}

impl Hosts {
    pub fn new(run_dir: &Path) -> Self {
        Self { run_dir: run_dir.to_owned(), entries: Arc::default() }
    }

    pub fn get(&self, id: &str) -> Option<Arc<Host>> {
        self.entries().get(id).cloned()
    }

    pub fn all(&self) -> Vec<Arc<Host>> {
        self.entries().values().cloned().collect()
    }

    /// Starts a host for a session that does not exist yet.
    pub async fn start(&self, id: SessionId, setup: &HostSetup) -> Result<Arc<Host>> {
        let folder = self.sessions_dir().join(id.as_str());
        if MAX_SOCKET_PATH < folder.join("host.sock").as_os_str().len() {
            let problem = "with it, the path of the session's socket is too long; choose a shorter one, or start the server \
                           with a shorter --run-dir";
            return Err(Error::invalid("session_id", problem));
        }
        match std::fs::create_dir(&folder) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                return Err(Error::SessionExists { session: id });
            }
            created => created.map_err(|error| start_failed(&id, error))?,
        }
        let started = self.spawn(id.clone(), folder.clone(), setup).await;
        if started.is_err() {
            let _ = std::fs::remove_dir_all(folder);
        }
        started
    }

    async fn spawn(&self, id: SessionId, folder: PathBuf, setup: &HostSetup) -> Result<Arc<Host>> {
        let failed = |problem: &dyn std::fmt::Display| start_failed(&id, problem);
        let log = std::fs::File::create(folder.join("host.log")).map_err(|error| failed(&error))?;
        let mut child = Command::new(host::own_executable())
            .arg0("debug-relay")
            .args(["host", "--session-id", id.as_str()])
            .arg("--folder")
            .arg(&folder)
            .arg("--debugpy")
            .arg(&setup.debugpy)
            .arg("--python")
            .arg(&setup.python)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .map_err(|error| failed(&error))?;
        let pid = child.id().and_then(|pid| Pid::from_raw(pid.cast_signed()));
        let (Some(pid), Some(stdout)) = (pid, child.stdout.take()) else {
            return Err(failed(&"it ended at once"));
        };
        let mut line = String::new();
        let ready =
            tokio::time::timeout(READY_LIMIT, BufReader::new(stdout).read_line(&mut line)).await;
        if ready.is_err() || line.trim() != host::READY {
            let _ = child.kill().await;
            let log = std::fs::read_to_string(folder.join("host.log")).unwrap_or_default();
            return Err(failed(&format!("it did not come up: {}", log.trim())));
        }
        let host = self.add(id, folder, Some(pid));
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

    /// Takes over the hosts that an earlier gateway left, and takes note of those that died.
    pub async fn adopt(&self) -> usize {
        let Ok(folders) = std::fs::read_dir(self.sessions_dir()) else { return 0 };
        let found = folders.flatten().filter_map(|entry| {
            let id = SessionId::parse(entry.file_name().to_str()?).ok()?;
            Some((id, entry.path()))
        });
        let adopted =
            futures_util::future::join_all(found.map(|(id, folder)| self.adopt_one(id, folder)))
                .await;
        adopted.into_iter().filter(|is_alive| *is_alive).count()
    }

    async fn adopt_one(&self, id: SessionId, folder: PathBuf) -> bool {
        let connected =
            tokio::time::timeout(CONNECT_LIMIT, UnixStream::connect(folder.join("host.sock")))
                .await;
        let peer = connected
            .ok()
            .and_then(|stream| stream.ok()?.peer_cred().ok()?.pid())
            .and_then(Pid::from_raw)
            .filter(|pid| !host::has_ended(*pid));
        let Some(pid) = peer else {
            if SessionRecord::read(&folder).is_err() {
                // It died before there was a session: nobody knows of it.
                let _ = std::fs::remove_dir_all(&folder);
                return false;
            }
            let host = self.add(id, folder, None);
            let hosts = self.clone();
            tokio::spawn(async move {
                hosts.host_ended(host, "it was gone when the server started".into()).await
            });
            return false;
        };
        let host = self.add(id, folder, Some(pid));
        let hosts = self.clone();
        tokio::spawn(async move {
            host::wait_for_process(pid).await;
            hosts.host_ended(host, "it ended".into()).await;
        });
        true
    }

    fn add(&self, id: SessionId, folder: PathBuf, pid: Option<Pid>) -> Arc<Host> {
        let link = Link::new(id.clone(), folder.join("host.sock"));
        let host =
            Arc::new(Host { id: id.clone(), link, folder, pid, ended: watch::Sender::default() });
        self.entries().insert(id.to_string(), Arc::clone(&host));
        host
    }

    /// A host is gone. With its folder, it went in peace; else its session is lost, and is shown as
    /// such for a while.
    async fn host_ended(&self, host: Arc<Host>, how: String) {
        let is_lost = host.folder.exists();
        host.ended.send_replace(Some(how.clone()));
        if is_lost {
            tracing::warn!(session = %host.id, how, "the host of a session died");
            tokio::time::sleep(LOST_RETENTION).await;
        }
        self.forget(&host);
    }

    /// Sees to it that nothing is left of a session whose host was told to end.
    pub async fn remove(&self, host: &Arc<Host>, limit: Duration) {
        if host.ended().is_none() && !host.wait_for_end(limit).await {
            tracing::warn!(session = %host.id, "the host did not end and is killed");
            self.kill(host, limit).await;
        }
        self.forget(host);
    }

    /// Ends a host that does not answer. Its guard ends the program; what the guard does not, we do.
    pub async fn kill(&self, host: &Arc<Host>, limit: Duration) {
        let family = host.pid.map(host::descendants_of).unwrap_or_default();
        host.send(Signal::KILL);
        host.wait_for_end(limit).await;
        for process in family {
            if tokio::time::timeout(limit, host::wait_for_process(process)).await.is_err() {
                let _ = rustix::process::kill_process(process, Signal::KILL);
            }
        }
    }

    /// Tells every host to end its session.
    pub async fn stop_all(&self, limit: Duration) {
        let hosts = self.all();
        for host in hosts.iter().filter(|host| host.ended().is_none()) {
            host.send(Signal::TERM);
        }
        futures_util::future::join_all(hosts.iter().map(|host| self.remove(host, limit))).await;
    }

    /// Removes what is left of a session, unless another has taken its name meanwhile.
    fn forget(&self, host: &Arc<Host>) {
        let mut entries = self.entries();
        if entries.get(host.id.as_str()).is_some_and(|entry| Arc::ptr_eq(entry, host)) {
            let _ = std::fs::remove_dir_all(&host.folder);
            entries.remove(host.id.as_str());
        }
    }

    fn sessions_dir(&self) -> PathBuf {
        self.run_dir.join("sessions")
    }

    fn entries(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Host>>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn start_failed(id: &SessionId, problem: impl std::fmt::Display) -> Error {
    Error::HostStartFailed { session: id.clone(), problem: problem.to_string() }
}

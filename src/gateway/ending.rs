//! Ends hosts, and forgets sessions that have been over for long enough.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rustix::process::Signal;

use super::hosts::{Host, Hosts, Place};
use super::list;
use crate::archive::Archive;
use crate::auth::Caller;
use crate::error::{Error, Result};
use crate::host;
use crate::id::SessionId;
use crate::limits;
use crate::proto::Session;
use crate::session;

/// How often it is looked for sessions that have been over for long enough.
const SWEEP_INTERVAL: Duration = Duration::from_secs(30);
/// What other servers left is theirs; after so long, none of them wants it any more.
const STRANGERS_RETENTION: Duration = Duration::from_secs(90 * 24 * 3600);
/// A host that gives way has this long.
const RETIRE_LIMIT: Duration = Duration::from_secs(10);

impl Hosts {
    /// Sees to it that nothing is left of a session whose host was told to end.
    pub async fn remove(&self, host: &Arc<Host>, limit: Duration) {
        self.end(host, limit).await;
        self.forget(host);
    }

    /// Waits for the end of a host that was told to end; one that does not is killed.
    async fn end(&self, host: &Arc<Host>, limit: Duration) {
        if !host.has_ended() && !host.wait_for_end(limit).await {
            tracing::warn!(session = %host.id, "the host did not end and is killed");
            self.kill(host, limit).await;
        }
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

    /// Tells every host to end its session. What happened in them can still be read.
    pub async fn stop_all(&self, limit: Duration) {
        let hosts = self.all();
        for host in hosts.iter().filter(|host| !host.has_ended()) {
            host.send(Signal::TERM);
        }
        futures_util::future::join_all(hosts.iter().map(|host| self.end(host, limit))).await;
    }

    /// A place for one more session. When there is none, hosts whose program is over give way: what
    /// happened in them can still be read.
    pub async fn make_room(&self, id: &SessionId, caller: &Caller) -> Result<Place> {
        let refused = match self.reserve(id, caller) {
            Err(refused @ Error::LimitExceeded { .. }) => refused,
            reserved => return reserved,
        };
        // Who is at a limit of their own makes room of their own.
        let is_own_limit =
            matches!(&refused, Error::LimitExceeded { limit, .. } if *limit != "sessions");
        let mut living = self.all();
        living.retain(|host| !host.has_ended() && (!is_own_limit || *host.owner == *caller.owner));
        let asked = living.iter().map(async |host| (list::ask_living(host).await, host));
        let mut over: Vec<_> = futures_util::future::join_all(asked).await;
        over.retain(|(session, _)| session.as_ref().is_some_and(is_over));
        let last_active = |session: &Option<Session>| {
            session.as_ref()?.last_active_time.map(|time| (time.seconds, time.nanos))
        };
        over.sort_by_key(|(session, _)| last_active(session));
        for (_, host) in over {
            // It may have been started again meanwhile.
            if !list::ask_living(host).await.as_ref().is_some_and(is_over) {
                continue;
            }
            host.send(Signal::TERM);
            self.end(host, RETIRE_LIMIT).await;
            match self.reserve(id, caller) {
                Err(Error::LimitExceeded { .. }) => {}
                reserved => return reserved,
            }
        }
        Err(refused)
    }

    /// Forgets, again and again, what has been over for long enough or is too much for the disk.
    pub async fn sweep(self) {
        loop {
            let hosts = self.clone();
            let swept = tokio::task::spawn_blocking(move || {
                hosts.sweep_once(SystemTime::now());
                hosts.sweep_strangers(SystemTime::now());
            });
            if let Err(error) = swept.await {
                tracing::error!(%error, "forgetting old sessions failed");
            }
            tokio::time::sleep(SWEEP_INTERVAL).await;
        }
    }

    /// Forgets what servers on other run folders have left here, when none of them can want it any
    /// more: their folders may never be used again.
    fn sweep_strangers(&self, now: SystemTime) {
        let own = self.archives_dir();
        let folders = |folder: &Path| {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).collect::<Vec<_>>()
        };
        let runs = own.parent().map(folders).unwrap_or_default();
        let strangers = runs.into_iter().filter(|run| *run != own).flat_map(|run| folders(&run));
        for archive in strangers.map(Archive::of) {
            let age = now.duration_since(archive.time()).unwrap_or_default();
            if STRANGERS_RETENTION < age {
                archive.remove();
            }
        }
    }

    fn sweep_once(&self, now: SystemTime) {
        let limits = limits::get();
        let over = self.all().into_iter().filter(|host| host.has_ended());
        let mut over: Vec<_> = over.map(|host| (host.archive.time(), host)).collect();
        // Newest first: the oldest go when there is too much.
        over.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
        let mut total = 0;
        for (time, host) in over {
            total += host.archive.bytes();
            let is_old = now.duration_since(time).is_ok_and(|age| limits.retention < age);
            if is_old || limits.archive_bytes < total {
                tracing::info!(session = %host.id, is_old, "a session that is over is forgotten");
                self.forget(&host);
            }
        }
    }
}

fn is_over(session: &Session) -> bool {
    session::is_over(session.state())
}

//! What an earlier gateway left: hosts that live are taken over, and the stories of those that died
//! meanwhile are closed.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use futures_util::StreamExt;
use rustix::process::Pid;
use tokio::net::UnixStream;
use tokio::time::Instant;

use super::hosts::{Asker, Hosts};
use crate::host;
use crate::id::SessionId;

/// A host that ends has this long.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(20);
/// Each needs some files open.
const AT_ONCE: usize = 32;
/// How a host ended that nobody watched.
const UNSEEN: &str = "it was gone when the server started";

/// A host lives, and does not answer.
struct Unreachable;

impl Hosts {
    /// Takes over the hosts that an earlier gateway left, and says how many.
    pub async fn adopt(&self) -> usize {
        let ids: BTreeSet<SessionId> =
            [self.sessions_dir(), self.archives_dir()].iter().flat_map(|dir| ids_in(dir)).collect();
        let adopted = futures_util::stream::iter(ids).map(|id| self.adopt_one(id));
        let adopted: Vec<bool> = adopted.buffer_unordered(AT_ONCE).collect().await;
        adopted.into_iter().filter(|is_alive| *is_alive).count()
    }

    /// The living host of a session. One that lives and does not answer is just beginning or ending,
    /// and is waited for.
    async fn find_host(&self, id: &SessionId) -> Result<Option<Pid>, Unreachable> {
        let folder = self.sessions_dir().join(id.as_str());
        let deadline = Instant::now() + CONNECT_LIMIT;
        loop {
            let connected =
                tokio::time::timeout_at(deadline, UnixStream::connect(folder.join("host.sock")));
            let peer = connected.await.ok().and_then(|stream| stream.ok()?.peer_cred().ok()?.pid());
            let peer = peer.and_then(Pid::from_raw).filter(|pid| !host::has_ended(*pid));
            if peer.is_some() || !is_held(&folder.join("host.log")) {
                return Ok(peer);
            }
            if deadline <= Instant::now() {
                return Err(Unreachable);
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn adopt_one(&self, id: SessionId) -> bool {
        let Ok(peer) = self.find_host(&id).await else {
            tracing::error!(session = %id, "its host lives and cannot be reached; it is left alone");
            return false;
        };
        let record = self.archive(&id).record().unwrap_or_default();
        let asker = Asker { owner: record.owner, request_id: record.request_id };
        let host = self.add(id, asker, peer);
        let Some(pid) = peer else {
            self.host_ended(host, UNSEEN.into()).await;
            return false;
        };
        let hosts = self.clone();
        tokio::spawn(async move {
            host::wait_for_process(pid).await;
            let how = "how is not known, since an earlier server had started it";
            hosts.host_ended(host, how.into()).await;
        });
        true
    }
}

/// A host holds the lock on its log for as long as it lives.
fn is_held(log: &Path) -> bool {
    let Ok(file) = std::fs::File::open(log) else { return false };
    let alone = rustix::fs::FlockOperation::NonBlockingLockExclusive;
    matches!(rustix::fs::flock(&file, alone), Err(rustix::io::Errno::WOULDBLOCK))
}

fn ids_in(folder: &Path) -> Vec<SessionId> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| SessionId::parse(entry.file_name().to_str()?).ok()).collect()
}

//! The processes under the debugger, each with its connection and its life, and the numbers that
//! threads have across all of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};

use super::state::Life;
use super::view::{StopView, TargetView};
use crate::dap::types::{ExceptionFound, StackFrames, Stopped};
use crate::dap::{Pending, Response};
use crate::error::{Error, Result};
use crate::id::{BreakpointId, TargetId, ThreadId};

/// Who a process that dialled in says that it is.
#[derive(Debug, Clone)]
pub struct ProcessIdentity {
    pub pid: i64,
    pub parent: i64,
    pub executable: String,
}

/// One process and the connection to its debugger.
pub(super) struct Target {
    pub identity: ProcessIdentity,
    pub name: String,
    pub life: Life,
    pub outgoing: mpsc::Sender<Bytes>,
    pub pending: Pending<Waiter>,
    /// It has its breakpoints, so changes must be sent to it.
    pub is_configured: bool,
    /// A stop of which not everything has been read yet.
    pub arriving: Option<ArrivingStop>,
    pub stop: Option<Arc<StopView>>,
}

/// Who waits for an answer.
pub(super) enum Waiter {
    Caller(oneshot::Sender<Result<Response>>),
    /// A request to run on; whoever sent it wants to hear only of a refusal.
    Mover(oneshot::Sender<Error>),
    Capabilities,
    Attached,
    Configured,
    Breakpoints {
        ids: Vec<BreakpointId>,
        done: oneshot::Sender<()>,
    },
    Stack {
        stop: u64,
    },
    Exception {
        stop: u64,
    },
    Nobody,
}

/// A stop whose stack and exception are on their way.
pub(super) struct ArrivingStop {
    pub number: u64,
    pub body: Stopped,
    pub thread: ThreadId,
    pub frames: Option<StackFrames>,
    pub exception: Option<ExceptionFound>,
    pub awaited: u32,
}

impl Target {
    pub fn new(identity: ProcessIdentity, outgoing: mpsc::Sender<Bytes>) -> Self {
        Self {
            identity,
            name: String::new(),
            life: Life::Starting,
            outgoing,
            pending: Pending::default(),
            is_configured: false,
            arriving: None,
            stop: None,
        }
    }

    pub fn show(&self, id: TargetId) -> TargetView {
        TargetView {
            id,
            pid: self.identity.pid,
            parent: self.identity.parent,
            name: self.name.clone(),
            life: self.life,
        }
    }
}

/// Numbers for threads, unique in the session: the debugger's own repeat in every process.
#[derive(Debug, Clone, Default)]
pub struct ThreadIds(Arc<Mutex<Table>>);

#[derive(Debug, Default)]
struct Table {
    ids: HashMap<(TargetId, i64), ThreadId>,
    threads: HashMap<ThreadId, (TargetId, i64)>,
}

impl ThreadIds {
    /// The number of a thread; a new one at first sight.
    pub fn of(&self, target: TargetId, thread: i64) -> ThreadId {
        let mut table = self.table();
        let next = ThreadId(table.threads.len() as u64 + 1);
        let id = *table.ids.entry((target, thread)).or_insert(next);
        table.threads.insert(id, (target, thread));
        id
    }

    pub fn find(&self, id: ThreadId) -> Option<(TargetId, i64)> {
        self.table().threads.get(&id).copied()
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_two_processes_never_share_a_number() {
        let ids = ThreadIds::default();

        let one = ids.of(TargetId(1), 1);
        let other = ids.of(TargetId(2), 1);

        assert_ne!(one, other);
        assert_eq!(ids.of(TargetId(1), 1), one);
        assert_eq!(ids.find(other), Some((TargetId(2), 1)));
        assert_eq!(ids.find(ThreadId(99)), None);
    }
}

//! The processes under the debugger, each with its connection and its life, and the numbers that
//! threads have across all of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};

use super::probing::{Decided, Then};
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
    /// It was told to run.
    pub has_begun: bool,
    pub probe: Probe,
    /// No launcher of ours has prepared it: somebody else has started it, or another process of the
    /// session.
    pub is_foreign: bool,
    /// What the probe decided in threads whose stops have not come yet.
    pub decided: HashMap<i64, Decided>,
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
    /// For each breakpoint that was sent, ours that share it.
    Breakpoints {
        groups: Vec<Vec<BreakpointId>>,
        done: oneshot::Sender<()>,
    },
    Probe,
    /// It passes on with care that it is debugged, and may begin.
    Prepared,
    Stack {
        stop: u64,
    },
    Exception {
        stop: u64,
    },
    /// The program decides which exceptions stop it; perhaps it may begin then.
    Judged {
        done: oneshot::Sender<()>,
        begins: bool,
    },
    /// The process is left to itself; nothing more is to be said.
    Left,
    /// Whoever asked wants to hear only that it is over.
    Done(oneshot::Sender<()>),
    Nobody,
}

/// A stop whose stack and exception are on their way.
pub(super) struct ArrivingStop {
    pub number: u64,
    pub body: Stopped,
    pub thread: ThreadId,
    pub decided: Decided,
    pub frames: Option<StackFrames>,
    pub exception: Option<ExceptionFound>,
    pub awaited: u32,
}

/// Whether our module is in the process.
pub(super) enum Probe {
    Absent,
    Coming(Vec<Then>),
    There,
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
            has_begun: false,
            probe: Probe::Absent,
            is_foreign: false,
            decided: HashMap::new(),
            arriving: None,
            stop: None,
        }
    }

    /// The stop at which it stands, once it has been read.
    pub fn standing(&self) -> Option<&Arc<StopView>> {
        self.stop.as_ref().filter(|stop| self.life.stop() == Some(stop.number()))
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
    last: u64,
}

impl ThreadIds {
    /// The number of a thread; a new one at first sight.
    pub fn of(&self, target: TargetId, thread: i64) -> ThreadId {
        let mut table = self.table();
        if let Some(known) = table.ids.get(&(target, thread)) {
            return *known;
        }
        table.last += 1;
        let id = ThreadId(table.last);
        table.ids.insert((target, thread), id);
        table.threads.insert(id, (target, thread));
        id
    }

    /// A thread, or with none every thread of the process, is gone. Its number is not used again.
    pub fn forget(&self, target: TargetId, thread: Option<i64>) {
        let mut table = self.table();
        let is_gone =
            |own: &(TargetId, i64)| own.0 == target && thread.is_none_or(|thread| own.1 == thread);
        table.ids.retain(|own, _| !is_gone(own));
        table.threads.retain(|_, own| !is_gone(own));
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

    #[test]
    fn a_thread_that_is_gone_is_not_found_and_its_number_not_used_again() {
        let ids = ThreadIds::default();
        let (one, two) = (ids.of(TargetId(1), 1), ids.of(TargetId(1), 2));

        ids.forget(TargetId(1), Some(1));
        let again = ids.of(TargetId(1), 1);
        assert_eq!((ids.find(one), ids.find(two)), (None, Some((TargetId(1), 2))));
        assert!(two < again);
        ids.forget(TargetId(1), None);
        assert_eq!(ids.find(two), None);
    }
}

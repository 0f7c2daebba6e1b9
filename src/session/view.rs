//! What the actor lets others see: one immutable picture of the session, replaced at every change,
//! and in it what was read at each stop.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::handles::{Handles, Kind};
use super::program::Ended;
use super::state::Life;
use crate::dap::types::{self, StackFrames};
use crate::error::{Error, Result};
use crate::id::{TargetId, ThreadId};
use crate::proto::{SessionState, StopInfo};

/// The session at one moment.
#[derive(Clone)]
pub struct View {
    pub state: SessionState,
    /// The number of the newest stop.
    pub stops: u64,
    /// The stops at which processes stand now.
    pub standing: Vec<Arc<StopView>>,
    pub targets: Vec<TargetView>,
    pub ended: Option<Ended>,
    pub failure: String,
    pub capabilities: Option<Arc<types::Capabilities>>,
    pub breakpoints: u32,
    /// Where the output stood when the program was last let run.
    pub resumed_at: u64,
    pub python: String,
}

/// A process under the debugger.
#[derive(Debug, Clone)]
pub struct TargetView {
    pub id: TargetId,
    pub pid: i64,
    pub parent: i64,
    pub name: String,
    pub life: Life,
}

impl View {
    pub fn new() -> Self {
        Self {
            state: SessionState::Created,
            stops: 0,
            standing: Vec::new(),
            targets: Vec::new(),
            ended: None,
            failure: String::new(),
            capabilities: None,
            breakpoints: 0,
            resumed_at: 0,
            python: String::new(),
        }
    }

    /// The newest stop at which a process still stands.
    pub fn current(&self) -> Option<&Arc<StopView>> {
        self.standing.iter().max_by_key(|stop| stop.number())
    }

    pub fn is_over(&self) -> bool {
        match self.state {
            SessionState::Exited
            | SessionState::Terminated
            | SessionState::Detached
            | SessionState::Failed
            | SessionState::Lost => true,
            SessionState::Unspecified
            | SessionState::Created
            | SessionState::Starting
            | SessionState::Running
            | SessionState::Stopped => false,
        }
    }
}

/// One stop: what was read when it happened, and what has been read since.
pub struct StopView {
    pub info: StopInfo,
    pub target: TargetId,
    pub dap_thread: i64,
    /// The top of the stack of the thread that stopped.
    pub frames: StackFrames,
    cache: Mutex<Cache>,
}

struct Cache {
    handles: Handles,
    scopes: HashMap<i64, Arc<[types::Scope]>>,
    variables: HashMap<i64, Arc<[types::Variable]>>,
}

impl StopView {
    pub fn new(info: StopInfo, target: TargetId, dap_thread: i64, frames: StackFrames) -> Self {
        let handles = Handles::at(info.stop_number);
        let cache =
            Mutex::new(Cache { handles, scopes: HashMap::new(), variables: HashMap::new() });
        Self { info, target, dap_thread, frames, cache }
    }

    pub fn number(&self) -> u64 {
        self.info.stop_number
    }

    pub fn thread(&self) -> ThreadId {
        ThreadId(self.info.thread_id)
    }

    pub fn frame_handle(&self, id: i64) -> u64 {
        self.cache().handles.issue(Kind::Frame, id)
    }

    pub fn variables_handle(&self, id: i64) -> u64 {
        self.cache().handles.issue(Kind::Variables, id)
    }

    /// The debugger's frame behind a handle; 0 is the top frame.
    pub fn frame(&self, handle: u64) -> Result<i64> {
        match (handle, self.frames.stack_frames.first()) {
            (0, Some(top)) => Ok(top.id),
            (0, None) => Err(Error::UnknownHandle { kind: "frame_id", handle }),
            (handle, _) => self.cache().handles.resolve(Kind::Frame, handle),
        }
    }

    pub fn variables_of(&self, handle: u64) -> Result<i64> {
        self.cache().handles.resolve(Kind::Variables, handle)
    }

    pub fn cached_scopes(&self, frame: i64) -> Option<Arc<[types::Scope]>> {
        self.cache().scopes.get(&frame).cloned()
    }

    pub fn keep_scopes(&self, frame: i64, scopes: Arc<[types::Scope]>) {
        self.cache().scopes.insert(frame, scopes);
    }

    pub fn cached_variables(&self, reference: i64) -> Option<Arc<[types::Variable]>> {
        self.cache().variables.get(&reference).cloned()
    }

    pub fn keep_variables(&self, reference: i64, variables: Arc<[types::Variable]>) {
        self.cache().variables.insert(reference, variables);
    }

    /// The program may have been changed, so values must be read anew. Handles stay valid.
    pub fn forget_values(&self) {
        self.cache().variables.clear();
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

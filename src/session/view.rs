//! What the actor lets others see: one immutable picture of the session, replaced at every change,
//! and in it what was read at each stop.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::handles::{Handles, Kind};
use super::program::Ended;
use super::state::{self, Life};
use crate::adapters::probe;
use crate::dap::types::{self, StackFrames};
use crate::error::{Error, Result};
use crate::id::{TargetId, ThreadId};
use crate::proto::{SessionState, StopInfo};

/// Numbers for the values that are kept at one stop.
const MAX_EVALUATED: u64 = 1_000_000;

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
    /// The program was started by somebody else.
    pub is_attached: bool,
    /// A program was let go, and lives on.
    pub has_released: bool,
    /// Processes that are just being taken under the debugger.
    pub unsettled: usize,
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
            is_attached: false,
            has_released: false,
            unsettled: 0,
        }
    }

    /// The newest stop at which a process still stands.
    pub fn current(&self) -> Option<&Arc<StopView>> {
        self.standing.iter().max_by_key(|stop| stop.number())
    }

    pub fn is_over(&self) -> bool {
        state::is_over(self.state)
    }
}

/// One stop: what was read when it happened, and what has been read since.
pub struct StopView {
    pub info: StopInfo,
    pub target: TargetId,
    pub dap_thread: i64,
    /// The top of the stack of the thread that stopped.
    pub frames: StackFrames,
    pub exception: Option<types::ExceptionFound>,
    /// One request at a time is under way in the process: the debugger answers one after the other,
    /// and whoever waits must not be taken for the one who keeps others waiting.
    pub turn: tokio::sync::Mutex<()>,
    cache: Mutex<Cache>,
}

struct Cache {
    handles: Handles,
    scopes: HashMap<i64, Arc<[types::Scope]>>,
    variables: HashMap<i64, Arc<[types::Variable]>>,
    /// The frame that each reference was reached from, and how.
    ways: HashMap<i64, Way>,
    /// Expressions that were evaluated: as the debugger knows them, and as the caller wrote them.
    evaluated: Vec<(String, String)>,
}

/// How a reference of the debugger was reached.
#[derive(Debug, Clone, Default)]
pub struct Way {
    pub frame: i64,
    /// It is the scope of a module's names.
    pub is_globals: bool,
    /// The type of the value.
    pub kind: String,
}

impl StopView {
    pub fn new(
        info: StopInfo,
        target: TargetId,
        dap_thread: i64,
        frames: StackFrames,
        exception: Option<types::ExceptionFound>,
    ) -> Self {
        let handles = Handles::at(info.stop_number);
        let cache = Mutex::new(Cache {
            handles,
            scopes: HashMap::new(),
            variables: HashMap::new(),
            ways: HashMap::new(),
            evaluated: Vec::new(),
        });
        let turn = tokio::sync::Mutex::default();
        Self { info, target, dap_thread, frames, exception, turn, cache }
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

    pub fn target_handle(&self, id: i64) -> u64 {
        self.cache().handles.issue(Kind::Target, id)
    }

    pub fn target_of(&self, handle: u64) -> Result<i64> {
        self.cache().handles.resolve(Kind::Target, handle)
    }

    pub fn cached_scopes(&self, frame: i64) -> Option<Arc<[types::Scope]>> {
        self.cache().scopes.get(&frame).cloned()
    }

    pub fn keep_scopes(&self, frame: i64, scopes: Arc<[types::Scope]>) {
        let mut cache = self.cache();
        for scope in scopes.iter() {
            let is_globals = scope.name == "Globals";
            let way = Way { frame, is_globals, ..Default::default() };
            cache.ways.insert(scope.variables_reference, way);
        }
        cache.scopes.insert(frame, scopes);
    }

    pub fn cached_variables(&self, reference: i64) -> Option<Arc<[types::Variable]>> {
        self.cache().variables.get(&reference).cloned()
    }

    pub fn keep_variables(&self, reference: i64, variables: Arc<[types::Variable]>) {
        if let Some(frame) = self.frame_of(reference) {
            self.keep_ways(&variables, frame);
        }
        self.cache().variables.insert(reference, variables);
    }

    /// How the debugger is asked for the value of an expression, so that it stays the same value.
    pub fn evaluation(&self, expression: &str) -> String {
        let mut cache = self.cache();
        let number = self.info.stop_number * MAX_EVALUATED + cache.evaluated.len() as u64;
        let sent = probe::evaluate(number, expression);
        cache.evaluated.push((sent.clone(), expression.to_owned()));
        sent
    }

    /// How the newest value of an expression is asked for again.
    pub fn last_evaluation(&self, expression: &str) -> Option<String> {
        let cache = self.cache();
        let last = cache.evaluated.iter().rev().find(|(_, written)| written == expression);
        last.map(|(sent, _)| sent.clone())
    }

    /// Values are kept in the program for this stop.
    pub fn has_results(&self) -> bool {
        !self.cache().evaluated.is_empty()
    }

    /// An expression as a caller would write it.
    pub fn as_written(&self, expression: &str) -> String {
        if !expression.contains(probe::MODULE) {
            return expression.to_owned();
        }
        let cache = self.cache();
        let known = cache.evaluated.iter().find(|(sent, _)| expression.contains(sent.as_str()));
        known.map_or_else(String::new, |(sent, written)| {
            expression.replace(sent.as_str(), &format!("({written})"))
        })
    }

    /// How a reference was reached, as far as it is known.
    pub fn way_to(&self, reference: i64) -> Option<Way> {
        self.cache().ways.get(&reference).cloned()
    }

    /// Takes note of the frame that an expression's value was found in.
    pub fn keep_way(&self, reference: i64, frame: i64, kind: &str) {
        if reference != 0 {
            let way = Way { frame, is_globals: false, kind: kind.into() };
            self.cache().ways.insert(reference, way);
        }
    }

    /// Takes note of how members were reached.
    pub fn keep_ways(&self, variables: &[types::Variable], frame: i64) {
        let mut cache = self.cache();
        for variable in variables.iter().filter(|variable| variable.variables_reference != 0) {
            let kind = variable.kind.clone().unwrap_or_default();
            let way = Way { frame, is_globals: false, kind };
            cache.ways.insert(variable.variables_reference, way);
        }
    }

    pub fn frame_of(&self, reference: i64) -> Option<i64> {
        self.way_to(reference).map(|way| way.frame)
    }

    pub fn is_globals(&self, reference: i64) -> bool {
        self.way_to(reference).is_some_and(|way| way.is_globals)
    }

    /// The program may have been changed, so values must be read anew. Handles stay valid.
    pub fn forget_values(&self) {
        self.cache().variables.clear();
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

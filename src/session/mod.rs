//! What one session is and may do. Knows no sockets, no gRPC service and no process calls: it is
//! given connections and a way to start programs, and hands out answers, events and output.
//!
//! [`Session`] is the handle that callers hold; behind it the actor owns all state.

mod actor;
mod asking;
mod attaching;
mod binding;
mod breakpoints;
mod changes;
mod changing;
mod check;
mod closing;
mod collect;
mod ending;
mod entrance;
mod evaluating;
mod events;
mod exceptions;
mod flood;
mod following;
mod handles;
mod input;
mod inspect;
pub mod keeping;
pub mod kept;
mod live;
mod looking;
mod outcome;
mod output;
mod paging;
mod placing;
mod portion;
mod probing;
mod program;
mod restart;
mod restoring;
mod ring;
mod room;
mod running;
mod secrets;
mod snapshot;
mod source;
mod startup;
pub mod state;
mod statements;
mod talk;
mod targets;
mod trace;
mod unhit;
mod view;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::{mpsc, oneshot, watch};

use crate::adapters::Profile;
use crate::clock;
use crate::dap::Response;
use crate::error::{Error, Result};
use crate::id::SessionId;
use crate::limits;
use crate::proto::{self, ExceptionFilter, SessionState};
use crate::store::Journal;

use actor::Actor;
use input::Input;
use outcome::ShownStops;
use view::View;

pub use crate::adapters::debugpy::Target as LaunchTarget;
pub use attaching::{AttachPlan, AttachTarget};
pub use check::{AskedBreakpoint, AskedPlace, BreakpointChange, Selection};
pub use collect::CollectWish;
pub use entrance::{Entrance, Feed};
pub use evaluating::EvaluateQuery;
pub use events::{EventLog, EventPage, type_of};
pub use input::Movement;
pub use inspect::{Shown, VariablesQuery};
pub use looking::FindQuery;
pub use outcome::Wait;
pub use output::{OutputLog, OutputPage, OutputWriter};
pub use portion::{DataWish, OutputFilter};
pub use program::{
    Console, Control, Drain, Ended, Findings, InputPiece, Program, ProgramCommand, Programs,
    Questions, WarmStart,
};
pub use ring::{RawChunk, Space};
pub use room::{
    Closed, CreatePlan, LaunchWish, Lease, Occupant, OwnerLoss, Room, Settings, StartWish,
};
pub use secrets::Veil;
pub use snapshot::SnapshotLimits;
pub use startup::{Children, LaunchPlan};
pub use state::is_over;
pub use targets::ProcessIdentity;
pub use trace::TraceWish;

/// Calls and messages that wait for the actor.
const QUEUE: usize = 256;
/// What a session is from the beginning.
pub struct Facts {
    pub id: SessionId,
    pub name: String,
    pub project_root: PathBuf,
    pub labels: HashMap<String, String>,
    pub profile: &'static Profile,
    pub created: SystemTime,
    pub exception_filters: Vec<ExceptionFilter>,
    /// Where launch files may be written; only this user can read there.
    pub folder: PathBuf,
    /// Where the story of the session is kept.
    pub archive: PathBuf,
    /// Whose session it is.
    pub owner: String,
    /// Where the breakpoints of projects are kept.
    pub state_dir: PathBuf,
    pub request_id: String,
    /// Its breakpoints come from earlier sessions of the project, and stay for later ones.
    pub keeps_breakpoints: bool,
    pub debugpy: PathBuf,
    pub default_python: PathBuf,
    /// Where programs dial in, and what they must show there.
    pub dial_port: u16,
    pub dial_secret: String,
}

/// A handle to a session; clones are the same session.
#[derive(Clone)]
pub struct Session(Arc<Inner>);

struct Inner {
    facts: Facts,
    inputs: mpsc::Sender<Input>,
    shown: watch::Receiver<Arc<View>>,
    events: Arc<EventLog>,
    output: Arc<OutputLog>,
    threads: targets::ThreadIds,
    memory: Mutex<changes::Memory>,
    programs: Arc<dyn Programs>,
    /// For Restart.
    last_launch: Mutex<Option<LaunchPlan>>,
    restarting: tokio::sync::Mutex<()>,
    /// Counts the values that were watched.
    watches: AtomicU64,
    /// Counts the calls to pause: a trace ends at the next, also between two portions of it.
    pauses: AtomicU64,
    /// The stops that callers have been shown.
    shown_stops: Mutex<ShownStops>,
    last_active: Mutex<(SystemTime, Instant)>,
    kept_output: keeping::KeptOutput,
    kept_breakpoints: tokio::sync::Mutex<restoring::KeptById>,
    /// One record is written at a time.
    recording: tokio::sync::Mutex<()>,
    /// Held by every call that waits.
    waiting: Arc<()>,
}

/// Somebody calls: the session is not idle, and when the call ends its time counts anew.
pub struct Watching {
    session: Session,
    _waiting: Arc<()>,
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.session.touch();
    }
}

impl Session {
    /// Makes a session without a program.
    pub fn new(facts: Facts, programs: Arc<dyn Programs>) -> Self {
        let (inputs, queue) = mpsc::channel(QUEUE);
        let (show, shown) = watch::channel(Arc::new(View::new()));
        let limits = limits::get();
        let journal = Journal::new(&facts.archive, keeping::EVENTS, events::EVENT_BYTES as u64);
        let events = Arc::new(EventLog::new(limits.events, Some(journal)));
        let output = Arc::new(OutputLog::new(limits.output_bytes, Arc::clone(&events)));
        let journal = Journal::new(&facts.archive, keeping::OUTPUT, limits.output_bytes as u64);
        let kept_output = keeping::keep_output(Arc::clone(&output), journal);
        let threads = targets::ThreadIds::default();
        let actor = Actor {
            id: facts.id.clone(),
            profile: facts.profile,
            inputs: queue,
            own: inputs.downgrade(),
            shown: show,
            events: Arc::clone(&events),
            output: Arc::clone(&output),
            threads: threads.clone(),
            phase: state::Phase::Created,
            targets: BTreeMap::new(),
            connections: 0,
            breakpoints: Default::default(),
            exception_filters: facts.exception_filters.clone(),
            collectors: Default::default(),
            traces: Default::default(),
            greeting: Default::default(),
            has_root: false,
            python: String::new(),
            program: None,
            is_terminating: false,
            is_restarting: false,
            run: 0,
            is_detaching: false,
            has_released: false,
            children_to_dial: Default::default(),
            programs: Arc::clone(&programs),
            ended: None,
            failure: String::new(),
            capabilities: None,
            stops: 0,
            resumed_at: 0,
        };
        tokio::spawn(actor.run());
        let last_active = Mutex::new((facts.created, Instant::now()));
        let memory = Mutex::default();
        Self(Arc::new(Inner {
            facts,
            inputs,
            shown,
            events,
            output,
            threads,
            memory,
            programs,
            last_launch: Mutex::default(),
            restarting: Default::default(),
            watches: AtomicU64::new(1),
            pauses: AtomicU64::new(0),
            shown_stops: Mutex::default(),
            last_active,
            kept_output,
            kept_breakpoints: Default::default(),
            recording: Default::default(),
            waiting: Arc::default(),
        }))
    }

    pub fn id(&self) -> &SessionId {
        &self.0.facts.id
    }

    pub fn facts(&self) -> &Facts {
        &self.0.facts
    }

    pub fn events(&self) -> &Arc<EventLog> {
        &self.0.events
    }

    pub fn output(&self) -> &Arc<OutputLog> {
        &self.0.output
    }

    pub fn state(&self) -> SessionState {
        self.view().state
    }

    /// Takes note that somebody called.
    pub fn touch(&self) {
        let now = (SystemTime::now(), Instant::now());
        *self.0.last_active.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    /// A call is waiting for something to happen here, so the session is not idle.
    pub fn is_watched(&self) -> bool {
        1 < Arc::strong_count(&self.0.waiting)
    }

    /// Held by a call that reads what happens here, for as long as it does.
    pub fn watching(&self) -> Watching {
        Watching { session: self.clone(), _waiting: Arc::clone(&self.0.waiting) }
    }

    /// A program of it was detached from, and lives on.
    pub fn has_released(&self) -> bool {
        self.view().has_released
    }

    /// How long nobody has called, by a clock that never jumps.
    pub fn idle(&self) -> Duration {
        self.0.last_active.lock().unwrap_or_else(PoisonError::into_inner).1.elapsed()
    }

    fn last_active(&self) -> SystemTime {
        self.0.last_active.lock().unwrap_or_else(PoisonError::into_inner).0
    }

    /// Where processes come into the session.
    pub fn entrance(&self) -> Entrance {
        Entrance::new(self.0.inputs.clone(), self.0.shown.clone())
    }

    /// The session beside an outcome: without what the outcome tells, and what never changes.
    pub fn show_beside_outcome(&self) -> proto::Session {
        proto::Session { stop: None, capabilities: None, ..self.show() }
    }

    /// The session as callers see it.
    pub fn show(&self) -> proto::Session {
        let (facts, view) = (self.facts(), self.view());
        let (exit_code, exit_signal) = view.ended.map_or((None, 0), Ended::codes);
        let progress = self.0.events.progress();
        proto::Session {
            id: facts.id.to_string(),
            name: facts.name.clone(),
            project_root: facts.project_root.to_string_lossy().into_owned(),
            adapter: facts.profile.name.into(),
            state: view.state.into(),
            stop: self.standing_stop(&view, 0).map(|stop| stop.info.clone()),
            exit_code,
            exit_signal,
            failure: view.failure.clone(),
            processes: view.targets.iter().map(show_process).collect(),
            created_time: Some(clock::timestamp(facts.created)),
            last_active_time: Some(clock::timestamp(self.last_active())),
            labels: facts.labels.clone(),
            capabilities: view.capabilities.as_deref().map(startup::show_capabilities),
            counters: Some(proto::SessionCounters {
                stops: view.stops,
                events: progress.last_sequence,
                output_bytes: self.0.output.extent().end,
                breakpoints: view.breakpoints,
                dropped_events: self.0.events.dropped(),
                dropped_output_bytes: self.0.output.dropped(),
                gaps: self.0.events.gaps(),
            }),
            last_sequence: progress.last_sequence,
            python: view.python.clone(),
            owner: String::new(),
        }
    }

    fn view(&self) -> Arc<View> {
        Arc::clone(&self.0.shown.borrow())
    }

    /// The first picture that fits. Callers bound the wait.
    async fn wait_until(&self, fits: impl FnMut(&Arc<View>) -> bool) -> Arc<View> {
        let _watching = self.watching();
        let mut shown = self.0.shown.clone();
        match shown.wait_for(fits).await {
            Ok(view) => Arc::clone(&view),
            // The actor is gone; what it showed last holds for ever.
            Err(_) => self.view(),
        }
    }

    async fn ask<T>(&self, input: impl FnOnce(oneshot::Sender<T>) -> Input) -> Result<T> {
        let _watching = self.watching();
        self.ask_quietly(input).await
    }

    /// As [`Self::ask`], for what no caller asks: it does not keep the session from being idle.
    async fn ask_quietly<T>(&self, input: impl FnOnce(oneshot::Sender<T>) -> Input) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        let gone = || Error::internal("the actor of the session is gone");
        self.0.inputs.send(input(reply)).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())
    }
}

fn show_process(target: &view::TargetView) -> proto::Process {
    proto::Process {
        process_id: target.pid,
        name: target.name.clone(),
        parent_process_id: target.parent,
        state: target.life.state().into(),
    }
}

/// The error for something that needs a stopped program.
fn wrong_state(session: &SessionId, state: SessionState, action: &'static str) -> Error {
    let (session, name) = (session.clone(), state::name(state));
    match state {
        SessionState::Created => Error::NotStarted { session, action },
        SessionState::Starting | SessionState::Running | SessionState::Stopped => {
            Error::NotStopped { session, state: name, action }
        }
        SessionState::Exited
        | SessionState::Terminated
        | SessionState::Detached
        | SessionState::Failed
        | SessionState::Lost
        | SessionState::Unspecified => Error::WrongState { session, state: name, action },
    }
}

/// The answer's message, when the debugger refused.
fn refusal(response: &Response) -> Option<String> {
    (!response.success)
        .then(|| response.message.clone().unwrap_or_else(|| "no reason given".into()))
}

//! The probe in the program: how it gets there, what it is asked, and what it tells.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::sync::oneshot;

use super::actor::Actor;
use super::breakpoints::{Checked, Place};
use super::input::Input;
use super::secrets::Veil;
use super::targets::{Probe, Waiter};
use super::view::StopView;
use super::{Session, refusal};
use crate::adapters::probe::{self, Argument};
use crate::dap::types::Evaluate;
use crate::error::{Error, Result};
use crate::id::{BreakpointId, TargetId};
use crate::proto::OutputCategory;
use crate::proto::event::Payload;
use crate::proto::{AdapterMessage, BreakpointChangeKind};

/// The probe answers in about a millisecond, unless the program keeps the interpreter to itself.
pub(super) const PROBE_LIMIT: Duration = Duration::from_secs(10);
/// The context of `evaluate` in which debugpy 1.8 does not cut what is shown.
const WHOLE: &str = "clipboard";

/// What is done in a process once its probe is there.
pub(super) enum Then {
    Lines { file: String, done: oneshot::Sender<()> },
    Functions { done: oneshot::Sender<()> },
    Begin,
    Exceptions { done: oneshot::Sender<()>, begins: bool },
    Tell(oneshot::Sender<()>),
}

impl Session {
    /// Calls the probe in a frame of a process that stands.
    pub(super) async fn probe_at<T: DeserializeOwned>(
        &self,
        stop: &StopView,
        frame: i64,
        call: String,
        limit: Duration,
    ) -> Result<T> {
        self.ensure_probe(stop.target).await?;
        let request = Evaluate { expression: call, frame_id: Some(frame), context: WHOLE };
        let response = self.request_at(stop, &request, limit).await?;
        read_answer(&response)
    }

    /// Calls the probe in a process that runs or stands, beside its threads.
    pub(super) async fn probe_beside<T: DeserializeOwned>(
        &self,
        target: TargetId,
        call: String,
    ) -> Result<T> {
        self.ensure_probe(target).await?;
        let request = Evaluate { expression: call, frame_id: None, context: WHOLE };
        let response = self.request(target, None, &request, PROBE_LIMIT).await?;
        read_answer(&response)
    }

    pub(super) async fn ensure_probe(&self, target: TargetId) -> Result<()> {
        let there = self.ask(|reply| Input::EnsureProbe { target, reply }).await?;
        there.await.map_err(|_| Error::AdapterGone { command: "evaluate" })
    }

    /// Begins to watch a value in the program that stands; says in the breakpoint if it cannot.
    pub(super) async fn arm_watch(&self, checked: &mut Checked) {
        let Place::Watch { expression, key, lines } = &mut checked.place else { return };
        let Ok(stop) = self.current_stop("be watched") else {
            let problem =
                "a value can be watched only from where the program stands: set it at a stop";
            checked.problem = Some(problem.into());
            return;
        };
        let root = self.facts().project_root.to_string_lossy().into_owned();
        // Two watches of one expression are two: each compares for itself.
        let number = self.0.watches.fetch_add(1, Ordering::Relaxed);
        *key = format!("{expression} #{number}");
        let arguments =
            [Argument::Text(key.as_str()), Argument::Text(expression), Argument::Text(&root)];
        let armed: Result<Armed> = match stop.frame(0) {
            Ok(frame) => {
                let call = probe::call("watch", &arguments);
                self.probe_at(&stop, frame, call, PROBE_LIMIT).await
            }
            Err(error) => Err(error),
        };
        match armed {
            Ok(armed) if armed.error.is_empty() => {
                let total: usize = armed.lines.values().map(|lines| lines.len()).sum();
                *lines = armed.lines;
                let (value, _) = Veil::over_secrets(false).cover(expression, &armed.value);
                checked.note = Some(format!(
                    "it is {value} now; it is compared at {total} lines of {} files",
                    lines.len()
                ));
            }
            Ok(armed) => checked.problem = Some(format!("it cannot be watched: {}", armed.error)),
            Err(error) => checked.problem = Some(format!("it cannot be watched: {error}")),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Armed {
    value: String,
    error: String,
    lines: std::collections::BTreeMap<String, std::collections::BTreeSet<i32>>,
}

/// What the probe tells by itself.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Told {
    hit: Option<Vec<u64>>,
    reached: Option<u64>,
    problem: Option<u64>,
    failed: Option<Vec<u64>>,
    exception_problem: Option<String>,
    error: String,
    log: Option<u64>,
    text: String,
    row: Option<u64>,
    trace: Option<u64>,
    watch: Option<u64>,
    before: String,
    after: String,
    thread: i64,
    #[serde(flatten)]
    pub columns: super::collect::Columns,
    #[serde(flatten)]
    pub steps: super::trace::Steps,
}

/// Breakpoints that the probe decided to stop at.
#[derive(Debug, Clone, Default)]
pub(super) struct Decided {
    pub ids: Vec<BreakpointId>,
    /// How the watched value changed.
    pub change: Option<(String, String)>,
}

impl Actor {
    /// Does something in a process once its probe is there.
    pub(super) fn after_probe(&mut self, id: TargetId, then: Then) {
        let Some(target) = self.targets.get_mut(&id) else { return };
        match &mut target.probe {
            Probe::There => self.go_on(id, then),
            Probe::Coming(waiting) => waiting.push(then),
            Probe::Absent => {
                target.probe = Probe::Coming(vec![then]);
                let expression = probe::install();
                // Not "repl": debugpy 1.8 would wait there for whatever hangs in another "repl".
                let request = Evaluate { expression, frame_id: None, context: "watch" };
                self.send(id, &request, Waiter::Probe);
            }
        }
    }

    /// Calls the probe of a process, if it has one; nobody waits for the answer.
    pub(super) fn tell_probe(&mut self, id: TargetId, call: String) {
        if self.targets.get(&id).is_some_and(|target| matches!(target.probe, Probe::There)) {
            let request = Evaluate { expression: call, frame_id: None, context: "watch" };
            self.send(id, &request, Waiter::Nobody);
        }
    }

    /// The probe is there, or will not come: then what needs it says so by itself.
    pub(super) fn probe_came(&mut self, id: TargetId, problem: Option<Error>) {
        let is_there = problem.is_none();
        if let Some(problem) = problem {
            tracing::error!(%problem, "the probe could not be put into the program");
            let text = format!("conditions and counts of breakpoints cannot be decided: {problem}");
            let category = "important".into();
            self.tell(Payload::AdapterMessage(AdapterMessage { text, category }));
        }
        let Some(target) = self.targets.get_mut(&id) else { return };
        // What comes next tries again.
        let now = if is_there { Probe::There } else { Probe::Absent };
        if let Probe::Coming(waiting) = std::mem::replace(&mut target.probe, now) {
            for then in waiting {
                self.go_on(id, then);
            }
        }
    }

    fn go_on(&mut self, id: TargetId, then: Then) {
        match then {
            Then::Lines { file, done } => self.send_lines(id, &file, done),
            Then::Functions { done } => self.send_functions(id, done),
            Then::Begin => self.begin(id),
            Then::Exceptions { done, begins } => self.send_judged(id, done, begins),
            Then::Tell(told) => {
                let _ = told.send(());
            }
        }
    }

    /// Takes what the probe tells.
    pub(super) async fn probe_spoke(&mut self, id: TargetId, text: &str) {
        let told: Told = match serde_json::from_str(text) {
            Ok(told) => told,
            Err(error) => return tracing::warn!(%error, "the probe was not understood"),
        };
        let pid = self.targets.get(&id).map_or(0, |target| target.identity.pid);
        if let Some(ids) = told.hit {
            let ids = ids.into_iter().map(BreakpointId).collect();
            let change = told.watch.map(|_| (told.before, told.after));
            if let Some(target) = self.targets.get_mut(&id) {
                target.decided.insert(told.thread, Decided { ids, change });
            }
        } else if let Some(point) = told.reached {
            self.breakpoints.note_reached(BreakpointId(point));
        } else if let Some(point) = told.problem {
            self.breakpoints.note_raised(BreakpointId(point), told.error.clone());
            self.breakpoint_changed(BreakpointId(point), BreakpointChangeKind::Bound);
        } else if let Some(problem) = told.exception_problem {
            let text = format!("a condition of an exception breakpoint: {problem}");
            let category = "important".into();
            self.tell(Payload::AdapterMessage(AdapterMessage { text, category }));
        } else if let Some(point) = told.log {
            self.breakpoints.count_hits(&[BreakpointId(point)]);
            // What the program wrote before it stands before it.
            self.drain_output().await;
            let line = format!("{}\n", told.text);
            let pid = u32::try_from(pid).unwrap_or_default();
            self.output.append(OutputCategory::Console, pid, line.as_bytes());
        } else if let Some(point) = told.row {
            let thread = self.threads.of(id, told.thread);
            self.row_came(BreakpointId(point), thread, pid, told.columns);
        } else if let Some(trace) = told.trace {
            self.steps_came(trace, told.steps);
        } else {
            tracing::warn!(failed = ?told.failed, error = told.error, "the probe failed");
        }
    }
}

fn read_answer<T: DeserializeOwned>(response: &crate::dap::Response) -> Result<T> {
    let command = "evaluate";
    if let Some(message) = refusal(response) {
        return Err(Error::AdapterError { command, message });
    }
    let found: crate::dap::types::Evaluated = response.body().map_err(|error| {
        Error::AdapterError { command, message: format!("its answer was not understood: {error}") }
    })?;
    serde_json::from_str(&found.result).map_err(|error| {
        let message = format!("the program's answer was not understood: {error}");
        Error::AdapterError { command, message }
    })
}

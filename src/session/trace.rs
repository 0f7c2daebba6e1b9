//! Many steps in one call: the program itself makes one after the other and tells of each, without a
//! way to us and back in between. After a portion of them it stands until its records are read.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::Session;
use super::actor::Actor;
use super::collect::{Columns, show_changes, show_values};
use super::input::{Input, Movement};
use super::outcome::Wait;
use super::probing::PROBE_LIMIT;
use super::snapshot::SnapshotLimits;
use super::source;
use super::view::StopView;
use crate::adapters::probe::{self, Argument};
use crate::error::Result;
use crate::id::{TargetId, ThreadId};
use crate::proto::trace_response::Item;
use crate::proto::{Location, Outcome, TraceRecord, TraceResponse};

/// Steps that a program makes before it stands until its caller has read them.
const PORTION: u64 = 2_000;
/// What the program holds back to tell it with others is asked for after so long without a word.
const SILENCE: Duration = Duration::from_millis(100);
/// A program whose time is over ends its step within this, or is left running.
const LAST_STEP: Duration = Duration::from_secs(2);

/// What a caller wants traced.
pub struct TraceWish {
    pub thread: ThreadId,
    pub movement: Movement,
    pub max_steps: u64,
    /// End here: a file, or any file when it is empty, and a line.
    pub until: Option<(String, i32)>,
    pub until_condition: String,
    pub expressions: Vec<String>,
    pub timeout: Duration,
}

/// Steps as the program tells them, and why they were the last.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Steps {
    end: End,
    steps: Vec<Step>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Step {
    number: u64,
    depth: u32,
    #[serde(flatten)]
    columns: Columns,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum End {
    /// More are to come.
    #[default]
    #[serde(rename = "")]
    None,
    Until,
    Condition,
    /// Something else stopped the program.
    Other,
    Count,
    Time,
    /// It was told to, or could not go on.
    Asked,
}

/// A portion of a trace on its way.
struct Portion<'a> {
    wish: &'a TraceWish,
    give: &'a mpsc::Sender<Result<TraceResponse>>,
    deadline: Instant,
    /// Steps that were made before.
    before: u64,
}

/// How a portion ended.
struct Ending {
    steps: u64,
    end: End,
}

impl Session {
    /// Steps as the wish says and returns the records as they come; the last item is the outcome.
    pub async fn trace(&self, wish: TraceWish) -> Result<mpsc::Receiver<Result<TraceResponse>>> {
        // Refused at once when the program does not stand.
        self.stop_of_thread(wish.thread, "be traced")?;
        let (give, records) = mpsc::channel(64);
        let session = self.clone();
        tokio::spawn(async move {
            let ended = session.step_on(&wish, &give).await;
            let last = ended.map(|outcome| TraceResponse { item: Some(Item::Outcome(outcome)) });
            let _ = give.send(last).await;
        });
        Ok(records)
    }

    async fn step_on(
        &self,
        wish: &TraceWish,
        give: &mpsc::Sender<Result<TraceResponse>>,
    ) -> Result<Outcome> {
        let deadline = Instant::now() + wish.timeout;
        let output_from = self.output().extent().end;
        let (mut thread, mut before, mut end) = (wish.thread, 0, End::None);
        let pauses = self.0.pauses.load(Ordering::Relaxed);
        while matches!(end, End::None | End::Count) && before < wish.max_steps {
            let portion = Portion { wish, give, deadline, before };
            let Some(ending) = self.trace_portion(&portion, thread).await? else { break };
            (before, end) = (before + ending.steps, ending.end);
            if self.0.pauses.load(Ordering::Relaxed) != pauses {
                end = End::Other;
                break;
            }
            match self.view().current() {
                Some(stop) if end != End::None && !give.is_closed() => thread = stop.thread(),
                _ => break,
            }
        }
        let wait = Wait { timeout: Duration::ZERO, snapshot: SnapshotLimits::default() };
        let mut outcome = self.outcome(true, output_from, &wait).await;
        outcome.timed_out = end == End::Time || deadline <= Instant::now();
        if outcome.hint.is_empty() {
            outcome.hint = match end {
                End::Until => "`until` was reached.",
                End::Condition => "`until_condition` was true.",
                End::Other => "Something else stopped the program.",
                End::Count => "`max_steps` were made.",
                _ if outcome.timed_out => "The time is over.",
                End::None | End::Time | End::Asked => "",
            }
            .into();
        }
        Ok(outcome)
    }

    /// Steps that need no reader meanwhile. None when the program does not stand any more.
    async fn trace_portion(
        &self,
        portion: &Portion<'_>,
        thread: ThreadId,
    ) -> Result<Option<Ending>> {
        let Ok((stop, _)) = self.stop_of_thread(thread, "be traced") else { return Ok(None) };
        let id = self.0.watches.fetch_add(1, Ordering::Relaxed);
        let (tell, told) = mpsc::channel(PORTION as usize);
        let _ = self.0.inputs.send(Input::BeginTrace { id, tell }).await;
        let ended = self.run_portion(portion, &stop, id, told).await;
        let _ = self.0.inputs.send(Input::EndTrace { id }).await;
        ended.map(Some)
    }

    async fn run_portion(
        &self,
        portion: &Portion<'_>,
        stop: &StopView,
        id: u64,
        mut told: mpsc::Receiver<Steps>,
    ) -> Result<Ending> {
        let wish = portion.wish;
        let left = portion.deadline.saturating_duration_since(Instant::now());
        let most = (wish.max_steps - portion.before).min(PORTION);
        let call = self.describe(wish, id, most, left);
        let _: bool = self.probe_at(stop, stop.frame(0)?, call, PROBE_LIMIT).await?;

        // The program ends by itself when its time is over, unless it is in one long step.
        let snapshot = SnapshotLimits { skip: true, ..Default::default() };
        let wait = Wait { timeout: left + LAST_STEP, snapshot };
        let moving = self.move_on(wish.movement, stop.thread(), 1, &wait);
        tokio::pin!(moving);
        let mut ending = Ending { steps: 0, end: End::None };
        let mut is_asked = false;
        loop {
            tokio::select! {
                biased;
                steps = told.recv() => {
                    let Some(steps) = steps else { break };
                    self.pass_on(portion, steps, &mut ending).await;
                }
                moved = &mut moving => {
                    moved?;
                    break;
                }
                () = tokio::time::sleep(SILENCE) => self.ask_trace("flush_trace", id, stop.target).await,
                () = give_up(portion), if !is_asked => {
                    is_asked = true;
                    self.ask_trace("end_trace", id, stop.target).await;
                    // A value whose repr does not end keeps the program, too.
                    self.interrupt(stop.target).await;
                }
            }
        }
        // What was told before the stop is here already.
        while let Ok(steps) = told.try_recv() {
            self.pass_on(portion, steps, &mut ending).await;
        }
        Ok(ending)
    }

    fn describe(&self, wish: &TraceWish, id: u64, most: u64, left: Duration) -> String {
        let until = wish.until.as_ref().map(|(file, line)| {
            let root = &self.facts().project_root;
            let file = if file.is_empty() {
                String::new()
            } else {
                source::absolute(root, file).to_string_lossy().into_owned()
            };
            json!({ "file": file, "line": line })
        });
        let spec = json!({
            "id": id, "max": most, "until": until, "condition": wish.until_condition,
            "expressions": wish.expressions, "seconds": left.as_secs_f64(),
        });
        probe::call("trace", &[Argument::Text(&spec.to_string())])
    }

    /// Gives the records to the caller, however long that takes: the program stands by then.
    async fn pass_on(&self, portion: &Portion<'_>, steps: Steps, ending: &mut Ending) {
        if steps.end != End::None {
            ending.end = steps.end;
        }
        for step in steps.steps {
            ending.steps = ending.steps.max(step.number);
            let record = show_step(step, portion);
            let item = Some(Item::Record(record));
            let given = portion.give.send(Ok(TraceResponse { item }));
            // A caller who does not read is given up with the time.
            let limit = portion.deadline + LAST_STEP;
            if !matches!(tokio::time::timeout_at(limit, given).await, Ok(Ok(()))) {
                return;
            }
        }
    }

    async fn ask_trace(&self, what: &'static str, id: u64, target: TargetId) {
        let call = probe::call(what, &[Argument::Whole(id)]);
        let _ = self.0.inputs.send(Input::TellProbe { target, call }).await;
    }
}

/// Returns when the caller is gone or the time over.
async fn give_up(portion: &Portion<'_>) {
    tokio::select! {
        () = portion.give.closed() => {}
        () = tokio::time::sleep_until(portion.deadline) => {}
    }
}

fn show_step(step: Step, portion: &Portion) -> TraceRecord {
    let Columns { file, line, function, values, changes, .. } = step.columns;
    TraceRecord {
        number: portion.before + step.number,
        location: Some(Location { file, line, function }),
        depth: step.depth,
        changes: show_changes(changes),
        expressions: show_values(values, &portion.wish.expressions),
    }
}

impl Actor {
    /// Takes what the program tells of a trace.
    pub(super) fn steps_came(&mut self, id: u64, steps: Steps) {
        // There is room for all that a portion can tell.
        if let Some(tell) = self.traces.get(&id)
            && tell.try_send(steps).is_err()
        {
            tracing::debug!(id, "nobody takes the steps of a trace any more");
        }
    }
}

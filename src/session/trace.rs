//! Many steps in one call: each is told as one compact record, without a way to the caller and back
//! in between.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;

use super::Session;
use super::input::Movement;
use super::outcome::Wait;
use super::snapshot::SnapshotLimits;
use super::source;
use super::view::StopView;
use crate::error::Result;
use crate::id::ThreadId;
use crate::proto::trace_response::Item;
use crate::proto::{Outcome, StopReason, TraceRecord, TraceResponse};

/// One record is at most about so large.
const MAX_RECORD: usize = 64 * 1024;

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
        let mut thread = wish.thread;
        let until = wish.until.as_ref().map(|(file, line)| {
            let root = &self.facts().project_root;
            let file = (!file.is_empty()).then(|| source::absolute(root, file));
            (file.map(|file| file.to_string_lossy().into_owned()), *line)
        });
        let max_bytes = MAX_RECORD;
        let mut limits = SnapshotLimits { changes_only: true, max_bytes, ..Default::default() };
        limits.expressions.clone_from(&wish.expressions);
        if !wish.until_condition.is_empty() {
            limits.expressions.push(format!("bool(\n{}\n)", wish.until_condition));
        }
        let (mut number, mut why) = (0, "");
        while number < wish.max_steps && Instant::now() < deadline {
            let left = deadline.saturating_duration_since(Instant::now());
            let Some(stop) = self.step_once(wish.movement, thread, left).await? else { break };
            thread = stop.thread();
            number += 1;
            let (record, is_true) = self.record(&stop, number, wish, &limits).await?;
            let place = record.location.clone().unwrap_or_default();
            if give.send(Ok(TraceResponse { item: Some(Item::Record(record)) })).await.is_err() {
                break;
            }
            let is_plain = stop.info.reason() == StopReason::Step;
            let is_there = until.as_ref().is_some_and(|(file, line)| {
                place.line == *line && file.as_ref().is_none_or(|file| *file == place.file)
            });
            why = match (is_there, is_true, is_plain) {
                (true, ..) => "`until` was reached.",
                (_, true, _) => "`until_condition` was true.",
                (.., false) => "Something else stopped the program.",
                (false, false, true) => "",
            };
            if !why.is_empty() {
                break;
            }
        }
        let is_late = deadline <= Instant::now();
        if why.is_empty() && number == wish.max_steps {
            why = "`max_steps` were made.";
        } else if why.is_empty() && is_late {
            why = "The time is over.";
        }
        let snapshot = SnapshotLimits::default();
        let wait = Wait { timeout: Duration::ZERO, snapshot };
        let mut outcome = self.outcome(true, output_from, &wait).await;
        outcome.timed_out = is_late;
        if outcome.hint.is_empty() {
            outcome.hint = why.into();
        }
        Ok(outcome)
    }

    /// One step; none when it led to no stop.
    async fn step_once(
        &self,
        movement: Movement,
        thread: ThreadId,
        timeout: Duration,
    ) -> Result<Option<Arc<StopView>>> {
        let snapshot = SnapshotLimits { skip: true, ..Default::default() };
        let before = self.view().stops;
        self.move_on(movement, thread, 1, &Wait { timeout, snapshot }).await?;
        Ok(self.view().current().filter(|stop| before < stop.number()).cloned())
    }

    /// What is told of a stop, and whether the condition for the end holds there.
    async fn record(
        &self,
        stop: &StopView,
        number: u64,
        wish: &TraceWish,
        limits: &SnapshotLimits,
    ) -> Result<(TraceRecord, bool)> {
        let picture = self.picture(stop, stop.dap_thread, limits).await?;
        let mut expressions = picture.expressions;
        let asked = wish.expressions.len();
        let is_true = expressions.get(asked).is_some_and(|condition| condition.value == "True");
        expressions.truncate(asked);
        let known = stop.frames.stack_frames.len() as u32;
        let record = TraceRecord {
            number,
            location: stop.info.location.clone(),
            depth: stop.frames.total_frames.unwrap_or(known),
            changes: picture.changes,
            expressions,
        };
        Ok((record, is_true))
    }
}

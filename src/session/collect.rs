//! Tracepoints: the program runs on, and at each hit of the given places it sends one row. What a
//! row tells is gathered inside the program; nothing waits for us there.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::actor::Actor;
use super::breakpoints::Origin;
use super::check::AskedBreakpoint;
use super::input::{Input, Movement};
use super::outcome::Wait;
use super::secrets::Veil;
use super::snapshot::SnapshotLimits;
use super::view::View;
use super::{Session, wrong_state};
use crate::adapters::Row;
use crate::clock;
use crate::error::{Error, Result};
use crate::id::{BreakpointId, ThreadId};
use crate::proto::collect_response::Item;
use crate::proto::{
    ChangeKind, CollectResponse, CollectRow, ExpressionResult, Location, SessionState, StackFrame,
    VariableChange,
};

/// Rows that wait for a caller who reads slowly; what comes beyond is dropped.
const WAITING_ROWS: usize = 2_000;

/// What a caller wants of tracepoints.
pub struct CollectWish {
    pub locations: Vec<AskedBreakpoint>,
    pub expressions: Vec<String>,
    pub changes: bool,
    pub max_frames: u32,
    pub max_hits: u64,
    pub timeout: Duration,
}

/// Who takes the rows of a tracepoint.
#[derive(Clone)]
pub(super) struct Collector(mpsc::Sender<CollectRow>);

/// A row as the program sends it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Columns {
    pub file: String,
    pub line: i32,
    pub function: String,
    pub values: Vec<Cell>,
    pub changes: Vec<Change>,
    frames: Vec<Frame>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Cell {
    value: String,
    r#type: String,
    error: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Change {
    name: String,
    before: Option<String>,
    after: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Frame {
    name: String,
    file: String,
    line: i32,
}

impl Session {
    /// Sets tracepoints, lets the program run on if it stands, and returns the rows as they come;
    /// the last item is the outcome. A caller who goes away ends it.
    pub async fn collect(&self, wish: CollectWish) -> Result<mpsc::Receiver<CollectResponse>> {
        let view = self.view();
        if view.state == SessionState::Created || view.is_over() {
            return Err(wrong_state(self.id(), view.state, "be traced"));
        }
        let mut checked = self.check(wish.locations.clone()).await?;
        for checked in &mut checked {
            if let Some(problem) = &checked.problem {
                return Err(Error::invalid("locations", problem.clone()));
            }
            checked.origin = Origin::Collect;
            checked.row = Some(Row {
                expressions: wish.expressions.clone(),
                changes: wish.changes,
                frames: wish.max_frames,
                max: wish.max_hits,
            });
        }
        let (collector, arrivals) = mpsc::channel(WAITING_ROWS);
        let collector = Collector(collector);
        let sent = self.ask(|reply| Input::Collect { checked, collector, reply }).await?;
        let ids = sent.ids.clone();
        for answer in sent.answers {
            let _ = answer.await;
        }
        let (give, rows) = mpsc::channel(16);
        let session = self.clone();
        tokio::spawn(async move {
            let outcome = session.gather(&wish, arrivals, &give).await;
            for id in ids {
                let _ = session.0.inputs.send(Input::EndCollect { id }).await;
            }
            let item = Some(Item::Outcome(outcome));
            let _ = give.send(CollectResponse { item }).await;
        });
        Ok(rows)
    }

    async fn gather(
        &self,
        wish: &CollectWish,
        mut arrivals: mpsc::Receiver<CollectRow>,
        give: &mpsc::Sender<CollectResponse>,
    ) -> crate::proto::Outcome {
        let deadline = Instant::now() + wish.timeout;
        let output_from = self.output().extent().end;
        let stood = self.view().current().map_or(0, |stop| stop.number());
        let snapshot = SnapshotLimits::default();
        let no_wait = Wait { timeout: Duration::ZERO, snapshot: snapshot.clone() };
        if 0 < stood {
            let _ = self.move_on(Movement::Continue, ThreadId(0), 1, &no_wait).await;
        }
        let stops = |view: &Arc<View>| {
            view.is_over() || view.current().is_some_and(|stop| stood < stop.number())
        };
        let mut number = 0;
        let stopped = self.wait_until(stops);
        tokio::pin!(stopped);
        loop {
            tokio::select! {
                biased;
                arrival = arrivals.recv() => match arrival {
                    Some(mut row) => {
                        number += 1;
                        row.number = number;
                        name_values(&mut row.expressions, &wish.expressions);
                        let item = Some(Item::Row(row));
                        let sent = give.send(CollectResponse { item });
                        let sent = tokio::time::timeout_at(deadline, sent).await;
                        if !matches!(sent, Ok(Ok(()))) || wish.max_hits <= number {
                            break;
                        }
                    }
                    None => break,
                },
                _ = &mut stopped => break,
                () = give.closed() => break,
                () = tokio::time::sleep_until(deadline) => break,
            }
        }
        let wait = Wait { timeout: Duration::ZERO, snapshot };
        self.outcome(true, output_from, &wait).await
    }
}

impl Actor {
    pub(super) fn collect(
        &mut self,
        checked: Vec<super::breakpoints::Checked>,
        collector: Collector,
    ) -> super::input::BreakpointsSent {
        let sent = self.set_breakpoints(checked, false);
        for id in &sent.ids {
            self.collectors.insert(*id, collector.clone());
        }
        sent
    }

    pub(super) fn end_collect(&mut self, id: BreakpointId) {
        self.collectors.remove(&id);
        drop(self.drop_own(&[id]));
    }

    pub(super) fn row_came(
        &mut self,
        id: BreakpointId,
        thread: ThreadId,
        process_id: i64,
        columns: Columns,
    ) {
        let Some(Collector(rows)) = self.collectors.get(&id) else { return };
        let row = show_row(thread, process_id, columns);
        if rows.try_send(row).is_err() {
            tracing::warn!(point = id.0, "a row was dropped: its reader is slow or gone");
        }
    }
}

fn show_row(thread: ThreadId, process_id: i64, columns: Columns) -> CollectRow {
    let Columns { file, line, function, values, changes, frames } = columns;
    let frames = frames.into_iter().map(|frame| StackFrame {
        name: frame.name,
        file: frame.file,
        line: frame.line,
        ..Default::default()
    });
    CollectRow {
        number: 0,
        time: Some(clock::now()),
        location: Some(Location { file, line, function }),
        thread_id: thread.0,
        expressions: show_values(values, &[]),
        changes: show_changes(changes),
        frames: frames.collect(),
        process_id,
    }
}

/// Values as the program told them, each with its expression.
pub(super) fn show_values(values: Vec<Cell>, expressions: &[String]) -> Vec<ExpressionResult> {
    let shown = values.into_iter().map(|cell| ExpressionResult {
        value: cell.value,
        r#type: cell.r#type,
        error: cell.error,
        ..Default::default()
    });
    let mut shown = shown.collect::<Vec<_>>();
    name_values(&mut shown, expressions);
    shown
}

fn name_values(values: &mut [ExpressionResult], expressions: &[String]) {
    let veil = Veil::over_secrets(false);
    for (result, expression) in values.iter_mut().zip(expressions) {
        result.expression.clone_from(expression);
        (result.value, _) = veil.cover(expression, &result.value);
    }
}

pub(super) fn show_changes(changes: Vec<Change>) -> Vec<VariableChange> {
    changes.into_iter().map(show_change).collect()
}

fn show_change(change: Change) -> VariableChange {
    let kind = match (&change.before, &change.after) {
        (None, _) => ChangeKind::New,
        (_, None) => ChangeKind::Gone,
        (Some(_), Some(_)) => ChangeKind::Changed,
    };
    let veil = Veil::over_secrets(false);
    let cover = |value: Option<String>| veil.cover(&change.name, &value.unwrap_or_default()).0;
    VariableChange {
        before: cover(change.before),
        after: cover(change.after),
        name: change.name,
        kind: kind.into(),
    }
}

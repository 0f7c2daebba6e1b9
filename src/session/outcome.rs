//! Moving and waiting: every call that moves the program ends in an outcome that tells the whole
//! story, and a wait that is over loses nothing.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::input::{Input, Movement};
use super::program::Ended;
use super::snapshot::SnapshotLimits;
use super::view::{StopView, View};
use super::{Session, wrong_state};
use crate::error::Result;
use crate::id::ThreadId;
use crate::proto::{Outcome, SessionState, StopReason};

/// Output that an outcome carries.
const OUTPUT_EXCERPT: usize = 2 * 1024;

/// A program that can be paused stops within this.
const FIRST_PATIENCE: Duration = Duration::from_millis(400);

/// A refusal comes at once. No answer within this means that the program runs and keeps it back.
const REFUSAL_LIMIT: Duration = Duration::from_secs(1);

/// How long a caller waits, and what it wants to see then.
#[derive(Debug, Clone, PartialEq)]
pub struct Wait {
    pub timeout: Duration,
    pub snapshot: SnapshotLimits,
}

/// The stops that callers have been shown: the last one, and which of those before it.
#[derive(Default)]
pub struct ShownStops {
    last: u64,
    /// Those that processes may still stand at.
    seen: BTreeSet<u64>,
}

/// A stop is forgotten when so many came after it.
const REMEMBERED_STOPS: usize = 1000;

impl Session {
    /// The stop that a caller means who names none, among those after `after`: one that nobody has
    /// been shown yet, the oldest first; else the one that was shown last; else the newest. Several
    /// processes may stand at the same time, and no stop of theirs is to pass unseen.
    pub(super) fn stop_to_show(&self, view: &View, after: u64) -> Option<Arc<StopView>> {
        let shown = self.shown_stops();
        let standing = || view.standing.iter().filter(|stop| after < stop.number());
        let unseen = standing().filter(|stop| !shown.seen.contains(&stop.number()));
        let unseen = unseen.min_by_key(|stop| stop.number()).cloned();
        drop(shown);
        unseen.or_else(|| self.standing_stop(view, after))
    }

    /// The stop that was shown last, if a process still stands there; else the newest.
    pub(super) fn standing_stop(&self, view: &View, after: u64) -> Option<Arc<StopView>> {
        let last = self.shown_stops().last;
        let standing = || view.standing.iter().filter(|stop| after < stop.number());
        let shown = standing().find(|stop| stop.number() == last);
        shown.or_else(|| standing().max_by_key(|stop| stop.number())).cloned()
    }

    /// A stop at which a process stands, and that nobody has been shown.
    fn has_unseen(&self, view: &View) -> bool {
        let shown = self.shown_stops();
        view.standing.iter().any(|stop| !shown.seen.contains(&stop.number()))
    }

    fn note_shown(&self, stop: u64) {
        let mut shown = self.shown_stops();
        shown.last = stop;
        shown.seen.insert(stop);
        if REMEMBERED_STOPS < shown.seen.len() {
            shown.seen.pop_first();
        }
    }

    fn shown_stops(&self) -> MutexGuard<'_, ShownStops> {
        self.0.shown_stops.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the program run on, `count` times while it stops only because of the steps.
    pub async fn move_on(
        &self,
        movement: Movement,
        thread: ThreadId,
        count: u32,
        wait: &Wait,
    ) -> Result<Outcome> {
        let deadline = Instant::now() + wait.timeout;
        let output_from = self.output().extent().end;
        let _waiting = Arc::clone(&self.0.waiting);
        // Whoever names no thread means the one that the last answer showed.
        let shown = || self.standing_stop(&self.view(), 0).map(|stop| stop.thread());
        let mut thread = Some(thread).filter(|thread| thread.0 != 0).or_else(shown);
        if let Some(thread) = thread.filter(|_| movement != Movement::Continue) {
            self.can_step(thread).await?;
        }
        let mut steps = 0;
        loop {
            let left = self.ask(|reply| Input::Move { movement, thread, reply }).await??;
            let answered = deadline.max(Instant::now() + REFUSAL_LIMIT);
            if let Ok(Ok(refusal)) = tokio::time::timeout_at(answered, left.refused).await {
                return Err(refusal);
            }
            // The same thread to the end, whatever else stops meanwhile.
            thread = Some(left.thread);
            let is_there = |view: &Arc<View>| {
                let is_gone = !view.targets.iter().any(|target| target.id == left.target);
                let is_new = view.standing.iter().any(|stop| left.newest < stop.number());
                view.is_over()
                    || is_gone && view.current().is_some()
                    || is_new
                    || self.has_unseen(view)
            };
            let view = self.wait_for(deadline, is_there).await;
            steps += 1;
            let is_plain_step = self.stop_to_show(&view, left.newest).is_some_and(|stop| {
                stop.thread() == left.thread && stop.info.reason() == StopReason::Step
            });
            if count <= steps || !is_plain_step || !is_there(&view) {
                return Ok(self.outcome(is_there(&view), output_from, wait).await);
            }
            if let Some(stop) = self.stop_to_show(&view, left.newest) {
                self.note_shown(stop.number());
            }
        }
    }

    /// Stops the program, if it runs.
    pub async fn pause(&self, thread: ThreadId, wait: &Wait) -> Result<Outcome> {
        self.0.pauses.fetch_add(1, Ordering::Relaxed);
        let view = self.view();
        match view.state {
            SessionState::Starting | SessionState::Running => {}
            SessionState::Stopped => return Ok(self.outcome(true, view.resumed_at, wait).await),
            other => return Err(wrong_state(self.id(), other, "be paused")),
        }
        let thread = Some(thread).filter(|thread| thread.0 != 0);
        let deadline = Instant::now() + wait.timeout;
        let mut patience = FIRST_PATIENCE;
        // A process that has only just begun loses the request.
        loop {
            self.ask(|reply| Input::Pause { thread, reply }).await??;
            let until = deadline.min(Instant::now() + patience);
            let stopped = |view: &Arc<View>| view.current().is_some() || view.is_over();
            if stopped(&self.wait_for(until, stopped).await) || deadline <= Instant::now() {
                break;
            }
            patience *= 2;
        }
        let left = deadline.saturating_duration_since(Instant::now());
        let mut outcome = self.wait_for_stop(0, &Wait { timeout: left, ..wait.clone() }).await?;
        outcome.timed_out =
            outcome.stop.is_none() && !wait.timeout.is_zero() && !self.view().is_over();
        if outcome.timed_out {
            outcome.hint = self.why_not_paused().await;
        }
        Ok(outcome)
    }

    /// Waits for a stop after `after_stop`, or for the end.
    pub async fn wait_for_stop(&self, after_stop: u64, wait: &Wait) -> Result<Outcome> {
        let view = self.view();
        if view.state == SessionState::Created {
            return Err(wrong_state(self.id(), view.state, "be waited for"));
        }
        let is_there = |view: &Arc<View>| {
            view.standing.iter().any(|stop| after_stop < stop.number()) || view.is_over()
        };
        let deadline = Instant::now() + wait.timeout;
        let view = self.wait_for(deadline, is_there).await;
        Ok(self.outcome_after(after_stop, is_there(&view), view.resumed_at, wait).await)
    }

    async fn wait_for(&self, deadline: Instant, fits: impl FnMut(&Arc<View>) -> bool) -> Arc<View> {
        match tokio::time::timeout_at(deadline, self.wait_until(fits)).await {
            Ok(view) => view,
            Err(_) => self.view(),
        }
    }

    fn why_running(&self) -> &'static str {
        let root = self.view().targets.first().and_then(|target| u32::try_from(target.pid).ok());
        match root.is_some_and(|pid| self.0.programs.waits_for_input(pid)) {
            true => {
                "The program waits for its standard input. WriteInput gives it some, or ends it with \
                 `close`; WaitForStop waits on."
            }
            false => "The program still runs. WaitForStop waits on; Pause stops it.",
        }
    }

    /// What came of it, as it is now.
    pub(super) async fn outcome(&self, is_there: bool, output_from: u64, wait: &Wait) -> Outcome {
        self.outcome_after(0, is_there, output_from, wait).await
    }

    async fn outcome_after(
        &self,
        after_stop: u64,
        is_there: bool,
        output_from: u64,
        wait: &Wait,
    ) -> Outcome {
        let view = self.view();
        let (exit_code, exit_signal) = view.ended.map_or((None, 0), Ended::codes);
        let mut outcome = Outcome {
            state: view.state.into(),
            exit_code,
            exit_signal,
            failure: view.failure.clone(),
            timed_out: !is_there && !wait.timeout.is_zero(),
            ..Default::default()
        };
        let shown = self.stop_to_show(&view, after_stop).or_else(|| self.standing_stop(&view, 0));
        if let Some(stop) = shown {
            self.note_shown(stop.number());
            outcome.stop = Some(stop.info.clone());
            if !wait.snapshot.skip {
                match self.picture(&stop, stop.dap_thread, &wait.snapshot).await {
                    Ok(snapshot) => outcome.snapshot = Some(snapshot),
                    Err(error) => {
                        outcome.hint =
                            format!("The snapshot could not be read: {error}. {}", error.hint())
                    }
                }
            }
        } else if !is_there {
            outcome.hint = self.why_running().into();
        }
        if view.is_over() {
            outcome.unhit_breakpoints =
                self.ask(|reply| Input::ShowUnhit { reply }).await.unwrap_or_default();
        }
        outcome.output = self.output().excerpt(output_from, OUTPUT_EXCERPT);
        outcome.sequence = self.events().progress().last_sequence;
        outcome
    }
}

//! Moving and waiting: every call that moves the program ends in an outcome that tells the whole
//! story, and a wait that is over loses nothing.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::input::{Input, Movement};
use super::program::Ended;
use super::snapshot::SnapshotLimits;
use super::view::View;
use super::{Session, wrong_state};
use crate::error::Result;
use crate::id::ThreadId;
use crate::proto::{Outcome, SessionState, StopReason};

/// Output that an outcome carries.
const OUTPUT_EXCERPT: usize = 2 * 1024;

/// A refusal comes at once. No answer within this means that the program runs and keeps it back.
const REFUSAL_LIMIT: Duration = Duration::from_secs(1);

/// How long a caller waits, and what it wants to see then.
#[derive(Debug, Clone, PartialEq)]
pub struct Wait {
    pub timeout: Duration,
    pub snapshot: SnapshotLimits,
}

impl Session {
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
        let mut thread = Some(thread).filter(|thread| thread.0 != 0);
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
                let is_new = view.current().is_some_and(|stop| left.newest < stop.number());
                view.is_over() || is_gone && view.current().is_some() || is_new
            };
            let view = self.wait_for(deadline, is_there).await;
            steps += 1;
            let is_plain_step = view.current().is_some_and(|stop| {
                stop.thread() == left.thread && stop.info.reason() == StopReason::Step
            });
            if count <= steps || !is_plain_step || !is_there(&view) {
                return Ok(self.outcome(is_there(&view), output_from, wait).await);
            }
        }
    }

    /// Stops the program, if it runs.
    pub async fn pause(&self, thread: ThreadId, wait: &Wait) -> Result<Outcome> {
        let view = self.view();
        match view.state {
            SessionState::Starting | SessionState::Running => {}
            SessionState::Stopped => return Ok(self.outcome(true, view.resumed_at, wait).await),
            other => return Err(wrong_state(self.id(), other, "be paused")),
        }
        let thread = Some(thread).filter(|thread| thread.0 != 0);
        self.ask(|reply| Input::Pause { thread, reply }).await??;
        let mut outcome = self.wait_for_stop(0, wait).await?;
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
            view.current().is_some_and(|stop| after_stop < stop.number()) || view.is_over()
        };
        let deadline = Instant::now() + wait.timeout;
        let view = self.wait_for(deadline, is_there).await;
        Ok(self.outcome(is_there(&view), view.resumed_at, wait).await)
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
        if let Some(stop) = view.current() {
            outcome.stop = Some(stop.info.clone());
            if !wait.snapshot.skip {
                match self.picture(stop, stop.dap_thread, &wait.snapshot).await {
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

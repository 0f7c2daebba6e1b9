//! The same program again, in the same session: what runs is ended, what belonged to it is
//! forgotten, and the last launch is done once more. Also what the program is given to read.

use std::sync::PoisonError;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::actor::Actor;
use super::closing::KILL_LIMIT;
use super::input::Input;
use super::outcome::Wait;
use super::program::{Control, InputPiece};
use super::state::Phase;
use super::{Session, wrong_state};
use crate::error::{Error, Result};
use crate::proto::{Outcome, SessionState};

/// How long a program that is to begin anew has to end by itself.
const GRACE: Duration = Duration::from_secs(2);
/// How long a caller waits for a program to read what it is given.
const INPUT_LIMIT: Duration = Duration::from_secs(5);

impl Session {
    /// Ends the program if it runs, starts it again and waits for its first stop.
    pub async fn restart(&self, wait: &Wait) -> Result<Outcome> {
        let _one_at_a_time = self.0.restarting.lock().await;
        let last = self.0.last_launch.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let view = self.view();
        if view.is_attached {
            let action = "be started again, for it was not started here";
            let state = super::state::name(view.state);
            return Err(Error::WrongState { session: self.id().clone(), state, action });
        }
        let Some(plan) = last else {
            return Err(wrong_state(self.id(), view.state, "be started again"));
        };
        let (session, newest) = (self.clone(), view.stops);
        // In a task of its own: a caller who goes away leaves nothing half done.
        let restarted = tokio::spawn(async move {
            session.make_room().await?;
            session.launch(plan).await
        });
        restarted.await.unwrap_or_else(|panic| Err(Error::internal(panic)))?;
        self.wait_for_stop(newest, wait).await
    }

    async fn make_room(&self) -> Result<()> {
        let control = self.ask(|reply| Input::BeginRestart { reply }).await?;
        let is_there = |view: &std::sync::Arc<super::view::View>| {
            view.state == SessionState::Created || view.is_over()
        };
        if let Some(control) = control {
            let _ = control.send(Control::Terminate).await;
            let _ = tokio::time::timeout(GRACE, self.wait_until(is_there)).await;
            let _ = control.send(Control::Kill).await;
        }
        let over = tokio::time::timeout(KILL_LIMIT, self.wait_until(is_there)).await;
        match over {
            Ok(view) if view.state == SessionState::Created => Ok(()),
            // Somebody ended the session meanwhile.
            Ok(view) => Err(wrong_state(self.id(), view.state, "be started again")),
            Err(_) => {
                Err(Error::LaunchFailed { problem: "the running program did not end".into() })
            }
        }
    }

    /// Gives the program something to read; returns how much of it was taken.
    pub async fn write_input(&self, data: Bytes, close: bool) -> Result<u64> {
        let session = self.id();
        let closed = |problem: &str| Error::InputClosed {
            session: session.clone(),
            problem: problem.into(),
        };
        let view = self.view();
        if view.state == SessionState::Created || view.is_over() {
            return Err(wrong_state(session, view.state, "be given input"));
        }
        let way = self.ask(|reply| Input::WayIn { reply }).await?;
        let way = way.ok_or_else(|| closed("it was not started here"))?;
        let (written, answer) = oneshot::channel();
        let deadline = Some(Instant::now() + INPUT_LIMIT);
        let _waiting = std::sync::Arc::clone(&self.0.waiting);
        let given = InputPiece { data, close, deadline, written };
        way.send(given).await.map_err(|_| closed("it was closed before"))?;
        let limit = deadline.map(|deadline| deadline + INPUT_LIMIT);
        let answer = tokio::time::timeout_at(limit.unwrap_or_else(Instant::now), answer);
        match answer.await.unwrap_or(Ok(Ok(0))) {
            Ok(Ok(length)) => Ok(length as u64),
            Ok(Err(error)) => Err(closed(&error.to_string())),
            Err(_) => Err(closed("it was closed before")),
        }
    }
}

impl Actor {
    pub(super) fn begin_restart(&mut self) -> Option<mpsc::Sender<Control>> {
        self.is_restarting = true;
        if self.phase.is_over() || self.program.is_none() {
            self.make_room();
            return None;
        }
        self.program.as_ref().map(|program| program.control.clone())
    }

    /// The old program is over; the session is as it was before its launch, but for its history.
    pub(super) fn make_room(&mut self) {
        if !self.phase.is_over() {
            self.leave_targets();
        }
        self.is_restarting = false;
        self.is_terminating = false;
        self.is_detaching = false;
        self.collectors.clear();
        // Its guard ends whatever is left of it.
        self.program = None;
        for id in std::mem::take(&mut self.targets).into_keys() {
            self.threads.forget(id, None);
        }
        self.breakpoints.begin_anew();
        self.ended = None;
        self.failure.clear();
        self.output.reopen();
        self.events.reopen();
        self.resumed_at = self.output.extent().end;
        self.phase = Phase::Created;
        self.show();
    }
}

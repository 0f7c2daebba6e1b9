//! How a session is ended: by a caller, or by the server for a reason.

use std::time::Duration;

use super::Session;
use super::input::{Input, Movement};
use super::program::Control;
use crate::error::Result;
use crate::proto::SessionState;

/// The longest that the program may take after SIGKILL.
pub(super) const KILL_LIMIT: Duration = Duration::from_secs(10);

impl Session {
    /// Ends the program: SIGTERM, then SIGKILL to all that it started. Returns when it is over.
    pub async fn terminate(&self, grace: Duration) -> Result<()> {
        let control = self.ask(|reply| Input::Terminate { reply }).await?;
        let Some(control) = control.filter(|_| self.state() != SessionState::Detached) else {
            // It is being started, and is killed as soon as it is there; or there is none.
            let over = self.wait_until(|view| view.is_over());
            let _ = tokio::time::timeout(KILL_LIMIT, over).await;
            return Ok(());
        };
        if !grace.is_zero() && !self.view().is_over() {
            let _ = control.send(Control::Terminate).await;
            let _ = tokio::time::timeout(grace, self.wait_until(|view| view.is_over())).await;
        }
        let _ = control.send(Control::Kill).await;
        let over = tokio::time::timeout(KILL_LIMIT, self.wait_until(|view| view.is_over())).await;
        if over.is_err() {
            tracing::error!("the program outlived SIGKILL for {KILL_LIMIT:?}");
        }
        Ok(())
    }

    /// As [`Self::shut_down`], by the server and not by a caller: the session says why.
    pub async fn end_because(&self, why: String) {
        tracing::info!(why, "the session is ended");
        let _ = self.ask_quietly(|reply| Input::Explain { why, reply }).await;
        self.shut_down().await;
    }

    /// Ends the program as [`Self::terminate`] does, by the server: the session says why, and stays.
    pub async fn end_program_because(&self, why: String) {
        tracing::warn!(why, "the program is ended");
        let _ = self.ask_quietly(|reply| Input::Explain { why, reply }).await;
        let _ = self.terminate(Duration::ZERO).await;
    }

    /// Returns when the program runs, however long that takes.
    pub async fn running(&self) {
        let runs = |state| matches!(state, SessionState::Starting | SessionState::Running);
        let _ = self.0.shown.clone().wait_for(|view| runs(view.state)).await;
    }

    /// Lets a program that stands run on, without a caller who asks for it.
    pub async fn run_on(&self) {
        let moved = self.ask_quietly(|reply| Input::Move {
            movement: Movement::Continue,
            thread: None,
            reply,
        });
        if let Ok(Err(error)) = moved.await {
            tracing::debug!(%error, "a program without an owner could not run on");
        }
    }

    /// Ends the program and everything that is left of it; a program that was started by somebody
    /// else is let go. The session is of no use afterwards.
    pub async fn shut_down(&self) {
        let view = self.view();
        match view.state == SessionState::Detached {
            true => {}
            false if view.is_attached => drop(self.detach().await),
            false => drop(self.terminate(Duration::ZERO).await),
        }
        let gone = self.ask(|reply| Input::Release { reply }).await;
        // What was let go is not waited for.
        if let (Ok(Some(gone)), false) = (gone, self.state() == SessionState::Detached) {
            let _ = tokio::time::timeout(KILL_LIMIT, gone).await;
        }
    }
}

//! Requests about a stop, with patience that ends: what does not come back in time is interrupted
//! inside the program, so that the session stays usable.

use std::time::Duration;

use tokio::time::timeout;

use super::Session;
use super::input::Input;
use super::inspect::READ_LIMIT;
use super::view::StopView;
use crate::adapters::probe;
use crate::dap::Response;
use crate::dap::types::Request;
use crate::error::{Error, Result};
use crate::id::TargetId;

/// How often a request that hangs is interrupted: a value's repr is tried twice by debugpy 1.8.
const ROUNDS: u32 = 20;
/// The time between two interrupts.
const ROUND: Duration = Duration::from_millis(150);
/// Interrupts that met nothing, before it is given up.
const MAX_IDLE: u32 = 2;
/// A program that keeps the interpreter to itself does not even take an interrupt.
const INTERRUPT_LIMIT: Duration = Duration::from_secs(1);

/// An answer, and whether it came only after an interrupt.
pub(super) struct Answered {
    pub response: Response,
    pub interrupted: bool,
}

impl Session {
    /// A request about a stop.
    pub(super) async fn request_at<R: Request>(
        &self,
        stop: &StopView,
        request: &R,
        limit: Duration,
    ) -> Result<Response> {
        Ok(self.request_patiently(stop, request, limit).await?.response)
    }

    /// The same, telling whether it had to be interrupted after `limit`.
    pub(super) async fn request_patiently<R: Request>(
        &self,
        stop: &StopView,
        request: &R,
        limit: Duration,
    ) -> Result<Answered> {
        let Ok(_turn) = timeout(limit, stop.turn.lock()).await else {
            return Err(Error::Busy { command: R::COMMAND, limit });
        };
        let whole = limit + ROUND * ROUNDS + INTERRUPT_LIMIT * 2;
        let answer = self.request(stop.target, Some(stop.number()), request, whole);
        tokio::pin!(answer);
        if let Ok(answer) = timeout(limit, &mut answer).await {
            return Ok(Answered { response: answer?, interrupted: false });
        }
        // Between two values nothing is there to interrupt, for a moment.
        let mut idle = 0;
        for _ in 0..ROUNDS {
            let interrupted = self.interrupt(stop.target).await;
            if let Ok(answer) = timeout(ROUND, &mut answer).await {
                return Ok(Answered { response: answer?, interrupted: true });
            }
            idle = if interrupted == Some(true) { 0 } else { idle + 1 };
            if MAX_IDLE < idle {
                break;
            }
        }
        Err(Error::AdapterTimeout { command: R::COMMAND, limit })
    }

    /// Interrupts what a process evaluates for us. None when it does not answer at all.
    pub(super) async fn interrupt(&self, target: TargetId) -> Option<bool> {
        let call = self.probe_beside::<u64>(target, probe::call("interrupt", &[]));
        let count = timeout(INTERRUPT_LIMIT, call).await.ok()?.ok()?;
        Some(0 < count)
    }

    /// A request to one process, whatever it does.
    pub(super) async fn request<R: Request>(
        &self,
        target: TargetId,
        stop: Option<u64>,
        request: &R,
        limit: Duration,
    ) -> Result<Response> {
        let arguments = serde_json::value::to_raw_value(request).map_err(Error::internal)?;
        let command = R::COMMAND;
        self.ask(|reply| Input::Request { target, stop, command, arguments, limit, reply }).await?
    }

    /// A request about a stop, whose refusal is an error.
    pub(super) async fn read<R: Request>(&self, stop: &StopView, request: &R) -> Result<R::Answer> {
        let response = self.request_at(stop, request, READ_LIMIT).await?;
        super::inspect::answer_of::<R>(&response)
    }
}

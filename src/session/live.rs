//! A look at a program that runs: where its threads are, without stopping it. Values cannot be read
//! there, but a thread that waits for ever tells why by where it stands.

use std::time::Duration;

use super::Session;
use super::view::TargetView;
use crate::adapters::debugpy;
use crate::dap::types::{Evaluate, StackFrames, StackTrace, ThreadList, Threads};
use crate::error::{Error, Result};
use crate::id::{TargetId, ThreadId};
use crate::proto::{GetStackTraceResponse, StackFrame};

/// A program that answers at all tells within this where it is.
const LIVE_LIMIT: Duration = Duration::from_secs(1);
/// Threads that are named in a hint.
const NAMED_THREADS: usize = 8;

impl Session {
    /// The stack of a thread that runs. Its frames have no handles.
    pub(super) async fn live_stack(
        &self,
        thread: ThreadId,
        start: u32,
        count: u32,
    ) -> Result<GetStackTraceResponse> {
        let (target, dap_thread) = match thread.0 {
            0 => {
                let first = self.view().targets.first().map(|target| (target.id, 1));
                first
                    .ok_or_else(|| super::wrong_state(self.id(), self.state(), "show its stack"))?
            }
            _ => self.0.threads.find(thread).ok_or(Error::ThreadNotFound { thread })?,
        };
        let stack = self.read_live(target, dap_thread, start, count).await?;
        let total = stack.total_frames.unwrap_or(start + stack.stack_frames.len() as u32);
        let frames = stack.stack_frames.iter().map(|frame| StackFrame {
            name: debugpy::plain_function(&frame.name).into(),
            file: frame.source.as_ref().and_then(|source| source.path.clone()).unwrap_or_default(),
            line: frame.line,
            ..Default::default()
        });
        Ok(GetStackTraceResponse { frames: frames.collect(), total_frames: total, stop_number: 0 })
    }

    async fn read_live(
        &self,
        target: TargetId,
        thread_id: i64,
        start_frame: u32,
        levels: u32,
    ) -> Result<StackFrames> {
        let request = StackTrace { thread_id, start_frame, levels };
        let response = self.request(target, None, &request, LIVE_LIMIT).await?;
        super::inspect::answer_of::<StackTrace>(&response)
    }

    /// Refuses to step a thread that waits in a call which is not Python's: the debugger would let
    /// nothing run until that call returns.
    pub(super) async fn can_step(&self, thread: ThreadId) -> Result<()> {
        let (stop, dap_thread) = self.stop_of_thread(thread, "step")?;
        if dap_thread == stop.dap_thread {
            return Ok(());
        }
        let frames = self.stack(&stop, dap_thread, 0, 1).await?;
        let Some(frame_id) = frames.stack_frames.first().map(|top| top.id) else {
            return Err(Error::ThreadInCall { thread });
        };
        let request =
            Evaluate { expression: "0".into(), frame_id: Some(frame_id), context: "watch" };
        let answer = self.request_at(&stop, &request, LIVE_LIMIT).await?;
        match super::refusal(&answer) {
            Some(_) => Err(Error::ThreadInCall { thread }),
            None => Ok(()),
        }
    }

    /// Why a program that was asked to stop still runs, and where its threads are.
    pub(super) async fn why_not_paused(&self) -> String {
        let view = self.view();
        let mut places = Vec::new();
        for target in &view.targets {
            places.extend(self.places(target).await);
        }
        if places.is_empty() {
            return "The program is in a call into C that holds the interpreter, and cannot be stopped \
                    before that returns. It stops then: WaitForStop waits for it; TerminateSession \
                    with `force` ends it."
                .into();
        }
        let more = places.len().saturating_sub(NAMED_THREADS);
        places.truncate(NAMED_THREADS);
        if 0 < more {
            places.push(format!("{more} more"));
        }
        format!(
            "The program waits in calls that cannot be interrupted, or loops on a single line; it stops \
             when that ends. Its threads: {}. GetStackTrace with a thread_id of ListThreads shows more.",
            places.join("; ")
        )
    }

    /// Where each thread of a process is.
    async fn places(&self, target: &TargetView) -> Vec<String> {
        let answer = self.request(target.id, None, &Threads {}, LIVE_LIMIT).await;
        let threads: ThreadList =
            answer.map(|it| it.body().unwrap_or_default()).unwrap_or_default();
        let mut places = Vec::new();
        for thread in threads.threads {
            let Ok(stack) = self.read_live(target.id, thread.id, 0, 1).await else { continue };
            let Some(top) = stack.stack_frames.first() else { continue };
            let file = top.source.as_ref().and_then(|source| source.path.clone());
            places.push(format!(
                "{} at {}:{} in {}",
                thread.name,
                file.unwrap_or_default(),
                top.line,
                debugpy::plain_function(&top.name)
            ));
        }
        places
    }
}

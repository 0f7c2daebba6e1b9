//! The actor's part in running: letting the program run on, stopping it, and what a stop is.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::actor::Actor;
use super::exceptions::exception_details;
use super::input::{Departure, Movement};
use super::probing::Decided;
use super::program::Control;
use super::state::{Life, Signal};
use super::targets::{ArrivingStop, Waiter};
use super::view::StopView;
use crate::adapters::{debugpy, probe};
use crate::clock;
use crate::dap::types::{
    Continue, ExceptionFound, ExceptionInfo, Goto, Next, Pause, StackFrames, StackTrace, StepIn,
    StepOut, Stopped,
};
use crate::error::{Error, Result};
use crate::id::{BreakpointId, TargetId, ThreadId};
use crate::proto::event::Payload;
use crate::proto::{BreakpointChangeKind, Location, StopInfo, StopReason};

/// Frames that are read at every stop, before anybody asks.
const FIRST_FRAMES: u32 = 20;

/// A part of a stop that was asked for when it happened.
pub(super) enum Found {
    Stack(Option<StackFrames>),
    Exception(Option<ExceptionFound>),
}

impl Actor {
    pub(super) fn move_on(
        &mut self,
        movement: Movement,
        thread: Option<ThreadId>,
        reply: oneshot::Sender<Result<Departure>>,
    ) {
        let (id, thread) = match self.standing_thread(thread, movement.action()) {
            Ok(found) => found,
            Err(error) => {
                let _ = reply.send(Err(error));
                return;
            }
        };
        let relay_thread = self.threads.of(id, thread);
        if let Some(target) = self.targets.get_mut(&id) {
            target.decided.clear();
            if target.stop.as_ref().is_some_and(|stop| stop.has_results()) {
                // The program must not find them alive when it runs on.
                self.tell_probe(id, probe::call("drop_results", &[]));
            }
        }
        self.signal(id, Signal::Asked);
        self.resumed_at = self.output.extent().end;
        self.continued(id, relay_thread, movement.rpc());
        self.show();
        let (refuse, refused) = oneshot::channel();
        let newest = self.stops;
        let _ = reply.send(Ok(Departure { target: id, thread: relay_thread, newest, refused }));
        let waiter = Waiter::Mover(refuse);
        match movement {
            Movement::Continue => self.send(id, &Continue { thread_id: thread }, waiter),
            Movement::Over => self.send(id, &Next { thread_id: thread }, waiter),
            Movement::Into => self.send(id, &StepIn { thread_id: thread, target_id: None }, waiter),
            Movement::IntoTarget(target) => {
                self.send(id, &StepIn { thread_id: thread, target_id: Some(target) }, waiter)
            }
            Movement::Out => self.send(id, &StepOut { thread_id: thread }, waiter),
            Movement::Goto(target_id) => {
                self.send(id, &Goto { thread_id: thread, target_id }, waiter)
            }
        }
    }

    /// The process to move, and the debugger's number of the thread.
    fn standing_thread(
        &self,
        thread: Option<ThreadId>,
        action: &'static str,
    ) -> Result<(TargetId, i64)> {
        let newest = self.targets.iter().filter_map(|(id, target)| Some((*id, target.standing()?)));
        let found = match thread {
            None => {
                newest.max_by_key(|(_, stop)| stop.number()).map(|(id, stop)| (id, stop.dap_thread))
            }
            Some(thread) => {
                let (id, dap_thread) =
                    self.threads.find(thread).ok_or(Error::ThreadNotFound { thread })?;
                let stop = self.targets.get(&id).and_then(|target| target.standing());
                stop.map(|_| (id, dap_thread))
            }
        };
        found.ok_or_else(|| self.not_stopped(action))
    }

    pub(super) fn pause(&mut self, thread: Option<ThreadId>, reply: oneshot::Sender<Result<()>>) {
        let asked = match thread {
            Some(thread) => self.threads.find(thread).ok_or(Error::ThreadNotFound { thread }),
            // debugpy pauses all threads whichever is named.
            None => self
                .targets
                .keys()
                .next()
                .map(|id| (*id, 1))
                .ok_or_else(|| self.not_stopped("be paused")),
        };
        let sent =
            asked.map(|(id, thread_id)| match self.targets.get(&id).map(|target| target.life) {
                Some(Life::Running | Life::Resuming { .. }) => {
                    self.send(id, &Pause { thread_id }, Waiter::Nobody);
                }
                Some(Life::Starting | Life::Stopped { .. } | Life::Ended) | None => {}
            });
        let _ = reply.send(sent);
    }

    /// The process stopped. Its stack is asked for at once; the stop is shown when it is there.
    pub(super) async fn halted(&mut self, id: TargetId, body: Stopped) {
        if self.phase.is_over() || !self.targets.contains_key(&id) {
            return;
        }
        self.drain_output().await;
        let dap_thread = body.thread_id.unwrap_or(1);
        let is_exception = body.reason.contains("exception");
        self.stops += 1;
        let number = self.stops;
        self.signal(id, Signal::Halted { stop: number });
        let thread = self.threads.of(id, dap_thread);
        if let Some(target) = self.targets.get_mut(&id) {
            let awaited = 1 + u32::from(is_exception);
            let decided = target.decided.remove(&dap_thread).unwrap_or_default();
            target.arriving = Some(ArrivingStop {
                number,
                body,
                thread,
                decided,
                frames: None,
                exception: None,
                awaited,
            });
        }
        let stack = StackTrace { thread_id: dap_thread, start_frame: 0, levels: FIRST_FRAMES };
        self.send(id, &stack, Waiter::Stack { stop: number });
        if is_exception {
            self.send(
                id,
                &ExceptionInfo { thread_id: dap_thread },
                Waiter::Exception { stop: number },
            );
        }
    }

    pub(super) fn arrived(&mut self, id: TargetId, stop: u64, found: Found) {
        let Some(target) = self.targets.get_mut(&id) else { return };
        let Some(arriving) = target.arriving.as_mut().filter(|arriving| arriving.number == stop)
        else {
            return;
        };
        match found {
            Found::Stack(frames) => arriving.frames = frames,
            Found::Exception(exception) => arriving.exception = exception,
        }
        arriving.awaited -= 1;
        if arriving.awaited == 0
            && let Some(arriving) = target.arriving.take()
        {
            self.stopped(id, arriving);
        }
    }

    fn stopped(&mut self, id: TargetId, arriving: ArrivingStop) {
        let process_id = self.targets.get(&id).map_or(0, |target| target.identity.pid);
        let ArrivingStop { number, body, thread, decided, frames, exception, .. } = arriving;
        let frames = frames.unwrap_or_default();
        let location = frames.stack_frames.first().map(|top| Location {
            file: top.source.as_ref().and_then(|source| source.path.clone()).unwrap_or_default(),
            line: top.line,
            function: debugpy::plain_function(&top.name).into(),
        });
        let hit = self.hit_breakpoints(id, &body, &decided, location.as_ref());
        let reason = self.breakpoints.reason_of(&hit).unwrap_or_else(|| reason(&body.reason));
        let is_own = |id: &BreakpointId| self.breakpoints.contains(*id);
        let breakpoint_ids: Vec<_> = hit.iter().copied().filter(is_own).collect();
        let description = match &decided.change {
            Some((before, after)) => self.breakpoints.tell_change(&hit, before, after),
            None => self.breakpoints.tell_restored(&hit).unwrap_or_else(|| describe(&body)),
        };
        let info = StopInfo {
            stop_number: number,
            reason: reason.into(),
            description,
            thread_id: thread.0,
            all_threads_stopped: body.all_threads_stopped,
            breakpoint_ids: breakpoint_ids.iter().map(|id| id.0).collect(),
            location,
            exception: exception.clone().map(|found| exception_details(found, &body)),
            process_id,
            time: Some(clock::now()),
        };
        let dap_thread = body.thread_id.unwrap_or(1);
        let stop = StopView::new(info.clone(), id, dap_thread, frames, exception);
        if let Some(target) = self.targets.get_mut(&id) {
            target.stop = Some(Arc::new(stop));
        }
        self.tell(Payload::Stopped(info));
        self.drop_spent(&hit);
        self.show();
    }

    /// Our breakpoints that made the process stop, counted as hit.
    fn hit_breakpoints(
        &mut self,
        id: TargetId,
        body: &Stopped,
        decided: &Decided,
        location: Option<&Location>,
    ) -> Vec<BreakpointId> {
        let (file, line) = location.map_or(("", 0), |place| (place.file.as_str(), place.line));
        let is_at_breakpoint = body.reason.ends_with("breakpoint");
        let hit = match decided.ids.is_empty() {
            false => decided.ids.clone(),
            true if is_at_breakpoint => {
                self.breakpoints.named(id, &body.hit_breakpoint_ids, file, line)
            }
            true => Vec::new(),
        };
        self.breakpoints.count_hits(&hit);
        hit
    }

    /// What was to stop the program once has done so.
    fn drop_spent(&mut self, hit: &[BreakpointId]) {
        let spent: Vec<_> =
            hit.iter().copied().filter(|id| self.breakpoints.is_temporary(*id)).collect();
        for id in &spent {
            self.breakpoint_changed(*id, BreakpointChangeKind::Removed);
        }
        let reached = self.breakpoints.run_to_line();
        let spent: Vec<_> = spent.into_iter().chain(reached).collect();
        if !spent.is_empty() {
            drop(self.drop_own(&spent));
        }
    }

    /// The debugger says that the process runs. After a request of ours this is no news.
    pub(super) fn ran_on(&mut self, id: TargetId) {
        let Some(target) = self.targets.get(&id) else { return };
        if let (Life::Stopped { .. }, Some(stop)) = (target.life, target.stop.clone()) {
            self.continued(id, stop.thread(), "");
        }
        self.signal(id, Signal::RanOn);
        self.show();
    }

    pub(super) fn kill_program(&self) -> Option<()> {
        self.program.as_ref()?.control.try_send(Control::Kill).ok()
    }
}

fn reason(word: &str) -> StopReason {
    match word {
        "breakpoint" => StopReason::Breakpoint,
        "step" => StopReason::Step,
        "pause" => StopReason::Pause,
        "entry" => StopReason::Entry,
        "exception" => StopReason::Exception,
        "function breakpoint" => StopReason::FunctionBreakpoint,
        "data breakpoint" => StopReason::DataBreakpoint,
        "instruction breakpoint" => StopReason::InstructionBreakpoint,
        "goto" => StopReason::Goto,
        _ => StopReason::Other,
    }
}

/// What the debugger says beyond the reason; an exception is told in its own field.
fn describe(body: &Stopped) -> String {
    match reason(&body.reason) {
        StopReason::Exception => String::new(),
        StopReason::Other => body.description.clone().unwrap_or_else(|| body.reason.clone()),
        _ => body.description.clone().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_reason_is_kept_in_the_debuggers_words() {
        let body = Stopped { reason: "solar eclipse".into(), ..Default::default() };

        assert_eq!(
            (reason(&body.reason), describe(&body).as_str()),
            (StopReason::Other, "solar eclipse")
        );
    }
}

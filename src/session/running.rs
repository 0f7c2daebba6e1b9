//! The actor's part in running: letting the program run on, stopping it, and what a stop is.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::actor::Actor;
use super::input::{Departure, Movement};
use super::program::Control;
use super::state::{Life, Signal};
use super::talk::cut;
use super::targets::{ArrivingStop, Waiter};
use super::view::StopView;
use crate::clock;
use crate::dap::types::{
    Continue, ExceptionFound, ExceptionInfo, Next, Pause, StackFrames, StackTrace, StepIn, StepOut,
    Stopped,
};
use crate::error::{Error, Result};
use crate::id::{TargetId, ThreadId};
use crate::proto::event::Payload;
use crate::proto::{ExceptionDetails, Location, StopInfo, StopReason};

/// Frames that are read at every stop, before anybody asks.
const FIRST_FRAMES: u32 = 20;
/// debugpy 1.8 tells a user-unhandled exception only by this note after the class's name.
const UNHANDLED_NOTE: &str = "(note: full exception trace is shown";
const MAX_TRACEBACK: usize = 4 * 1024;

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
            Movement::Into => self.send(id, &StepIn { thread_id: thread }, waiter),
            Movement::Out => self.send(id, &StepOut { thread_id: thread }, waiter),
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
        let sent = asked.map(|(id, thread_id)| {
            if self.targets.get(&id).is_some_and(|target| target.life == Life::Running) {
                self.send(id, &Pause { thread_id }, Waiter::Nobody);
            }
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
        let thread = self.threads.of(id, dap_thread);
        self.signal(id, Signal::Halted { stop: number });
        if let Some(target) = self.targets.get_mut(&id) {
            let awaited = if is_exception { 2 } else { 1 };
            target.arriving =
                Some(ArrivingStop { number, body, thread, frames: None, exception: None, awaited });
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

    pub(super) fn stack_read(&mut self, id: TargetId, stop: u64, frames: Option<StackFrames>) {
        self.arrived(id, stop, |arriving| arriving.frames = frames);
    }

    pub(super) fn exception_read(
        &mut self,
        id: TargetId,
        stop: u64,
        exception: Option<ExceptionFound>,
    ) {
        self.arrived(id, stop, |arriving| arriving.exception = exception);
    }

    fn arrived(&mut self, id: TargetId, stop: u64, take: impl FnOnce(&mut ArrivingStop)) {
        let Some(target) = self.targets.get_mut(&id) else { return };
        let Some(arriving) = target.arriving.as_mut().filter(|arriving| arriving.number == stop)
        else {
            return;
        };
        take(arriving);
        arriving.awaited -= 1;
        if arriving.awaited == 0
            && let Some(arriving) = target.arriving.take()
        {
            let process_id = target.identity.pid;
            self.stopped(id, process_id, arriving);
        }
    }

    fn stopped(&mut self, id: TargetId, process_id: i64, arriving: ArrivingStop) {
        let ArrivingStop { number, body, thread, frames, exception, .. } = arriving;
        let frames = frames.unwrap_or_default();
        let location = frames.stack_frames.first().map(|top| Location {
            file: top.source.as_ref().and_then(|source| source.path.clone()).unwrap_or_default(),
            line: top.line,
            function: top.name.clone(),
        });
        let reason = reason(&body.reason);
        let (file, line) =
            location.as_ref().map_or(("", 0), |place| (place.file.as_str(), place.line));
        let breakpoint_ids = match reason {
            StopReason::Breakpoint => {
                self.breakpoints.hit(id, &body.hit_breakpoint_ids, file, line)
            }
            _ => Vec::new(),
        };
        let info = StopInfo {
            stop_number: number,
            reason: reason.into(),
            description: describe(&body),
            thread_id: thread.0,
            all_threads_stopped: body.all_threads_stopped,
            breakpoint_ids: breakpoint_ids.iter().map(|id| id.0).collect(),
            location,
            exception: exception.map(|found| exception_details(found, &body)),
            process_id,
            time: Some(clock::now()),
        };
        let stop = StopView::new(info.clone(), id, body.thread_id.unwrap_or(1), frames);
        if let Some(target) = self.targets.get_mut(&id) {
            target.stop = Some(Arc::new(stop));
        }
        self.tell(Payload::Stopped(info));
        self.show();
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

fn exception_details(found: ExceptionFound, body: &Stopped) -> ExceptionDetails {
    let details = found.details.unwrap_or_default();
    let message = details.message.or(found.description).or_else(|| body.description.clone());
    ExceptionDetails {
        r#type: plain_type(details.type_name.as_deref().unwrap_or(&found.exception_id)).into(),
        message: cut(message.unwrap_or_default(), MAX_TRACEBACK),
        is_user_unhandled: found.exception_id.contains(UNHANDLED_NOTE)
            || found.break_mode.as_deref() == Some("userUnhandled"),
        traceback: cut(in_call_order(&details.stack_trace.unwrap_or_default()), MAX_TRACEBACK),
    }
}

/// debugpy 1.8 lists the frames of the exception itself innermost first, those of its causes as
/// Python does, outermost first. Readers of tracebacks expect Python's order.
fn in_call_order(traceback: &str) -> String {
    let start = traceback.rfind("\n\n  File ").map_or(0, |found| found + 2);
    let (causes, own) = traceback.split_at(start);
    let frames_end = own.rfind("\n    ").map_or(0, |found| {
        let line = &own[found + 1..];
        found + 1 + line.find('\n').map_or(line.len(), |end| end + 1)
    });
    let (frames, message) = own.split_at(frames_end);
    let starts: Vec<usize> = frames.match_indices("  File ").map(|(start, _)| start).collect();
    let is_line_start = |start: &usize| *start == 0 || frames.as_bytes()[start - 1] == b'\n';
    let starts: Vec<usize> = starts.into_iter().filter(is_line_start).collect();
    let ends = starts.iter().skip(1).copied().chain([frames.len()]);
    let mut blocks: Vec<&str> =
        starts.iter().zip(ends).map(|(start, end)| &frames[*start..end]).collect();
    blocks.reverse();
    format!("{causes}{}{message}", blocks.concat())
}

/// debugpy 1.8 appends a note in parentheses to the class's name at user-unhandled exceptions.
fn plain_type(name: &str) -> &str {
    name.split_once(" (").map_or(name, |(name, _)| name).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_after_the_class_is_not_part_of_its_name() {
        assert_eq!(
            plain_type("ValueError       (note: full exception trace is shown)"),
            "ValueError"
        );
        assert_eq!(plain_type("app.errors.Broken"), "app.errors.Broken");
    }

    #[test]
    fn frames_of_the_exception_itself_are_put_in_pythons_order() {
        let traceback = "  File \"a.py\", line 3, in inner\n    {}['k']\nKeyError: 'k'\n\nThe above:\n\n  \
                         File \"a.py\", line 5, in inner\n    raise\n  File \"a.py\", line 8, in <module>\n    \
                         inner()\nValueError: bad\n";

        let ordered = in_call_order(traceback);

        let places: Vec<_> = ordered.lines().filter(|line| line.contains("line")).collect();
        assert!(
            places[0].contains("line 3")
                && places[1].contains("line 8")
                && places[2].contains("line 5")
        );
        assert!(ordered.ends_with("    raise\nValueError: bad\n"), "{ordered}");
        assert_eq!(in_call_order("no frames"), "no frames");
        assert_eq!(in_call_order(""), "");
    }

    #[test]
    fn an_unknown_reason_is_kept_in_the_debuggers_words() {
        let body = Stopped { reason: "solar eclipse".into(), ..Default::default() };

        assert_eq!(
            (reason(&body.reason), describe(&body).as_str()),
            (StopReason::Other, "solar eclipse")
        );
    }
}

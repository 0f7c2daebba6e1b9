//! Exceptions of the program: which of them stop it, and what is told of one that did.

use serde::Deserialize;
use tokio::sync::oneshot;

use super::Session;
use super::actor::Actor;
use super::running::Found;
use super::talk::cut;
use super::targets::{ArrivingStop, Waiter};
use crate::adapters::probe::{self, Argument};
use crate::dap::types::{
    Continue, Evaluate, Evaluated, ExceptionFound, SetExceptionBreakpoints, Stopped,
};
use crate::error::{Error, Result};
use crate::id::{TargetId, ThreadId};
use crate::proto::{
    ExceptionDetails, ExceptionFilter, ExceptionFilterOffer, GetExceptionInfoResponse,
};

/// debugpy 1.8 tells a user-unhandled exception only by this note after the class's name.
const UNHANDLED_NOTE: &str = "(note: full exception trace is shown";
const MAX_TRACEBACK: usize = 4 * 1024;
/// What stands between an exception and the one that led to it.
const LINKS: [&str; 2] = [
    "The above exception was the direct cause of the following exception:",
    "During handling of the above exception, another exception occurred:",
];

/// What the program says of an exception that it stopped at.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Judgement {
    identity: u64,
    /// Frames that it has left so far.
    depth: u64,
    matches: Vec<bool>,
}

/// The exception that a thread was last seen with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    identity: u64,
    depth: u64,
}

impl Session {
    /// Chooses the exceptions that stop the program.
    pub async fn set_exception_filters(&self, filters: Vec<ExceptionFilter>) -> Result<()> {
        let sent = self.ask(|reply| super::input::Input::SetExceptions { filters, reply }).await?;
        for answer in sent {
            let _ = answer.await;
        }
        Ok(())
    }

    pub async fn exception_filters(&self) -> Result<Vec<ExceptionFilter>> {
        self.ask(|reply| super::input::Input::GetExceptions { reply }).await
    }

    /// The kinds of exceptions that the debugger can stop at.
    pub fn exception_offers(&self) -> Vec<ExceptionFilterOffer> {
        let offers = self.facts().profile.exception_filters.iter();
        offers
            .map(|offer| ExceptionFilterOffer {
                filter: offer.name.into(),
                label: offer.label.into(),
                description: offer.description.into(),
                is_default: offer.is_default,
            })
            .collect()
    }

    /// All about the exception that a thread stopped at.
    pub fn exception_info(&self, thread: ThreadId) -> Result<GetExceptionInfoResponse> {
        let action = "tell about an exception";
        let (stop, dap_thread) = self.stop_of_thread(thread, action)?;
        let own = stop.exception.as_ref().filter(|_| dap_thread == stop.dap_thread);
        let (Some(found), Some(details)) = (own, stop.info.exception.clone()) else {
            return Err(Error::NoException { session: self.id().clone(), stop: stop.number() });
        };
        let text = found.details.as_ref().and_then(|details| details.stack_trace.as_deref());
        let causes = causes(text.unwrap_or_default());
        Ok(GetExceptionInfoResponse { exception: Some(details), causes })
    }
}

impl Actor {
    pub(super) fn set_exceptions(
        &mut self,
        filters: Vec<ExceptionFilter>,
    ) -> Vec<oneshot::Receiver<()>> {
        self.exception_filters = filters;
        let targets = self.configured_targets();
        targets.into_iter().map(|id| self.send_exceptions(id)).collect()
    }

    /// Tells a process which exceptions stop it. Conditions are decided when it has stopped: debugpy
    /// 1.8 takes them and heeds them not.
    pub(super) fn send_exceptions(&mut self, id: TargetId) -> oneshot::Receiver<()> {
        let (done, answered) = oneshot::channel();
        let mut filters: Vec<_> =
            self.exception_filters.iter().map(|filter| filter.filter.clone()).collect();
        filters.sort();
        filters.dedup();
        self.send(id, &SetExceptionBreakpoints { filters }, Waiter::Done(done));
        answered
    }

    /// Whether a stop at an exception may turn out to be none: by a condition, or because `raised`
    /// stops again in every frame that the exception leaves.
    pub(super) fn judges_exceptions(&self) -> bool {
        let is_judged =
            |filter: &ExceptionFilter| !filter.condition.is_empty() || filter.filter == "raised";
        self.exception_filters.iter().any(is_judged)
    }

    /// Asks the program about the exception of a stop whose stack has been read.
    pub(super) fn judge(&mut self, id: TargetId, arrival: u64) {
        let top = self
            .targets
            .get(&id)
            .and_then(|target| target.arriving.as_ref())
            .and_then(|arriving| Some(arriving.frames.as_ref()?.stack_frames.first()?.id));
        let Some(frame) = top else { return self.judged(id, arrival, None) };
        let conditions: Vec<_> =
            self.exception_filters.iter().map(|filter| filter.condition.as_str()).collect();
        let conditions = serde_json::json!(conditions).to_string();
        let expression = probe::call("exception", &[Argument::Text(&conditions)]);
        let request = Evaluate { expression, frame_id: Some(frame), context: "clipboard" };
        self.send(id, &request, Waiter::Judgement { arrival });
    }

    pub(super) fn judged(&mut self, id: TargetId, arrival: u64, answer: Option<Evaluated>) {
        let judgement = answer.and_then(|answer| serde_json::from_str(&answer.result).ok());
        self.arrived(id, arrival, Found::Judgement(judgement));
    }

    /// Whether an exception is one to stop at. If not, the process is let run on.
    pub(super) fn is_wanted(&mut self, id: TargetId, arriving: &ArrivingStop) -> bool {
        let Some(judgement) = &arriving.judgement else { return true };
        let mode = mode(arriving.exception.as_ref());
        let mut fitting = self.exception_filters.iter().zip(&judgement.matches);
        let fits = fitting.any(|(filter, matches)| {
            filter.filter == mode && (filter.condition.is_empty() || *matches)
        });
        let thread = arriving.body.thread_id.unwrap_or(1);
        let Judgement { identity, depth, .. } = *judgement;
        let last = self.exceptions_seen.insert((id, thread), Seen { identity, depth });
        let is_same = |last: Seen| last.identity == identity && last.depth < depth;
        let is_again = mode == "raised" && last.is_some_and(is_same);
        if fits && !is_again {
            return true;
        }
        self.send(id, &Continue { thread_id: thread }, Waiter::Nobody);
        false
    }
}

/// The filter by which the debugger stopped.
fn mode(found: Option<&ExceptionFound>) -> &'static str {
    let Some(found) = found else { return "" };
    match found.break_mode.as_deref() {
        _ if found.exception_id.contains(UNHANDLED_NOTE) => "userUnhandled",
        Some("userUnhandled") => "userUnhandled",
        Some("unhandled") => "uncaught",
        _ => "raised",
    }
}

/// The exceptions that led to the last one of a traceback, nearest first.
fn causes(traceback: &str) -> Vec<ExceptionDetails> {
    let mut parts = vec![traceback];
    while let Some(last) = parts.pop() {
        let first = LINKS.iter().filter_map(|link| Some((last.find(link)?, link.len()))).min();
        match first {
            Some((start, length)) => parts.extend([&last[..start], &last[start + length..]]),
            None => break,
        }
    }
    let told = parts.into_iter().rev().map(|part| {
        let part = part.trim_matches('\n');
        // The message may go over lines; it begins after the last frame.
        let is_frame = |line: &str| line.starts_with("  ") || line.starts_with("Traceback ");
        let lines: Vec<&str> = part.lines().collect();
        let start = lines.iter().rposition(|line| is_frame(line)).map_or(0, |last| last + 1);
        let said = lines[start..].join("\n");
        let (kind, message) = said.split_once(": ").unwrap_or((&said, ""));
        ExceptionDetails {
            r#type: kind.trim().into(),
            message: cut(message.into(), MAX_TRACEBACK),
            is_user_unhandled: false,
            traceback: cut(format!("{part}\n"), MAX_TRACEBACK),
        }
    });
    told.collect()
}

pub(super) fn exception_details(found: ExceptionFound, body: &Stopped) -> ExceptionDetails {
    let details = found.details.unwrap_or_default();
    let message = details.message.or(found.description).or_else(|| body.description.clone());
    ExceptionDetails {
        r#type: plain_type(details.type_name.as_deref().unwrap_or(&found.exception_id)).into(),
        message: cut(message.unwrap_or_default(), MAX_TRACEBACK),
        is_user_unhandled: found.exception_id.contains(UNHANDLED_NOTE)
            || found.break_mode.as_deref() == Some("userUnhandled"),
        traceback: cut(in_call_order(&plain_trace(details.stack_trace)), MAX_TRACEBACK),
    }
}

/// debugpy 1.8 adds a note to the frame in which it stopped.
fn plain_trace(text: Option<String>) -> String {
    text.unwrap_or_default().replace(" (Current frame)\n", "\n")
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
    fn the_exceptions_that_led_to_one_are_told_apart() {
        let traceback = "  File \"a.py\", line 3, in inner\n    {}['k']\nKeyError: 'k'\n\nThe above exception was \
                         the direct cause of the following exception:\n\n  File \"a.py\", line 5, in f\n    raise\n\
                         ValueError: two\nlines\n\nDuring handling of the above exception, another exception \
                         occurred:\n\n  File \"a.py\", line 8, in g\n    raise\nRuntimeError: last\n";

        let causes = causes(traceback);

        let told: Vec<_> =
            causes.iter().map(|cause| (cause.r#type.as_str(), cause.message.as_str())).collect();
        assert_eq!(told, [("ValueError", "two\nlines"), ("KeyError", "'k'")]);
        assert!(causes[1].traceback.contains("line 3"));
    }
}

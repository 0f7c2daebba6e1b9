//! Exceptions of the program: which of them stop it, and what is told of one that did.

use std::collections::BTreeMap;

use tokio::sync::oneshot;

use super::Session;
use super::actor::Actor;
use super::probing::Then;
use super::program::Questions;
use super::secrets::Veil;
use super::talk::cut;
use super::targets::Waiter;
use crate::adapters::probe::{self, Argument};
use crate::dap::types::{Evaluate, ExceptionFound, SetExceptionBreakpoints, Stopped};
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

impl Session {
    /// Chooses the exceptions that stop the program.
    pub async fn set_exception_filters(&self, filters: Vec<ExceptionFilter>) -> Result<()> {
        self.check_exceptions(&filters).await?;
        let sent = self.ask(|reply| super::input::Input::SetExceptions { filters, reply }).await?;
        for answer in sent {
            let _ = answer.await;
        }
        Ok(())
    }

    /// Refuses conditions that can never be true: debugpy would never say so.
    pub(super) async fn check_exceptions(&self, filters: &[ExceptionFilter]) -> Result<()> {
        let texts: Vec<_> = filters.iter().map(|filter| filter.condition.trim()).collect();
        let is_expression = |text: &&&str| !text.is_empty() && !is_class_list(text);
        let expressions: Vec<_> =
            texts.iter().filter(is_expression).map(|it| (*it).into()).collect();
        let questions = Questions { expressions, ..Default::default() };
        let found = self.examine(&questions).await.unwrap_or_default();
        for (text, problem) in questions.expressions.iter().zip(found.problems) {
            if let Some(problem) = problem {
                let said = format!("the condition `{text}` does not parse: {problem}");
                return Err(Error::invalid("exception_breakpoints.filters", said));
            }
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
        targets.into_iter().map(|id| self.send_exceptions(id, false)).collect()
    }

    /// Tells a process which exceptions stop it.
    pub(super) fn send_exceptions(&mut self, id: TargetId, begins: bool) -> oneshot::Receiver<()> {
        let (done, answered) = oneshot::channel();
        match self.judges_exceptions() {
            true => self.after_probe(id, Then::Exceptions { done, begins }),
            false => self.set_exception_filters(id, Waiter::Done(done)),
        }
        answered
    }

    fn set_exception_filters(&mut self, id: TargetId, waiter: Waiter) {
        let mut filters: Vec<_> =
            self.exception_filters.iter().map(|filter| filter.filter.clone()).collect();
        filters.sort();
        filters.dedup();
        self.send(id, &SetExceptionBreakpoints { filters }, waiter);
    }

    /// Whether the program is to decide: debugpy 1.8 takes conditions and heeds them not, and `raised`
    /// stops again in every frame that the exception leaves.
    pub(super) fn judges_exceptions(&self) -> bool {
        let is_judged =
            |filter: &ExceptionFilter| !filter.condition.is_empty() || filter.filter == "raised";
        self.exception_filters.iter().any(is_judged)
    }

    /// The filters, with conditions that the probe decides.
    pub(super) fn send_judged(&mut self, id: TargetId, done: oneshot::Sender<()>, begins: bool) {
        self.set_exception_filters(id, Waiter::Nobody);
        let mut conditions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for filter in &self.exception_filters {
            conditions.entry(&filter.filter).or_default().push(filter.condition.trim());
        }
        let conditions = serde_json::json!(conditions).to_string();
        let expression = probe::call("judge_exceptions", &[Argument::Text(&conditions)]);
        let request = Evaluate { expression, frame_id: None, context: "watch" };
        self.send(id, &request, Waiter::Judged { done, begins });
    }
}

/// Names of classes, with commas between them.
fn is_class_list(text: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || "_., ".contains(letter);
    text.chars().all(is_part)
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
        message: cut(veiled(&message.unwrap_or_default()), MAX_TRACEBACK),
        is_user_unhandled: found.exception_id.contains(UNHANDLED_NOTE)
            || found.break_mode.as_deref() == Some("userUnhandled"),
        traceback: cut(veiled(&in_call_order(&plain_trace(details.stack_trace))), MAX_TRACEBACK),
    }
}

/// A text without what looks like a secret.
fn veiled(text: &str) -> String {
    Veil::over_secrets(false).cover("", text).0
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

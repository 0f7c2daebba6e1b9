//! Where a program stands, and how a call came out.

use anstyle::Style;

use super::table::{Cell, table};
use super::{BAD, GOOD, NAME, QUIET, STRONG, WARN, changes, path, value, variables, word};
use crate::cli::words::in_commands;
use crate::proto::{Outcome, SessionState, Snapshot, StackFrame, StopInfo};

/// How much is shown of a stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Source, variables, and the stack if there is one.
    Full,
    /// Source, and what changed; the variables only if there is nothing to compare with.
    Step,
}

/// The whole outcome, ending with what to do next.
pub fn outcome(outcome: &Outcome, detail: Detail) -> String {
    let mut text = String::new();
    if let Some(output) = &outcome.output
        && !output.text.is_empty()
    {
        if output.truncated {
            text += &format!("{QUIET}… {} bytes before{QUIET:#}\n", output.omitted_bytes);
        }
        text += &output.text;
        if !output.text.ends_with('\n') {
            text.push('\n');
        }
    }
    match outcome.state() {
        SessionState::Stopped => {
            let stop = outcome.stop.clone().unwrap_or_default();
            text += &stop_line(&stop);
            text += &snapshot(&outcome.snapshot.clone().unwrap_or_default(), detail);
        }
        SessionState::Exited => text += &ended(outcome),
        SessionState::Failed => {
            text += &format!("{BAD}failed{BAD:#}: {}\n", outcome.failure);
        }
        state if outcome.timed_out => {
            let state = word(state.as_str_name(), "SESSION_STATE_");
            text += &format!("{WARN}still {state}{WARN:#}: the wait is over, the program is not\n");
        }
        state => text += &format!("{}\n", word(state.as_str_name(), "SESSION_STATE_")),
    }
    for unhit in &outcome.unhit_breakpoints {
        text +=
            &format!("{WARN}breakpoint {} never stopped it{WARN:#}: {}\n", unhit.id, unhit.message);
    }
    // Who did not wait knows that it runs.
    let is_plain = outcome.state() == SessionState::Running && !outcome.timed_out;
    if !outcome.hint.is_empty() && !is_plain {
        text += &format!("{QUIET}{}{QUIET:#}\n", in_commands(&outcome.hint));
    }
    text
}

fn ended(outcome: &Outcome) -> String {
    match (outcome.exit_code, outcome.exit_signal) {
        (Some(0), _) => format!("{GOOD}the program ended with exit code 0{GOOD:#}\n"),
        (Some(code), _) => format!("{BAD}the program ended with exit code {code}{BAD:#}\n"),
        (None, 0) => "the program ended\n".into(),
        (None, signal) => format!("{BAD}the program was ended by signal {signal}{BAD:#}\n"),
    }
}

/// Where and why it stopped.
pub fn stop_line(stop: &StopInfo) -> String {
    let place = stop.location.clone().unwrap_or_default();
    let mut why = word(stop.reason().as_str_name(), "STOP_REASON_");
    if !stop.breakpoint_ids.is_empty() {
        let ids: Vec<String> = stop.breakpoint_ids.iter().map(u64::to_string).collect();
        why += &format!(" {}", ids.join(", "));
    }
    let mut text = format!(
        "{STRONG}{}:{}{STRONG:#} in {NAME}{}{NAME:#}  {QUIET}{why}, stop {}, thread {}{QUIET:#}\n",
        path(&place.file),
        place.line,
        place.function,
        stop.stop_number,
        stop.thread_id,
    );
    if let Some(exception) = &stop.exception {
        let colon = if exception.message.is_empty() { "" } else { ": " };
        text += &format!("{BAD}{}{BAD:#}{colon}{}\n", exception.r#type, exception.message);
    }
    text
}

/// What there is to see at a stop.
pub fn snapshot(snapshot: &Snapshot, detail: Detail) -> String {
    let mut text = String::new();
    if let Some(source) = &snapshot.source {
        for line in source.text.lines() {
            let style = if line.starts_with('>') { STRONG } else { QUIET };
            text += &format!("  {style}{line}{style:#}\n");
        }
    }
    if detail == Detail::Full && 1 < snapshot.frames.len() {
        text += &titled("called from", frames(&snapshot.frames[1..], 1));
    }
    let has_changes = !snapshot.changes.is_empty();
    if has_changes {
        text += &titled("changed", changes(&snapshot.changes, 2));
    }
    if detail == Detail::Full || !has_changes {
        for scope in snapshot.scopes.iter().filter(|scope| !scope.variables.is_empty()) {
            text += &titled(&scope.name.to_lowercase(), variables(&scope.variables, 2));
        }
    }
    for result in &snapshot.expressions {
        text += &format!("  {}", value(result));
    }
    for omitted in &snapshot.omitted {
        text += &format!("  {QUIET}{}{QUIET:#}\n", in_commands(omitted));
    }
    text
}

fn titled(title: &str, content: String) -> String {
    format!("{QUIET}{title}{QUIET:#}\n{content}")
}

/// A stack, numbered from `first`.
pub fn frames(frames: &[StackFrame], first: usize) -> String {
    let rows: Vec<Vec<Cell>> = frames
        .iter()
        .enumerate()
        .map(|(index, frame)| {
            let style = if frame.presentation_hint == "subtle" { QUIET } else { Style::new() };
            vec![
                (format!("{:>2}", index + first), QUIET),
                (frame.name.clone(), NAME),
                (format!("{}:{}", path(&frame.file), frame.line), style),
            ]
        })
        .collect();
    table(&rows, 1)
}

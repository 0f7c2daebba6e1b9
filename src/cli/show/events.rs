//! Events, a line each.

use super::{BAD, NAME, QUIET, WARN, one_line, path, word};
use crate::proto::Event;
use crate::proto::event::Payload;

/// The session is named when there are several.
pub fn event(event: &Event, session: Option<&str>) -> String {
    let session = session.map(|id| format!("{NAME}{id}{NAME:#} ")).unwrap_or_default();
    format!("{QUIET}{:>5}{QUIET:#} {session}{}\n", event.sequence, told(event))
}

fn told(event: &Event) -> String {
    let state = |name: &str| word(name, "SESSION_STATE_");
    let began = |is_begin: bool| if is_begin { "began" } else { "ended" };
    match &event.payload {
        Some(Payload::StateChanged(change)) => {
            let (from, to) = (change.from().as_str_name(), change.to().as_str_name());
            format!("state    {} → {}", state(from), state(to))
        }
        Some(Payload::Stopped(stop)) => {
            let place = stop.location.clone().unwrap_or_default();
            let why = word(stop.reason().as_str_name(), "STOP_REASON_");
            let place = format!("{}:{} in {}", path(&place.file), place.line, place.function);
            format!("{WARN}stopped{WARN:#}  {place}, {why}, stop {}", stop.stop_number)
        }
        Some(Payload::Continued(continued)) => {
            let by = if continued.by.is_empty() { "the debugger" } else { &continued.by };
            format!("runs     by {by}")
        }
        Some(Payload::Output(output)) => {
            let from = word(output.category().as_str_name(), "OUTPUT_CATEGORY_");
            format!("{from:<8} {}", one_line(output.text.trim_end()))
        }
        Some(Payload::BreakpointChanged(change)) => {
            let kind = word(change.kind().as_str_name(), "BREAKPOINT_CHANGE_KIND_");
            let point = change.breakpoint.clone().unwrap_or_default();
            format!("break    {} {kind} {}", point.id, point.message)
        }
        Some(Payload::Thread(thread)) => {
            format!("thread   {} {}", thread.thread_id, began(thread.started))
        }
        Some(Payload::Process(process)) => {
            format!("process  {} {}", process.process_id, began(process.started))
        }
        Some(Payload::Module(module)) => format!("module   {}", module.name),
        Some(Payload::Exited(exited)) => match exited.exit_code {
            Some(code) => format!("exited   {code}"),
            None => format!("exited   by signal {}", exited.exit_signal),
        },
        Some(Payload::Terminated(end)) => format!("over     {}", state(end.state().as_str_name())),
        Some(Payload::AdapterMessage(message)) => {
            format!("debugger {}", one_line(message.text.trim_end()))
        }
        Some(Payload::Gap(gap)) => format!(
            "{BAD}gap{BAD:#}      {} to {} are no longer kept",
            gap.from_sequence, gap.to_sequence
        ),
        None => String::new(),
    }
}

//! Breakpoints.

use super::table::{Cell, table};
use super::{BAD, GOOD, NAME, QUIET, WARN, path};
use crate::proto::breakpoint_spec::Location;
use crate::proto::{Breakpoint, GetExceptionBreakpointsResponse};
use anstyle::Style;

/// One breakpoint in a line, as after it was set.
pub fn breakpoint(point: &Breakpoint) -> String {
    let row = row(point);
    let cells = row.iter().filter(|(text, _)| !text.is_empty());
    let cells = cells.map(|(text, style)| format!("{style}{text}{style:#}"));
    format!("breakpoint {}\n", cells.collect::<Vec<_>>().join("  "))
}

pub fn breakpoints(points: &[Breakpoint]) -> String {
    if points.is_empty() {
        return "no breakpoints; `debug-relay break FILE:LINE` sets one\n".into();
    }
    table(&points.iter().map(row).collect::<Vec<_>>(), 0)
}

fn row(point: &Breakpoint) -> Vec<Cell> {
    let spec = point.spec.clone().unwrap_or_default();
    let place = match &spec.location {
        Some(Location::Line(line)) => {
            let shown = if point.actual_line == 0 { line.line } else { point.actual_line };
            format!("{}:{shown}", path(&line.file))
        }
        Some(Location::Function(function)) => format!("{}()", function.name),
        Some(Location::Data(data)) => format!("watch {}{}", data.expression, data.name),
        Some(Location::Instruction(instruction)) => instruction.reference.clone(),
        None => String::new(),
    };
    let mut terms = Vec::new();
    let mut term = |word: &str, text: &str| {
        if !text.is_empty() {
            terms.push(format!("{word} {text}"));
        }
    };
    term("if", &spec.condition);
    term("at pass", &spec.hit_condition);
    term("log", &spec.log_message);
    if spec.temporary {
        terms.push("once".into());
    }
    let (state, style) = match (spec.enabled, point.verified, point.message.is_empty()) {
        (Some(false), _, _) => ("disabled", QUIET),
        (_, true, _) => ("bound", GOOD),
        (_, false, true) => ("waits for the program", WARN),
        (_, false, false) => ("not bound", BAD),
    };
    let hits = match point.hit_count {
        0 => String::new(),
        1 => "hit once".into(),
        hits => format!("hit {hits} times"),
    };
    vec![
        (point.id.to_string(), NAME),
        (place, Style::new()),
        (terms.join(", "), Style::new()),
        (state.into(), style),
        (hits, QUIET),
        (point.message.clone(), QUIET),
    ]
}

/// Which exceptions stop the program, and which could.
pub fn exceptions(answer: &GetExceptionBreakpointsResponse) -> String {
    let set = answer.exception_breakpoints.clone().unwrap_or_default().filters;
    let rows: Vec<Vec<Cell>> = answer
        .offers
        .iter()
        .map(|offer| {
            let filter = set.iter().find(|filter| filter.filter == offer.filter);
            let (state, style) = if filter.is_some() { ("stops", GOOD) } else { ("passes", QUIET) };
            let condition = filter.map(|filter| filter.condition.clone()).unwrap_or_default();
            vec![
                (offer.filter.clone(), NAME),
                (state.into(), style),
                (condition, Style::new()),
                (offer.label.clone(), QUIET),
            ]
        })
        .collect();
    table(&rows, 0)
}

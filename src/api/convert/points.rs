//! Places to stop, to trace and to watch, as callers ask for them.

use std::time::Duration;

use super::{count, expression, limited_duration, longest_wait};
use crate::error::{Error, Result};
use crate::id::{BreakpointId, ThreadId};
use crate::limits::MAX_CONDITION;
use crate::proto::breakpoint_spec::Location;
use crate::proto::{
    BreakpointSpec, CollectRequest, DataAccess, DataLocation, ExceptionBreakpoints,
    ExceptionFilter, LineLocation, StepKind, TraceRequest, UpdateBreakpointRequest,
};
use crate::session::{
    AskedBreakpoint, AskedPlace, BreakpointChange, CollectWish, Movement, TraceWish,
};

const MAX_BREAKPOINTS: usize = 1000;
const DEFAULT_STREAM: Duration = Duration::from_secs(60);
const MAX_ROWS: u64 = 1_000_000;
const MAX_STREAM_FRAMES: u32 = 100;

/// Breakpoints to set.
pub fn breakpoints(field: &str, specs: Vec<BreakpointSpec>) -> Result<Vec<AskedBreakpoint>> {
    if MAX_BREAKPOINTS < specs.len() {
        return Err(Error::invalid(
            field,
            format!("at most {MAX_BREAKPOINTS} can be set in one call"),
        ));
    }
    specs
        .into_iter()
        .enumerate()
        .map(|(index, spec)| breakpoint(&format!("{field}[{index}]"), spec))
        .collect()
}

fn breakpoint(field: &str, spec: BreakpointSpec) -> Result<AskedBreakpoint> {
    for text in [&spec.condition, &spec.hit_condition, &spec.log_message] {
        small(text)?;
    }
    let place = match &spec.location {
        None => {
            let problem = "it has no location; set `line` {file, line}, `function` {name} or `data` {expression}";
            return Err(Error::invalid(field, problem));
        }
        Some(Location::Line(place)) => line_place(field, place)?,
        Some(Location::Function(place)) => {
            let name = place.name.trim().to_owned();
            let is_name = |part: &str| {
                let mut letters = part.chars();
                letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
                    && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
            };
            if !name.split('.').all(is_name) {
                let problem =
                    format!("{name:?} is no name; write `f`, `Class.method` or `module.f`");
                return Err(Error::invalid(format!("{field}.function.name"), problem));
            }
            AskedPlace::Function { name }
        }
        Some(Location::Data(place)) => value_place(field, place)?,
        Some(Location::Instruction(_)) => {
            let what = "stopping at an instruction";
            return Err(Error::NotSupportedByAdapter { adapter: "debugpy".into(), what });
        }
    };
    Ok(AskedBreakpoint { spec, place, restored: None })
}

fn line_place(field: &str, place: &LineLocation) -> Result<AskedPlace> {
    if place.file.is_empty() {
        return Err(Error::invalid(format!("{field}.line.file"), "it is empty"));
    }
    if place.line < 1 {
        return Err(Error::invalid(
            format!("{field}.line.line"),
            format!("it is {}, and lines count from 1", place.line),
        ));
    }
    if place.column != 0 {
        let what = "stopping at a column; it stops at whole lines";
        return Err(Error::NotSupportedByAdapter { adapter: "debugpy".into(), what });
    }
    Ok(AskedPlace::Line { file: place.file.clone(), line: place.line })
}

fn value_place(field: &str, place: &DataLocation) -> Result<AskedPlace> {
    match place.access() {
        DataAccess::Unspecified | DataAccess::Write => {}
        DataAccess::Read | DataAccess::ReadWrite => {
            let what = "stopping when a value is read";
            return Err(Error::NotSupportedByAdapter { adapter: "debugpy".into(), what });
        }
    }
    if place.expression.trim().is_empty() && place.variables_reference == 0 {
        let problem = "it has neither an expression nor a variables_reference and a name";
        return Err(Error::invalid(format!("{field}.data"), problem));
    }
    small(&place.expression)?;
    let expression = place.expression.trim().to_owned();
    Ok(AskedPlace::Value {
        expression,
        reference: place.variables_reference,
        name: place.name.clone(),
    })
}

fn small(text: &str) -> Result<()> {
    match MAX_CONDITION < text.len() {
        true => Err(Error::RequestTooLarge { size: text.len(), limit: MAX_CONDITION }),
        false => Ok(()),
    }
}

/// What is to change in which breakpoint.
pub fn breakpoint_change(
    request: UpdateBreakpointRequest,
) -> Result<(BreakpointId, BreakpointChange)> {
    if request.id == 0 {
        return Err(Error::MissingField { field: "id" });
    }
    let texts = [&request.condition, &request.hit_condition, &request.log_message];
    for text in texts.into_iter().flatten() {
        small(text)?;
    }
    let change = BreakpointChange {
        enabled: request.enabled,
        condition: request.condition,
        hit_condition: request.hit_condition,
        log_message: request.log_message,
    };
    Ok((BreakpointId(request.id), change))
}

/// The exceptions to stop at; none given means the debugger's defaults.
pub fn exception_filters(
    given: Option<ExceptionBreakpoints>,
) -> Result<Option<Vec<ExceptionFilter>>> {
    let Some(given) = given else { return Ok(None) };
    let known = ["raised", "uncaught", "userUnhandled"];
    for filter in &given.filters {
        small(&filter.condition)?;
        if !known.contains(&filter.filter.as_str()) {
            let problem =
                format!("there is no filter {:?}; there are: {}", filter.filter, known.join(", "));
            return Err(Error::invalid("exception_breakpoints.filters", problem));
        }
    }
    Ok(Some(given.filters))
}

/// What tracepoints are to tell.
pub fn collect(request: CollectRequest) -> Result<CollectWish> {
    if request.locations.is_empty() {
        return Err(Error::MissingField { field: "locations" });
    }
    expressions(&request.expressions)?;
    let locations = breakpoints("locations", request.locations)?;
    let plain = |asked: &AskedBreakpoint| {
        asked.spec.log_message.is_empty() && !matches!(asked.place, AskedPlace::Value { .. })
    };
    if !locations.iter().all(plain) {
        let problem = "a tracepoint is on a line or a function, and has no log_message";
        return Err(Error::invalid("locations", problem));
    }
    Ok(CollectWish {
        locations,
        expressions: request.expressions,
        changes: request.changes,
        max_frames: count("max_frames", request.max_frames, 0, MAX_STREAM_FRAMES)?,
        max_hits: many("max_hits", request.max_hits, 1000)?,
        timeout: limited_duration("timeout", request.timeout, DEFAULT_STREAM, longest_wait())?,
    })
}

/// What a trace is to do.
pub fn trace(request: TraceRequest) -> Result<TraceWish> {
    expressions(&request.expressions)?;
    small(&request.until_condition)?;
    let movement = match request.step() {
        StepKind::Unspecified | StepKind::Over => Movement::Over,
        StepKind::Into => Movement::Into,
        StepKind::Out => Movement::Out,
    };
    let until = match request.until {
        None => None,
        Some(place) if place.line < 1 => {
            return Err(Error::invalid("until.line", "lines count from 1"));
        }
        Some(place) => Some((place.file, place.line)),
    };
    Ok(TraceWish {
        thread: ThreadId(request.thread_id),
        movement,
        max_steps: many("max_steps", request.max_steps, 1000)?,
        until,
        until_condition: request.until_condition,
        expressions: request.expressions,
        timeout: limited_duration("timeout", request.timeout, DEFAULT_STREAM, longest_wait())?,
    })
}

fn expressions(texts: &[String]) -> Result<()> {
    if 32 < texts.len() {
        return Err(Error::invalid("expressions", "at most 32 are evaluated"));
    }
    texts.iter().try_for_each(|text| expression("expressions", text))
}

fn many(field: &str, given: u64, default: u64) -> Result<u64> {
    match given {
        0 => Ok(default),
        given if given <= MAX_ROWS => Ok(given),
        given => {
            Err(Error::invalid(field, format!("it is {given}, and at most {MAX_ROWS} is allowed")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::{FunctionLocation, InstructionLocation};

    fn at(location: Location) -> BreakpointSpec {
        BreakpointSpec { location: Some(location), ..Default::default() }
    }

    #[test]
    fn what_the_debugger_cannot_do_is_refused_and_not_ignored() {
        let line = LineLocation { file: "a.py".into(), line: 1, column: 3 };
        let read = DataAccess::Read.into();
        let data = DataLocation { expression: "x".into(), access: read, ..Default::default() };
        let specs = [
            at(Location::Instruction(InstructionLocation::default())),
            at(Location::Line(line)),
            at(Location::Data(data)),
        ];

        for spec in specs {
            let refused = breakpoints("breakpoints", vec![spec.clone()]).err();
            assert!(matches!(refused, Some(Error::NotSupportedByAdapter { .. })), "{spec:?}");
        }
    }

    #[test]
    fn places_that_are_none_are_refused_with_their_field() {
        let line = |file: &str, line| LineLocation { file: file.into(), line, column: 0 };
        let function = |name: &str| FunctionLocation { name: name.into() };
        let specs = [
            (at(Location::Line(line("", 1))), "b[0].line.file"),
            (at(Location::Line(line("a.py", 0))), "b[0].line.line"),
            (at(Location::Function(function("a b"))), "b[0].function.name"),
            (at(Location::Function(function(""))), "b[0].function.name"),
            (at(Location::Data(DataLocation::default())), "b[0].data"),
            (BreakpointSpec::default(), "b[0]"),
        ];

        for (spec, field) in specs {
            let refused = breakpoints("b", vec![spec]).unwrap_err();
            assert!(
                matches!(&refused, Error::Invalid { field: own, .. } if own == field),
                "{refused}"
            );
        }
    }

    #[test]
    fn exception_filters_are_known_ones() {
        let filters = |filter: &str| {
            let filter = ExceptionFilter { filter: filter.into(), condition: "KeyError".into() };
            exception_filters(Some(ExceptionBreakpoints { filters: vec![filter] }))
        };

        assert_eq!(exception_filters(None), Ok(None));
        assert!(filters("raised").is_ok());
        assert!(matches!(filters("never"), Err(Error::Invalid { .. })));
    }
}

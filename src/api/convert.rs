//! Requests of callers, checked field by field and given their defaults.

use std::time::Duration;

use prost_types::value::Kind;
use serde_json::{Map, Value};

use super::not_built;
use crate::error::{Error, Result};
use crate::limits::{MAX_CONDITION, MAX_EXPRESSION, MAX_WAIT};
use crate::proto::breakpoint_spec::Location;
use crate::proto::launch_config;
use crate::proto::{
    BreakpointSpec, ChildPolicy, Console, ExceptionBreakpoints, LaunchConfig, SnapshotOptions,
    WaitOptions,
};
use crate::session::{
    self, Children, LaunchPlan, LaunchTarget, LaunchWish, LineBreakpoint, SnapshotLimits, Wait,
};

const DEFAULT_WAIT: Duration = Duration::from_secs(30);
const MAX_BREAKPOINTS: usize = 1000;

/// How long to wait and what to show.
pub fn wait(options: Option<WaitOptions>) -> Result<Wait> {
    let options = options.unwrap_or_default();
    let timeout = duration("wait.timeout", options.timeout, DEFAULT_WAIT, MAX_WAIT)?;
    Ok(Wait { timeout, snapshot: snapshot("wait.snapshot", options.snapshot)? })
}

/// What a snapshot holds; `field` is where the options stand in the request.
pub fn snapshot(field: &str, options: Option<SnapshotOptions>) -> Result<SnapshotLimits> {
    let (options, defaults) = (options.unwrap_or_default(), SnapshotLimits::default());
    let within =
        |name: &str, value: Option<u32>, default: u32, allowed: std::ops::RangeInclusive<u32>| {
            let value = value.unwrap_or(default);
            if allowed.contains(&value) {
                return Ok(value);
            }
            let problem =
                format!("it is {value}, and must be {} to {}", allowed.start(), allowed.end());
            Err(Error::invalid(format!("{field}.{name}"), problem))
        };
    if 32 < options.expressions.len() {
        return Err(Error::invalid(
            format!("{field}.expressions"),
            "at most 32 are evaluated in a snapshot",
        ));
    }
    for text in &options.expressions {
        expression("expressions", text)?;
    }
    Ok(SnapshotLimits {
        max_frames: within("max_frames", options.max_frames, defaults.max_frames, 0..=1000)?,
        context_lines: within(
            "context_lines",
            options.context_lines,
            defaults.context_lines,
            0..=1000,
        )?,
        max_variables: within("max_variables", options.max_variables, 50, 0..=10_000)? as usize,
        max_depth: within("max_depth", options.max_depth, defaults.max_depth, 1..=5)?,
        max_value_length: within("max_value_length", options.max_value_length, 200, 1..=1_000_000)?
            as usize,
        expressions: options.expressions,
        changes_only: options.changes_only,
        names: options.names,
        max_bytes: within("max_bytes", options.max_bytes, 8192, 512..=4_000_000)? as usize,
        skip: options.skip,
    })
}

/// A span of time between nothing and `max`.
pub fn duration(
    field: &str,
    given: Option<prost_types::Duration>,
    default: Duration,
    max: Duration,
) -> Result<Duration> {
    let Some(given) = given else { return Ok(default) };
    let span = Duration::try_from(given).map_err(|_| Error::invalid(field, "it is negative"))?;
    if max < span {
        return Err(Error::invalid(field, format!("it is over the limit of {} s", max.as_secs())));
    }
    Ok(span)
}

/// A count of which 0 means the default.
pub fn count(field: &str, given: u32, default: u32, max: u32) -> Result<u32> {
    match given {
        0 => Ok(default),
        given if given <= max => Ok(given),
        given => Err(Error::invalid(field, format!("it is {given}, and at most {max} is allowed"))),
    }
}

/// Text that the debugger is to evaluate.
pub fn expression(field: &'static str, text: &str) -> Result<()> {
    if text.trim().is_empty() {
        return Err(Error::MissingField { field });
    }
    if MAX_EXPRESSION < text.len() {
        return Err(Error::RequestTooLarge { size: text.len(), limit: MAX_EXPRESSION });
    }
    Ok(())
}

/// Breakpoints to set.
pub fn breakpoints(field: &str, specs: Vec<BreakpointSpec>) -> Result<Vec<LineBreakpoint>> {
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

fn breakpoint(field: &str, spec: BreakpointSpec) -> Result<LineBreakpoint> {
    let place = match &spec.location {
        None => return Err(Error::invalid(field, "it has no location; set `line` {file, line}")),
        Some(Location::Line(place)) => place.clone(),
        Some(Location::Function(_)) => return Err(not_built("a breakpoint on a function")),
        Some(Location::Data(_)) => return Err(not_built("a breakpoint on data")),
        Some(Location::Instruction(_)) => return Err(not_built("a breakpoint on an instruction")),
    };
    if !spec.hit_condition.is_empty() {
        return Err(not_built("hit_condition"));
    }
    if !spec.log_message.is_empty() {
        return Err(not_built("log_message"));
    }
    if spec.temporary {
        return Err(not_built("a temporary breakpoint"));
    }
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
        return Err(not_built("a breakpoint on a column"));
    }
    if MAX_CONDITION < spec.condition.len() {
        return Err(Error::RequestTooLarge { size: spec.condition.len(), limit: MAX_CONDITION });
    }
    Ok(LineBreakpoint { file: place.file.clone(), line: place.line, spec })
}

/// The exceptions to stop at; none given means the debugger's defaults.
pub fn exception_filters(given: Option<ExceptionBreakpoints>) -> Result<Option<Vec<String>>> {
    let Some(given) = given else { return Ok(None) };
    let known = ["raised", "uncaught", "userUnhandled"];
    let filters = given.filters.into_iter().map(|filter| {
        if !filter.condition.is_empty() {
            return Err(not_built("a condition on an exception filter"));
        }
        if !known.contains(&filter.filter.as_str()) {
            let problem =
                format!("there is no filter {:?}; there are: {}", filter.filter, known.join(", "));
            return Err(Error::invalid("exception_breakpoints.filters", problem));
        }
        Ok(filter.filter)
    });
    filters.collect::<Result<_>>().map(Some)
}

/// What to start, as far as the request alone tells.
pub fn launch(config: Option<LaunchConfig>) -> Result<LaunchWish> {
    let config = config.ok_or(Error::MissingField { field: "launch" })?;
    let (children, console) = (config.children(), config.console());
    let target = match config.target.ok_or(Error::MissingField { field: "launch.program" })? {
        launch_config::Target::Program(path) if path.is_empty() => {
            return Err(Error::MissingField { field: "launch.program" });
        }
        launch_config::Target::Module(name) if name.is_empty() => {
            return Err(Error::MissingField { field: "launch.module" });
        }
        launch_config::Target::Program(path) => LaunchTarget::Program(path),
        launch_config::Target::Module(name) => LaunchTarget::Module(name),
        launch_config::Target::Code(text) => LaunchTarget::Code(text),
    };
    let console = match console {
        Console::Unspecified | Console::Pipes => session::Console::Pipes,
        Console::Pty => session::Console::Terminal,
        Console::Adapter => {
            let what = "a console of its own";
            return Err(Error::NotSupportedByAdapter { adapter: "debugpy".into(), what });
        }
    };
    let children = match children {
        ChildPolicy::Unspecified | ChildPolicy::Follow => Children::Follow,
        ChildPolicy::RunFree => Children::RunFree,
        ChildPolicy::StopAtStart => Children::StopAtStart,
    };
    let words = config.args.iter().chain(&config.python_args).chain(config.env.values());
    if words.chain(config.env.keys()).any(|word| word.contains('\0')) {
        return Err(Error::invalid(
            "launch",
            "args, python_args and env cannot hold a NUL character",
        ));
    }
    if config.env.keys().any(|name| name.is_empty() || name.contains('=')) {
        return Err(Error::invalid("launch.env", "a name is empty or has a '='"));
    }
    let plan = LaunchPlan {
        python: Default::default(),
        python_args: config.python_args,
        target,
        args: config.args,
        cwd: Default::default(),
        env: config.env,
        just_my_code: config.just_my_code.unwrap_or(true),
        stop_on_entry: config.stop_on_entry,
        children,
        console,
        stdin: Some(config.stdin).filter(|stdin| !stdin.is_empty()),
        options: config.adapter_options.map(json_object).unwrap_or_default(),
    };
    Ok(LaunchWish { plan, python: config.python, cwd: config.cwd })
}

fn json_object(object: prost_types::Struct) -> Map<String, Value> {
    object.fields.into_iter().map(|(name, value)| (name, json(value))).collect()
}

fn json(value: prost_types::Value) -> Value {
    match value.kind {
        None | Some(Kind::NullValue(_)) => Value::Null,
        Some(Kind::BoolValue(value)) => value.into(),
        // Whole numbers stay whole: debuggers refuse 1.0 where they want 1.
        Some(Kind::NumberValue(value)) if value.fract() == 0.0 && value.abs() < 9e15 => {
            (value as i64).into()
        }
        Some(Kind::NumberValue(value)) => value.into(),
        Some(Kind::StringValue(value)) => value.into(),
        Some(Kind::ListValue(list)) => list.values.into_iter().map(json).collect(),
        Some(Kind::StructValue(object)) => Value::Object(json_object(object)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: i64) -> Option<prost_types::Duration> {
        Some(prost_types::Duration { seconds, nanos: 0 })
    }

    #[test]
    fn unset_and_zero_waits_differ() {
        let options = |timeout| Some(WaitOptions { timeout, snapshot: None });

        assert_eq!(wait(options(None)).unwrap().timeout, DEFAULT_WAIT);
        assert_eq!(wait(options(seconds(0))).unwrap().timeout, Duration::ZERO);
    }

    #[test]
    fn numbers_out_of_range_are_refused_with_their_field() {
        let negative =
            wait(Some(WaitOptions { timeout: seconds(-1), snapshot: None })).unwrap_err();
        let long =
            wait(Some(WaitOptions { timeout: seconds(10_000), snapshot: None })).unwrap_err();
        let deep =
            snapshot("options", Some(SnapshotOptions { max_depth: Some(0), ..Default::default() }))
                .unwrap_err();

        assert!(negative.to_string().contains("wait.timeout is not valid: it is negative"));
        assert!(long.to_string().contains("limit of 3600 s"));
        assert!(deep.to_string().contains("options.max_depth"));
        assert!(count("count", 11, 5, 10).is_err());
    }

    #[test]
    fn whole_numbers_of_options_stay_whole() {
        let number = |value| prost_types::Value { kind: Some(Kind::NumberValue(value)) };

        assert_eq!(json(number(3.0)).to_string(), "3");
        assert_eq!(json(number(0.5)).to_string(), "0.5");
    }

    #[test]
    fn a_launch_needs_a_target() {
        assert_eq!(launch(None).err(), Some(Error::MissingField { field: "launch" }));
        assert_eq!(
            launch(Some(LaunchConfig::default())).err(),
            Some(Error::MissingField { field: "launch.program" })
        );
    }

    #[test]
    fn what_is_not_built_is_refused_and_not_ignored() {
        use crate::proto::{DataLocation, FunctionLocation, InstructionLocation, LineLocation};
        let line = || LineLocation { file: "a.py".into(), line: 1, column: 0 };
        let at = |location| BreakpointSpec { location: Some(location), ..Default::default() };
        let on_line = || at(Location::Line(line()));
        let specs = [
            at(Location::Function(FunctionLocation::default())),
            at(Location::Data(DataLocation::default())),
            at(Location::Instruction(InstructionLocation::default())),
            at(Location::Line(LineLocation { column: 3, ..line() })),
            BreakpointSpec { hit_condition: ">2".into(), ..on_line() },
            BreakpointSpec { log_message: "x".into(), ..on_line() },
            BreakpointSpec { temporary: true, ..on_line() },
        ];

        for spec in specs {
            let refused = breakpoints("breakpoints", vec![spec.clone()]).err();
            assert!(matches!(refused, Some(Error::NotImplemented { .. })), "{spec:?}");
        }
        assert!(breakpoints("breakpoints", vec![on_line()]).is_ok());
    }

    #[test]
    fn words_that_no_program_can_be_given_are_refused() {
        let code = || LaunchConfig {
            target: Some(launch_config::Target::Code("pass".into())),
            ..Default::default()
        };
        let launches = [
            LaunchConfig { args: vec!["a\0b".into()], ..code() },
            LaunchConfig { env: [("A=B".into(), "x".into())].into(), ..code() },
            LaunchConfig { env: [(String::new(), "x".into())].into(), ..code() },
        ];

        for config in launches {
            assert!(matches!(launch(Some(config)).err(), Some(Error::Invalid { .. })));
        }
    }

    #[test]
    fn exception_filters_are_known_ones_without_conditions() {
        let filters = |filter: &str, condition: &str| {
            let filter = crate::proto::ExceptionFilter {
                filter: filter.into(),
                condition: condition.into(),
            };
            exception_filters(Some(ExceptionBreakpoints { filters: vec![filter] }))
        };

        assert_eq!(exception_filters(None), Ok(None));
        assert_eq!(filters("raised", ""), Ok(Some(vec!["raised".into()])));
        assert!(matches!(filters("never", ""), Err(Error::Invalid { .. })));
        assert!(matches!(filters("raised", "x"), Err(Error::NotImplemented { .. })));
    }
}

//! Requests of callers, checked field by field and given their defaults.

mod attach;
mod points;
mod reading;

use std::time::Duration;

use prost_types::value::Kind;
use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::limits::{self, MAX_EXPRESSION};
use crate::proto::launch_config;
use crate::proto::{ChildPolicy, Console, LaunchConfig, SnapshotOptions, WaitOptions};
use crate::session::{
    self, Children, LaunchPlan, LaunchTarget, LaunchWish, SnapshotLimits, Veil, Wait,
};

pub use attach::attach;
pub use points::{breakpoint_change, breakpoints, collect, exception_filters, trace};
pub use reading::{event_limit, event_types, output_bytes, output_filter, poll};

const DEFAULT_WAIT: Duration = Duration::from_secs(30);

/// How long to wait and what to show.
pub fn wait(options: Option<WaitOptions>) -> Result<Wait> {
    let options = options.unwrap_or_default();
    let timeout = limited_duration("wait.timeout", options.timeout, DEFAULT_WAIT, longest_wait())?;
    Ok(Wait { timeout, snapshot: snapshot("wait.snapshot", options.snapshot)? })
}

/// The same, where an unset timeout means not to wait.
pub fn short_wait(options: Option<WaitOptions>) -> Result<Wait> {
    let mut options = options.unwrap_or_default();
    options.timeout.get_or_insert_default();
    wait(Some(options))
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
        veil: Veil::over_secrets(options.reveal),
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
    let negative = || Error::invalid(field, "it is negative");
    // prost-types 0.14.4 negates the seconds for its error, which i64::MIN does not survive.
    if given.seconds < 0 {
        return Err(negative());
    }
    let span = Duration::try_from(given).map_err(|_| negative())?;
    if max < span {
        return Err(Error::invalid(field, format!("it is over the limit of {} s", max.as_secs())));
    }
    Ok(span)
}

/// The longest that a call may wait, with its key in the server's settings.
fn longest_wait() -> (&'static str, Duration) {
    ("wait", limits::get().wait)
}

/// A span of time within a limit of the server's settings; `limit` is its key there.
pub fn limited_duration(
    field: &str,
    given: Option<prost_types::Duration>,
    default: Duration,
    (limit, max): (&'static str, Duration),
) -> Result<Duration> {
    let span = duration(field, given, default.min(max), Duration::MAX)?;
    if max < span {
        return Err(Error::LimitExceeded {
            what: format!("{field} is {span:?}"),
            limit,
            value: format!("{max:?}"),
        });
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

/// A line of a file.
pub fn line(line: i32) -> Result<i32> {
    match line {
        0 => Err(Error::MissingField { field: "line" }),
        line if line < 0 => {
            Err(Error::invalid("line", format!("it is {line}, and lines count from 1")))
        }
        line => Ok(line),
    }
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
        stdin: config.stdin,
        options: config.adapter_options.map(json_object).unwrap_or_default(),
    };
    Ok(LaunchWish { plan, python: config.python, cwd: config.cwd })
}

pub(super) fn json_object(object: prost_types::Struct) -> Map<String, Value> {
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
    fn no_span_of_time_is_too_odd_to_be_refused() {
        let extremes = [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX];
        for seconds in extremes {
            for nanos in [i32::MIN, -1_000_000_000, -1, 0, 999_999_999, i32::MAX] {
                let given = Some(prost_types::Duration { seconds, nanos });
                let span = duration("x", given, Duration::ZERO, Duration::from_secs(9));

                let total = i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
                let is_span = 0 <= seconds && (0..9_000_000_000).contains(&total);
                assert_eq!(span.is_ok(), is_span, "{given:?}");
            }
        }
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
        assert_eq!(
            long.to_string(),
            "wait.timeout is 10000s, and the limit `limits.wait` is 3600s"
        );
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
}

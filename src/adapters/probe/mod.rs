//! The probe: our own small module inside a Python program. What it decides there, at a breakpoint,
//! costs no way to us and back.

use crate::adapters::Point;

macro_rules! follow {
    () => {
        concat!(include_str!("../follow.py"), "follow_with_care()\n")
    };
}

/// One module in the program; several files here.
const SOURCE: &str = concat!(
    include_str!("values.py"),
    include_str!("points.py"),
    include_str!("watch.py"),
    include_str!("trace.py"),
    include_str!("exceptions.py"),
    include_str!("search.py"),
    follow!(),
);
/// The module, as an expression.
pub const MODULE: &str = "__import__('sys').modules['_debug_relay']";

/// The category of `output` events in which the probe speaks to us.
pub const CATEGORY: &str = "debug-relay";

/// The statement that puts the probe into a process; once more does no harm.
pub fn install() -> String {
    let source = literal(SOURCE);
    format!("exec(compile({source}, '<debug_relay>', 'exec'), {{'__name__': '_debug_relay'}})")
}

/// A part of it alone: the statement that has a process pass on with care that it is debugged.
pub fn follow_with_care() -> String {
    format!("exec({}, {{}})", literal(follow!()))
}

/// The condition of a breakpoint at which these points decide.
pub fn condition(points: &[Point]) -> String {
    let points = serde_json::to_string(points).unwrap_or_default();
    format!("{MODULE}.stop_for({})", literal(&points))
}

/// The type of what `evaluate` gives in place of a value.
pub const FAILURE: &str = "DebugRelayFailure";

/// An expression for the value of another, or for the traceback of what it raised.
/// Under the same number it is the same value, however often it is asked for.
pub fn evaluate(number: u64, expression: &str) -> String {
    call("evaluate", &[Argument::Whole(number), Argument::Text(expression)])
}

/// A statement that runs another.
pub fn run(statement: &str) -> String {
    // As a statement: what an expression does to names is not written back.
    format!("if True: {}", call("run", &[Argument::Text(statement), Argument::Code("locals()")]))
}

/// An expression that calls a function of the probe; its value is shown as JSON.
pub fn call(function: &str, arguments: &[Argument]) -> String {
    let arguments: Vec<_> = arguments.iter().map(Argument::text).collect();
    format!("{MODULE}.{function}({})", arguments.join(", "))
}

/// An argument of a call.
pub enum Argument<'a> {
    Text(&'a str),
    Number(f64),
    Whole(u64),
    /// A Python expression, evaluated in the frame of the call.
    Code(&'a str),
}

impl Argument<'_> {
    fn text(&self) -> String {
        match self {
            Argument::Text(text) => literal(text),
            Argument::Number(number) => number.to_string(),
            Argument::Whole(number) => number.to_string(),
            Argument::Code(code) => (*code).into(),
        }
    }
}

/// A Python string literal.
fn literal(text: &str) -> String {
    let mut shown = String::with_capacity(text.len() + 2);
    shown.push('\'');
    for character in text.chars() {
        match character {
            '\\' => shown += "\\\\",
            '\'' => shown += "\\'",
            '\n' => shown += "\\n",
            '\r' => shown += "\\r",
            '\0' => shown += "\\x00",
            // pydevd 3.x takes @LINE@ for the end of a line.
            '@' => shown += "\\x40",
            other => shown.push(other),
        }
    }
    shown.push('\'');
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_callers_stay_texts() {
        let point = Point { id: 3, condition: "x == 'it\\'s'\n".into(), ..Default::default() };

        let condition = condition(&[point]);

        assert!(condition.contains(r#"x == \'it\\\\\'s\'\\n"#), "{condition}");
        assert_eq!(literal("a'b\\c\n"), r"'a\'b\\c\n'");
    }
}

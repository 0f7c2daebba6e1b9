//! What a breakpoint decides inside the program: its condition, its count, its log message. Texts of
//! callers are taken apart here, and what is wrong with them is said in a sentence.

use serde::Serialize;

/// One breakpoint as the probe in the program knows it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Point {
    pub id: u64,
    pub condition: String,
    pub hit: Option<HitCondition>,
    pub log: Option<Vec<LogPart>>,
    pub row: Option<Row>,
    /// The expression whose value is watched; empty for none.
    pub watch: String,
    /// The whole name of the function, where the debugger only compares its last part.
    pub function: String,
}

/// What a tracepoint tells at each hit.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Row {
    pub expressions: Vec<String>,
    pub changes: bool,
    pub frames: u32,
    pub max: u64,
}

/// At which passes a breakpoint stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct HitCondition(pub &'static str, pub u64);

impl HitCondition {
    /// Reads `5`, `==3`, `>=5`, `>5`, `<5`, `<=5` or `%2`. A bare number means the pass itself.
    pub fn parse(text: &str) -> Result<Option<Self>, String> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(None);
        }
        let operators = ["==", ">=", "<=", ">", "<", "%"];
        let found = operators.into_iter().find(|operator| text.starts_with(operator));
        let number = text[found.map_or(0, str::len)..].trim();
        let wrong = |why: &str| {
            format!(
                "the hit condition `{text}` is not understood: {why}; write 5, ==3, >=5, >5, <5, <=5 or %2"
            )
        };
        let count: u64 = match number {
            "" => return Err(wrong("it has no number")),
            digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                digits.parse().map_err(|_| wrong("the number is too large"))?
            }
            _ => return Err(wrong("only one operator and one whole number are taken")),
        };
        let operator = found.unwrap_or("==");
        match (operator, count) {
            ("==" | "%" | "<" | "<=", 0) | ("<", 1) => Err(wrong("it is never true")),
            _ => Ok(Some(Self(operator, count))),
        }
    }
}

/// A piece of a log message: text, then a value.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LogPart {
    pub text: String,
    pub expression: String,
    /// `r`, `s` or `a`, as after `!` in Python.
    pub conversion: String,
    /// As after `:` in Python.
    pub format: String,
}

/// Takes a log message apart: what stands in braces is a Python expression, perhaps with `!r` and a
/// format; `{{` and `}}` are braces.
pub fn parse_log(message: &str) -> Result<Vec<LogPart>, String> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut rest = message;
    while let Some(found) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(found);
        text += before;
        if from.starts_with("{{") || from.starts_with("}}") {
            text += &from[..1];
            rest = &from[2..];
            continue;
        }
        if from.starts_with('}') {
            return Err("the log message has a `}` without a `{`; write `}}` for a brace".into());
        }
        let end = end_of_field(&from[1..])
            .ok_or("the log message has a `{` without a `}`; write `{{` for a brace")?;
        let part = field(&from[1..=end])?;
        parts.push(LogPart { text: std::mem::take(&mut text), ..part });
        rest = &from[end + 2..];
    }
    text += rest;
    parts.push(LogPart { text, ..Default::default() });
    Ok(parts)
}

/// Where the brace that closes a field is, given what follows the one that opens it.
fn end_of_field(text: &str) -> Option<usize> {
    find_outside(text, |rest| rest.starts_with('}'))
}

/// The first place outside of quotes and brackets from which the text fits.
fn find_outside(text: &str, fits: impl Fn(&str) -> bool) -> Option<usize> {
    let mut depth = 0;
    let mut quote = None;
    for (index, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), character) if open == character => quote = None,
            (Some(_), _) => {}
            (None, _) if depth == 0 && fits(&text[index..]) => return Some(index),
            (None, '\'' | '"') => quote = Some(character),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, _) => {}
        }
    }
    None
}

fn field(text: &str) -> Result<LogPart, String> {
    let ends =
        |rest: &str| rest.starts_with(':') || rest.starts_with('!') && !rest.starts_with("!=");
    let end = find_outside(text, ends).unwrap_or(text.len());
    let (expression, rest) = text.split_at(end);
    let expression = expression.trim().to_owned();
    if expression.is_empty() {
        return Err("the log message has empty braces; write an expression in them".into());
    }
    let (conversion, format) = match rest.strip_prefix('!') {
        Some(after) => after.split_once(':').unwrap_or((after, "")),
        None => ("", rest.strip_prefix(':').unwrap_or_default()),
    };
    Ok(LogPart {
        text: String::new(),
        expression,
        conversion: conversion.trim().into(),
        format: format.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hit_conditions_are_an_operator_and_a_number() {
        let read = |text| HitCondition::parse(text).unwrap().unwrap();

        assert_eq!(read("5"), HitCondition("==", 5));
        assert_eq!(read(" >= 5 "), HitCondition(">=", 5));
        assert_eq!(read("%2"), HitCondition("%", 2));
        assert_eq!(HitCondition::parse(" "), Ok(None));
    }

    #[test]
    fn what_is_wrong_with_a_hit_condition_is_said() {
        let problem = |text| HitCondition::parse(text).unwrap_err();

        for text in ["abc", "=3", "!=3", "-1", "5.0", ">=5 and <7", "hits == 4"] {
            assert!(problem(text).contains("one operator and one whole number"), "{text}");
        }
        assert!(problem(">=").contains("no number"));
        assert!(problem("%0").contains("never true") && problem("0").contains("never true"));
        assert!(problem("99999999999999999999999").contains("too large"));
    }

    fn part(text: &str, expression: &str) -> LogPart {
        LogPart { text: text.into(), expression: expression.into(), ..Default::default() }
    }

    #[test]
    fn log_messages_are_taken_apart_like_f_strings() {
        assert_eq!(
            parse_log("x is {x} of {d['a}']}").unwrap(),
            [part("x is ", "x"), part(" of ", "d['a}']"), part("", "")]
        );
        assert_eq!(parse_log("{{}} plain").unwrap(), [part("{} plain", "")]);
        let formatted = &parse_log("{total!r:>10}").unwrap()[0];
        assert_eq!(
            (
                formatted.expression.as_str(),
                formatted.conversion.as_str(),
                formatted.format.as_str()
            ),
            ("total", "r", ">10")
        );
        assert_eq!(parse_log("{a != b}").unwrap()[0].expression, "a != b");
        assert_eq!(parse_log("{f(x, {1: 2})[1:2]}").unwrap()[0].expression, "f(x, {1: 2})[1:2]");
        for wrong in ["{x", "x}", "{}", "{ : 3}"] {
            assert!(parse_log(wrong).is_err(), "{wrong}");
        }
    }
}

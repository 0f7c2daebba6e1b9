//! Answers as the README shows them: JSON in which `…` stands for what was left out, be it members
//! of an object, elements of a list or a part of a string. All else must be as shown.

use serde_json::Value;

const CUT: &str = "…";

/// Reads a shown answer.
pub fn parse(shown: &str) -> Value {
    let [answer] = &parse_all(shown)[..] else { panic!("this is not one answer: {shown}") };
    answer.clone()
}

/// Reads shown answers, one after the other. A cut becomes a member or an element of that name.
pub fn parse_all(shown: &str) -> Vec<Value> {
    let (mut json, mut within, mut containers) = (String::new(), false, Vec::new());
    let mut characters = shown.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' if within => {
                json.push(character);
                json.extend(characters.next());
                continue;
            }
            '"' => within = !within,
            '{' | '[' if !within => containers.push(character),
            '}' | ']' if !within => drop(containers.pop()),
            '…' if !within => {
                json.push_str(if containers.last() == Some(&'{') {
                    "\"…\":0"
                } else {
                    "\"…\""
                });
                continue;
            }
            _ => {}
        }
        json.push(character);
    }
    let answers = serde_json::Deserializer::from_str(&json).into_iter();
    let answers: Result<Vec<Value>, _> = answers.collect();
    answers.unwrap_or_else(|error| panic!("{error} in {shown}"))
}

/// Whether the real answer has all that is shown, and nothing else where no cut is marked.
pub fn compare(shown: &Value, real: &Value) -> Result<(), String> {
    compare_at("", shown, real)
}

/// The same of answers that follow one another.
pub fn compare_all(shown: &[Value], real: &[Value]) -> Result<(), String> {
    compare_lists("", shown, real)
}

fn compare_at(place: &str, shown: &Value, real: &Value) -> Result<(), String> {
    match (shown, real) {
        (Value::Object(shown), Value::Object(real)) => {
            for (name, shown) in shown.iter().filter(|(name, _)| *name != CUT) {
                let real = real.get(name).unwrap_or(&Value::Null);
                compare_at(&format!("{place}.{name}"), shown, real)?;
            }
            let more = real.keys().find(|name| !shown.contains_key(*name));
            match more {
                Some(name) if !shown.contains_key(CUT) => Err(format!("{place}.{name} is new")),
                _ => Ok(()),
            }
        }
        (Value::Array(shown), Value::Array(real)) => compare_lists(place, shown, real),
        (Value::String(shown), Value::String(real)) if fits(shown, real) => Ok(()),
        _ if shown == real => Ok(()),
        _ => Err(format!("{place} is {real}, and the page shows {shown}")),
    }
}

fn compare_lists(place: &str, shown: &[Value], real: &[Value]) -> Result<(), String> {
    let mut left = real.iter();
    let mut is_cut = false;
    for (index, shown) in shown.iter().enumerate() {
        if shown == CUT {
            is_cut = true;
            continue;
        }
        let place = format!("{place}[{index}]");
        let next = || format!("{place} is not there");
        if is_cut {
            left.find(|real| compare_at(&place, shown, real).is_ok()).ok_or_else(next)?;
        } else {
            compare_at(&place, shown, left.next().ok_or_else(next)?)?;
        }
        is_cut = false;
    }
    match left.next() {
        Some(more) if !is_cut => Err(format!("{place} has {more}, too")),
        _ => Ok(()),
    }
}

/// Whether `real` is `shown` with something in place of every cut.
pub fn fits(shown: &str, real: &str) -> bool {
    let Some((first, others)) = shown.split_once(CUT) else { return shown == real };
    let Some(mut rest) = real.strip_prefix(first) else { return false };
    let (middle, last) = others.rsplit_once(CUT).unwrap_or(("", others));
    for part in middle.split(CUT) {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

#[test]
fn cuts_are_allowed_where_they_are_marked_and_nowhere_else() {
    let real = parse(r#"{"a": "one two", "b": [1, 2, 3], "c": {}}"#);
    let check = |shown: &str| compare(&parse(shown), &real).is_ok();

    assert!(check(r#"{"a": "one two", "b": [1, 2, 3], "c": {}}"#));
    assert!(check(r#"{"a": "…two", …}"#) && check(r#"{"a": "one…", "b": [1, …], …}"#));
    assert!(check(r#"{"a": "o…e…o", …}"#) && !check(r#"{"a": "…two…one…", …}"#));
    assert!(check(r#"{"a": "…n…", "b": [1, …, 3], …}"#) && check(r#"{"b": […, 3], …}"#));

    assert!(!check(r#"{"a": "one two"}"#), "a member is left out");
    assert!(!check(r#"{"b": [1, 2], …}"#), "an element is left out");
    assert!(!check(r#"{"b": [2, …], …}"#) && !check(r#"{"b": [1, …, 4], …}"#));
    assert!(!check(r#"{"a": "one", …}"#) && !check(r#"{"a": "…one", …}"#));
    assert!(!check(r#"{"d": 1, …}"#));
}

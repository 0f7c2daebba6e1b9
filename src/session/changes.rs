//! What changed since the previous stop in the same function: the variables of each function are
//! remembered as they were when it was last looked at.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::inspect::cut_value;
use crate::dap::types::Variable;
use crate::id::ThreadId;
use crate::proto::{ChangeKind, VariableChange};

/// Functions that are remembered; the one not seen for longest goes first.
const MAX_FUNCTIONS: usize = 32;
/// Variables of one function that are remembered.
const MAX_VARIABLES: usize = 200;

/// A function as one thread runs it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Function {
    pub thread: ThreadId,
    pub file: String,
    pub name: String,
}

/// The variables of functions at their last stops.
#[derive(Debug, Default)]
pub struct Memory {
    functions: HashMap<Function, Seen>,
}

#[derive(Debug)]
struct Seen {
    stop: u64,
    /// The debugger's number of the call.
    frame: i64,
    is_other_call: bool,
    now: Vec<Remembered>,
    /// At the stop before; none when the function was never seen before.
    before: Option<Vec<Remembered>>,
}

#[derive(Debug, Clone)]
struct Remembered {
    name: String,
    /// As shown; two long values may look alike.
    value: String,
    /// Of the whole value.
    digest: u64,
}

impl Memory {
    /// Remembers the variables at `stop` and tells what changed since the function's previous stop.
    /// Nothing changed at a first sight.
    pub fn compare(
        &mut self,
        function: Function,
        frame: i64,
        stop: u64,
        variables: &[Variable],
        max_length: usize,
    ) -> Vec<VariableChange> {
        let now: Vec<_> = variables
            .iter()
            .take(MAX_VARIABLES)
            .map(|variable| remember(variable, max_length))
            .collect();
        if MAX_FUNCTIONS <= self.functions.len() && !self.functions.contains_key(&function) {
            self.forget_oldest();
        }
        let seen = self.functions.entry(function).or_insert(Seen {
            stop: 0,
            frame,
            is_other_call: false,
            now: Vec::new(),
            before: None,
        });
        if seen.stop != stop {
            let last = std::mem::take(&mut seen.now);
            seen.before = (seen.stop != 0).then_some(last);
            seen.stop = stop;
            seen.is_other_call = std::mem::replace(&mut seen.frame, frame) != frame;
        }
        seen.now = now;
        let before = seen.before.as_deref();
        let mut changes = before.map(|before| differences(before, &seen.now)).unwrap_or_default();
        // What another call of the function had and this one has not yet is not gone.
        changes.retain(|change| !seen.is_other_call || change.kind() != ChangeKind::Gone);
        changes
    }

    fn forget_oldest(&mut self) {
        let oldest = self
            .functions
            .iter()
            .min_by_key(|(_, seen)| seen.stop)
            .map(|(function, _)| function.clone());
        if let Some(oldest) = oldest {
            self.functions.remove(&oldest);
        }
    }
}

fn remember(variable: &Variable, max_length: usize) -> Remembered {
    let mut hasher = DefaultHasher::new();
    variable.value.hash(&mut hasher);
    let (value, _) = cut_value(&variable.value, max_length);
    Remembered { name: variable.name.clone(), value, digest: hasher.finish() }
}

fn differences(before: &[Remembered], now: &[Remembered]) -> Vec<VariableChange> {
    let old: HashMap<&str, &Remembered> =
        before.iter().map(|variable| (variable.name.as_str(), variable)).collect();
    let mut changes: Vec<_> = now
        .iter()
        .filter_map(|variable| match old.get(variable.name.as_str()) {
            None => Some(change(ChangeKind::New, &variable.name, "", &variable.value)),
            Some(old) if old.digest != variable.digest => {
                Some(change(ChangeKind::Changed, &variable.name, &old.value, &variable.value))
            }
            Some(_) => None,
        })
        .collect();
    let is_gone = |variable: &&Remembered| !now.iter().any(|new| new.name == variable.name);
    changes.extend(
        before
            .iter()
            .filter(is_gone)
            .map(|gone| change(ChangeKind::Gone, &gone.name, &gone.value, "")),
    );
    changes
}

fn change(kind: ChangeKind, name: &str, before: &str, after: &str) -> VariableChange {
    VariableChange {
        name: name.into(),
        before: before.into(),
        after: after.into(),
        kind: kind.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(values: &[(&str, &str)]) -> Vec<Variable> {
        let variable = |(name, value): &(&str, &str)| Variable {
            name: (*name).into(),
            value: (*value).into(),
            ..Default::default()
        };
        values.iter().map(variable).collect()
    }

    fn function(name: &str) -> Function {
        Function { thread: ThreadId(1), file: "/a.py".into(), name: name.into() }
    }

    fn told(changes: &[VariableChange]) -> Vec<(String, String, String)> {
        changes
            .iter()
            .map(|change| (change.name.clone(), change.before.clone(), change.after.clone()))
            .collect()
    }

    #[test]
    fn changed_new_and_gone_variables_are_told_and_the_rest_is_not() {
        let mut memory = Memory::default();
        memory.compare(function("f"), 1, 1, &variables(&[("a", "1"), ("b", "1"), ("c", "1")]), 100);

        let changes = memory.compare(
            function("f"),
            1,
            2,
            &variables(&[("a", "2"), ("b", "1"), ("d", "4")]),
            100,
        );

        let expected = [("a", "1", "2"), ("d", "", "4"), ("c", "1", "")];
        assert_eq!(
            told(&changes),
            expected.map(|(name, before, after)| (name.into(), before.into(), after.into()))
        );
    }

    #[test]
    fn a_second_look_at_the_same_stop_tells_the_same() {
        let mut memory = Memory::default();
        memory.compare(function("f"), 1, 1, &variables(&[("a", "1")]), 100);
        let first = memory.compare(function("f"), 1, 2, &variables(&[("a", "2")]), 100);

        assert_eq!(memory.compare(function("f"), 1, 2, &variables(&[("a", "2")]), 100), first);
    }

    #[test]
    fn a_change_beyond_the_cut_is_noticed() {
        let mut memory = Memory::default();
        memory.compare(function("f"), 1, 1, &variables(&[("a", "xxxx1")]), 2);

        assert_eq!(memory.compare(function("f"), 1, 2, &variables(&[("a", "xxxx2")]), 2).len(), 1);
    }

    #[test]
    fn another_function_is_not_compared_and_memory_is_bounded() {
        let mut memory = Memory::default();
        for number in 0..100 {
            let changes = memory.compare(
                function(&number.to_string()),
                1,
                number + 1,
                &variables(&[("a", "1")]),
                100,
            );
            assert!(changes.is_empty());
        }

        assert!(memory.functions.len() <= MAX_FUNCTIONS);
    }

    #[test]
    fn what_an_earlier_call_had_is_not_gone() {
        let mut memory = Memory::default();
        memory.compare(function("f"), 1, 1, &variables(&[("a", "1"), ("b", "1")]), 100);

        let changes = memory.compare(function("f"), 2, 2, &variables(&[("a", "2")]), 100);

        assert_eq!(told(&changes), [("a".into(), "1".into(), "2".into())]);
    }
}

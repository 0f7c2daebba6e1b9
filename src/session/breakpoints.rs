//! The breakpoints of a session: what callers asked for, and what became of it in each process.
//! Sends nothing; the actor does.

use std::collections::{BTreeMap, HashMap};

use crate::dap::types::{BoundBreakpoint, SourceBreakpoint};
use crate::id::{BreakpointId, TargetId};
use crate::proto::breakpoint_spec::Location;
use crate::proto::{Breakpoint, BreakpointSpec, UnhitBreakpoint, UnhitReason};

/// A breakpoint that a caller asked for, after a look at its file and condition.
#[derive(Debug, Clone)]
pub struct Checked {
    pub spec: BreakpointSpec,
    pub file: String,
    /// The line to ask the debugger for: the next one with code, where the given one has none.
    pub line: i32,
    /// Why it can never bind.
    pub problem: Option<String>,
    /// What was changed to make it bind.
    pub note: Option<String>,
}

#[derive(Debug)]
struct Entry {
    checked: Checked,
    bindings: HashMap<TargetId, BoundBreakpoint>,
    hits: u64,
}

/// All breakpoints of a session.
#[derive(Debug, Default)]
pub struct Breakpoints {
    entries: BTreeMap<BreakpointId, Entry>,
    last_id: u64,
}

impl Entry {
    fn is_enabled(&self) -> bool {
        self.checked.spec.enabled.unwrap_or(true)
    }

    fn is_sent(&self) -> bool {
        self.is_enabled() && self.checked.problem.is_none()
    }

    fn best_binding(&self) -> Option<&BoundBreakpoint> {
        self.bindings.values().max_by_key(|binding| binding.verified)
    }

    fn message(&self, has_started: bool) -> String {
        if let Some(problem) = &self.checked.problem {
            return problem.clone();
        }
        if !self.is_enabled() {
            return "disabled".into();
        }
        let note = self.checked.note.clone().unwrap_or_default();
        match self.best_binding() {
            Some(binding) if !binding.verified => binding.message.clone().unwrap_or(note),
            Some(_) => note,
            None if has_started && note.is_empty() => "the debugger has not answered for it".into(),
            None if note.is_empty() => "binds when the program starts".into(),
            None => note,
        }
    }
}

impl Breakpoints {
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Adds a breakpoint, or changes the one that is in the same place.
    pub fn set(&mut self, checked: Checked) -> BreakpointId {
        let same = self
            .entries
            .iter()
            .find(|(_, entry)| is_same_place(&entry.checked.spec, &checked.spec));
        if let Some((&id, _)) = same {
            if let Some(entry) = self.entries.get_mut(&id) {
                entry.checked = checked;
            }
            return id;
        }
        self.last_id += 1;
        let id = BreakpointId(self.last_id);
        self.entries.insert(id, Entry { checked, bindings: HashMap::new(), hits: 0 });
        id
    }

    pub fn remove(&mut self, id: BreakpointId) -> Option<String> {
        self.entries.remove(&id).map(|entry| entry.checked.file)
    }

    pub fn contains(&self, id: BreakpointId) -> bool {
        self.entries.contains_key(&id)
    }

    /// The ids in `file`, or all.
    pub fn ids(&self, file: Option<&str>) -> Vec<BreakpointId> {
        let fits = |entry: &Entry| file.is_none_or(|file| entry.checked.file == file);
        self.entries.iter().filter(|(_, entry)| fits(entry)).map(|(id, _)| *id).collect()
    }

    /// Every file that has breakpoints.
    pub fn files(&self) -> Vec<String> {
        let mut files: Vec<_> =
            self.entries.values().map(|entry| entry.checked.file.clone()).collect();
        files.sort();
        files.dedup();
        files
    }

    /// What the debugger is to be told of a file, and whose answers will come back, in order.
    pub fn wanted(&self, file: &str) -> (Vec<BreakpointId>, Vec<SourceBreakpoint>) {
        let sent =
            self.entries.iter().filter(|(_, entry)| entry.checked.file == file && entry.is_sent());
        sent.map(|(id, entry)| {
            let condition =
                Some(entry.checked.spec.condition.clone()).filter(|text| !text.is_empty());
            (*id, SourceBreakpoint { line: entry.checked.line, condition })
        })
        .unzip()
    }

    /// Takes the debugger's answer for the breakpoints of one file.
    pub fn bind(&mut self, target: TargetId, ids: &[BreakpointId], answers: Vec<BoundBreakpoint>) {
        for (id, answer) in ids.iter().zip(answers) {
            if let Some(entry) = self.entries.get_mut(id) {
                if let Some(line) =
                    answer.line.filter(|line| answer.verified && *line != entry.checked.line)
                {
                    let asked = entry.checked.line;
                    entry.checked.note = Some(format!(
                        "line {asked} has no code of its own; it stops at line {line}"
                    ));
                }
                entry.bindings.insert(target, answer);
            }
        }
    }

    /// The breakpoints that a stop names, counted as hit. Where the debugger names none, those on
    /// the line of the stop.
    pub fn hit(
        &mut self,
        target: TargetId,
        dap_ids: &[i64],
        file: &str,
        line: i32,
    ) -> Vec<BreakpointId> {
        let is_named = |entry: &Entry| {
            let own = entry.bindings.get(&target).and_then(|binding| binding.id);
            own.is_some_and(|own| dap_ids.contains(&own))
        };
        let is_here = |entry: &Entry| {
            let bound = entry.bindings.get(&target).and_then(|binding| binding.line);
            entry.checked.file == file && bound == Some(line)
        };
        // Ids from before a change of the file's breakpoints match none.
        let any_named = self.entries.values().any(is_named);
        let hit = self.entries.iter_mut().filter(|(_, entry)| {
            entry.is_sent() && if any_named { is_named(entry) } else { is_here(entry) }
        });
        hit.map(|(id, entry)| {
            entry.hits += 1;
            *id
        })
        .collect()
    }

    /// A breakpoint as callers see it.
    pub fn show(&self, id: BreakpointId, has_started: bool) -> Option<Breakpoint> {
        let entry = self.entries.get(&id)?;
        let binding = entry.best_binding().filter(|binding| binding.verified && entry.is_sent());
        Some(Breakpoint {
            id: id.0,
            spec: Some(entry.checked.spec.clone()),
            verified: binding.is_some(),
            message: entry.message(has_started),
            actual_line: binding.map_or(0, |binding| binding.line.unwrap_or(entry.checked.line)),
            hit_count: entry.hits,
        })
    }

    /// Breakpoints that never stopped the program, and why.
    pub fn unhit(&self) -> Vec<UnhitBreakpoint> {
        let never = self.entries.iter().filter(|(_, entry)| entry.hits == 0);
        never
            .map(|(id, entry)| {
                let is_bound = entry.best_binding().is_some_and(|binding| binding.verified);
                let condition = &entry.checked.spec.condition;
                let (reason, why) = if !entry.is_enabled() {
                    (UnhitReason::Disabled, "it is disabled".to_owned())
                } else if !is_bound || entry.checked.problem.is_some() {
                    (
                        UnhitReason::NeverBound,
                        format!("it was never bound: {}", entry.message(true)),
                    )
                } else if condition.is_empty() {
                    (UnhitReason::LineNeverReached, "the line was never reached".to_owned())
                } else {
                    let why = format!(
                        "the line was never reached, or `{condition}` was never true there"
                    );
                    (UnhitReason::ConditionNeverTrue, why)
                };
                let message = format!("{}:{}: {why}", entry.checked.file, entry.checked.line);
                UnhitBreakpoint { id: id.0, reason: reason.into(), message }
            })
            .collect()
    }

    /// Another run of the program: nothing is bound or hit yet.
    pub fn begin_anew(&mut self) {
        for entry in self.entries.values_mut() {
            entry.bindings.clear();
            entry.hits = 0;
        }
    }

    /// A process is gone: its bindings count no more, unless the program is over and they are what
    /// there is to tell.
    pub fn forget(&mut self, target: TargetId) {
        for entry in self.entries.values_mut().filter(|entry| 1 < entry.bindings.len()) {
            entry.bindings.remove(&target);
        }
    }
}

/// The place is what tells breakpoints apart.
fn is_same_place(one: &BreakpointSpec, two: &BreakpointSpec) -> bool {
    match (&one.location, &two.location) {
        (Some(Location::Line(one)), Some(Location::Line(two))) => {
            one.file == two.file && one.line == two.line
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::LineLocation;

    const TARGET: TargetId = TargetId(1);

    fn checked(line: i32, condition: &str) -> Checked {
        let location = Location::Line(LineLocation { file: "/a.py".into(), line, column: 0 });
        let spec = BreakpointSpec {
            location: Some(location),
            condition: condition.into(),
            ..Default::default()
        };
        Checked { spec, file: "/a.py".into(), line, problem: None, note: None }
    }

    fn bound(id: i64, line: i32) -> BoundBreakpoint {
        BoundBreakpoint { id: Some(id), verified: true, message: None, line: Some(line) }
    }

    #[test]
    fn the_same_place_again_changes_the_breakpoint_that_is_there() {
        let mut breakpoints = Breakpoints::default();

        let first = breakpoints.set(checked(3, ""));
        let again = breakpoints.set(checked(3, "x > 1"));

        assert_eq!(first, again);
        assert_eq!(breakpoints.wanted("/a.py").1[0].condition.as_deref(), Some("x > 1"));
    }

    #[test]
    fn answers_find_their_breakpoints_by_order_and_stops_by_the_debuggers_id() {
        let mut breakpoints = Breakpoints::default();
        let (one, two) = (breakpoints.set(checked(3, "")), breakpoints.set(checked(9, "")));
        let (ids, _) = breakpoints.wanted("/a.py");
        breakpoints.bind(TARGET, &ids, vec![bound(70, 3), bound(71, 8)]);

        assert_eq!(breakpoints.hit(TARGET, &[71], "", 0), [two]);
        assert_eq!(breakpoints.hit(TARGET, &[], "/a.py", 3), [one]);
        let shown = breakpoints.show(two, true).unwrap();
        assert_eq!((shown.actual_line, shown.hit_count), (8, 1));
        assert!(shown.message.contains("stops at line 8"));
    }

    #[test]
    fn a_disabled_one_and_one_that_cannot_bind_are_not_sent() {
        let mut breakpoints = Breakpoints::default();
        let mut disabled = checked(1, "");
        disabled.spec.enabled = Some(false);
        breakpoints.set(disabled);
        breakpoints.set(Checked { problem: Some("no such file".into()), ..checked(2, "") });

        assert!(breakpoints.wanted("/a.py").0.is_empty());
        let reasons: Vec<_> = breakpoints.unhit().iter().map(|unhit| unhit.reason()).collect();
        assert_eq!(reasons, [UnhitReason::Disabled, UnhitReason::NeverBound]);
    }

    #[test]
    fn at_the_end_each_unhit_one_has_its_reason() {
        let mut breakpoints = Breakpoints::default();
        breakpoints.set(checked(1, ""));
        breakpoints.set(checked(2, "x"));
        breakpoints.set(checked(3, ""));
        let (ids, _) = breakpoints.wanted("/a.py");
        breakpoints.bind(TARGET, &ids, vec![bound(1, 1), bound(2, 2), bound(3, 3)]);
        breakpoints.hit(TARGET, &[3], "", 0);

        let reasons: Vec<_> = breakpoints.unhit().iter().map(|unhit| unhit.reason()).collect();

        assert_eq!(reasons, [UnhitReason::LineNeverReached, UnhitReason::ConditionNeverTrue]);
    }
}

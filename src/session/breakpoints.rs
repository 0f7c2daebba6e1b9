//! The breakpoints of a session: what callers asked for, and what became of it in each process.
//! Sends nothing; the actor does.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::adapters::{HitCondition, LogPart, Point, Row};
use crate::dap::types::BoundBreakpoint;
use crate::id::{BreakpointId, TargetId};
use crate::proto::{BreakpointSpec, Restored, StopReason};

/// A breakpoint that a caller asked for, after a look at its place and its texts.
#[derive(Debug, Clone, Default)]
pub struct Checked {
    pub spec: BreakpointSpec,
    pub place: Place,
    pub hit: Option<HitCondition>,
    pub log: Option<Vec<LogPart>>,
    pub row: Option<Row>,
    pub origin: Origin,
    /// Why it can never bind.
    pub problem: Option<String>,
    /// What was changed to make it bind.
    pub note: Option<String>,
    /// What became of it since an earlier session.
    pub restored: Restored,
}

/// Where the debugger is asked to look.
#[derive(Debug, Clone, PartialEq)]
pub enum Place {
    /// The next line with code, where the given one has none.
    Line {
        file: String,
        line: i32,
    },
    Function {
        name: String,
    },
    /// Every line after which the watched value may have changed.
    Watch {
        expression: String,
        /// The name that the watch has in the program.
        key: String,
        lines: BTreeMap<String, BTreeSet<i32>>,
    },
}

impl Default for Place {
    fn default() -> Self {
        Place::Function { name: String::new() }
    }
}

/// Who a breakpoint is for. Only those of callers are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Origin {
    #[default]
    Caller,
    RunToLine,
    Collect,
}

#[derive(Debug)]
pub(super) struct Entry {
    pub checked: Checked,
    pub bindings: HashMap<TargetId, BoundBreakpoint>,
    pub hits: u64,
    /// Its place was passed without a stop, as the program tells.
    pub reached: bool,
    /// What its condition or its expressions raised.
    pub raised: Option<String>,
}

/// All breakpoints of a session.
#[derive(Debug, Default)]
pub struct Breakpoints {
    pub(super) entries: BTreeMap<BreakpointId, Entry>,
    last_id: u64,
}

/// One breakpoint that the debugger is asked for, and whose it is: several of ours may share a line,
/// where debugpy 1.8 would heed only the last.
#[derive(Debug, PartialEq)]
pub struct Wanted<P> {
    pub ids: Vec<BreakpointId>,
    pub place: P,
    /// What is to be decided in the program; none when it always stops.
    pub points: Vec<Point>,
}

impl Entry {
    pub fn is_enabled(&self) -> bool {
        self.checked.spec.enabled.unwrap_or(true)
    }

    pub fn is_sent(&self) -> bool {
        self.is_enabled() && self.checked.problem.is_none()
    }

    pub fn best_binding(&self) -> Option<&BoundBreakpoint> {
        self.bindings.values().max_by_key(|binding| binding.verified)
    }

    /// It stops whenever it is reached.
    fn is_plain(&self) -> bool {
        let Checked { spec, place, hit, log, row, .. } = &self.checked;
        let is_line = matches!(place, Place::Line { .. });
        is_line && spec.condition.is_empty() && hit.is_none() && log.is_none() && row.is_none()
    }

    fn point(&self, id: BreakpointId) -> Point {
        let Checked { spec, place, hit, log, row, .. } = &self.checked;
        Point {
            id: id.0,
            condition: spec.condition.clone(),
            hit: *hit,
            log: log.clone(),
            row: row.clone(),
            watch: match place {
                Place::Watch { key, .. } => key.clone(),
                Place::Line { .. } | Place::Function { .. } => String::new(),
            },
            function: match place {
                Place::Function { name } => name.clone(),
                Place::Line { .. } | Place::Watch { .. } => String::new(),
            },
        }
    }

    /// The files that the debugger is told of for it.
    pub fn files(&self) -> Vec<String> {
        match &self.checked.place {
            Place::Line { file, .. } => vec![file.clone()],
            Place::Function { .. } => Vec::new(),
            Place::Watch { lines, .. } => lines.keys().cloned().collect(),
        }
    }

    fn lines_in(&self, wanted: &str) -> Vec<i32> {
        match &self.checked.place {
            Place::Line { file, line } if file == wanted => vec![*line],
            Place::Watch { lines, .. } => {
                lines.get(wanted).into_iter().flatten().copied().collect()
            }
            Place::Line { .. } | Place::Function { .. } => Vec::new(),
        }
    }
}

impl Breakpoints {
    pub fn len(&self) -> usize {
        self.of_callers().count()
    }

    pub(super) fn of_callers(&self) -> impl Iterator<Item = (&BreakpointId, &Entry)> {
        self.entries.iter().filter(|(_, entry)| entry.checked.origin == Origin::Caller)
    }

    /// Numbers a breakpoint before it is set: what is done in the program needs its number.
    pub fn reserve(&mut self) -> BreakpointId {
        self.last_id += 1;
        BreakpointId(self.last_id)
    }

    /// Adds breakpoints, or changes those that are in the same places. Several in one place are as
    /// many breakpoints.
    pub fn set(&mut self, checked: Vec<Checked>) -> Vec<BreakpointId> {
        let mut taken = BTreeSet::new();
        // Exactly the same again is itself, before another in the same place is changed into it.
        let same = checked.iter().map(|new| {
            let found = self.find(&taken, |old| old.checked.spec == new.spec && is_alike(old, new));
            taken.extend(found);
            found
        });
        let same: Vec<_> = same.collect();
        let ids = checked.into_iter().zip(same).map(|(new, same)| {
            // Tracepoints belong to the call that set them.
            let is_own = new.origin == Origin::Collect;
            let found = same.filter(|_| !is_own);
            let found = found.or_else(|| self.find(&taken, |old| !is_own && is_alike(old, &new)));
            let id = found.unwrap_or_else(|| self.reserve());
            taken.insert(id);
            self.put(id, new);
            id
        });
        ids.collect()
    }

    fn find(
        &self,
        taken: &BTreeSet<BreakpointId>,
        fits: impl Fn(&Entry) -> bool,
    ) -> Option<BreakpointId> {
        let free = self.entries.iter().filter(|(id, _)| !taken.contains(id));
        free.into_iter().find(|(_, entry)| fits(entry)).map(|(id, _)| *id)
    }

    /// Sets the breakpoint with this number, whatever was there.
    pub fn put(&mut self, id: BreakpointId, checked: Checked) {
        match self.entries.get_mut(&id) {
            Some(entry) => entry.checked = checked,
            None => {
                let bindings = HashMap::new();
                let entry = Entry { checked, bindings, hits: 0, reached: false, raised: None };
                self.entries.insert(id, entry);
            }
        }
    }

    pub fn get(&self, id: BreakpointId) -> Option<&Checked> {
        let entry = self.entries.get(&id).map(|entry| &entry.checked);
        entry.filter(|checked| checked.origin == Origin::Caller)
    }

    pub fn remove(&mut self, id: BreakpointId) -> Option<Checked> {
        self.entries.remove(&id).map(|entry| entry.checked)
    }

    pub fn contains(&self, id: BreakpointId) -> bool {
        self.get(id).is_some()
    }

    /// The ids in `file`, or all.
    pub fn ids(&self, file: Option<&str>) -> Vec<BreakpointId> {
        let is_there = |entry: &Entry| match (&entry.checked.place, file) {
            (_, None) => true,
            (Place::Line { file, .. }, Some(wanted)) => file == wanted,
            (Place::Function { .. } | Place::Watch { .. }, Some(_)) => false,
        };
        self.of_callers().filter(|(_, entry)| is_there(entry)).map(|(id, _)| *id).collect()
    }

    /// The files that the debugger must be told of for these breakpoints, each once.
    pub fn files(&self, ids: &[BreakpointId]) -> BTreeSet<String> {
        let entries = ids.iter().filter_map(|id| self.entries.get(id));
        entries.flat_map(Entry::files).collect()
    }

    /// Every file that the debugger must be told of.
    pub fn all_files(&self) -> BTreeSet<String> {
        self.entries.values().filter(|entry| entry.is_sent()).flat_map(Entry::files).collect()
    }

    /// What the debugger is to be told of a file, by line.
    pub fn wanted(&self, file: &str) -> Vec<Wanted<i32>> {
        let mut lines: BTreeMap<i32, Vec<BreakpointId>> = BTreeMap::new();
        for (id, entry) in self.entries.iter().filter(|(_, entry)| entry.is_sent()) {
            for line in entry.lines_in(file) {
                lines.entry(line).or_default().push(*id);
            }
        }
        lines.into_iter().map(|(line, ids)| self.group(ids, line)).collect()
    }

    /// What the debugger is to be told of functions, by the last part of their names.
    pub fn wanted_functions(&self) -> Vec<Wanted<String>> {
        let mut names: BTreeMap<&str, Vec<BreakpointId>> = BTreeMap::new();
        for (id, entry) in self.entries.iter().filter(|(_, entry)| entry.is_sent()) {
            if let Place::Function { name } = &entry.checked.place {
                let last = name.rsplit('.').next().unwrap_or(name);
                names.entry(last).or_default().push(*id);
            }
        }
        names.into_iter().map(|(name, ids)| self.group(ids, name.to_owned())).collect()
    }

    fn group<P>(&self, ids: Vec<BreakpointId>, place: P) -> Wanted<P> {
        let entries: Vec<_> =
            ids.iter().filter_map(|id| Some((*id, self.entries.get(id)?))).collect();
        let is_plain = matches!(entries.as_slice(), [(_, only)] if only.is_plain());
        let points = match is_plain {
            true => Vec::new(),
            false => entries.iter().map(|(id, entry)| entry.point(*id)).collect(),
        };
        Wanted { ids, place, points }
    }

    /// Takes the debugger's answers, one for each group of ours that was asked for.
    pub fn bind(
        &mut self,
        target: TargetId,
        groups: &[Vec<BreakpointId>],
        answers: Vec<BoundBreakpoint>,
    ) {
        for (ids, answer) in groups.iter().zip(answers) {
            for id in ids {
                let Some(entry) = self.entries.get_mut(id) else { continue };
                if let Place::Line { line: asked, .. } = entry.checked.place
                    && let Some(line) = answer.line.filter(|line| answer.verified && *line != asked)
                {
                    entry.checked.note = Some(format!(
                        "line {asked} has no code of its own; it stops at line {line}"
                    ));
                }
                entry.bindings.insert(target, answer.clone());
            }
        }
    }

    /// Counts these as hit.
    pub fn count_hits(&mut self, ids: &[BreakpointId]) {
        for id in ids {
            if let Some(entry) = self.entries.get_mut(id) {
                entry.hits += 1;
            }
        }
    }

    /// The breakpoints that a stop names by the debugger's numbers; where it names none of those we
    /// know, those on the line of the stop.
    pub fn named(
        &self,
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
            let is_in =
                matches!(&entry.checked.place, Place::Line { file: own, .. } if own == file);
            is_in && bound == Some(line)
        };
        // Ids from before a change of the file's breakpoints match none.
        let any_named = self.entries.values().any(is_named);
        let hit = self.entries.iter().filter(|(_, entry)| {
            entry.is_sent() && if any_named { is_named(entry) } else { is_here(entry) }
        });
        hit.map(|(id, _)| *id).collect()
    }

    /// Why a stop at these breakpoints is one, where that is more than a line.
    pub fn reason_of(&self, hit: &[BreakpointId]) -> Option<StopReason> {
        let entries = hit.iter().filter_map(|id| self.entries.get(id));
        let reasons = entries.map(|entry| match (&entry.checked.place, entry.checked.origin) {
            (_, Origin::RunToLine) => StopReason::RunToLine,
            (Place::Line { .. }, _) => StopReason::Breakpoint,
            (Place::Function { .. }, _) => StopReason::FunctionBreakpoint,
            (Place::Watch { .. }, _) => StopReason::DataBreakpoint,
        });
        // Breakpoints of callers say more than our own.
        reasons.min_by_key(|reason| *reason == StopReason::RunToLine)
    }

    pub fn is_temporary(&self, id: BreakpointId) -> bool {
        self.entries.get(&id).is_some_and(|entry| entry.checked.spec.temporary)
    }

    /// The ends of runs to a line: any stop ends such a run.
    pub fn run_to_line(&self) -> Vec<BreakpointId> {
        let is_end = |entry: &Entry| entry.checked.origin == Origin::RunToLine;
        self.entries.iter().filter(|(_, entry)| is_end(entry)).map(|(id, _)| *id).collect()
    }

    /// There is nothing left to run to.
    pub fn drop_runs_to_line(&mut self) {
        for id in self.run_to_line() {
            self.entries.remove(&id);
        }
    }

    /// The place of a breakpoint was passed without a stop.
    pub fn note_reached(&mut self, id: BreakpointId) {
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.reached = true;
        }
    }

    /// Something that a breakpoint evaluates raised an error.
    pub fn note_raised(&mut self, id: BreakpointId, error: String) {
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.reached = true;
            entry.raised = Some(error);
        }
    }

    /// Another run of the program: nothing is bound or hit yet. What was watched is gone.
    pub fn begin_anew(&mut self) {
        for entry in self.entries.values_mut() {
            entry.bindings.clear();
            entry.hits = 0;
            entry.reached = false;
            entry.raised = None;
            if let Place::Watch { lines, .. } = &mut entry.checked.place {
                lines.clear();
                let gone = "what it watched ended with the last run; set it again at a stop";
                entry.checked.problem = Some(gone.into());
            }
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

/// The same place and the same kind: a log point beside a breakpoint is another one.
fn is_alike(old: &Entry, new: &Checked) -> bool {
    let is_same_place = match (&old.checked.place, &new.place) {
        (Place::Watch { expression: one, .. }, Place::Watch { expression: two, .. }) => one == two,
        (one, two) => one == two,
    };
    let old = &old.checked;
    is_same_place && old.origin == new.origin && old.log.is_some() == new.log.is_some()
}

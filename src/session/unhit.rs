//! Breakpoints as callers see them, and at the end what never stopped the program, and why.

use super::breakpoints::{Breakpoints, Entry, Place};
use super::secrets::Veil;
use crate::id::BreakpointId;
use crate::proto::{Breakpoint, Restored, UnhitBreakpoint, UnhitReason};

impl Breakpoints {
    /// A breakpoint as callers see it.
    pub fn show(&self, id: BreakpointId, has_started: bool) -> Option<Breakpoint> {
        let entry = self.entries.get(&id)?;
        let binding = entry.best_binding().filter(|binding| binding.verified && entry.is_sent());
        let actual_line = match (&entry.checked.place, binding) {
            (Place::Line { line, .. }, Some(binding)) => binding.line.unwrap_or(*line),
            (Place::Line { .. } | Place::Function { .. } | Place::Watch { .. }, _) => 0,
        };
        Some(Breakpoint {
            id: id.0,
            spec: Some(entry.checked.spec.clone()),
            verified: binding.is_some(),
            message: entry.message(has_started),
            actual_line,
            hit_count: entry.hits,
            restored: entry.checked.restored.into(),
        })
    }

    /// What a caller should know who did not set these: they come from an earlier session.
    pub fn tell_restored(&self, hit: &[BreakpointId]) -> Option<String> {
        let entries: Option<Vec<_>> = hit.iter().map(|id| self.entries.get(id)).collect();
        let is_restored = |entry: &&Entry| entry.checked.restored != Restored::Unspecified;
        let all = entries.filter(|entries| !entries.is_empty())?;
        let says = "the breakpoint comes from an earlier session of this project; CreateSession \
                    with restore_breakpoints false begins without";
        all.iter().all(is_restored).then(|| says.into())
    }

    /// How a watched value changed.
    pub fn tell_change(&self, hit: &[BreakpointId], before: &str, after: &str) -> String {
        let watched = hit.iter().find_map(|id| match &self.entries.get(id)?.checked.place {
            Place::Watch { expression, .. } => Some(expression.as_str()),
            Place::Line { .. } | Place::Function { .. } => None,
        });
        let name = watched.unwrap_or_default();
        let veil = Veil::over_secrets(false);
        let (before, after) = (veil.cover(name, before).0, veil.cover(name, after).0);
        format!("{name}: {before} became {after}")
    }

    /// Breakpoints that never stopped the program, and why.
    pub fn unhit(&self) -> Vec<UnhitBreakpoint> {
        let never = self.of_callers().filter(|(_, entry)| entry.hits == 0);
        never
            .map(|(id, entry)| {
                let (reason, why) = entry.why_unhit();
                let message = format!("{}: {why}", entry.place_name());
                UnhitBreakpoint { id: id.0, reason: reason.into(), message }
            })
            .collect()
    }
}

impl Entry {
    fn message(&self, has_started: bool) -> String {
        if let Some(problem) = &self.checked.problem {
            return problem.clone();
        }
        if !self.is_enabled() {
            return "disabled".into();
        }
        if let Some(error) = &self.raised {
            return format!("it could not be decided: it raised {error}");
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

    fn why_unhit(&self) -> (UnhitReason, String) {
        let is_bound = self.best_binding().is_some_and(|binding| binding.verified);
        if !self.is_enabled() {
            return (UnhitReason::Disabled, "it is disabled".into());
        }
        if !is_bound || self.checked.problem.is_some() {
            let why = format!("it was never bound: {}", self.message(true));
            return (UnhitReason::NeverBound, why);
        }
        if let Some(error) = &self.raised {
            let why = format!("it was reached, and what it evaluates raised {error}");
            return (UnhitReason::ConditionNeverTrue, why);
        }
        let wish = self.wish();
        match (&self.checked.place, self.reached) {
            (Place::Watch { .. }, _) => {
                (UnhitReason::ConditionNeverTrue, "the value never changed".into())
            }
            (_, true) => {
                let why = format!("it was reached, and {wish} was never true there");
                (UnhitReason::ConditionNeverTrue, why)
            }
            (Place::Line { .. }, false) => {
                (UnhitReason::LineNeverReached, "the line was never reached".into())
            }
            (Place::Function { .. }, false) => {
                let why = "no call of a function of this name was seen; before Python 3.12 the \
                           debugger does not see those of async functions and generators: use a line";
                (UnhitReason::LineNeverReached, why.into())
            }
        }
    }

    fn wish(&self) -> String {
        let spec = &self.checked.spec;
        let texts = [&spec.condition, &spec.hit_condition];
        let wishes = texts.into_iter().filter(|text| !text.is_empty());
        let wishes: Vec<_> = wishes.map(|text| format!("`{text}`")).collect();
        wishes.join(" and ")
    }

    fn place_name(&self) -> String {
        match &self.checked.place {
            Place::Line { file, line } => format!("{file}:{line}"),
            Place::Function { name } => format!("function {name}"),
            Place::Watch { expression, .. } => format!("watch {expression}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dap::types::BoundBreakpoint;
    use crate::id::TargetId;
    use crate::proto::BreakpointSpec;
    use crate::session::breakpoints::Checked;

    const TARGET: TargetId = TargetId(1);

    fn checked(line: i32, condition: &str) -> Checked {
        let spec = BreakpointSpec { condition: condition.into(), ..Default::default() };
        Checked { spec, place: Place::Line { file: "/a.py".into(), line }, ..Default::default() }
    }

    fn bound(id: i64, line: i32) -> BoundBreakpoint {
        BoundBreakpoint { id: Some(id), verified: true, message: None, line: Some(line) }
    }

    fn bind_all(breakpoints: &mut Breakpoints, answers: Vec<BoundBreakpoint>) {
        let groups: Vec<_> =
            breakpoints.wanted("/a.py").into_iter().map(|wanted| wanted.ids).collect();
        breakpoints.bind(TARGET, &groups, answers);
    }

    #[test]
    fn the_same_place_again_changes_the_breakpoint_that_is_there() {
        let mut breakpoints = Breakpoints::default();

        let first = breakpoints.set(vec![checked(3, "")]);
        let again = breakpoints.set(vec![checked(3, "x > 1")]);

        assert_eq!(first, again);
        assert_eq!(breakpoints.wanted("/a.py")[0].points[0].condition, "x > 1");
    }

    #[test]
    fn several_on_one_line_are_asked_for_as_one_and_decided_in_the_program() {
        let mut breakpoints = Breakpoints::default();

        let ids = breakpoints.set(vec![checked(3, "x > 1"), checked(3, "y"), checked(4, "")]);
        let again = breakpoints.set(vec![checked(3, "y"), checked(3, "x > 1"), checked(4, "")]);

        assert_eq!(again, [ids[1], ids[0], ids[2]]);
        let wanted = breakpoints.wanted("/a.py");
        assert_eq!((wanted[0].ids.as_slice(), wanted[0].points.len()), (&ids[..2], 2));
        assert!(wanted[1].points.is_empty());
    }

    #[test]
    fn answers_find_their_breakpoints_by_order_and_stops_by_the_debuggers_id() {
        let mut breakpoints = Breakpoints::default();
        let ids = breakpoints.set(vec![checked(3, ""), checked(9, "")]);
        bind_all(&mut breakpoints, vec![bound(70, 3), bound(71, 8)]);

        assert_eq!(breakpoints.named(TARGET, &[71], "", 0), [ids[1]]);
        assert_eq!(breakpoints.named(TARGET, &[], "/a.py", 3), [ids[0]]);
        breakpoints.count_hits(&ids);
        let shown = breakpoints.show(ids[1], true).unwrap();
        assert_eq!((shown.actual_line, shown.hit_count), (8, 1));
        assert!(shown.message.contains("stops at line 8"));
    }

    #[test]
    fn a_disabled_one_and_one_that_cannot_bind_are_not_sent() {
        let mut breakpoints = Breakpoints::default();
        let mut disabled = checked(1, "");
        disabled.spec.enabled = Some(false);
        let broken = Checked { problem: Some("no such file".into()), ..checked(2, "") };
        breakpoints.set(vec![disabled, broken]);

        assert!(breakpoints.wanted("/a.py").is_empty());
        let reasons: Vec<_> = breakpoints.unhit().iter().map(|unhit| unhit.reason()).collect();
        assert_eq!(reasons, [UnhitReason::Disabled, UnhitReason::NeverBound]);
    }

    #[test]
    fn at_the_end_each_unhit_one_has_its_reason() {
        let mut breakpoints = Breakpoints::default();
        let ids =
            breakpoints.set(vec![checked(1, ""), checked(2, "x"), checked(3, "y"), checked(4, "")]);
        bind_all(&mut breakpoints, vec![bound(1, 1), bound(2, 2), bound(3, 3), bound(4, 4)]);
        breakpoints.count_hits(&ids[3..]);
        breakpoints.note_reached(ids[1]);

        let unhit = breakpoints.unhit();

        let reasons: Vec<_> = unhit.iter().map(|unhit| unhit.reason()).collect();
        let never = UnhitReason::LineNeverReached;
        assert_eq!(reasons, [never, UnhitReason::ConditionNeverTrue, never]);
        breakpoints.note_raised(ids[1], "NameError: x".into());
        assert!(breakpoints.unhit()[1].message.contains("raised NameError: x"));
    }

    #[test]
    fn functions_are_asked_for_by_their_last_name() {
        let mut breakpoints = Breakpoints::default();
        let place = |name: &str| Place::Function { name: name.into() };
        let one = Checked { place: place("Basket.total"), ..Default::default() };
        let two = Checked { place: place("total"), ..Default::default() };
        breakpoints.set(vec![one, two]);

        let wanted = breakpoints.wanted_functions();

        assert_eq!((wanted.len(), wanted[0].place.as_str()), (1, "total"));
        assert_eq!(wanted[0].points[0].function, "Basket.total");
    }
}

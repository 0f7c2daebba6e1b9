//! The actor's part in breakpoints: every change goes to all processes that are under the debugger.

use std::collections::BTreeSet;

use tokio::sync::oneshot;

use super::actor::Actor;
use super::breakpoints::{Checked, Place};
use super::input::BreakpointsSent;
use super::probing::Then;
use super::state::Phase;
use super::targets::Waiter;
use crate::adapters::probe;
use crate::dap::types::{
    FunctionBreakpoint, SetBreakpoints, SetFunctionBreakpoints, Source, SourceBreakpoint,
};
use crate::error::{Error, Result};
use crate::id::{BreakpointId, TargetId};
use crate::proto::event::Payload;
use crate::proto::{Breakpoint, BreakpointChangeKind, BreakpointChanged};

/// What the debugger must be told anew.
#[derive(Default)]
struct Touched {
    files: BTreeSet<String>,
    functions: bool,
}

impl Actor {
    pub(super) fn set_breakpoints(
        &mut self,
        checked: Vec<Checked>,
        replace_file: bool,
    ) -> BreakpointsSent {
        let files: BTreeSet<String> = checked
            .iter()
            .filter_map(|checked| match &checked.place {
                Place::Line { file, .. } => Some(file.clone()),
                Place::Function { .. } | Place::Watch { .. } => None,
            })
            .collect();
        let before: Vec<_> =
            files.iter().flat_map(|file| self.breakpoints.ids(Some(file))).collect();
        let mut touched = Touched::default();
        self.touch(&before, &mut touched);
        let ids = self.breakpoints.set(checked);
        self.touch(&ids, &mut touched);
        let mut removed = Vec::new();
        if replace_file {
            let others = before.into_iter().filter(|id| !ids.contains(id)).collect::<Vec<_>>();
            removed = others.into_iter().filter_map(|id| self.take_breakpoint(id)).collect();
        }
        for id in &ids {
            self.breakpoint_changed(*id, BreakpointChangeKind::Set);
        }
        let answers = self.send_touched(touched);
        BreakpointsSent { ids, removed, answers }
    }

    /// Puts a breakpoint in the place of the one with this number.
    pub(super) fn put_breakpoint(
        &mut self,
        id: BreakpointId,
        checked: Vec<Checked>,
    ) -> Result<BreakpointsSent> {
        if !self.breakpoints.contains(id) {
            return Err(Error::BreakpointNotFound { id });
        }
        let mut touched = Touched::default();
        self.touch(&[id], &mut touched);
        for checked in checked {
            self.breakpoints.put(id, checked);
        }
        self.touch(&[id], &mut touched);
        self.breakpoint_changed(id, BreakpointChangeKind::Set);
        let answers = self.send_touched(touched);
        Ok(BreakpointsSent { ids: vec![id], removed: Vec::new(), answers })
    }

    pub(super) fn remove_breakpoints(&mut self, ids: Vec<BreakpointId>) -> Result<BreakpointsSent> {
        if let Some(&id) = ids.iter().find(|id| !self.breakpoints.contains(**id)) {
            return Err(Error::BreakpointNotFound { id });
        }
        let mut touched = Touched::default();
        self.touch(&ids, &mut touched);
        let removed: Vec<Breakpoint> =
            ids.iter().filter_map(|id| self.take_breakpoint(*id)).collect();
        let answers = self.send_touched(touched);
        Ok(BreakpointsSent { ids, removed, answers })
    }

    /// Takes away what no caller asked for by itself, such as the end of a RunToLine.
    pub(super) fn drop_own(&mut self, ids: &[BreakpointId]) -> Vec<oneshot::Receiver<()>> {
        let mut touched = Touched::default();
        self.touch(ids, &mut touched);
        self.forget_points(ids);
        self.send_touched(touched)
    }

    /// Takes breakpoints away, here and in the programs.
    fn forget_points(&mut self, ids: &[BreakpointId]) {
        for id in ids {
            let watched = match self.breakpoints.remove(*id).map(|checked| checked.place) {
                Some(Place::Watch { key, .. }) => key,
                Some(Place::Line { .. } | Place::Function { .. }) | None => String::new(),
            };
            let text = format!("[{}]", id.0);
            let arguments = [probe::Argument::Text(&text), probe::Argument::Text(&watched)];
            let call = probe::call("forget", &arguments);
            for target in self.configured_targets() {
                self.tell_probe(target, call.clone());
            }
        }
    }

    fn touch(&self, ids: &[BreakpointId], touched: &mut Touched) {
        touched.files.extend(self.breakpoints.files(ids));
        let is_function = |id: &BreakpointId| {
            let entry = self.breakpoints.entries.get(id);
            entry.is_some_and(|entry| matches!(entry.checked.place, Place::Function { .. }))
        };
        touched.functions |= ids.iter().any(is_function);
    }

    fn take_breakpoint(&mut self, id: BreakpointId) -> Option<Breakpoint> {
        let breakpoint = self.show_breakpoint(id)?;
        self.breakpoint_changed(id, BreakpointChangeKind::Removed);
        self.forget_points(&[id]);
        Some(breakpoint)
    }

    fn send_touched(&mut self, touched: Touched) -> Vec<oneshot::Receiver<()>> {
        self.show();
        let mut answers = Vec::new();
        for id in self.configured_targets() {
            for file in &touched.files {
                answers.push(self.send_breakpoints(id, file));
            }
            if touched.functions {
                answers.push(self.send_function_breakpoints(id));
            }
        }
        answers
    }

    /// Tells a process all breakpoints of a file.
    pub(super) fn send_breakpoints(&mut self, id: TargetId, file: &str) -> oneshot::Receiver<()> {
        let (done, answered) = oneshot::channel();
        let needs_probe =
            self.breakpoints.wanted(file).iter().any(|wanted| !wanted.points.is_empty());
        match needs_probe {
            true => self.after_probe(id, Then::Lines { file: file.into(), done }),
            false => self.send_lines(id, file, done),
        }
        answered
    }

    pub(super) fn send_lines(&mut self, id: TargetId, file: &str, done: oneshot::Sender<()>) {
        let wanted = self.breakpoints.wanted(file);
        let breakpoints = wanted
            .iter()
            .map(|wanted| SourceBreakpoint {
                line: wanted.place,
                condition: condition(&wanted.points),
            })
            .collect();
        let groups = wanted.into_iter().map(|wanted| wanted.ids).collect();
        let request = SetBreakpoints { source: Source { path: file.into() }, breakpoints };
        self.send(id, &request, Waiter::Breakpoints { groups, done });
    }

    /// Tells a process all breakpoints on functions.
    pub(super) fn send_function_breakpoints(&mut self, id: TargetId) -> oneshot::Receiver<()> {
        let (done, answered) = oneshot::channel();
        match self.breakpoints.wanted_functions().is_empty() {
            true => self.send_functions(id, done),
            false => self.after_probe(id, Then::Functions { done }),
        }
        answered
    }

    pub(super) fn send_functions(&mut self, id: TargetId, done: oneshot::Sender<()>) {
        let wanted = self.breakpoints.wanted_functions();
        let breakpoints = wanted
            .iter()
            .map(|wanted| FunctionBreakpoint {
                name: wanted.place.clone(),
                condition: condition(&wanted.points),
            })
            .collect();
        let groups = wanted.into_iter().map(|wanted| wanted.ids).collect();
        self.send(
            id,
            &SetFunctionBreakpoints { breakpoints },
            Waiter::Breakpoints { groups, done },
        );
    }

    pub(super) fn show_breakpoint(&self, id: BreakpointId) -> Option<Breakpoint> {
        self.breakpoints.show(id, self.phase != Phase::Created)
    }

    pub(super) fn breakpoint_changed(&self, id: BreakpointId, kind: BreakpointChangeKind) {
        if !self.breakpoints.contains(id) {
            return;
        }
        if let Some(breakpoint) = self.show_breakpoint(id) {
            let changed = BreakpointChanged { breakpoint: Some(breakpoint), kind: kind.into() };
            self.tell(Payload::BreakpointChanged(changed));
        }
    }
}

fn condition(points: &[crate::adapters::Point]) -> Option<String> {
    (!points.is_empty()).then(|| probe::condition(points))
}

//! The actor's part in breakpoints: every change goes to all processes that are under the debugger.

use super::actor::Actor;
use super::breakpoints::Checked;
use super::input::BreakpointsSent;
use super::state::Phase;
use crate::error::{Error, Result};
use crate::id::BreakpointId;
use crate::proto::event::Payload;
use crate::proto::{Breakpoint, BreakpointChangeKind, BreakpointChanged};

impl Actor {
    pub(super) fn set_breakpoints(
        &mut self,
        checked: Vec<Checked>,
        replace_file: bool,
    ) -> BreakpointsSent {
        let mut files: Vec<String> = checked.iter().map(|checked| checked.file.clone()).collect();
        files.sort();
        files.dedup();
        let before: Vec<_> =
            files.iter().flat_map(|file| self.breakpoints.ids(Some(file))).collect();
        let ids: Vec<_> =
            checked.into_iter().map(|checked| self.breakpoints.set(checked)).collect();
        let mut removed = Vec::new();
        if replace_file {
            removed = before
                .into_iter()
                .filter(|id| !ids.contains(id))
                .filter_map(|id| self.take_breakpoint(id))
                .collect();
        }
        for id in &ids {
            self.breakpoint_changed(*id, BreakpointChangeKind::Set);
        }
        let answers = self.send_files(&files);
        BreakpointsSent { ids, removed, answers }
    }

    pub(super) fn remove_breakpoints(&mut self, ids: Vec<BreakpointId>) -> Result<BreakpointsSent> {
        if let Some(&id) = ids.iter().find(|id| !self.breakpoints.contains(**id)) {
            return Err(Error::BreakpointNotFound { id });
        }
        let mut files = self.breakpoints.files();
        let removed: Vec<Breakpoint> =
            ids.iter().filter_map(|id| self.take_breakpoint(*id)).collect();
        files.retain(|file| removed.iter().any(|breakpoint| file_of(breakpoint) == Some(file)));
        let answers = self.send_files(&files);
        Ok(BreakpointsSent { ids, removed, answers })
    }

    fn take_breakpoint(&mut self, id: BreakpointId) -> Option<Breakpoint> {
        let breakpoint = self.show_breakpoint(id)?;
        self.breakpoint_changed(id, BreakpointChangeKind::Removed);
        self.breakpoints.remove(id);
        Some(breakpoint)
    }

    fn send_files(&mut self, files: &[String]) -> Vec<tokio::sync::oneshot::Receiver<()>> {
        self.show();
        let targets = self.configured_targets();
        let pairs = targets.iter().flat_map(|id| files.iter().map(move |file| (*id, file)));
        pairs.map(|(id, file)| self.send_breakpoints(id, file)).collect()
    }

    pub(super) fn show_breakpoint(&self, id: BreakpointId) -> Option<Breakpoint> {
        self.breakpoints.show(id, self.phase != Phase::Created)
    }

    pub(super) fn breakpoint_changed(&self, id: BreakpointId, kind: BreakpointChangeKind) {
        if let Some(breakpoint) = self.show_breakpoint(id) {
            let changed = BreakpointChanged { breakpoint: Some(breakpoint), kind: kind.into() };
            self.tell(Payload::BreakpointChanged(changed));
        }
    }
}

fn file_of(breakpoint: &Breakpoint) -> Option<&String> {
    match breakpoint.spec.as_ref()?.location.as_ref()? {
        crate::proto::breakpoint_spec::Location::Line(line) => Some(&line.file),
        _ => None,
    }
}

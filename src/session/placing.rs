//! Moves that name a place: run to a line, go on from another line, step into one call of several.

use std::collections::HashMap;

use super::breakpoints::Origin;
use super::check::{AskedBreakpoint, AskedPlace};
use super::input::{Input, Movement};
use super::inspect::READ_LIMIT;
use super::outcome::Wait;
use super::view::StopView;
use super::{Session, wrong_state};
use crate::adapters::probe;
use crate::dap::types::{GotoTargets, Source, StepInTargets};
use crate::error::{Error, Result};
use crate::id::ThreadId;
use crate::proto::{Outcome, SessionState, StepInTarget};

impl Session {
    /// Runs until a line is reached, or any other stop.
    pub async fn run_to_line(
        &self,
        thread: ThreadId,
        file: &str,
        line: i32,
        wait: &Wait,
    ) -> Result<Outcome> {
        let (stop, _) = self.stop_of_thread(thread, "run to a line")?;
        let file = match file {
            "" => file_of(&stop)?,
            file => file.to_owned(),
        };
        let place = AskedPlace::Line { file, line };
        let asked = AskedBreakpoint { spec: Default::default(), place, restored: None };
        let mut checked = self.check(vec![asked]).await?;
        for checked in &mut checked {
            checked.origin = Origin::RunToLine;
            if let Some(problem) = checked.problem.take() {
                return Err(Error::invalid("line", problem));
            }
        }
        let replace_file = false;
        let sent = self.ask(|reply| Input::SetBreakpoints { checked, replace_file, reply }).await?;
        for answer in sent.answers {
            let _ = answer.await;
        }
        let mut outcome = self.move_on(Movement::Continue, thread, 1, wait).await?;
        if self.view().is_over() && outcome.hint.is_empty() {
            outcome.hint = "The program ended before it came to the line.".into();
        }
        Ok(outcome)
    }

    /// Sets the line that a thread runs next.
    pub async fn goto(&self, thread: ThreadId, line: i32, wait: &Wait) -> Result<Outcome> {
        let (stop, dap_thread) = self.stop_of_thread(thread, "go on from another line")?;
        let frames = self.stack(&stop, dap_thread, 0, 1).await?;
        let top = frames.stack_frames.first().and_then(|top| top.source.as_ref()?.path.clone());
        let path = top.ok_or(Error::invalid("line", "the thread stands in no file"))?;
        let targets = self.read(&stop, &GotoTargets { source: Source { path }, line }).await?;
        let target = targets.targets.first();
        let target = target.ok_or_else(|| Error::invalid("line", "nothing there can run next"))?;
        let thread = self.0.threads.of(stop.target, dap_thread);
        self.move_on(Movement::Goto(target.id), thread, 1, wait).await
    }

    /// The calls of a frame's line that can be stepped into.
    pub async fn step_in_targets(&self, frame: u64) -> Result<Vec<StepInTarget>> {
        let stop = self.stop_of(frame, "be stepped into")?;
        let frame_id = stop.frame(frame)?;
        let mut found = self.read(&stop, &StepInTargets { frame_id }).await?.targets;
        let call = probe::call("target_lines", &[]);
        let lines = self.probe_at::<HashMap<String, i32>>(&stop, frame_id, call, READ_LIMIT).await;
        let known = stop.frames.stack_frames.iter().find(|frame| frame.id == frame_id);
        if let (Ok(lines), Some(frame)) = (lines, known) {
            let is_here = |id: i64| lines.get(&id.to_string()) == Some(&frame.line);
            if found.iter().any(|target| is_here(target.id)) {
                found.retain(|target| is_here(target.id));
            }
        }
        let targets = found.into_iter().map(|target| StepInTarget {
            target_id: stop.target_handle(target.id),
            label: target.label,
        });
        Ok(targets.collect())
    }

    /// Steps into the call with this handle.
    pub async fn step_into_target(
        &self,
        thread: ThreadId,
        target: u64,
        wait: &Wait,
    ) -> Result<Outcome> {
        let stop = self.stop_of(target, "be stepped into")?;
        let target = stop.target_of(target)?;
        let thread = if thread.0 == 0 { stop.thread() } else { thread };
        self.move_on(Movement::IntoTarget(target), thread, 1, wait).await
    }

    /// Refuses what needs a program, where there is none.
    pub(super) fn needs_program(&self, action: &'static str) -> Result<()> {
        let view = self.view();
        match view.state == SessionState::Created || view.is_over() || view.targets.is_empty() {
            true => Err(wrong_state(self.id(), view.state, action)),
            false => Ok(()),
        }
    }
}

fn file_of(stop: &StopView) -> Result<String> {
    let file = stop.info.location.as_ref().map(|place| place.file.clone());
    let file = file.filter(|file| !file.is_empty());
    file.ok_or_else(|| Error::invalid("file", "the program stands in no file; name one"))
}

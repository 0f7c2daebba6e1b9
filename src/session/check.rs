//! A look at breakpoints before the debugger is asked: debugpy takes any line of any file and any
//! condition, and silently never stops.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::Session;
use super::breakpoints::Checked;
use super::input::{BreakpointsSent, Input};
use super::source::{self, Line};
use crate::adapters::locate;
use crate::error::{Error, Result};
use crate::id::BreakpointId;
use crate::proto::breakpoint_spec::Location;
use crate::proto::{Breakpoint, BreakpointSpec};

/// A breakpoint on a line, as a caller asked for it.
#[derive(Debug, Clone)]
pub struct LineBreakpoint {
    pub spec: BreakpointSpec,
    pub file: String,
    pub line: i32,
}

/// Which breakpoints are meant.
#[derive(Debug, Clone, PartialEq)]
pub enum Selection {
    Ids(Vec<BreakpointId>),
    File(String),
    All,
}

impl Session {
    /// Sets breakpoints and returns them as they are, in order.
    pub async fn set_breakpoints(
        &self,
        asked: Vec<LineBreakpoint>,
        replace_file: bool,
    ) -> Result<Vec<Breakpoint>> {
        let checked = self.check(asked).await?;
        let sent = self.ask(|reply| Input::SetBreakpoints { checked, replace_file, reply }).await?;
        let ids = sent.ids.clone();
        settle(sent).await;
        let all = self.breakpoints(None).await?;
        Ok(ids
            .iter()
            .filter_map(|id| all.iter().find(|breakpoint| breakpoint.id == id.0).cloned())
            .collect())
    }

    /// The breakpoints in `file`, or all.
    pub async fn breakpoints(&self, file: Option<&str>) -> Result<Vec<Breakpoint>> {
        let file = file.map(|file| self.absolute(file));
        self.ask(|reply| Input::ShowBreakpoints { file, reply }).await
    }

    /// Removes breakpoints and returns what they were.
    pub async fn remove_breakpoints(&self, selection: Selection) -> Result<Vec<Breakpoint>> {
        let file = match &selection {
            Selection::File(file) => Some(file.as_str()),
            Selection::Ids(_) | Selection::All => None,
        };
        let ids = match selection {
            Selection::Ids(ids) => ids,
            Selection::File(_) | Selection::All => self
                .breakpoints(file)
                .await?
                .iter()
                .map(|breakpoint| BreakpointId(breakpoint.id))
                .collect(),
        };
        let sent = self.ask(|reply| Input::RemoveBreakpoints { ids, reply }).await??;
        Ok(settle(sent).await)
    }

    fn absolute(&self, file: &str) -> String {
        source::absolute(&self.facts().project_root, file).to_string_lossy().into_owned()
    }

    async fn check(&self, asked: Vec<LineBreakpoint>) -> Result<Vec<Checked>> {
        let root = self.facts().project_root.clone();
        // Files may be large and slow to read; other calls go on meanwhile.
        let checked = tokio::task::spawn_blocking(move || check_places(&root, asked)).await;
        let mut checked = checked.map_err(Error::internal)?;
        let conditions: Vec<String> = checked
            .iter()
            .map(|checked| checked.spec.condition.clone())
            .filter(|text| !text.is_empty())
            .collect();
        if conditions.is_empty() {
            return Ok(checked);
        }
        let problems = self.check_conditions(&conditions).await;
        let mut problems = problems.into_iter();
        for checked in checked.iter_mut().filter(|checked| !checked.spec.condition.is_empty()) {
            if let Some(Some(problem)) = problems.next() {
                let condition = &checked.spec.condition;
                checked.problem.get_or_insert_with(|| {
                    format!("the condition `{condition}` does not parse: {problem}")
                });
            }
        }
        Ok(checked)
    }

    async fn check_conditions(&self, conditions: &[String]) -> Vec<Option<String>> {
        let (view, facts) = (self.view(), self.facts());
        // The program's own interpreter if it has one already: its grammar is the one that counts.
        let python = match view.python.as_str() {
            "" => locate::python("", &facts.project_root, &facts.default_python),
            known => Ok(known.into()),
        };
        match python {
            Ok(python) => self.0.programs.check_expressions(&python, conditions).await,
            Err(_) => vec![None; conditions.len()],
        }
    }
}

/// Looks at each file once.
fn check_places(root: &Path, asked: Vec<LineBreakpoint>) -> Vec<Checked> {
    let paths: Vec<PathBuf> =
        asked.iter().map(|asked| source::absolute(root, &asked.file)).collect();
    let mut lines: HashMap<&PathBuf, Vec<i32>> = HashMap::new();
    for (path, asked) in paths.iter().zip(&asked) {
        lines.entry(path).or_default().push(asked.line);
    }
    let mut found: HashMap<&PathBuf, std::vec::IntoIter<Line>> = lines
        .into_iter()
        .map(|(path, lines)| (path, source::look_at(path, &lines).into_iter()))
        .collect();
    let mut checked = Vec::new();
    for (path, asked) in paths.iter().zip(asked) {
        let line = found.get_mut(path).and_then(Iterator::next).unwrap_or(Line::Fits);
        checked.push(checked_place(path, asked, line));
    }
    checked
}

fn checked_place(path: &Path, asked: LineBreakpoint, found: Line) -> Checked {
    let LineBreakpoint { mut spec, line, .. } = asked;
    let file = path.to_string_lossy().into_owned();
    if let Some(Location::Line(place)) = &mut spec.location {
        place.file = file.clone();
    }
    let (line, problem, note) = match found {
        Line::Fits => (line, None, None),
        Line::MovesTo(next) => {
            (next, None, Some(format!("line {line} has no code; it stops at line {next}")))
        }
        Line::Problem(problem) => (line, Some(problem), None),
    };
    Checked { spec, file, line, problem, note }
}

/// Waits until every process has taken the change, or will not.
async fn settle(sent: BreakpointsSent) -> Vec<Breakpoint> {
    for answer in sent.answers {
        let _ = answer.await;
    }
    sent.removed
}

//! A look at breakpoints before the debugger is asked: debugpy takes any line of any file and any
//! condition, and silently never stops.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use super::Session;
use super::breakpoints::{Checked, Place};
use super::input::{BreakpointsSent, Input};
use super::program::{Findings, Questions};
use super::source::{self, Line};
use crate::adapters::{HitCondition, locate, parse_log};
use crate::error::{Error, Result};
use crate::id::BreakpointId;
use crate::limits;
use crate::proto::breakpoint_spec::Location;
use crate::proto::{Breakpoint, BreakpointSpec, Restored};

/// A breakpoint as a caller asked for it.
#[derive(Debug, Clone)]
pub struct AskedBreakpoint {
    pub spec: BreakpointSpec,
    pub place: AskedPlace,
    /// It is not a caller who asks, but an earlier session: what became of it, and in words.
    pub restored: Option<(Restored, String)>,
}

/// Where it is to be.
#[derive(Debug, Clone)]
pub enum AskedPlace {
    Line {
        file: String,
        line: i32,
    },
    Function {
        name: String,
    },
    /// Where this value changes: an expression, or a name in a container.
    Value {
        expression: String,
        reference: u64,
        name: String,
    },
}

/// What is to change in a breakpoint; what is none stays.
#[derive(Debug, Clone, Default)]
pub struct BreakpointChange {
    pub enabled: Option<bool>,
    pub condition: Option<String>,
    pub hit_condition: Option<String>,
    pub log_message: Option<String>,
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
        asked: Vec<AskedBreakpoint>,
        replace_file: bool,
    ) -> Result<Vec<Breakpoint>> {
        let set = self.set_without_keeping(asked, replace_file).await?;
        self.keep_breakpoints().await;
        Ok(set)
    }

    /// The same, for who keeps them for later sessions himself.
    pub(super) async fn set_without_keeping(
        &self,
        asked: Vec<AskedBreakpoint>,
        replace_file: bool,
    ) -> Result<Vec<Breakpoint>> {
        let limit = limits::get().breakpoints;
        let count = self.view().breakpoints as usize + asked.len();
        if limit < count {
            return Err(Error::LimitExceeded {
                what: format!("there would be {count} breakpoints"),
                limit: "breakpoints",
                value: limit.to_string(),
            });
        }
        self.set_checked(asked, replace_file).await
    }

    /// Sets breakpoints after a look at them.
    pub(super) async fn set_checked(
        &self,
        asked: Vec<AskedBreakpoint>,
        replace_file: bool,
    ) -> Result<Vec<Breakpoint>> {
        let checked = self.check(asked).await?;
        let sent = self.ask(|reply| Input::SetBreakpoints { checked, replace_file, reply }).await?;
        self.settled(sent).await
    }

    /// Changes one breakpoint and returns it as it is then.
    pub async fn update_breakpoint(
        &self,
        id: BreakpointId,
        change: BreakpointChange,
    ) -> Result<Breakpoint> {
        let found = self.ask(|reply| Input::GetBreakpoint { id, reply }).await?;
        let mut checked = found.ok_or(Error::BreakpointNotFound { id })?;
        let spec = &mut checked.spec;
        spec.enabled = change.enabled.or(spec.enabled);
        change.condition.into_iter().for_each(|text| spec.condition = text);
        change.hit_condition.into_iter().for_each(|text| spec.hit_condition = text);
        change.log_message.into_iter().for_each(|text| spec.log_message = text);
        let spec = checked.spec.clone();
        let checked = match checked.place.clone() {
            // The line may have been moved, and the watched value is armed: both stay as they are.
            place @ (Place::Watch { .. } | Place::Function { .. }) => {
                let problem = checked.problem.filter(|_| matches!(place, Place::Watch { .. }));
                self.check_texts(vec![Checked { spec, place, problem, ..Default::default() }]).await
            }
            Place::Line { file, .. } => {
                let line = asked_line(&spec);
                let place = AskedPlace::Line { file, line };
                self.check(vec![AskedBreakpoint { spec, place, restored: None }]).await?
            }
        };
        let sent = self.ask(|reply| Input::PutBreakpoints { id, checked, reply }).await??;
        let changed = self.settled(sent).await?;
        self.keep_breakpoints().await;
        changed.into_iter().next().ok_or(Error::BreakpointNotFound { id })
    }

    /// The breakpoints that were sent, as they are when every process has taken them.
    async fn settled(&self, sent: BreakpointsSent) -> Result<Vec<Breakpoint>> {
        let ids = sent.ids.clone();
        settle(sent).await;
        let all = self.breakpoints(None).await?;
        let mut by_id: HashMap<u64, Breakpoint> =
            all.into_iter().map(|breakpoint| (breakpoint.id, breakpoint)).collect();
        Ok(ids.iter().filter_map(|id| by_id.remove(&id.0)).collect())
    }

    /// The breakpoints in `file`, or all.
    pub async fn breakpoints(&self, file: Option<&str>) -> Result<Vec<Breakpoint>> {
        let file = file.map(|file| self.absolute(file));
        self.ask(|reply| Input::ShowBreakpoints { file, reply }).await
    }

    /// All breakpoints, for ourselves.
    pub(super) async fn breakpoints_quietly(&self) -> Vec<Breakpoint> {
        self.ask_quietly(|reply| Input::ShowBreakpoints { file: None, reply })
            .await
            .unwrap_or_default()
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
        let removed = settle(sent).await;
        self.keep_breakpoints().await;
        Ok(removed)
    }

    pub(super) fn absolute(&self, file: &str) -> String {
        source::absolute(&self.facts().project_root, file).to_string_lossy().into_owned()
    }

    pub(super) async fn check(&self, mut asked: Vec<AskedBreakpoint>) -> Result<Vec<Checked>> {
        for asked in &mut asked {
            if let AskedPlace::Value { expression, reference, name } = &mut asked.place
                && expression.is_empty()
            {
                *expression = self.expression_of(*reference, name).await?;
            }
        }
        let root = self.facts().project_root.clone();
        // Files may be large and slow to read; other calls go on meanwhile.
        let looked = tokio::task::spawn_blocking(move || check_places(&root, asked)).await;
        let looked = looked.map_err(Error::internal)?;
        let checked = self.check_lines(looked).await;
        let mut checked = self.check_texts(checked).await;
        for checked in checked.iter_mut().filter(|checked| checked.problem.is_none()) {
            if matches!(checked.place, Place::Watch { .. }) {
                self.arm_watch(checked).await;
            }
        }
        Ok(checked)
    }

    /// Puts breakpoints on lines without code on the next line that has some.
    async fn check_lines(&self, looked: Vec<(Checked, Option<Line>)>) -> Vec<Checked> {
        let is_unsure =
            |looked: &&(Checked, Option<Line>)| matches!(looked.1, Some(Line::Unsure(_)));
        let files: BTreeSet<String> = looked
            .iter()
            .filter(is_unsure)
            .filter_map(|(checked, _)| line_of(checked).map(|(file, _)| file.to_owned()))
            .collect();
        let files: Vec<String> = files.into_iter().collect();
        let questions = Questions { files: files.clone(), ..Default::default() };
        let found = self.examine(&questions).await.unwrap_or_default();
        let lines: HashMap<String, BTreeSet<i32>> = files
            .into_iter()
            .zip(found.lines)
            .filter_map(|(file, lines)| Some((file, lines?)))
            .collect();
        let settled = looked.into_iter().map(|(checked, line)| settle_line(checked, line, &lines));
        settled.collect()
    }

    /// Says what is wrong with conditions, counts and log messages.
    async fn check_texts(&self, mut checked: Vec<Checked>) -> Vec<Checked> {
        let mut expressions: Vec<(usize, &'static str, String)> = Vec::new();
        for (index, checked) in checked.iter_mut().enumerate() {
            let spec = checked.spec.clone();
            match HitCondition::parse(&spec.hit_condition) {
                Ok(hit) => checked.hit = hit,
                Err(problem) => checked.problem = checked.problem.take().or(Some(problem)),
            }
            if !spec.log_message.is_empty() {
                match parse_log(&spec.log_message) {
                    Ok(log) => checked.log = Some(log),
                    Err(problem) => checked.problem = checked.problem.take().or(Some(problem)),
                }
            }
            let log = checked.log.iter().flatten().map(|part| ("log expression", &part.expression));
            let row = checked.row.iter().flat_map(|row| &row.expressions);
            let row = row.map(|text| ("expression", text));
            let texts = [("condition", &spec.condition)].into_iter().chain(log).chain(row);
            let texts = texts.filter(|(_, text)| !text.is_empty());
            expressions.extend(texts.map(|(kind, text)| (index, kind, text.clone())));
        }
        let texts = expressions.iter().map(|(_, _, text)| text.clone()).collect();
        let questions = Questions { expressions: texts, ..Default::default() };
        let found = self.examine(&questions).await.unwrap_or_default();
        for ((index, kind, text), problem) in expressions.iter().zip(found.problems) {
            if let Some(problem) = problem {
                let said = format!("the {kind} `{text}` does not parse: {problem}");
                checked[*index].problem.get_or_insert(said);
            }
        }
        checked
    }

    /// Asks the program's own interpreter if it has one already: its rules are the ones that count.
    pub(super) async fn examine(&self, questions: &Questions) -> Option<Findings> {
        if questions.is_empty() {
            return None;
        }
        let (view, facts) = (self.view(), self.facts());
        let python = match view.python.as_str() {
            "" => locate::python("", &facts.project_root, &facts.default_python).ok()?,
            known => known.into(),
        };
        self.0.programs.examine(&python, questions).await
    }
}

fn asked_line(spec: &BreakpointSpec) -> i32 {
    match &spec.location {
        Some(Location::Line(place)) => place.line,
        _ => 0,
    }
}

fn line_of(checked: &Checked) -> Option<(&str, i32)> {
    match &checked.place {
        Place::Line { file, line } => Some((file, *line)),
        Place::Function { .. } | Place::Watch { .. } => None,
    }
}

/// Looks at each file once.
fn check_places(root: &Path, asked: Vec<AskedBreakpoint>) -> Vec<(Checked, Option<Line>)> {
    let mut checked: Vec<_> = asked.into_iter().map(|asked| placed(root, asked)).collect();
    let mut lines: HashMap<String, Vec<i32>> = HashMap::new();
    for (file, line) in checked.iter().filter_map(line_of) {
        lines.entry(file.to_owned()).or_default().push(line);
    }
    let mut found: HashMap<String, std::vec::IntoIter<Line>> = lines
        .into_iter()
        .map(|(file, lines)| {
            let looked = source::look_at(Path::new(&file), &lines).into_iter();
            (file, looked)
        })
        .collect();
    let looked = checked.drain(..).map(|checked| {
        let file = line_of(&checked).map(|(file, _)| file.to_owned());
        let line = file.and_then(|file| found.get_mut(&file)?.next());
        (checked, line)
    });
    looked.collect()
}

fn placed(root: &Path, asked: AskedBreakpoint) -> Checked {
    let AskedBreakpoint { mut spec, place, restored } = asked;
    let place = match place {
        AskedPlace::Function { name } => Place::Function { name },
        AskedPlace::Value { expression, .. } => {
            Place::Watch { expression, key: String::new(), lines: Default::default() }
        }
        // The source text of `code` has no file; the debugger knows it by this name.
        AskedPlace::Line { file, line } if file.starts_with('<') => Place::Line { file, line },
        AskedPlace::Line { file, line } => {
            let file = source::absolute(root, &file).to_string_lossy().into_owned();
            Place::Line { file, line }
        }
    };
    if let (Some(Location::Line(shown)), Place::Line { file, .. }) = (&mut spec.location, &place) {
        shown.file.clone_from(file);
    }
    let mut checked = Checked { spec, place, ..Default::default() };
    if let Some((restored, says)) = restored {
        checked.restored = restored;
        match restored {
            Restored::Moved => checked.note = Some(says),
            Restored::Lost => checked.problem = Some(says),
            Restored::Unmoved | Restored::Unspecified => {}
        }
    }
    checked
}

fn settle_line(
    mut checked: Checked,
    found: Option<Line>,
    lines: &HashMap<String, BTreeSet<i32>>,
) -> Checked {
    let Place::Line { file, line } = &mut checked.place else { return checked };
    let asked = *line;
    match found {
        // Wherever it was, it is not there any more.
        _ if checked.restored == Restored::Lost => {}
        _ if file.starts_with('<') => {}
        None | Some(Line::Fits) => {}
        Some(Line::Problem(problem)) => checked.problem = Some(problem),
        Some(Line::Unsure(guess)) => match lines.get(file) {
            Some(lines) => match lines.range(asked..).next() {
                Some(next) => *line = *next,
                None => {
                    let problem = format!("neither line {asked} nor any after it has code");
                    checked.problem = Some(problem);
                }
            },
            None => *line = guess,
        },
    }
    if *line != asked {
        checked.note = Some(format!("line {asked} has no code; it stops at line {line}"));
    }
    checked
}

/// Waits until every process has taken the change, or will not.
async fn settle(sent: BreakpointsSent) -> Vec<Breakpoint> {
    for answer in sent.answers {
        let _ = answer.await;
    }
    sent.removed
}

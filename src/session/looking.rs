//! Looking around: sources, modules, and a search through all that a frame can reach.

use std::time::Duration;

use serde::Deserialize;

use super::Session;
use super::inspect::cut_value;
use super::secrets::Veil;
use super::source;
use super::startup::LaunchPlan;
use crate::adapters::debugpy::Target;
use crate::adapters::probe::{self, Argument};
use crate::confines;
use crate::error::{Error, Result};
use crate::proto::{
    FindValueResponse, FoundValue, GetSourceResponse, ListModulesResponse, Module, SourceExcerpt,
    Variable,
};

/// Lines and bytes of one answer.
const MAX_LINES: i32 = 5000;
const MAX_TEXT: usize = 1024 * 1024;
/// The time beside the search itself.
const ANSWER_LIMIT: Duration = Duration::from_secs(5);
/// How debugpy 1.8 calls the source text of `code`.
const CODE_FILE: &str = "<string>";

/// What to search for, and how far.
pub struct FindQuery {
    pub frame: u64,
    pub query: String,
    pub max_depth: u32,
    pub max_results: u32,
    pub timeout: Duration,
    /// What is hidden may be found by its value, too.
    pub guesses_secrets: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Finds {
    found: Vec<Find>,
    incomplete: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Find {
    path: String,
    value: String,
    r#type: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Loaded {
    name: String,
    file: String,
}

impl Session {
    /// Searches names and values that a frame can reach.
    pub async fn find_value(&self, query: FindQuery) -> Result<FindValueResponse> {
        let stop = self.stop_of(query.frame, "be searched")?;
        let frame = stop.frame(query.frame)?;
        let arguments = [
            Argument::Text(&query.query),
            Argument::Number(query.max_depth.into()),
            Argument::Number(query.max_results.into()),
            Argument::Number(query.timeout.as_secs_f64()),
        ];
        let call = probe::call("find", &arguments);
        let finds: Finds = self.probe_at(&stop, frame, call, query.timeout + ANSWER_LIMIT).await?;
        let veil = Veil::over_secrets(false);
        let found = finds.found.into_iter().map(|find| {
            let (value, masked) = veil.cover(&find.path, &find.value);
            let variable = Variable { value, r#type: find.r#type, masked, ..Default::default() };
            FoundValue { path: find.path, variable: Some(variable) }
        });
        let mut found: Vec<_> = found.collect();
        if !query.guesses_secrets {
            // That something was found would tell what is hidden, letter by letter.
            let wanted = query.query.to_lowercase();
            found.retain(|one| {
                let is_masked = one.variable.as_ref().is_some_and(|variable| variable.masked);
                !is_masked || one.path.to_lowercase().contains(&wanted)
            });
        }
        Ok(FindValueResponse { found, incomplete: finds.incomplete })
    }

    /// The modules that every process has loaded.
    pub async fn modules(&self, start: usize, count: usize) -> Result<ListModulesResponse> {
        self.needs_program("list its modules")?;
        let mut modules = Vec::new();
        for target in &self.view().targets {
            let call = probe::call("modules", &[]);
            let loaded: Vec<Loaded> = self.probe_beside(target.id, call).await?;
            modules.extend(loaded.into_iter().map(|module| Module {
                name: module.name,
                file: module.file,
                process_id: target.pid,
            }));
        }
        let total_modules = u32::try_from(modules.len()).unwrap_or(u32::MAX);
        let modules = modules.into_iter().skip(start).take(count).collect();
        Ok(ListModulesResponse { modules, total_modules })
    }

    /// The source files that every process has loaded, each once.
    pub async fn loaded_sources(&self) -> Result<Vec<String>> {
        self.needs_program("list its sources")?;
        let mut files = std::collections::BTreeSet::new();
        for target in &self.view().targets {
            let loaded: Vec<String> =
                self.probe_beside(target.id, probe::call("sources", &[])).await?;
            files.extend(loaded);
        }
        Ok(files.into_iter().collect())
    }

    /// Refuses a file that the caller may not read. Whoever may run code in the program may read what
    /// the program can; others only what belongs to the project or is loaded.
    pub async fn check_source(&self, file: &str, is_read_only: bool) -> Result<()> {
        let confines = confines::get();
        if (!is_read_only && confines.roots.is_empty())
            || self.launched_code().is_some_and(|_| file == CODE_FILE)
        {
            return Ok(());
        }
        let facts = self.facts();
        let path = std::path::PathBuf::from(self.absolute(file));
        // A folder that is gone holds nothing.
        let is_inside = |folder: &std::path::Path| {
            let folder = folder.canonicalize().ok();
            folder.is_some_and(|folder| {
                path.canonicalize().is_ok_and(|path| path.starts_with(folder))
            })
        };
        // Where the server keeps its token and what others said, also if that is in the project.
        let run_dir = facts.folder.ancestors().nth(2);
        let is_the_servers = is_inside(&facts.state_dir) || run_dir.is_some_and(is_inside);
        let is_of_project = is_inside(&facts.project_root) && !is_the_servers;
        if is_of_project || (!is_read_only && confines.check_path(&path).is_ok()) {
            return Ok(());
        }
        let loaded = self.loaded_sources().await.unwrap_or_default();
        match loaded.iter().any(|loaded| std::path::Path::new(loaded) == path) {
            true => Ok(()),
            false if is_read_only => Err(Error::PermissionDenied {
                problem: "this token may read files of the project, and those that the program has loaded"
                    .into(),
            }),
            false => Err(Error::PathNotAllowed { path: path.to_string_lossy().into_owned() }),
        }
    }

    /// Lines of a source file, or of the text that was launched as `code`.
    pub async fn source(&self, file: &str, start: i32, end: i32) -> Result<GetSourceResponse> {
        let code = self.launched_code().filter(|_| file == CODE_FILE);
        let (file, text) = match code {
            Some(text) => (file.to_owned(), text),
            None => {
                let file = self.absolute(file);
                let path = std::path::PathBuf::from(&file);
                let read = tokio::task::spawn_blocking(move || source::read(&path)).await;
                let read = read.map_err(Error::internal)?;
                (file, read.map_err(|problem| Error::invalid("file", problem))?)
            }
        };
        let total_lines = i32::try_from(text.lines().count()).unwrap_or(i32::MAX);
        if total_lines < start {
            let problem = format!("{file} has {total_lines} lines, so there is no line {start}");
            return Err(Error::invalid("start_line", problem));
        }
        let count = (end.saturating_sub(start).saturating_add(1)).clamp(0, MAX_LINES) as usize;
        let mut lines = String::new();
        for line in text.lines().skip(start as usize - 1).take(count) {
            if MAX_TEXT < lines.len() + line.len() {
                lines += &cut_value(line, MAX_TEXT - lines.len()).0;
                break;
            }
            lines += line;
            lines.push('\n');
        }
        Ok(GetSourceResponse { file, text: lines, start_line: start, total_lines })
    }

    /// The lines around a line of a file, or of the text that was launched as `code`.
    pub(super) fn excerpt(&self, file: &str, line: i32, context: u32) -> Option<SourceExcerpt> {
        match self.launched_code().filter(|_| file == CODE_FILE) {
            Some(text) => source::excerpt_of(&text, file, line, context),
            None => source::excerpt(file, line, context),
        }
    }

    /// The source text that was launched, if it was one.
    fn launched_code(&self) -> Option<String> {
        let last = self.0.last_launch.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match last.as_ref()? {
            LaunchPlan { target: Target::Code(text), .. } => Some(text.clone()),
            _ => None,
        }
    }
}

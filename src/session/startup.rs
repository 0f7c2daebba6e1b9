//! How a program comes under the debugger: what a caller asks for is checked and resolved, the
//! program is started, and it must dial in.

use std::collections::HashMap;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Map, Value};

use super::input::Input;
use super::program::{Console, Control, InputPiece, ProgramCommand, WarmStart};
use super::source::absolute;
use super::{Facts, Session};
use crate::adapters::debugpy::{self, Dial, Target};
use crate::adapters::locate;
use crate::confines;
use crate::dap::types;
use crate::error::{Error, Result};
use crate::proto::{self, SessionState};

/// A cold interpreter on a busy machine needs a few seconds; one that is not there by then hangs.
const DIAL_LIMIT: Duration = Duration::from_secs(30);

/// A launch with everything found: it can only fail by the program's own fault.
#[derive(Debug, Clone)]
pub struct LaunchPlan {
    pub python: PathBuf,
    pub python_args: Vec<String>,
    pub target: Target,
    pub args: Vec<String>,
    pub cwd: PathBuf,
    pub env: HashMap<String, String>,
    pub just_my_code: bool,
    pub stop_on_entry: bool,
    pub children: Children,
    pub console: Console,
    /// Given at once; standard input ends after it.
    pub stdin: Option<Bytes>,
    pub options: Map<String, Value>,
}

/// What happens to processes that the program starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Children {
    Follow,
    RunFree,
    StopAtStart,
}

/// What every process that dials in is told first.
#[derive(Debug, Clone, Default)]
pub(super) struct Greeting {
    pub arguments: Value,
    /// The program itself stops at its first line.
    pub stop_on_entry: bool,
    /// The processes that it starts do.
    pub stop_children: bool,
    /// It was started by somebody else.
    pub is_attached: bool,
}

impl LaunchPlan {
    /// Finds what the plan names: working directory, program, interpreter.
    pub fn resolve(mut self, asked_python: &str, asked_cwd: &str, facts: &Facts) -> Result<Self> {
        self.cwd = absolute(&facts.project_root, asked_cwd);
        let no_cwd =
            (!self.cwd.is_dir()).then(|| Error::WorkingDirectoryNotFound { path: text(&self.cwd) });
        if let Some(error) = no_cwd.clone().filter(|_| !asked_cwd.is_empty()) {
            return Err(error);
        }
        if let Target::Program(program) = &mut self.target {
            let path = find_program(program, &self.cwd, &facts.project_root).ok_or_else(|| {
                Error::ProgramNotFound { path: text(&absolute(&self.cwd, program)) }
            })?;
            *program = text(&path);
        }
        // A folder that nobody asked for is missing only if the program is there.
        no_cwd.map_or(Ok(()), Err)?;
        self.python = locate::python(asked_python, &facts.project_root, &facts.default_python)?;
        let confines = confines::get();
        confines.check_path(&self.cwd)?;
        if let Target::Program(program) = &self.target {
            confines.check_path(Path::new(program))?;
        }
        confines.check_interpreter(&self.python)?;
        Ok(self)
    }
}

impl LaunchPlan {
    /// The program as an interpreter that waits already could run it, if it could: nothing may depend
    /// on how the interpreter began.
    fn warm(&self) -> Option<WarmStart> {
        let is_plain = self.python_args.is_empty()
            && self.console == Console::Pipes
            && self.children != Children::RunFree
            && !self.env.keys().any(|name| debugpy::is_read_at_start(name));
        is_plain.then(|| WarmStart {
            python: self.python.clone(),
            target: self.target.clone(),
            arguments: self.args.clone(),
        })
    }
}

/// A script, or a folder or archive with a `__main__`.
fn find_program(program: &str, cwd: &Path, root: &Path) -> Option<PathBuf> {
    let runs = |path: &PathBuf| path.is_file() || path.join("__main__.py").is_file();
    [cwd, root].iter().map(|folder| absolute(folder, program)).find(runs)
}

impl Session {
    /// Starts the program and returns when it runs under the debugger. A caller who goes away
    /// leaves nothing half done.
    pub async fn launch(&self, plan: LaunchPlan) -> Result<()> {
        let follows = plan.children != Children::RunFree;
        let greeting = Greeting {
            arguments: debugpy::attach_arguments(plan.just_my_code, follows, &plan.options),
            stop_on_entry: plan.stop_on_entry,
            stop_children: plan.children == Children::StopAtStart,
            is_attached: false,
        };
        let python = text(&plan.python);
        let run = self.ask(|reply| Input::BeginLaunch { greeting, python, reply }).await??;
        *self.0.last_launch.lock().unwrap_or_else(PoisonError::into_inner) = Some(plan.clone());
        let session = self.clone();
        let started = tokio::spawn(async move { session.start(run, &plan).await }).await;
        started.unwrap_or_else(|panic| Err(Error::internal(panic)))
    }

    async fn start(&self, run: u64, plan: &LaunchPlan) -> Result<()> {
        let started = self.start_program(run, plan).await;
        if let Err(error) = &started {
            let problem = error.to_string();
            let _ = self.0.inputs.send(Input::LaunchFailed { run, problem }).await;
        }
        let plan_file = started?;

        let left_start =
            |view: &std::sync::Arc<super::view::View>| view.state != SessionState::Starting;
        let Ok(view) = tokio::time::timeout(DIAL_LIMIT, self.wait_until(left_start)).await else {
            let problem = format!("it did not come under the debugger within {DIAL_LIMIT:?}");
            if let Ok(Some(control)) = self.ask(|reply| Input::Terminate { reply }).await {
                let _ = control.send(Control::Kill).await;
            }
            let failed = Input::LaunchFailed { run, problem: problem.clone() };
            let _ = self.0.inputs.send(failed).await;
            return Err(Error::LaunchFailed { problem });
        };
        // An interpreter that waited has not read it, and the secret is to stay nowhere.
        let _ = std::fs::remove_file(&plan_file);
        if view.state != SessionState::Failed {
            return Ok(());
        }
        // The launcher leaves word when the interpreter is too old for debugpy.
        let refused = plan_file.with_extension("json.refused");
        match std::fs::read_to_string(&refused) {
            Ok(version) => {
                let _ = std::fs::remove_file(refused);
                Err(Error::InterpreterUnsupported { path: text(&plan.python), version })
            }
            Err(_) => Err(Error::LaunchFailed { problem: view.failure.clone() }),
        }
    }

    /// Starts the process; returns the file that told the launcher what to run.
    async fn start_program(&self, run: u64, plan: &LaunchPlan) -> Result<PathBuf> {
        let facts = self.facts();
        let dial =
            Dial { port: facts.dial_port, secret: &facts.dial_secret, debugpy: &facts.debugpy };
        let follows = plan.children != Children::RunFree;
        let content = debugpy::launch_plan(&dial, &plan.target, &plan.args, follows);
        let launcher = facts.folder.join(debugpy::LAUNCHER_NAME);
        let plan_file = facts.folder.join(format!("launch-{run}.json"));
        write_private(&launcher, debugpy::LAUNCHER.as_bytes())?;
        write_private(&plan_file, content.to_string().as_bytes())?;

        let own =
            debugpy::ENVIRONMENT.iter().map(|(name, value)| (name.to_string(), value.to_string()));
        let command = ProgramCommand {
            words: debugpy::command(&plan.python, &plan.python_args, &launcher, &plan_file),
            cwd: plan.cwd.clone(),
            environment: own.chain(plan.env.clone()).collect(),
            console: plan.console,
            warm: plan.warm(),
        };
        let output = std::sync::Arc::clone(&self.0.output);
        let program = self.0.programs.start(command, output, self.entrance()).await?;
        tracing::info!(pid = program.pid, python = %plan.python.display(), "the program is started");
        if let Some(data) = plan.stdin.clone() {
            let (written, _) = tokio::sync::oneshot::channel();
            let whole = InputPiece { data, close: true, deadline: None, written };
            let _ = program.input.send(whole).await;
        }
        self.0
            .inputs
            .send(Input::ProgramStarted { run, program })
            .await
            .map_err(|_| Error::internal("the session is gone"))?;
        Ok(plan_file)
    }
}

/// Writes what the launcher needs, for nobody else to read.
pub(super) fn write_private(path: &Path, content: &[u8]) -> Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let written = options.open(path).and_then(|mut file| file.write_all(content));
    written.map_err(|error| Error::StorageFailed {
        what: "what the launcher needs",
        problem: error.to_string(),
    })
}

pub(super) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// What the debugger can do and this server serves.
pub(super) fn show_capabilities(found: &types::Capabilities) -> proto::Capabilities {
    let filters = found.exception_breakpoint_filters.iter();
    proto::Capabilities {
        // Decided by our own module in the program, whatever the debugger can do.
        conditional_breakpoints: true,
        hit_conditions: true,
        log_points: true,
        data_breakpoints: true,
        set_variable: true,
        set_expression: true,
        modules: true,
        loaded_sources: true,
        function_breakpoints: found.supports_function_breakpoints,
        goto: found.supports_goto_targets_request,
        step_in_targets: found.supports_step_in_targets_request,
        completions: found.supports_completions_request,
        exception_filters: filters.map(|filter| filter.filter.clone()).collect(),
        ..Default::default()
    }
}

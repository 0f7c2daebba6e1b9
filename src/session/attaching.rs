//! Programs that run already: how they come under the debugger, and how any program leaves it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::oneshot;

use super::actor::Actor;
use super::input::Input;
use super::outcome::Wait;
use super::program::{Console, Control, ProgramCommand};
use super::startup::{Greeting, text, write_private};
use super::state::{End, Phase};
use super::talk::LEFT;
use super::targets::Waiter;
use super::view::View;
use super::{Entrance, Session, wrong_state};
use crate::adapters::debugpy::{self, Dial};
use crate::confines;
use crate::dap::types::{Disconnect, Terminate};
use crate::error::{Error, Result};
use crate::proto::{Outcome, SessionState};

/// A process that was reached answers within this, also when it has to import debugpy first.
const ATTACH_LIMIT: Duration = Duration::from_secs(20);
/// Children that are just being taken are there within this.
const SETTLE_LIMIT: Duration = Duration::from_secs(2);
/// Leaving takes milliseconds, unless the program keeps the interpreter to itself.
const DETACH_LIMIT: Duration = Duration::from_secs(5);

/// A program that runs already.
#[derive(Debug, Clone)]
pub struct AttachPlan {
    pub target: AttachTarget,
    /// Folders here and in the program.
    pub path_mappings: Vec<(String, String)>,
    pub just_my_code: bool,
    pub options: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum AttachTarget {
    Process(u32),
    /// A debugger that listens.
    Connect {
        host: String,
        port: u16,
    },
    /// Here we wait for a program that dials.
    Listen {
        host: String,
        port: u16,
    },
}

impl Session {
    /// Takes a program under the debugger, then waits as asked.
    pub async fn attach_and_wait(&self, plan: AttachPlan, wait: &Wait) -> Result<Outcome> {
        let greeting = Greeting {
            arguments: debugpy::attach_arguments(plan.just_my_code, true, &plan.all_options()),
            is_attached: true,
            ..Default::default()
        };
        let python = String::new();
        let run = self.ask(|reply| Input::BeginLaunch { greeting, python, reply }).await??;
        let session = self.clone();
        // In a task of its own: a caller who goes away leaves nothing half done.
        let attached = tokio::spawn(async move { session.reach(&plan.target).await }).await;
        let attached = attached.unwrap_or_else(|panic| Err(Error::internal(panic)));
        if let Err(error) = &attached {
            let _ =
                self.0.inputs.send(Input::LaunchFailed { run, problem: error.to_string() }).await;
        }
        attached?;
        self.wait_for_stop(0, wait).await
    }

    async fn reach(&self, target: &AttachTarget) -> Result<()> {
        check_confines(target)?;
        let programs = &self.0.programs;
        match target {
            AttachTarget::Process(pid) => self.inject(*pid).await?,
            AttachTarget::Connect { host, port } => {
                programs.reach(self.entrance(), host.clone(), *port).await?;
            }
            AttachTarget::Listen { host, port } => {
                return programs.welcome(self.entrance(), host.clone(), *port).await;
            }
        }
        let is_there = |view: &Arc<View>| view.state != SessionState::Starting;
        match tokio::time::timeout(ATTACH_LIMIT, self.wait_until(is_there)).await {
            Ok(view) if view.state == SessionState::Failed => {
                Err(Error::AttachFailed { problem: view.failure.clone() })
            }
            Ok(_) => Ok(()),
            Err(_) => Err(Error::AttachFailed {
                problem: format!("{} did not answer within {ATTACH_LIMIT:?}", describe(target)),
            }),
        }
    }

    /// Puts the debugger into a process of this machine.
    async fn inject(&self, pid: u32) -> Result<()> {
        let facts = self.facts();
        let dial =
            Dial { port: facts.dial_port, secret: &facts.dial_secret, debugpy: &facts.debugpy };
        let launcher = facts.folder.join(debugpy::LAUNCHER_NAME);
        let plan = facts.folder.join("attach.json");
        let content = debugpy::inject_plan(&dial, pid).to_string();
        write_private(&launcher, debugpy::LAUNCHER.as_bytes())?;
        write_private(&plan, content.as_bytes())?;
        let python = interpreter_of(pid).unwrap_or_else(|| facts.default_python.clone());
        let command = ProgramCommand {
            words: debugpy::command(&python, &[], &launcher, &plan),
            cwd: facts.folder.clone(),
            environment: Vec::new(),
            console: Console::Pipes,
            warm: None,
        };
        let said = self.0.programs.run(pid, command).await;
        let _ = std::fs::remove_file(plan);
        said.map_err(|problem| Error::AttachFailed { problem })
    }

    /// Lets the program run on without the debugger. Returns when it has let go.
    pub async fn detach(&self) -> Result<()> {
        let answers = self.ask(|reply| Input::Detach { reply }).await??;
        let all = futures_util::future::join_all(answers);
        let _ = tokio::time::timeout(DETACH_LIMIT, all).await;
        let _ = self.0.inputs.send(Input::Detached).await;
        let is_over = |view: &Arc<View>| view.is_over();
        let _ = tokio::time::timeout(DETACH_LIMIT, self.wait_until(is_over)).await;
        // A child that was announced a moment ago is let go as soon as it is there.
        let _ = tokio::time::timeout(SETTLE_LIMIT, self.calmed()).await;
        Ok(())
    }

    /// Returns when all processes are let run, or left. Callers bound the wait.
    pub async fn calmed(&self) {
        self.wait_until(|view| view.unsettled == 0).await;
    }
}

impl AttachPlan {
    fn all_options(&self) -> Map<String, Value> {
        let mut options = self.options.clone();
        if !self.path_mappings.is_empty() {
            let mappings = self.path_mappings.iter();
            let mappings = mappings.map(
                |(local, remote)| serde_json::json!({ "localRoot": local, "remoteRoot": remote }),
            );
            options.insert("pathMappings".into(), mappings.collect());
        }
        options
    }
}

fn describe(target: &AttachTarget) -> String {
    match target {
        AttachTarget::Process(pid) => format!("process {pid}"),
        AttachTarget::Connect { host, port } | AttachTarget::Listen { host, port } => {
            format!("{host}:{port}")
        }
    }
}

/// A process that is attached to must be one that might have been launched.
fn check_confines(target: &AttachTarget) -> Result<()> {
    let (AttachTarget::Process(pid), confines) = (target, confines::get()) else { return Ok(()) };
    if confines.is_open() {
        return Ok(());
    }
    confines.check_path(Path::new(&format!("/proc/{pid}/cwd")))?;
    confines.check_interpreter(Path::new(&format!("/proc/{pid}/exe")))
}

/// The Python that a process runs, where the system tells.
fn interpreter_of(pid: u32) -> Option<PathBuf> {
    let path = std::fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    let name = path.file_name()?.to_str()?;
    (name.starts_with("python") && Path::new(&text(&path)).is_file()).then_some(path)
}

impl Actor {
    pub(super) fn detach(&mut self) -> Result<Vec<oneshot::Receiver<()>>> {
        match self.phase {
            Phase::Created => return Err(self.not_stopped("be detached from")),
            Phase::Ended(_) => {
                return Err(wrong_state(&self.id, self.state(), "be detached from"));
            }
            Phase::Starting if self.program.is_none() && !self.greeting.is_attached => {
                return Err(self.not_stopped("be detached from"));
            }
            Phase::Starting | Phase::Live => {}
        }
        self.is_detaching = true;
        self.has_released |= self.program.is_some();
        if let Some(program) = &self.program {
            let _ = program.control.try_send(Control::Release);
        }
        let targets: Vec<_> = self.targets.keys().copied().collect();
        let left = targets.into_iter().map(|id| {
            let (done, answered) = oneshot::channel();
            self.let_run(id, Waiter::Nobody);
            let request = Disconnect { terminate_debuggee: false };
            self.send(id, &request, Waiter::Done(done));
            answered
        });
        Ok(left.collect())
    }

    pub(super) fn detached(&mut self) {
        self.finish(End::Detached);
        // One that has dialled since is let go when it is ready.
        let left = self.targets.iter().filter(|(_, target)| target.has_begun);
        for id in left.map(|(id, _)| *id).collect::<Vec<_>>() {
            self.closed(id, LEFT);
        }
    }

    /// A debugger that we dialled has a child process for us, at an address of its own. Nobody's
    /// child waits for ever.
    pub(super) fn follow_child(&mut self, arguments: Value) {
        let host = arguments["connect"]["host"].as_str().unwrap_or("127.0.0.1").to_owned();
        let port = arguments["connect"]["port"].as_u64().and_then(|port| port.try_into().ok());
        let (Some(port), true) = (port, self.greeting.is_attached) else { return };
        let Some(inputs) = self.own.upgrade() else { return };
        let entrance = Entrance::new(inputs, self.shown.subscribe());
        self.children_to_dial.push_back(arguments);
        let programs = Arc::clone(&self.programs);
        tokio::spawn(async move {
            if let Err(error) = programs.reach(entrance.clone(), host, port).await {
                tracing::warn!(%error, "a child process could not be followed");
                entrance.child_lost().await;
            }
        });
    }

    /// The last process of a program that is not our child has left.
    pub(super) fn last_left(&mut self, pid: i64) {
        let is_last = self.greeting.is_attached && self.targets.is_empty() && !self.is_detaching;
        let pid = u32::try_from(pid).unwrap_or_default();
        if !is_last || self.phase.is_over() {
            return;
        }
        let (own, programs) = (self.own.clone(), Arc::clone(&self.programs));
        tokio::spawn(async move {
            let is_alive = programs.outlives(pid).await;
            if let Some(own) = own.upgrade() {
                let _ = own.send(Input::AttachedGone { is_alive }).await;
            }
        });
    }

    pub(super) fn attached_gone(&mut self, is_alive: bool) {
        if !self.targets.is_empty() {
            return;
        }
        let end = match (self.is_terminating, is_alive, self.phase) {
            (true, ..) => End::Terminated,
            (false, _, Phase::Starting) => {
                self.failure = "the process left before it was under the debugger".into();
                End::Failed
            }
            (false, true, _) => End::Detached,
            (false, false, _) => End::Exited,
        };
        self.finish(end);
    }

    /// Asks every process of a program that is not our child to end.
    pub(super) fn terminate_attached(&mut self) {
        if self.targets.is_empty() {
            return self.finish(End::Terminated);
        }
        for id in self.targets.keys().copied().collect::<Vec<_>>() {
            self.send(id, &Terminate {}, Waiter::Nobody);
        }
    }
}

//! Hosts that wait for a session, each with an interpreter that waits for a program. There are so
//! many as the limit says, for the interpreter that is used most; they go when none is used for a while.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::process::Pid;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::hosts::HostSetup;
use super::provision::Provision;
use super::starting::{host_command, locked_log};
use crate::adapters::locate;
use crate::confines;
use crate::host::{self, HostOptions};
use crate::id;
use crate::limits;
use crate::proto::create_session_request::Start;
use crate::proto::{ChildPolicy, Console, CreateSessionRequest, Spares};
use crate::telemetry;

/// A session that has just begun has the processors for itself.
const REFILL_PAUSE: Duration = Duration::from_millis(400);
/// How often it is looked whether those that wait are alive and wanted.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// One that is not ready by then will not be.
const READY_LIMIT: Duration = Duration::from_secs(40);
/// One that waits takes its session at once.
const TAKE_LIMIT: Duration = Duration::from_secs(5);
/// Interpreters of so many sessions are remembered, to know which is used most.
const REMEMBERED: usize = 8;

#[derive(Clone)]
pub struct Pool(Arc<Inner>);

struct Inner {
    folder: PathBuf,
    state: Mutex<State>,
    wanted: Notify,
}

struct State {
    waiting: Vec<Waiting>,
    /// The interpreters of the last sessions.
    recent: VecDeque<PathBuf>,
    last_use: Instant,
    taken: u64,
    missed: u64,
}

/// A host that waits. Dropping it ends it: it sees the end of its standard input.
pub struct Waiting {
    python: PathBuf,
    log: Log,
    child: Child,
    orders: ChildStdin,
    words: BufReader<ChildStdout>,
}

/// What it writes as long as it has no session. Removed with it, unless a session has it then.
struct Log(PathBuf);

impl Drop for Log {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

impl Pool {
    /// Begins to fill it as soon as the debugger is there. What an earlier server left is removed:
    /// its spares have ended with it.
    pub fn begin(run_dir: &Path, provision: &Provision) -> Self {
        let folder = run_dir.join("spares");
        let _ = std::fs::remove_dir_all(&folder);
        let state = State {
            waiting: Vec::new(),
            recent: VecDeque::new(),
            last_use: Instant::now(),
            taken: 0,
            missed: 0,
        };
        let inner = Inner { folder, state: Mutex::new(state), wanted: Notify::new() };
        let pool = Self(Arc::new(inner));
        if 0 < limits::get().spares {
            tokio::spawn(pool.clone().keep_full(provision.clone()));
        }
        pool
    }

    /// A host for this session, if one waits with the interpreter that it needs.
    pub fn take(&self, request: &CreateSessionRequest, setup: &HostSetup) -> Option<Waiting> {
        let python = interpreter_of(request, setup).filter(|_| 0 < limits::get().spares)?;
        let mut state = self.state();
        state.last_use = Instant::now();
        state.recent.push_front(python.clone());
        state.recent.truncate(REMEMBERED);
        state.waiting.retain_mut(Waiting::is_alive);
        let found = state.waiting.iter().position(|waiting| waiting.python == python);
        let found = found.map(|index| state.waiting.remove(index));
        match &found {
            Some(_) => state.taken += 1,
            None => state.missed += 1,
        }
        drop(state);
        self.0.wanted.notify_one();
        found
    }

    /// The processes of those that wait.
    pub fn pids(&self) -> Vec<Pid> {
        let state = self.state();
        let pids = state.waiting.iter().filter_map(|waiting| waiting.child.id());
        pids.filter_map(|pid| Pid::from_raw(pid.cast_signed())).collect()
    }

    pub fn show(&self, default: &Path) -> Spares {
        let state = self.state();
        Spares {
            size: u32::try_from(limits::get().spares).unwrap_or(u32::MAX),
            ready: u32::try_from(state.waiting.len()).unwrap_or(u32::MAX),
            python: state.favourite(default).to_string_lossy().into_owned(),
            taken: state.taken,
            missed: state.missed,
            idle: limits::get().spare_idle.try_into().ok(),
        }
    }

    async fn keep_full(self, provision: Provision) {
        let setup = loop {
            match provision.host_setup().await {
                Ok(setup) => break setup,
                // It may be there later: an installation takes its time.
                Err(_) => tokio::time::sleep(CHECK_INTERVAL).await,
            }
        };
        loop {
            while let Some(python) = self.missing(&setup.python) {
                match self.start(&HostSetup { python, ..setup.clone() }).await {
                    Ok(waiting) => self.state().waiting.push(waiting),
                    Err(problem) => {
                        tracing::warn!(problem, "an interpreter could not be made ready");
                        break;
                    }
                }
            }
            let poked = tokio::time::timeout(CHECK_INTERVAL, self.0.wanted.notified()).await;
            if poked.is_ok() {
                tokio::time::sleep(REFILL_PAUSE).await;
            }
        }
    }

    /// The interpreter of which one more is to wait, if any. Those that are dead, of another
    /// interpreter or not wanted any more are gone after this.
    fn missing(&self, default: &Path) -> Option<PathBuf> {
        let mut state = self.state();
        if limits::get().spare_idle <= state.last_use.elapsed() {
            state.waiting.clear();
            return None;
        }
        let favourite = state.favourite(default).to_owned();
        state.waiting.retain_mut(|waiting| waiting.python == favourite && waiting.is_alive());
        (state.waiting.len() < limits::get().spares).then_some(favourite)
    }

    async fn start(&self, setup: &HostSetup) -> Result<Waiting, String> {
        let name = id::random_secret().map_err(|error| error.to_string())?;
        let folder = self.0.folder.join(&name[..8]);
        let started = tokio::time::timeout(READY_LIMIT, start(&folder, setup)).await;
        let started = started.unwrap_or_else(|_| Err(std::io::ErrorKind::TimedOut.into()));
        started.map_err(|error| {
            let _ = std::fs::remove_dir_all(&folder);
            error.to_string()
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The interpreter that was used most of late; the newest of those that were used alike.
    fn favourite<'a>(&'a self, default: &'a Path) -> &'a Path {
        let uses = |python: &PathBuf| self.recent.iter().filter(|one| *one == python).count();
        let most = self.recent.iter().map(uses).max().unwrap_or_default();
        let favourite = self.recent.iter().find(|python| uses(python) == most);
        favourite.map_or(default, PathBuf::as_path)
    }
}

impl Waiting {
    fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Gives it its session. Its log becomes the session's. None when it has just died.
    pub async fn hold(
        mut self,
        options: &HostOptions,
        log: &Path,
    ) -> Option<(Child, BufReader<ChildStdout>)> {
        let line = serde_json::to_string(options).ok()?;
        std::fs::rename(&self.log.0, log).ok()?;
        let taken = async {
            self.orders.write_all(format!("{line}\n").as_bytes()).await?;
            let mut word = String::new();
            self.words.read_line(&mut word).await?;
            Ok::<_, std::io::Error>(word)
        };
        let taken = tokio::time::timeout(TAKE_LIMIT, taken).await;
        let is_held = matches!(taken, Ok(Ok(word)) if word.trim() == host::READY);
        if !is_held {
            tracing::warn!("a host that waited did not take its session");
            let _ = self.child.kill().await;
            // In the way of the next.
            let _ = std::fs::remove_file(options.folder.join("host.sock"));
            return None;
        }
        Some((self.child, self.words))
    }
}

/// Starts a host that waits, and returns when it does.
async fn start(folder: &Path, setup: &HostSetup) -> std::io::Result<Waiting> {
    std::fs::create_dir_all(folder)?;
    // Beside its folder, which it removes.
    let log = Log(folder.with_extension("log"));
    let mut child = host_command()
        .arg("spare")
        .args(host::Rules::own().arguments()?)
        .args(telemetry::options().arguments())
        .arg("--folder")
        .arg(folder)
        .arg("--debugpy")
        .arg(&setup.debugpy)
        .arg("--python")
        .arg(&setup.python)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(locked_log(&log.0)?)
        .spawn()?;
    let (Some(orders), Some(words)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(std::io::ErrorKind::BrokenPipe.into());
    };
    let mut words = BufReader::new(words);
    let mut word = String::new();
    words.read_line(&mut word).await?;
    if word.trim() != host::READY {
        let said = std::fs::read_to_string(&log.0).unwrap_or_default();
        return Err(std::io::Error::other(format!("it did not come up: {}", said.trim())));
    }
    Ok(Waiting { python: setup.python.clone(), log, child, orders, words })
}

/// The interpreter of a launch that one that waits may serve.
fn interpreter_of(request: &CreateSessionRequest, setup: &HostSetup) -> Option<PathBuf> {
    let Some(Start::Launch(launch)) = &request.start else { return None };
    let is_plain = launch.python_args.is_empty()
        && matches!(launch.console(), Console::Unspecified | Console::Pipes)
        && launch.children() != ChildPolicy::RunFree;
    if !is_plain {
        return None;
    }
    let root = Path::new(&request.project_root);
    let confines = confines::get();
    // What the host will refuse is not even made ready.
    if !request.project_root.is_empty() && confines.check_path(root).is_err() {
        return None;
    }
    let python = locate::python(&launch.python, root, &setup.python).ok()?;
    confines.check_interpreter(&python).is_ok().then_some(python)
}

//! The only place of a host that starts processes: the program under its guard, and the interpreter
//! as a checker of expressions.

use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::process::{Child, Command};
use tokio::sync::{mpsc, oneshot};

use super::dialler::Family;
use super::spare::Spare;
use super::{os, pump, reach, streams};
use crate::adapters::debugpy;
use crate::error::{Error, Result};
use crate::limits;
use crate::proto::OutputCategory;
use crate::session::{
    Console, Control, Ended, Entrance, Findings, OutputLog, Program, ProgramCommand, Programs,
    Questions,
};

/// A guard is there within milliseconds.
const START_LIMIT: Duration = Duration::from_secs(20);
/// Expressions and files of any length compile well within this.
const EXAMINE_LIMIT: Duration = Duration::from_secs(10);

/// Starts programs under guard, as children of this host.
pub struct GuardedPrograms {
    /// Held while a process that was started by somebody else is ours to debug.
    claim: Mutex<Option<std::fs::File>>,
    /// An interpreter that waits for the first program, if it is the right one.
    spare: Mutex<Option<Spare>>,
    family: Family,
}

impl GuardedPrograms {
    pub fn new(spare: Option<Spare>, family: Family) -> Self {
        Self { claim: Mutex::default(), spare: Mutex::new(spare), family }
    }

    async fn prepare(&self, command: &ProgramCommand, entrance: Entrance) -> Result<Prepared> {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let (Some(spare), Some(warm)) = (spare, &command.warm)
            && let Some(prepared) = spare.run(command, warm, entrance, self.family.clone()).await
        {
            return Ok(prepared);
        }
        prepare(command).await
    }
}

impl Programs for GuardedPrograms {
    fn start(
        &self,
        command: ProgramCommand,
        output: Arc<OutputLog>,
        entrance: Entrance,
    ) -> BoxFuture<'_, Result<Program>> {
        async move { self.prepare(&command, entrance).await?.attend(&output) }.boxed()
    }

    fn run(
        &self,
        pid: u32,
        command: ProgramCommand,
    ) -> BoxFuture<'_, std::result::Result<(), String>> {
        async move {
            // Dropped when it fails, so that others may try.
            let claim = reach::claim(pid, &command)?;
            reach::inject(pid, command).await?;
            *self.claim.lock().unwrap_or_else(PoisonError::into_inner) = Some(claim);
            Ok(())
        }
        .boxed()
    }

    fn reach(&self, entrance: Entrance, host: String, port: u16) -> BoxFuture<'_, Result<()>> {
        reach::reach(entrance, host, port).boxed()
    }

    fn welcome(&self, entrance: Entrance, host: String, port: u16) -> BoxFuture<'_, Result<()>> {
        reach::welcome(entrance, host, port, self.family.clone()).boxed()
    }

    fn let_go(&self) {
        *self.claim.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn waits_for_input(&self, pid: u32) -> bool {
        os::reads_input(pid)
    }

    fn outlives(&self, pid: u32) -> BoxFuture<'_, bool> {
        reach::outlives(pid).boxed()
    }

    fn examine<'a>(
        &'a self,
        python: &'a Path,
        questions: &'a Questions,
    ) -> BoxFuture<'a, Option<Findings>> {
        async move {
            let asked = tokio::time::timeout(EXAMINE_LIMIT, examine(python, questions)).await;
            asked.ok().flatten()
        }
        .boxed()
    }
}

/// A program under its guard, whose output nobody reads yet. Dropping it ends it.
pub struct Prepared {
    guard: Child,
    words: OwnedWriteHalf,
    reports: Lines<BufReader<OwnedReadHalf>>,
    output: Vec<(OwnedFd, OutputCategory)>,
    input: OwnedFd,
    console: Console,
    pid: u32,
}

/// Starts a program under guard.
pub async fn prepare(command: &ProgramCommand) -> Result<Prepared> {
    let (ours, theirs) = StdUnixStream::pair().map_err(Error::internal)?;
    rustix::io::fcntl_setfd(&theirs, rustix::io::FdFlags::empty()).map_err(Error::internal)?;
    ours.set_nonblocking(true).map_err(Error::internal)?;
    let streams = streams::open(command.console).map_err(Error::internal)?;
    let guard = start_guard(command, &theirs, streams.theirs)
        .map_err(|error| Error::LaunchFailed { problem: error.to_string() })?;
    drop(theirs);
    let control = UnixStream::from_std(ours).map_err(Error::internal)?;

    let (reports, mut words) = control.into_split();
    let mut reports = BufReader::new(reports).lines();
    let started = tokio::time::timeout(START_LIMIT, async {
        let environment = serde_json::to_string(&command.environment).map_err(Error::internal)?;
        // A guard that somebody kills at once takes nothing and says nothing.
        let killed = |error: std::io::Error| Error::LaunchFailed {
            problem: format!("its guard ended at once ({error})"),
        };
        words.write_all(format!("{environment}\n").as_bytes()).await.map_err(killed)?;
        reports.next_line().await.map_err(killed)
    });
    let report = started.await.unwrap_or_else(|_| Ok(Some("error it took too long".into())))?;
    let pid = match report.as_deref().map(split_word) {
        Some(("pid", number)) => number.parse().map_err(Error::internal)?,
        Some((_, problem)) => return Err(Error::LaunchFailed { problem: problem.into() }),
        None => return Err(Error::LaunchFailed { problem: "its guard ended at once".into() }),
    };
    let (output, input, console) = (streams.output, streams.input, command.console);
    Ok(Prepared { guard, words, reports, output, input, console, pid })
}

impl Prepared {
    /// Returns when the program has ended, or its guard.
    pub async fn ended(&mut self) {
        let _ = self.reports.next_line().await;
    }

    /// Reads its output from the first byte on, and hears of its end.
    pub fn attend(self, log: &Arc<OutputLog>) -> Result<Program> {
        let Self { mut guard, mut words, mut reports, output, input, console, pid } = self;
        let output = output
            .into_iter()
            .map(|(stream, category)| pump::start(stream, log.writer(category, pid)))
            .collect::<std::io::Result<Vec<_>>>()
            .map_err(Error::internal)?;
        let input = pump::feed(input, console).map_err(Error::internal)?;
        let (control, mut orders) = mpsc::channel::<Control>(8);
        let (tell_end, ended) = oneshot::channel();
        let (tell_gone, gone) = oneshot::channel();
        // Ends when every sender of orders is dropped: the guard then sees the end of its control
        // stream and ends the tree.
        tokio::spawn(async move {
            while let Some(order) = orders.recv().await {
                let word: &[u8] = match order {
                    Control::Terminate => b"term\n",
                    Control::Kill => b"kill\n",
                    Control::Release => b"release\n",
                };
                if words.write_all(word).await.is_err() {
                    break;
                }
            }
        });
        tokio::spawn(async move {
            let _ = tell_end.send(read_end(&mut reports).await);
            while let Ok(Some(_)) = reports.next_line().await {}
            let status = guard.wait().await;
            if !status.is_ok_and(|status| status.success()) {
                // A guard that was killed leaves its orphans to us.
                let _ = tokio::task::spawn_blocking(os::kill_descendants).await;
            }
            let _ = tell_gone.send(());
        });
        Ok(Program { pid, control, ended, gone, output, input })
    }
}

/// Our copies of the program's streams end with this call; kept open, they would never end.
fn start_guard(
    command: &ProgramCommand,
    control: &StdUnixStream,
    [stdin, stdout, stderr]: [Stdio; 3],
) -> std::io::Result<Child> {
    let mut guard = Command::new(super::own_executable());
    guard.arg0("debug-relay").args(["guard", "--control", &control.as_raw_fd().to_string()]);
    if command.console == Console::Terminal {
        guard.arg("--terminal");
    }
    if 0 < limits::get().memory_bytes {
        guard.args(["--memory", &limits::get().memory_bytes.to_string()]);
    }
    guard.arg("--").args(&command.words).current_dir(&command.cwd);
    guard.stdin(stdin).stdout(stdout).stderr(stderr).spawn()
}

/// The program's end as the guard reports it. A guard that is killed takes the program with it.
async fn read_end<R>(reports: &mut tokio::io::Lines<R>) -> Ended
where
    R: tokio::io::AsyncBufRead + Unpin,
{
    while let Ok(Some(line)) = reports.next_line().await {
        match split_word(&line) {
            ("exit", code) => return Ended::Exit(code.parse().unwrap_or_default()),
            ("signal", number) => return Ended::Signal(number.parse().unwrap_or_default()),
            _ => {}
        }
    }
    Ended::Signal(rustix::process::Signal::KILL.as_raw())
}

fn split_word(line: &str) -> (&str, &str) {
    line.split_once(' ').unwrap_or((line, ""))
}

async fn examine(python: &Path, questions: &Questions) -> Option<Findings> {
    let mut examiner = Command::new(python)
        .args(["-I", "-S", "-c", debugpy::EXAMINE])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .ok()?;
    let mut input = examiner.stdin.take()?;
    input.write_all(&serde_json::to_vec(questions).ok()?).await.ok()?;
    drop(input);
    let answer = examiner.wait_with_output().await.ok()?;
    let found: Findings = serde_json::from_slice(&answer.stdout).ok()?;
    let is_whole = found.problems.len() == questions.expressions.len()
        && found.lines.len() == questions.files.len();
    is_whole.then_some(found)
}

//! What a session needs of the world to have a program: to start it, to hear of its end, to end it.
//! Whoever runs the session provides it.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;

use super::Entrance;
use super::output::OutputLog;
use crate::adapters::debugpy::Target;
use crate::error::Result;

/// How to start a program.
#[derive(Debug, Clone)]
pub struct ProgramCommand {
    pub words: Vec<String>,
    pub cwd: PathBuf,
    /// Added to the environment of the server.
    pub environment: Vec<(String, String)>,
    pub console: Console,
    /// For an interpreter that waits already, if there is one: what it is to run.
    pub warm: Option<WarmStart>,
}

/// A program that need not begin with a new interpreter.
#[derive(Debug, Clone)]
pub struct WarmStart {
    pub python: PathBuf,
    pub target: Target,
    pub arguments: Vec<String>,
}

/// What the program's standard streams are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Console {
    Pipes,
    Terminal,
}

/// A program that was started.
pub struct Program {
    pub pid: u32,
    /// Words to whoever guards it. Dropping this ends the program and everything under it.
    pub control: mpsc::Sender<Control>,
    /// Tells how it ended.
    pub ended: oneshot::Receiver<Ended>,
    /// Resolves when the guard is gone, and so everything under it.
    pub gone: oneshot::Receiver<()>,
    pub output: Vec<Drain>,
    pub input: mpsc::Sender<InputPiece>,
}

/// Bytes for the program's standard input.
pub struct InputPiece {
    pub data: Bytes,
    /// Nothing comes after them.
    pub close: bool,
    /// When to give up on a program that does not read.
    pub deadline: Option<Instant>,
    /// How many bytes it took.
    pub written: oneshot::Sender<std::io::Result<usize>>,
}

/// What a program can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// SIGTERM to the program.
    Terminate,
    /// SIGKILL to the whole tree.
    Kill,
    /// From now on it lives on without us.
    Release,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Exit(i32),
    Signal(i32),
}

impl Ended {
    /// The exit code, if it has one, and the signal or 0.
    pub fn codes(self) -> (Option<i32>, i32) {
        match self {
            Ended::Exit(code) => (Some(code), 0),
            Ended::Signal(signal) => (None, signal),
        }
    }
}

/// The reader of one of the program's streams.
#[derive(Clone)]
pub struct Drain {
    /// Asks it for what is already written.
    pub ask: mpsc::Sender<oneshot::Sender<()>>,
    /// Whether so many small pieces come that the program would do well to gather them.
    pub is_flooding: watch::Receiver<bool>,
}

impl Drain {
    /// Returns when everything written so far has been read, or the stream has ended.
    pub async fn now(&self) {
        let (done, waiting) = oneshot::channel();
        if self.ask.send(done).await.is_ok() {
            let _ = waiting.await;
        }
    }

    /// Returns when the stream has ended and all of it has been read.
    pub async fn end(&self) {
        self.ask.closed().await;
    }
}

/// What only the interpreter knows.
#[derive(Debug, Default, Serialize)]
pub struct Questions {
    pub expressions: Vec<String>,
    pub files: Vec<String>,
}

impl Questions {
    pub fn is_empty(&self) -> bool {
        self.expressions.is_empty() && self.files.is_empty()
    }
}

/// Its answers, each in the order of the questions.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Findings {
    /// What is wrong with each expression.
    pub problems: Vec<Option<String>>,
    /// The lines of each file that have code.
    pub lines: Vec<Option<BTreeSet<i32>>>,
}

/// Starts programs.
pub trait Programs: Send + Sync + 'static {
    /// Starts a program whose output goes to `output`, and which comes into the session by `entrance`.
    fn start(
        &self,
        command: ProgramCommand,
        output: Arc<OutputLog>,
        entrance: Entrance,
    ) -> BoxFuture<'_, Result<Program>>;

    /// Runs a command that puts the debugger into process `pid`; says what went wrong.
    fn run(&self, pid: u32, command: ProgramCommand) -> BoxFuture<'_, Result<(), String>>;

    /// The process that was put under the debugger by `run` is free for others.
    fn let_go(&self);

    /// Dials a debugger that listens, for the session.
    fn reach(&self, entrance: Entrance, host: String, port: u16) -> BoxFuture<'_, Result<()>>;

    /// Waits for programs that dial this address, for the session.
    fn welcome(&self, entrance: Entrance, host: String, port: u16) -> BoxFuture<'_, Result<()>>;

    /// Whether a process waits for something to be written to its standard input.
    fn waits_for_input(&self, pid: u32) -> bool;

    /// Whether a process that left the debugger lives on.
    fn outlives(&self, pid: u32) -> BoxFuture<'_, bool>;

    /// Asks the given interpreter, whose rules are the ones that count. None when it cannot tell.
    fn examine<'a>(
        &'a self,
        python: &'a std::path::Path,
        questions: &'a Questions,
    ) -> BoxFuture<'a, Option<Findings>>;
}

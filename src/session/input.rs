//! Everything that can reach the actor, as messages: calls, connections, the debugger's words, the
//! program's end.

use std::time::Duration;

use bytes::Bytes;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};

use super::breakpoints::Checked;
use super::collect::Collector;
use super::program::{Control, Ended, InputPiece, Program};
use super::startup::Greeting;
use super::targets::ProcessIdentity;
use super::trace::Steps;
use crate::dap::{Message, Response};
use crate::error::{Error, Result};
use crate::id::{BreakpointId, TargetId, ThreadId};

/// Everything that can reach the actor.
pub(super) enum Input {
    Request {
        target: TargetId,
        /// The stop that the request is about; refused when the process has left it.
        stop: Option<u64>,
        command: &'static str,
        arguments: Box<RawValue>,
        limit: Duration,
        reply: oneshot::Sender<Result<Response>>,
    },
    Move {
        movement: Movement,
        thread: Option<ThreadId>,
        reply: oneshot::Sender<Result<Departure>>,
    },
    Pause {
        thread: Option<ThreadId>,
        reply: oneshot::Sender<Result<()>>,
    },
    SetBreakpoints {
        checked: Vec<Checked>,
        replace_file: bool,
        reply: oneshot::Sender<BreakpointsSent>,
    },
    RemoveBreakpoints {
        ids: Vec<BreakpointId>,
        reply: oneshot::Sender<Result<BreakpointsSent>>,
    },
    ShowBreakpoints {
        file: Option<String>,
        reply: oneshot::Sender<Vec<crate::proto::Breakpoint>>,
    },
    /// All breakpoints of callers, as they were checked.
    CheckedBreakpoints {
        reply: oneshot::Sender<Vec<(BreakpointId, Checked)>>,
    },
    GetBreakpoint {
        id: BreakpointId,
        reply: oneshot::Sender<Option<Checked>>,
    },
    PutBreakpoints {
        id: BreakpointId,
        checked: Vec<Checked>,
        reply: oneshot::Sender<Result<BreakpointsSent>>,
    },
    /// Answers with word that our module is in the process.
    EnsureProbe {
        target: TargetId,
        reply: oneshot::Sender<oneshot::Receiver<()>>,
    },
    SetExceptions {
        filters: Vec<crate::proto::ExceptionFilter>,
        reply: oneshot::Sender<Vec<oneshot::Receiver<()>>>,
    },
    GetExceptions {
        reply: oneshot::Sender<Vec<crate::proto::ExceptionFilter>>,
    },
    Collect {
        checked: Vec<Checked>,
        collector: Collector,
        reply: oneshot::Sender<BreakpointsSent>,
    },
    EndCollect {
        id: BreakpointId,
    },
    /// Somebody takes what is told of this trace.
    BeginTrace {
        id: u64,
        tell: mpsc::Sender<Steps>,
    },
    EndTrace {
        id: u64,
    },
    /// A call of the probe of whose answer nobody wants to hear.
    TellProbe {
        target: TargetId,
        call: String,
    },
    ShowUnhit {
        reply: oneshot::Sender<Vec<crate::proto::UnhitBreakpoint>>,
    },
    BeginLaunch {
        greeting: Greeting,
        python: String,
        /// Answers with the number of the run.
        reply: oneshot::Sender<Result<u64>>,
    },
    Detach {
        reply: oneshot::Sender<Result<Vec<oneshot::Receiver<()>>>>,
    },
    /// Every process has been let go, or will not answer.
    Detached,
    /// A child that was announced could not be dialled.
    ChildLost,
    /// The last process of a program that is not our child has left.
    AttachedGone {
        is_alive: bool,
    },
    /// These belong to one run of a program, and are nothing to another.
    ProgramStarted {
        run: u64,
        program: Program,
    },
    LaunchFailed {
        run: u64,
        problem: String,
    },
    ProgramEnded {
        run: u64,
        ended: Ended,
    },
    OutputEnded {
        run: u64,
    },
    /// It begins, or ends, to write a great many small pieces.
    Flood {
        run: u64,
        is_flooding: bool,
    },
    /// The server ends the program, and this is why; none when it is over already.
    Explain {
        why: String,
        reply: oneshot::Sender<()>,
    },
    Terminate {
        reply: oneshot::Sender<Option<mpsc::Sender<Control>>>,
    },
    /// Make ready for the same program again: whatever runs is to end.
    BeginRestart {
        reply: oneshot::Sender<Option<mpsc::Sender<Control>>>,
    },
    /// The way to the program's standard input, if it has one.
    WayIn {
        reply: oneshot::Sender<Option<mpsc::Sender<InputPiece>>>,
    },
    /// Let go of the program: its guard ends whatever is left of it.
    Release {
        reply: oneshot::Sender<Option<oneshot::Receiver<()>>>,
    },
    Connected {
        identity: ProcessIdentity,
        outgoing: mpsc::Sender<Bytes>,
        reply: oneshot::Sender<TargetId>,
    },
    Message {
        target: TargetId,
        message: Message,
    },
    Closed {
        target: TargetId,
        reason: String,
    },
}

/// Breakpoints that were changed, and word when each process has taken the change.
pub(super) struct BreakpointsSent {
    pub ids: Vec<BreakpointId>,
    /// What was removed, as it was.
    pub removed: Vec<crate::proto::Breakpoint>,
    pub answers: Vec<oneshot::Receiver<()>>,
}

/// A process was told to run on.
pub(super) struct Departure {
    pub target: TargetId,
    pub thread: ThreadId,
    /// The newest stop of the session when it left.
    pub newest: u64,
    /// Word that the debugger refused; closed without a word when it did not.
    pub refused: oneshot::Receiver<Error>,
}

/// A way to run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Movement {
    Continue,
    Over,
    Into,
    /// Into one call of several, by the debugger's number.
    IntoTarget(i64),
    Out,
    /// On from another line, by the debugger's number.
    Goto(i64),
}

impl Movement {
    /// What a program that cannot do it cannot do.
    pub fn action(self) -> &'static str {
        match self {
            Movement::Continue => "continue",
            Movement::Over | Movement::Into | Movement::IntoTarget(_) | Movement::Out => "step",
            Movement::Goto(_) => "go on from another line",
        }
    }

    pub fn rpc(self) -> &'static str {
        match self {
            Movement::Continue => "Continue",
            Movement::Over => "StepOver",
            Movement::Into | Movement::IntoTarget(_) => "StepInto",
            Movement::Out => "StepOut",
            Movement::Goto(_) => "Goto",
        }
    }
}

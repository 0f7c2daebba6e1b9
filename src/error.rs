//! Everything that can go wrong for a caller: a variant for each thing that the caller can do about
//! it, with the facts as fields, a plain sentence, and a hint. `api/status.rs` makes a `Status` of it.

use std::time::Duration;

use crate::id::{BreakpointId, SessionId, ThreadId};

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    #[error("there is no session {session}")]
    SessionNotFound { session: String },
    #[error("there is a session {session} already")]
    SessionExists { session: SessionId },
    #[error("session {session} is lost: {why}")]
    SessionLost { session: SessionId, why: String },
    #[error("session {session} is over ({state}), and only its story is kept")]
    SessionArchived { session: SessionId, state: &'static str },
    #[error("session {session} is {state}, so it cannot {action}")]
    WrongState { session: SessionId, state: &'static str, action: &'static str },
    #[error("the program of session {session} is {state}, not stopped, so it cannot {action}")]
    NotStopped { session: SessionId, state: &'static str, action: &'static str },
    #[error("session {session} has no program yet, so it cannot {action}")]
    NotStarted { session: SessionId, action: &'static str },
    #[error("session {session} has started its program already; it is {state}")]
    AlreadyStarted { session: SessionId, state: &'static str },

    #[error("{field} is not valid: {problem}")]
    Invalid { field: String, problem: String },
    #[error("{field} is missing")]
    MissingField { field: &'static str },
    #[error("a text of {size} bytes is over the limit of {limit}")]
    RequestTooLarge { size: usize, limit: usize },
    /// A limit that the settings of the server can raise; `limit` is its key there.
    #[error("{what}, and the limit `limits.{limit}` is {value}")]
    LimitExceeded { what: String, limit: &'static str, value: String },

    #[error("there is no program {path}")]
    ProgramNotFound { path: String },
    #[error("there is no Python interpreter at {path}: {problem}")]
    InterpreterNotFound { path: String, problem: String },
    #[error("{path} is Python {version}, and debugpy needs 3.8 or newer")]
    InterpreterUnsupported { path: String, version: String },
    #[error("the working directory {path} is no folder")]
    WorkingDirectoryNotFound { path: String },
    #[error("the project root {path} is no folder")]
    ProjectRootNotFound { path: String },
    #[error("the program did not start under the debugger: {problem}")]
    LaunchFailed { problem: String },
    #[error("the program could not be taken under the debugger: {problem}")]
    AttachFailed { problem: String },
    #[error("the debugger {adapter} is not available: {problem}")]
    DebuggerUnavailable { adapter: String, problem: String },
    #[error("there is no adapter {name:?}; there are: {known}")]
    UnknownAdapter { name: String, known: String },

    #[error("the program of session {session} takes no more input: {problem}")]
    InputClosed { session: SessionId, problem: String },

    #[error("stop {stop} of session {session} is not at an exception")]
    NoException { session: SessionId, stop: u64 },
    #[error("there is no breakpoint {id}")]
    BreakpointNotFound { id: BreakpointId },
    #[error("thread {thread} waits in a call that is not Python's, so it cannot be stepped")]
    ThreadInCall { thread: ThreadId },
    #[error("there is no thread {thread}")]
    ThreadNotFound { thread: ThreadId },
    #[error(
        "{kind} {handle} belongs to stop {stop}, and the program has run since: this is stop {current}"
    )]
    StaleHandle { kind: &'static str, handle: u64, stop: u64, current: u64 },
    #[error("{kind} {handle} was never given out")]
    UnknownHandle { kind: &'static str, handle: u64 },

    #[error("{adapter} cannot do this: {what}")]
    NotSupportedByAdapter { adapter: String, what: &'static str },
    #[error("{what} is not built yet")]
    NotImplemented { what: String },
    #[error("there is no method {path}")]
    UnknownMethod { path: String },
    #[error("the debugger did not answer {command:?} within {limit:?}")]
    AdapterTimeout { command: &'static str, limit: Duration },
    #[error(
        "{command:?} had no turn within {limit:?}: another call is still at work in the program"
    )]
    Busy { command: &'static str, limit: Duration },
    #[error("the expression did not end within {limit:?} and was interrupted")]
    EvaluationInterrupted { limit: Duration },
    #[error("the debugger refused {command:?}: {message}")]
    AdapterError { command: &'static str, message: String },
    #[error("the program ended, or its debugger went away, during {command:?}")]
    AdapterGone { command: &'static str },

    #[error("no access: {problem}")]
    Unauthenticated { problem: &'static str },
    #[error("not allowed: {problem}")]
    PermissionDenied { problem: String },
    #[error("{path} is outside of the folders that this server allows")]
    PathNotAllowed { path: String },
    #[error("{path} is none of the interpreters that this server allows")]
    InterpreterNotAllowed { path: String },
    #[error("session {session} has {limit} tokens, and may have no more")]
    TooManyTokens { session: SessionId, limit: usize },
    #[error("the server cannot write {what}: {problem}")]
    StorageFailed { what: &'static str, problem: String },
    #[error("the server is told to end and makes no new sessions")]
    ShuttingDown,
    #[error("compressed requests are not taken")]
    CompressionNotSupported,
    #[error("the host process of session {session} cannot be reached: {problem}")]
    HostUnavailable { session: SessionId, problem: String },
    #[error("the host process of session {session} did not start: {problem}")]
    HostStartFailed { session: SessionId, problem: String },
    /// A defect of ours. The cause goes to the log, nothing of it to the caller.
    #[error("something went wrong inside debug-relay")]
    Internal { cause: String },
}

impl Error {
    pub fn invalid(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Invalid { field: field.into(), problem: problem.into() }
    }

    pub fn internal(cause: impl std::fmt::Display) -> Self {
        Self::Internal { cause: cause.to_string() }
    }

    /// What the caller should do next.
    pub fn hint(&self) -> String {
        use Error::*;
        match self {
            SessionNotFound { .. } => "ListSessions shows the sessions there are; CreateSession makes one.".into(),
            SessionExists { .. } => {
                "Choose another session_id, leave it empty to be given one, or DeleteSession first.".into()
            }
            SessionLost { .. } => {
                "Its program is gone; its events and output can be read. CreateSession starts the program anew.".into()
            }
            SessionArchived { .. } => {
                "Its events, output and breakpoints can be read. CreateSession starts the program anew.".into()
            }
            WrongState { state, .. } => wrong_state_hint(state),
            NotStopped { state, .. } => not_stopped_hint(state),
            NotStarted { .. } => "Call Launch or Attach first, or give one of them to CreateSession.".into(),
            AlreadyStarted { .. } => {
                "One session debugs one program. Restart starts it again; CreateSession makes another session.".into()
            }
            Invalid { .. } => "Mend the field and call again.".into(),
            MissingField { field } => format!("Set {field} and call again."),
            RequestTooLarge { .. } => "Shorten the text.".into(),
            LimitExceeded { limit, .. } => limit_hint(limit),
            ProgramNotFound { .. } => {
                "Give an absolute path, or one relative to `cwd` or `project_root`, on the machine of the server.".into()
            }
            InterpreterNotFound { .. } => {
                "Set `launch.python` to an interpreter or a venv folder, or install Python 3.".into()
            }
            InterpreterUnsupported { .. } => "Set `launch.python` to Python 3.8 or newer.".into(),
            WorkingDirectoryNotFound { .. } => "Create it or set `launch.cwd` to a folder that exists.".into(),
            ProjectRootNotFound { .. } => "Set `project_root` to a folder that exists on the machine of the server.".into(),
            LaunchFailed { .. } => {
                "Run the same program by hand with the same interpreter to see more.".into()
            }
            AttachFailed { .. } => {
                "Check that the program is a Python of this machine and user that no other debugger has; the session is over, CreateSession makes another.".into()
            }
            DebuggerUnavailable { .. } => {
                "Run `pip install --target DIR debugpy` and start the server with `--debugpy DIR`.".into()
            }
            UnknownAdapter { .. } => "ListAdapters tells what this server can drive.".into(),
            InputClosed { .. } => {
                "Input that is closed stays closed; Restart or CreateSession starts the program anew.".into()
            }
            NoException { .. } => {
                "`stop.reason` tells why it stopped; SetExceptionBreakpoints chooses the exceptions that stop it.".into()
            }
            BreakpointNotFound { .. } => "ListBreakpoints shows the ids there are.".into(),
            ThreadInCall { .. } => {
                "Continue, or step the thread that stopped: this one goes on when its call returns.".into()
            }
            ThreadNotFound { .. } => "ListThreads shows the ids there are; 0 means the thread that stopped last.".into(),
            StaleHandle { .. } => "Handles live for one stop: take a new one from GetSnapshot or GetStackTrace.".into(),
            UnknownHandle { .. } => "Take handles from GetSnapshot, GetStackTrace, GetScopes or GetVariables.".into(),
            NotSupportedByAdapter { .. } => "`Session.capabilities` tells what the debugger can do.".into(),
            NotImplemented { .. } => "The README lists what works in this version.".into(),
            UnknownMethod { .. } => "Reflection lists all services and methods: `grpcurl ADDRESS list`.".into(),
            AdapterTimeout { .. } => {
                "What was asked for still runs and cannot be interrupted, such as a call into C; that thread answers only when it ends. Wait and repeat, or TerminateSession with `force`.".into()
            }
            Busy { .. } => "Wait for the other call, or give it a shorter `timeout`; then repeat.".into(),
            EvaluationInterrupted { .. } => {
                "The program stands where it stood, and can be used. Ask for less, or give a longer `timeout`.".into()
            }
            AdapterError { .. } => {
                "The message is the program's or the debugger's own: mend the expression, the value or the line.".into()
            }
            AdapterGone { .. } => "WaitForStop or GetSession tells how the program ended.".into(),
            Unauthenticated { .. } => {
                "Send metadata `authorization: Bearer TOKEN`, with a token that holds; `debug-relay token` prints that of the local server.".into()
            }
            PermissionDenied { .. } => {
                "GetInfo tells in `caller` what this token is for; ask the owner of the session, or whoever runs the server, for another.".into()
            }
            PathNotAllowed { .. } => {
                "Use a project inside of one of those folders; links are followed. Whoever runs the server sets them: `roots`.".into()
            }
            InterpreterNotAllowed { .. } => {
                "Leave `launch.python` empty, or name one that is allowed. Whoever runs the server sets them: `interpreters`.".into()
            }
            StorageFailed { .. } => "Free space on the server's disk, or mend the rights on its run and state folders; then repeat the call.".into(),
            TooManyTokens { .. } => "ListSessionTokens shows them, RevokeSessionToken takes some back.".into(),
            ShuttingDown => "Call again: another replica, or the next server, will take it.".into(),
            CompressionNotSupported => "Send requests without grpc-encoding.".into(),
            HostUnavailable { .. } => "Repeat the call; GetSession tells whether the session is still there.".into(),
            HostStartFailed { .. } => "The server's log has the reason. Check the run folder's space and permissions.".into(),
            Internal { .. } => "Please report it, with the server's log of this moment.".into(),
        }
    }
}

fn limit_hint(limit: &str) -> String {
    let instead = match limit {
        "sessions" | "sessions_per_owner" => "End one of them (ListSessions, DeleteSession)",
        "request_bytes" => "Send less",
        "breakpoints" => "Remove some (RemoveBreakpoints)",
        _ => "Ask for less",
    };
    let flag = limit.replace('_', "-");
    let variable = limit.to_uppercase();
    format!(
        "{instead}, or raise the limit: `{limit}` under [limits] in config.toml, \
         DEBUG_RELAY_LIMITS_{variable} or --limits-{flag}, then start the server again."
    )
}

fn wrong_state_hint(state: &str) -> String {
    match state {
        "EXITED" | "TERMINATED" | "FAILED" => {
            "The program is over. Its output and events can be read; Restart runs it again.".into()
        }
        "DETACHED" => {
            "The program runs on without the debugger. Attach to it from another session.".into()
        }
        _ => "GetSession tells the state; WaitForStop waits for the next one.".into(),
    }
}

fn not_stopped_hint(state: &str) -> String {
    match state {
        "RUNNING" | "STARTING" => "Pause it, or WaitForStop until it stops.".into(),
        _ => wrong_state_hint(state),
    }
}

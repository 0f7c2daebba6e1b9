//! Why a command failed: a sentence, a hint, and the exit code that tells programs the same.

use super::words::in_commands;
use tonic::{Code, Status};
use tonic_types::StatusExt;

pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// The server refused, or something else went wrong.
pub const REFUSED: u8 = 1;
/// The command line is wrong; clap's own choice.
pub const USAGE: u8 = 2;
/// No server answers, and none could be started.
pub const NO_SERVER: u8 = 3;
/// The wait was over before the program stopped or ended. It runs on.
pub const TIMED_OUT: u8 = 4;
/// There is no such session, or none was started here.
pub const NO_SESSION: u8 = 5;
/// The expression raised.
pub const RAISED: u8 = 6;
/// What was `run` has stopped before its end.
pub const STOPPED: u8 = 7;

#[derive(Debug)]
pub struct Failure {
    pub code: u8,
    /// What happened and why.
    pub problem: String,
    /// What to do next; may be empty.
    pub hint: String,
    /// The server's reason, if it is the server's refusal.
    pub reason: String,
}

impl Failure {
    pub fn new(code: u8, problem: impl ToString, hint: impl ToString) -> Self {
        Self { code, problem: problem.to_string(), hint: hint.to_string(), reason: String::new() }
    }

    pub fn usage(problem: impl ToString) -> Self {
        Self::new(USAGE, problem, "")
    }
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        let Some(info) = status.get_details_error_info() else {
            return match status.code() {
                // The server gives a reason for everything, so this is the connection's.
                Code::Unavailable | Code::Unknown | Code::Internal | Code::Cancelled => Self::new(
                    NO_SERVER,
                    format!("the server does not answer: {}", status.message()),
                    "debug-relay doctor tells what is wrong; a server that speaks TLS needs --ca FILE, and perhaps --cert and --key",
                ),
                code => Self::new(REFUSED, format!("{code:?}: {}", status.message()), ""),
            };
        };
        let hint = info.metadata.get("hint").cloned().unwrap_or_default();
        let message = status.message();
        let problem = message.strip_suffix(&hint).unwrap_or(message).trim_end_matches(['.', ' ']);
        let hint = in_commands(&hint);
        let code = if info.reason == "SESSION_NOT_FOUND" { NO_SESSION } else { REFUSED };
        Self { code, problem: problem.into(), hint, reason: info.reason }
    }
}

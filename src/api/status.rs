//! The one table from errors to gRPC: code, reason, and every fact of the message as metadata.

#![deny(clippy::wildcard_enum_match_arm, clippy::match_wildcard_for_single_variants)]

use std::collections::HashMap;

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use crate::error::Error;
use crate::proto::{DOMAIN, ErrorReason};

type Facts = Vec<(&'static str, String)>;

/// The status that a caller gets for an error.
pub fn status(error: Error) -> Status {
    if let Error::Internal { cause } = &error {
        tracing::error!(cause, "a defect");
    }
    let (code, reason, mut facts) = row(&error);
    let hint = error.hint();
    facts.push(("hint", hint.clone()));
    let metadata: HashMap<String, String> =
        facts.into_iter().map(|(name, fact)| (name.to_owned(), shortened(fact))).collect();
    let reason = reason.as_str_name();
    let reason = reason.strip_prefix("ERROR_REASON_").unwrap_or(reason);
    let mut details = ErrorDetails::with_error_info(reason, DOMAIN, metadata);
    if let Some((field, problem)) = bad_field(&error) {
        details.add_bad_request_violation(shortened(field), shortened(problem));
    }
    let message = format!("{}. {hint}", shortened(error.to_string()));
    Status::with_error_details(code, message, details)
}

/// A status travels in headers, and peers take only so many bytes of those: many take 16 KiB.
fn shortened(mut text: String) -> String {
    const MAX_TEXT: usize = 1000;
    // Whatever is not plain is written as `%XX`, byte by byte.
    let cost = |letter: char| match letter {
        ' '..='~' if letter != '%' => 1,
        letter => 3 * letter.len_utf8(),
    };
    let mut total = 0;
    let end = text.char_indices().find(|(_, letter)| {
        total += cost(*letter);
        MAX_TEXT < total
    });
    if let Some((end, _)) = end {
        text.truncate(end);
        text.push('…');
    }
    text
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        status(error)
    }
}

fn row(error: &Error) -> (Code, ErrorReason, Facts) {
    use Code::{
        Aborted, AlreadyExists, DeadlineExceeded, FailedPrecondition, InvalidArgument, NotFound,
        PermissionDenied, ResourceExhausted, Unauthenticated, Unavailable, Unimplemented,
    };
    let path = |path: &String| vec![("path", path.clone())];
    match error {
        Error::SessionNotFound { session } => {
            (NotFound, ErrorReason::SessionNotFound, vec![("session_id", session.clone())])
        }
        Error::SessionExists { session } => {
            (AlreadyExists, ErrorReason::SessionExists, vec![("session_id", session.to_string())])
        }
        Error::SessionLost { session, why } => {
            let facts = vec![("session_id", session.to_string()), ("why", why.clone())];
            (FailedPrecondition, ErrorReason::SessionLost, facts)
        }
        Error::SessionArchived { session, state } => {
            let facts = vec![("session_id", session.to_string()), ("state", (*state).into())];
            (FailedPrecondition, ErrorReason::WrongState, facts)
        }
        Error::WrongState { session, state, action } => {
            (FailedPrecondition, ErrorReason::WrongState, state_facts(session, state, action))
        }
        Error::NotStopped { session, state, action } => {
            (FailedPrecondition, ErrorReason::NotStopped, state_facts(session, state, action))
        }
        Error::NotStarted { session, action } => {
            let facts = vec![("session_id", session.to_string()), ("action", (*action).into())];
            (FailedPrecondition, ErrorReason::NotStarted, facts)
        }
        Error::AlreadyStarted { session, state } => {
            let facts = vec![("session_id", session.to_string()), ("state", (*state).into())];
            (FailedPrecondition, ErrorReason::AlreadyStarted, facts)
        }
        Error::Invalid { field, problem } => {
            let facts = vec![("field", field.clone()), ("problem", problem.clone())];
            (InvalidArgument, ErrorReason::InvalidArgument, facts)
        }
        Error::MissingField { field } => {
            (InvalidArgument, ErrorReason::MissingField, vec![("field", (*field).into())])
        }
        Error::RequestTooLarge { size, limit } => {
            let facts = vec![("size", size.to_string()), ("limit", limit.to_string())];
            (InvalidArgument, ErrorReason::RequestTooLarge, facts)
        }
        Error::LimitExceeded { what, limit, value } => {
            let facts = vec![
                ("what", what.clone()),
                ("limit", format!("limits.{limit}")),
                ("value", value.clone()),
            ];
            (ResourceExhausted, ErrorReason::LimitExceeded, facts)
        }
        Error::ProgramNotFound { path: found } => {
            (FailedPrecondition, ErrorReason::ProgramNotFound, path(found))
        }
        Error::InterpreterNotFound { path, problem } => {
            let facts = vec![("path", path.clone()), ("problem", problem.clone())];
            (FailedPrecondition, ErrorReason::InterpreterNotFound, facts)
        }
        Error::InterpreterUnsupported { path, version } => {
            let facts = vec![("path", path.clone()), ("version", version.clone())];
            (FailedPrecondition, ErrorReason::InterpreterUnsupported, facts)
        }
        Error::WorkingDirectoryNotFound { path: found } => {
            (FailedPrecondition, ErrorReason::WorkingDirectoryNotFound, path(found))
        }
        Error::ProjectRootNotFound { path: found } => {
            (FailedPrecondition, ErrorReason::ProjectRootNotFound, path(found))
        }
        Error::LaunchFailed { problem } => {
            (FailedPrecondition, ErrorReason::LaunchFailed, vec![("problem", problem.clone())])
        }
        Error::AttachFailed { problem } => {
            (FailedPrecondition, ErrorReason::AttachFailed, vec![("problem", problem.clone())])
        }
        Error::DebuggerUnavailable { adapter, problem } => {
            let facts = vec![("adapter", adapter.clone()), ("problem", problem.clone())];
            (FailedPrecondition, ErrorReason::DebuggerUnavailable, facts)
        }
        Error::UnknownAdapter { name, known } => {
            let facts = vec![("adapter", name.clone()), ("known", known.clone())];
            (InvalidArgument, ErrorReason::UnknownAdapter, facts)
        }
        Error::InputClosed { session, problem } => {
            let facts = vec![("session_id", session.to_string()), ("problem", problem.clone())];
            (FailedPrecondition, ErrorReason::InputClosed, facts)
        }
        Error::NoException { session, stop } => {
            let facts =
                vec![("session_id", session.to_string()), ("stop_number", stop.to_string())];
            (FailedPrecondition, ErrorReason::NoException, facts)
        }
        Error::BreakpointNotFound { id } => {
            (NotFound, ErrorReason::BreakpointNotFound, vec![("id", id.to_string())])
        }
        Error::ThreadInCall { thread } => {
            let facts = vec![("thread_id", thread.to_string())];
            (FailedPrecondition, ErrorReason::ThreadInCall, facts)
        }
        Error::ThreadNotFound { thread } => {
            (NotFound, ErrorReason::ThreadNotFound, vec![("thread_id", thread.to_string())])
        }
        Error::StaleHandle { kind, handle, stop, current } => {
            let facts = vec![
                ("kind", (*kind).into()),
                ("handle", handle.to_string()),
                ("stop_number", stop.to_string()),
                ("current_stop_number", current.to_string()),
            ];
            (FailedPrecondition, ErrorReason::StaleHandle, facts)
        }
        Error::UnknownHandle { kind, handle } => {
            let facts = vec![("kind", (*kind).into()), ("handle", handle.to_string())];
            (InvalidArgument, ErrorReason::UnknownHandle, facts)
        }
        Error::NotSupportedByAdapter { adapter, what } => {
            let facts = vec![("adapter", adapter.clone()), ("what", (*what).into())];
            (Unimplemented, ErrorReason::NotSupportedByAdapter, facts)
        }
        Error::NotImplemented { what } => {
            (Unimplemented, ErrorReason::NotImplemented, vec![("what", what.clone())])
        }
        Error::UnknownMethod { path: found } => {
            (Unimplemented, ErrorReason::UnknownMethod, path(found))
        }
        Error::AdapterTimeout { command, limit } => {
            let facts =
                vec![("command", (*command).into()), ("limit_ms", limit.as_millis().to_string())];
            (DeadlineExceeded, ErrorReason::AdapterTimeout, facts)
        }
        Error::Busy { command, limit } => {
            let facts =
                vec![("command", (*command).into()), ("limit_ms", limit.as_millis().to_string())];
            (DeadlineExceeded, ErrorReason::Busy, facts)
        }
        Error::EvaluationInterrupted { limit } => {
            let facts = vec![("limit_ms", limit.as_millis().to_string())];
            (DeadlineExceeded, ErrorReason::EvaluationInterrupted, facts)
        }
        Error::AdapterError { command, message } => {
            let facts = vec![("command", (*command).into()), ("message", message.clone())];
            (FailedPrecondition, ErrorReason::AdapterError, facts)
        }
        Error::AdapterGone { command } => {
            (Aborted, ErrorReason::AdapterGone, vec![("command", (*command).into())])
        }
        Error::Unauthenticated { problem } => {
            (Unauthenticated, ErrorReason::Unauthenticated, vec![("problem", (*problem).into())])
        }
        Error::PermissionDenied { problem } => {
            (PermissionDenied, ErrorReason::PermissionDenied, vec![("problem", problem.clone())])
        }
        Error::PathNotAllowed { path: found } => {
            (PermissionDenied, ErrorReason::PathNotAllowed, path(found))
        }
        Error::InterpreterNotAllowed { path: found } => {
            (PermissionDenied, ErrorReason::InterpreterNotAllowed, path(found))
        }
        Error::StorageFailed { what, problem } => {
            let facts = vec![("what", what.to_string()), ("problem", problem.clone())];
            (ResourceExhausted, ErrorReason::StorageFailed, facts)
        }
        Error::TooManyTokens { session, limit } => {
            let facts = vec![("session_id", session.to_string()), ("limit", limit.to_string())];
            (ResourceExhausted, ErrorReason::TooManyTokens, facts)
        }
        Error::ShuttingDown => (Unavailable, ErrorReason::ShuttingDown, vec![]),
        Error::CompressionNotSupported => {
            (Unimplemented, ErrorReason::CompressionNotSupported, vec![])
        }
        Error::HostUnavailable { session, problem } => {
            let facts = vec![("session_id", session.to_string()), ("problem", problem.clone())];
            (Unavailable, ErrorReason::HostUnavailable, facts)
        }
        Error::HostStartFailed { session, problem } => {
            let facts = vec![("session_id", session.to_string()), ("problem", problem.clone())];
            (Code::Internal, ErrorReason::HostStartFailed, facts)
        }
        Error::Internal { .. } => (Code::Internal, ErrorReason::Internal, vec![]),
    }
}

fn state_facts(session: &crate::id::SessionId, state: &'static str, action: &'static str) -> Facts {
    vec![("session_id", session.to_string()), ("state", state.into()), ("action", action.into())]
}

/// The field that a bad request names, and what is wrong with it.
fn bad_field(error: &Error) -> Option<(String, String)> {
    if let Error::Invalid { field, problem } = error {
        return Some((field.clone(), problem.clone()));
    }
    if let Error::MissingField { field } = error {
        return Some(((*field).into(), "is required".into()));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_field_is_named_in_info_request_and_message() {
        let status = status(Error::invalid("wait.timeout", "it is negative"));

        let details = status.get_error_details();
        assert_eq!(status.code(), Code::InvalidArgument);
        assert_eq!(details.error_info().unwrap().reason, "INVALID_ARGUMENT");
        assert_eq!(details.bad_request().unwrap().field_violations[0].field, "wait.timeout");
        assert!(
            status.message().contains("wait.timeout") && status.message().contains("call again")
        );
    }

    #[test]
    fn no_text_of_a_caller_makes_a_status_longer_than_peers_take() {
        for text in ["x", "é", "\u{1f600}", "%", "\n", "\0"] {
            let text = text.repeat(100_000);
            let status = status(Error::invalid(text.clone(), text));

            let mut headers = http::HeaderMap::new();
            status.add_header(&mut headers).unwrap();
            let size: usize = headers.values().map(|value| value.len()).sum();
            assert!(size < 10_000, "{size} bytes");
        }
    }

    #[test]
    fn nothing_of_a_defect_reaches_the_caller() {
        let status = status(Error::internal("secret path /home/me"));

        assert!(!format!("{status:?}").contains("secret"));
    }
}

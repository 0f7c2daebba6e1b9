//! The story of one call, from its arrival to its last byte: counted, timed, logged, and written to
//! the audit log.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body::Frame;
use tonic::body::Body;
use tonic::{Code, Status};
use tonic_types::StatusExt;
use tracing::Span;
use tracing::field::Empty;

use super::audit::{Audit, Entry};
use super::crowd::{Arrival, OpenCall};
use super::methods::Method;
use super::metrics::{Metrics, Outcome};
use crate::auth::{Caller, Right};
use crate::telemetry::{self, CALLS, TRACEPARENT, TraceContext};

/// What a call is counted as that names no method of ours.
const UNKNOWN: &str = "unknown";
/// How much of a session's name is written down.
const MAX_NAME: usize = 64;

/// Where stories are written down.
#[derive(Clone)]
pub struct Ledger {
    pub metrics: Arc<Metrics>,
    pub audit: Option<Arc<Audit>>,
}

/// One call. Dropped before it is told to its end, it was cancelled.
pub struct Story {
    ledger: Ledger,
    method: &'static str,
    begun: Instant,
    /// What is logged meanwhile is below this.
    pub span: Span,
    /// It is of interest to who looks after the server.
    is_audited: bool,
    arrival: Option<Arc<Arrival>>,
    /// Held to the end of a call that needs no token.
    open_call: Option<OpenCall>,
    caller: Option<(Arc<str>, Arc<str>)>,
    pub(super) session: String,
    trace_id: String,
    is_over: bool,
}

impl Ledger {
    pub fn begin(&self, method: Option<&Method>, request: &Request<Body>) -> Story {
        let name = method.map_or(UNKNOWN, |method| method.name);
        self.metrics.begun(name);
        let context = request.headers().get(TRACEPARENT).and_then(|value| value.to_str().ok());
        let context = context.and_then(TraceContext::parse);
        let trace_id = context.map(|context| context.trace_id.to_owned()).unwrap_or_default();
        let span = tracing::info_span!(
            target: CALLS, "call", method = name, session = Empty, caller = Empty,
            trace_id = Empty, code = Empty, "otel.name" = Empty, "otel.kind" = Empty,
        );
        // The names that collectors look for; nobody needs them in lines of text.
        if telemetry::is_exporting() {
            span.record("otel.name", name);
            span.record("otel.kind", "server");
        }
        if let Some(context) = &context {
            span.record("trace_id", &trace_id);
            telemetry::adopt(&span, context);
        }
        Story {
            ledger: self.clone(),
            method: name,
            begun: Instant::now(),
            span,
            is_audited: method.is_none_or(|method| !matches!(method.right, Right::Open)),
            arrival: request.extensions().get::<Arc<Arrival>>().cloned(),
            open_call: None,
            caller: None,
            session: String::new(),
            trace_id,
            is_over: false,
        }
    }
}

impl Story {
    /// False when there are too many calls of a stranger on this connection.
    pub fn begin_open_call(&mut self) -> bool {
        let Some(arrival) = &self.arrival else { return true };
        self.open_call = arrival.begin_open_call();
        self.open_call.is_some()
    }

    /// The caller was let in.
    pub fn came_from(&mut self, caller: &Caller) {
        self.span.record("caller", &*caller.name);
        self.caller = Some((Arc::clone(&caller.name), Arc::clone(&caller.owner)));
    }

    /// It is about this session.
    pub fn names(&mut self, session: &str) {
        // No session has a longer name, and anybody may write anything here.
        self.session = session.chars().take(MAX_NAME).collect();
        self.span.record("session", &self.session);
    }

    /// The answer is there; it goes out with the rest of the story.
    pub fn answered(mut self, answer: Response<Body>) -> Response<Body> {
        let refused = outcome(answer.headers());
        self.audit(refused.as_ref().unwrap_or(&Outcome::OK));
        match refused {
            Some(outcome) => {
                self.over(&outcome);
                answer
            }
            None => answer.map(|body| Body::new(Told { body, story: self })),
        }
    }

    fn audit(&mut self, outcome: &Outcome) {
        let Some(audit) = self.ledger.audit.as_ref().filter(|_| self.is_audited) else { return };
        self.is_audited = false;
        let (caller, owner) = match &self.caller {
            Some((caller, owner)) => (&**caller, &**owner),
            None => ("", ""),
        };
        audit.write(&Entry {
            method: self.method,
            session: &self.session,
            caller,
            owner,
            peer: self.arrival.as_ref().map_or("", |arrival| &arrival.peer.address),
            code: outcome.code,
            reason: &outcome.reason,
            trace_id: &self.trace_id,
        });
    }

    fn over(&mut self, outcome: &Outcome) {
        self.is_over = true;
        self.span.record("code", outcome.code);
        tracing::debug!(parent: &self.span, code = outcome.code, reason = outcome.reason, "answered");
        self.ledger.metrics.over(self.method, outcome, self.begun.elapsed());
    }
}

impl Drop for Story {
    fn drop(&mut self) {
        if !self.is_over {
            self.audit(&Outcome::CANCELLED);
            self.over(&Outcome::CANCELLED);
        }
    }
}

/// How a call came out, if these are the headers or trailers that tell.
fn outcome(headers: &HeaderMap) -> Option<Outcome> {
    let status = headers.get("grpc-status")?;
    if status == "0" {
        return Some(Outcome::OK);
    }
    let status = Status::from_header_map(headers)?;
    let reason = status.get_details_error_info().map(|info| info.reason).unwrap_or_default();
    Some(Outcome { code: code_name(status.code()), reason })
}

fn code_name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}

/// An answer on its way, whose end is the end of the story.
struct Told {
    body: Body,
    story: Story,
}

impl http_body::Body for Told {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if let Some(Ok(frame)) = &frame
            && let Some(outcome) = frame.trailers_ref().and_then(outcome)
        {
            self.story.over(&outcome);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.body.size_hint()
    }
}

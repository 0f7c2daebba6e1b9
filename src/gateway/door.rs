//! Every call comes through here: it is let in or not, then answered by the gateway itself or
//! passed on to the host of its session. There is no code per session-scoped RPC.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::future::BoxFuture;
use http::{Request, Response};
use http_body_util::BodyExt;
use prost::Message;
use tonic::body::Body;
use tower::Service;
use tracing::Instrument;

use super::calls::Admitted;
use super::crowd::{Arrival, MAX_OPEN_CALLS};
use super::hosts::Hosts;
use super::methods::{Answers, Method, Methods};
use super::pool::Pool;
use super::provision::Provision;
use super::story::{Ledger, Story};
use super::{all_events, create, info, list, logs, reply, wire};
use crate::auth::{Caller, Gate, Right, rights};
use crate::error::{Error, Result};
use crate::limits;
use crate::proto::{self, ListSessionsRequest, SetLogFilterRequest, StreamAllEventsRequest};

/// A caller that opens a call and sends nothing is not waited for longer.
const BODY_LIMIT: Duration = Duration::from_secs(30);

/// What the door knows.
pub struct Gateway {
    pub gate: Gate,
    pub hosts: Hosts,
    pub provision: Provision,
    pub pool: Pool,
    pub requests: create::Requests,
    pub info: info::Facts,
    pub methods: Methods,
    pub ledger: Ledger,
    /// It is told to end, and makes no new sessions.
    pub is_draining: AtomicBool,
}

impl Gateway {
    /// Lets a call in or not, then answers it.
    async fn answer(
        self: &Arc<Self>,
        method: Option<&Method>,
        story: &mut Story,
        request: Request<Body>,
    ) -> Result<Response<Body>> {
        let arrival = request.extensions().get::<Arc<Arrival>>().cloned();
        let authorization = request.headers().get("authorization").map(|value| value.as_bytes());
        let peer = arrival.as_ref().map(|arrival| &arrival.peer);
        let caller = self.gate.admit(authorization, peer, &self.hosts)?;
        arrival.iter().for_each(|arrival| arrival.prove());
        story.came_from(&caller);
        let Some(method) = method else {
            return Err(Error::UnknownMethod { path: request.uri().path().into() });
        };
        let void = async {
            match method.is_deletion() {
                // Who deletes a session with its own token is answered, although the token ends with it.
                true => std::future::pending().await,
                false => self.gate.until_void(&caller, &self.hosts).await,
            }
        };
        let answered = tokio::select! {
            answered = self.answer_admitted(method, &caller, story, request) => answered?,
            () = void => return Err(VOID),
        };
        match method.answers {
            Answers::One => Ok(answered),
            Answers::Many => Ok(self.end_when_void(caller, answered)),
        }
    }

    async fn answer_admitted(
        self: &Arc<Self>,
        method: &Method,
        caller: &Caller,
        story: &mut Story,
        request: Request<Body>,
    ) -> Result<Response<Body>> {
        let (head, body) = request.into_parts();
        let body = tokio::time::timeout(BODY_LIMIT, collect(body)).await;
        let body = body.map_err(|_| {
            Error::invalid("request", format!("it was not sent within {BODY_LIMIT:?}"))
        })??;
        let message = wire::message(&body)?;
        let session = match method.is_of_session {
            true => Some(named_session(&message, story)?),
            false => None,
        };
        rights::check(method.right, caller)?;
        if caller.is_read_only {
            method.check_looks_only(&message)?;
        }
        let call = Admitted { head, message, body, is_read_only: caller.is_read_only };
        if let Some(session) = session {
            // One that the caller may not see is not there.
            let host =
                self.hosts.get(&session).filter(|host| caller.may_see(&session, &host.owner));
            let host = host.ok_or(Error::SessionNotFound { session })?;
            return self.call_session(method, &host, call).await;
        }
        let message = call.message.clone();
        match method.name {
            "debugrelay.v1.SessionService/CreateSession" => {
                create::create(Arc::clone(self), caller.clone(), story, call).await
            }
            "debugrelay.v1.SessionService/ListSessions" => {
                let request = ListSessionsRequest::decode(message).map_err(undecodable)?;
                Ok(reply::message(&list::sessions(&self.hosts, caller, request).await?))
            }
            "debugrelay.v1.ServerService/GetInfo" => {
                Ok(reply::message(&self.info.show(self, caller)))
            }
            "debugrelay.v1.ServerService/ListAdapters" => {
                Ok(reply::message(&proto::ListAdaptersResponse {
                    adapters: info::adapters(&self.provision),
                }))
            }
            "debugrelay.v1.ServerService/SetLogFilter" => {
                let request = SetLogFilterRequest::decode(message).map_err(undecodable)?;
                Ok(reply::message(&logs::set_filter(&self.hosts, &request.filter).await?))
            }
            "debugrelay.v1.EventService/StreamAllEvents" => {
                let request = StreamAllEventsRequest::decode(message).map_err(undecodable)?;
                all_events::stream(&self.hosts, caller.clone(), request)
            }
            path => Err(Error::UnknownMethod { path: path.into() }),
        }
    }

    /// A stream that ends when its caller loses the right to it.
    fn end_when_void(self: &Arc<Self>, caller: Caller, answer: Response<Body>) -> Response<Body> {
        if caller.is_lasting() {
            return answer;
        }
        let gateway = Arc::clone(self);
        let void = async move { gateway.gate.until_void(&caller, &gateway.hosts).await };
        answer.map(|body| reply::until(body, void, VOID))
    }
}

/// The token was taken back, or has expired, during the call.
const VOID: Error = Error::Unauthenticated { problem: "the token holds no more" };

/// The session that a call is about.
fn named_session(message: &Bytes, story: &mut Story) -> Result<String> {
    let id = wire::first_field(message).ok_or_else(|| undecodable("field 1 is no text"))?;
    if id.is_empty() {
        return Err(Error::MissingField { field: "session_id" });
    }
    story.names(&id);
    Ok(id)
}

/// The whole body, which has a limit; the length in its frame tells early that it is over.
async fn collect(mut body: Body) -> Result<Bytes> {
    let mut collected = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame
            .map_err(|error| Error::invalid("request", format!("it was broken off: {error}")))?;
        let Ok(data) = frame.into_data() else { continue };
        collected.extend_from_slice(&data);
        if let Some(length) = collected.get(1..5) {
            let size = u32::from_be_bytes([length[0], length[1], length[2], length[3]]) as usize;
            let size = size.max(collected.len() - 5);
            let limit = limits::get().request_bytes;
            if limit < size {
                return Err(Error::LimitExceeded {
                    what: format!("the request has {size} bytes"),
                    limit: "request_bytes",
                    value: limit.to_string(),
                });
            }
        }
    }
    Ok(collected.freeze())
}

pub fn undecodable(problem: impl std::fmt::Display) -> Error {
    Error::invalid("request", format!("it is no valid protobuf message: {problem}"))
}

/// The door in front of the services that need no token: health and reflection.
#[derive(Clone)]
pub struct Door<Open> {
    pub gateway: Arc<Gateway>,
    pub open: Open,
}

impl<Open> Service<Request<Body>> for Door<Open>
where
    Open: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    Open::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.open.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let gateway = Arc::clone(&self.gateway);
        let method = gateway.methods.get(request.uri().path());
        let mut story = gateway.ledger.begin(method, &request);
        let span = story.span.clone();
        if method.is_some_and(|method| method.right == Right::Open) {
            if !story.begin_open_call() {
                let refused = Error::LimitExceeded {
                    what: "too many calls without a token are open on this connection".into(),
                    limit: "streams",
                    value: MAX_OPEN_CALLS.to_string(),
                };
                return Box::pin(async move { Ok(story.answered(reply::error(refused))) });
            }
            let open = self.open.call(request);
            return Box::pin(
                async move { open.await.map(|answer| story.answered(answer)) }.instrument(span),
            );
        }
        let answered = async move {
            let method = gateway.methods.get(request.uri().path());
            let answer = gateway.answer(method, &mut story, request).await;
            let answer = answer.unwrap_or_else(|error| {
                tracing::debug!(%error, "refused");
                reply::error(error)
            });
            Ok(story.answered(answer))
        };
        Box::pin(answered.instrument(span))
    }
}

//! Every call comes through here: it is let in or not, then answered by the gateway itself or
//! passed on to the host of its session. There is no code per session-scoped RPC.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::future::BoxFuture;
use http::header::{AUTHORIZATION, CONNECTION, CONTENT_LENGTH, HOST};
use http::{Request, Response};
use http_body_util::BodyExt;
use prost::Message;
use tonic::body::Body;
use tower::Service;

use super::hosts::{Host, Hosts};
use super::pool::Pool;
use super::provision::Provision;
use super::{all_events, archived, create, info, list, reply, wire};
use crate::auth::Gate;
use crate::error::{Error, Result};
use crate::hop::Call;
use crate::limits;
use crate::proto::{self, ListSessionsRequest, StreamAllEventsRequest};

/// A caller that opens a call and sends nothing is not waited for longer.
const BODY_LIMIT: Duration = Duration::from_secs(30);
/// Beside the longest wait of any RPC; a host that has not answered by then hangs.
pub const ANSWER_LIMIT: Duration = Duration::from_secs(60);
/// Ending a program takes at most its grace and two kills.
const DELETE_LIMIT: Duration = Duration::from_secs(25);
/// A host that has just died is known to be dead within this.
const LAST_BREATH: Duration = Duration::from_secs(1);
pub const EXIT_LIMIT: Duration = Duration::from_secs(5);

/// What the door knows.
pub struct Gateway {
    pub gate: Gate,
    pub hosts: Hosts,
    pub provision: Provision,
    pub pool: Pool,
    pub requests: create::Requests,
    pub info: info::Facts,
    pub session_methods: SessionMethods,
}

impl Gateway {
    async fn answer(self: Arc<Self>, request: Request<Body>) -> Result<Response<Body>> {
        let authorization = request.headers().get("authorization").map(|value| value.as_bytes());
        let owner = self.gate.admit(authorization)?;
        let path = request.uri().path().to_owned();
        let (head, body) = request.into_parts();
        let body = tokio::time::timeout(BODY_LIMIT, collect(body)).await;
        let body = body.map_err(|_| {
            Error::invalid("request", format!("it was not sent within {BODY_LIMIT:?}"))
        })??;
        let message = wire::message(&body)?;

        match path.as_str() {
            "/debugrelay.v1.SessionService/CreateSession" => {
                create::create(self, owner, head, message).await
            }
            "/debugrelay.v1.SessionService/ListSessions" => {
                let request = ListSessionsRequest::decode(message).map_err(undecodable)?;
                Ok(reply::message(&list::sessions(&self.hosts, request).await?))
            }
            "/debugrelay.v1.ServerService/GetInfo" => {
                Ok(reply::message(&self.info.show(&self.hosts, &self.provision, &self.pool)))
            }
            "/debugrelay.v1.ServerService/ListAdapters" => {
                Ok(reply::message(&proto::ListAdaptersResponse {
                    adapters: info::adapters(&self.provision),
                }))
            }
            "/debugrelay.v1.EventService/StreamAllEvents" => {
                let request = StreamAllEventsRequest::decode(message).map_err(undecodable)?;
                all_events::stream(&self.hosts, request)
            }
            path => match self.session_methods.get(path) {
                Some(answers) => self.pass_on(path, *answers, head, &message, body).await,
                None => Err(Error::UnknownMethod { path: path.into() }),
            },
        }
    }

    /// Hands a call to the host of its session.
    async fn pass_on(
        &self,
        path: &str,
        answers: Answers,
        head: http::request::Parts,
        message: &Bytes,
        body: Bytes,
    ) -> Result<Response<Body>> {
        let id = wire::first_field(message).ok_or_else(|| undecodable("field 1 is no text"))?;
        if id.is_empty() {
            return Err(Error::MissingField { field: "session_id" });
        }
        let host = self.hosts.get(&id).ok_or(Error::SessionNotFound { session: id })?;
        let is_deletion = path == "/debugrelay.v1.SessionService/DeleteSession";
        if host.has_ended() {
            if is_deletion {
                self.hosts.remove(&host, EXIT_LIMIT).await;
                return Ok(reply::message(&proto::DeleteSessionResponse {}));
            }
            return archived::answer(path, &host, message).await;
        }
        if is_deletion {
            return self.delete(&host, head, body).await;
        }
        let call = upstream(head, body);
        let asked = async {
            match answers {
                Answers::One => host.link.ask(call).await,
                Answers::Many => Ok(host.link.call(call).await?.map(Body::new)),
            }
        };
        let answered = tokio::time::timeout(limits::get().wait + ANSWER_LIMIT, asked).await;
        let answer = answered.map_err(|_| Error::HostUnavailable {
            session: host.id.clone(),
            problem: "it does not answer".into(),
        })?;
        match answer {
            // It has just ended: what can be read is in its archive in a moment.
            Err(Error::HostUnavailable { .. })
                if archived::can_answer(path) && host.wait_for_end(LAST_BREATH).await =>
            {
                archived::answer(path, &host, message).await
            }
            answer => answer,
        }
    }

    /// Answers when the host is gone, not when it says that it will go. A host that does not
    /// answer, or refuses because it hangs, is killed.
    async fn delete(
        &self,
        host: &Arc<Host>,
        head: http::request::Parts,
        body: Bytes,
    ) -> Result<Response<Body>> {
        let asked = tokio::time::timeout(DELETE_LIMIT, host.link.ask(upstream(head, body))).await;
        if !matches!(asked, Ok(Ok(_))) {
            self.hosts.kill(host, EXIT_LIMIT).await;
        }
        self.hosts.remove(host, EXIT_LIMIT).await;
        Ok(reply::message(&proto::DeleteSessionResponse {}))
    }
}

/// The same call for the host: the caller's metadata and deadline, without its token.
pub fn upstream(mut head: http::request::Parts, body: Bytes) -> Call {
    for name in [AUTHORIZATION, HOST, CONTENT_LENGTH, CONNECTION] {
        head.headers.remove(name);
    }
    Call { path: head.uri.path().to_owned(), headers: head.headers, body }
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

/// How an RPC answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    One,
    Many,
}

/// The paths of all RPCs whose request begins with a session's id.
pub type SessionMethods = HashMap<String, Answers>;

pub fn session_methods() -> Result<SessionMethods> {
    let files =
        prost_types::FileDescriptorSet::decode(proto::DESCRIPTORS).map_err(Error::internal)?.file;
    let messages = files
        .iter()
        .flat_map(|file| file.message_type.iter().map(move |message| (file.package(), message)));
    let routed: HashSet<String> = messages
        .filter(|(_, message)| {
            message.field.iter().any(|field| field.number() == 1 && field.name() == "session_id")
        })
        .map(|(package, message)| format!(".{package}.{}", message.name()))
        .collect();
    let services = files
        .iter()
        .flat_map(|file| file.service.iter().map(move |service| (file.package(), service)));
    let methods = services.flat_map(|(package, service)| {
        let routed = &routed;
        let own = service.method.iter().filter(|method| routed.contains(method.input_type()));
        own.map(move |method| {
            let answers = if method.server_streaming() { Answers::Many } else { Answers::One };
            (format!("/{package}.{}/{}", service.name(), method.name()), answers)
        })
    });
    Ok(methods.collect())
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
        if request.uri().path().starts_with("/grpc.") {
            return Box::pin(self.open.call(request));
        }
        let gateway = Arc::clone(&self.gateway);
        Box::pin(async move {
            let path = request.uri().path().to_owned();
            let answer = gateway.answer(request).await;
            Ok(answer.unwrap_or_else(|error| {
                tracing::debug!(path, %error, "refused");
                reply::error(error)
            }))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_scoped_methods_are_found_in_the_contract() {
        let methods = session_methods().unwrap();

        let answers = |path: &str| methods.get(&format!("/debugrelay.v1.{path}")).copied();
        assert_eq!(answers("ExecutionService/StepOver"), Some(Answers::One));
        assert_eq!(answers("EventService/StreamEvents"), Some(Answers::Many));
        assert_eq!(answers("SessionService/ListSessions"), None);
        assert_eq!(answers("ServerService/GetInfo"), None);
    }

    #[test]
    fn the_token_is_not_passed_on_and_the_deadline_is() {
        let request = Request::get("/a.B/C").header("authorization", "Bearer x");
        let request = request.header("grpc-timeout", "5S").body(()).unwrap();

        let call = upstream(request.into_parts().0, Bytes::new());

        assert!(!call.headers.contains_key("authorization"));
        assert_eq!(
            (call.path.as_str(), &call.headers["grpc-timeout"]),
            ("/a.B/C", &"5S".parse().unwrap())
        );
    }
}

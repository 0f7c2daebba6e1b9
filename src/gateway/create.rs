//! CreateSession: a host is started for it, and the call is passed on with the session's id put in.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use http::{HeaderValue, Response};
use prost::Message;
use tokio::sync::Mutex;
use tonic::body::Body;
use tracing::Instrument;

use super::calls::{ANSWER_LIMIT, Admitted, EXIT_LIMIT, upstream};
use super::door::{Gateway, undecodable};
use super::hosts::Host;
use super::story::Story;
use super::{archived, wire};
use crate::api;
use crate::auth::{Caller, NewToken};
use crate::error::{Error, Result};
use crate::id::SessionId;
use crate::limits;
use crate::proto::CreateSessionRequest;

/// The metadata by which proxies know the session of a call, and of an answer.
const SESSION: &str = "debug-relay-session";
/// Held while it is looked whether a request has led to a session already.
pub type Requests = Mutex<()>;

/// In a task of its own: a caller who goes away leaves no host that nobody knows of.
pub async fn create(
    gateway: Arc<Gateway>,
    caller: Caller,
    story: &mut Story,
    call: Admitted,
) -> Result<Response<Body>> {
    let (named, name) = tokio::sync::oneshot::channel();
    let span = story.span.clone();
    let created = async move { pass_on(&gateway, &caller, named, call).await };
    let created = tokio::spawn(created.instrument(span));
    if let Ok(id) = name.await {
        story.names(id.as_str());
    }
    let mut answer = created.await.map_err(Error::internal)??;
    // For proxies that learn from answers where a session is.
    if let Ok(id) = HeaderValue::from_str(&story.session) {
        answer.headers_mut().insert(SESSION, id);
    }
    Ok(answer)
}

async fn pass_on(
    gateway: &Gateway,
    caller: &Caller,
    named: tokio::sync::oneshot::Sender<SessionId>,
    call: Admitted,
) -> Result<Response<Body>> {
    let request = CreateSessionRequest::decode(call.message.clone()).map_err(undecodable)?;
    let (host, is_new) = find_or_start(gateway, caller, &request).await?;
    let _ = named.send(host.id.clone());
    let answer = ask(gateway, &host, call).await.map_err(|error| match error {
        Error::SessionNotFound { .. } => unavailable(&host, "it ended before the session was made"),
        error => error,
    });
    let is_made = answer.as_ref().is_ok_and(|answer| {
        let head = answer.headers().get("grpc-status");
        // Only what is refused has its status in the head.
        head.is_none_or(|status| status == "0")
    });
    if is_new && answer.is_err() {
        gateway.hosts.kill(&host, EXIT_LIMIT).await;
    }
    if is_new && !is_made {
        // Nothing remains of a session that was refused.
        gateway.hosts.remove(&host, EXIT_LIMIT).await;
    }
    answer
}

/// Has the host make the session, and the caller told the token for it.
async fn ask(gateway: &Gateway, host: &Arc<Host>, call: Admitted) -> Result<Response<Body>> {
    let token = match gateway.gate.takes_tokens() {
        true => {
            let new = NewToken { is_creators: true, ..Default::default() };
            host.tokens.make(&host.id, new)?.0
        }
        false => String::new(),
    };
    if host.has_ended() {
        return archived::created(host, token).await;
    }
    let body = wire::frame(&wire::with_first_field(&call.message, host.id.as_str()));
    let mut call = upstream(Admitted { body, ..call });
    if let Ok(token) = HeaderValue::from_str(&token) {
        call.headers.insert(api::SESSION_TOKEN, token);
    }
    match tokio::time::timeout(limits::get().wait + ANSWER_LIMIT, host.link.ask(call)).await {
        Ok(answer) => answer,
        Err(_) => Err(unavailable(host, "it does not answer")),
    }
}

fn unavailable(host: &Host, problem: &str) -> Error {
    Error::HostUnavailable { session: host.id.clone(), problem: problem.into() }
}

/// The host for the call, and whether it was started for it.
async fn find_or_start(
    gateway: &Gateway,
    caller: &Caller,
    request: &CreateSessionRequest,
) -> Result<(Arc<Host>, bool)> {
    let chosen = match request.session_id.as_str() {
        "" => None,
        text => {
            Some(SessionId::parse(text).map_err(|problem| Error::invalid("session_id", problem))?)
        }
    };
    let setup = gateway.provision.host_setup().await?;
    let id = match chosen {
        Some(id) => id,
        None => SessionId::random().map_err(Error::internal)?,
    };
    let hosts = &gateway.hosts;
    let may_make = || match gateway.is_draining.load(Ordering::Relaxed) {
        true => Err(Error::ShuttingDown),
        false => Ok(()),
    };
    if request.request_id.is_empty() {
        may_make()?;
        let place = hosts.make_room(&id, caller).await?;
        let spare = gateway.pool.take(request, &setup);
        return Ok((hosts.start(place, "", &setup, spare).await?, true));
    }
    let _one_at_a_time = gateway.requests.lock().await;
    // Hosts that an earlier gateway started tell by their records.
    let is_its =
        |host: &Arc<Host>| host.request_id == request.request_id && *host.owner == *caller.owner;
    if let Some(host) = hosts.all().into_iter().find(is_its) {
        return Ok((host, false));
    }
    may_make()?;
    let place = hosts.make_room(&id, caller).await?;
    let spare = gateway.pool.take(request, &setup);
    Ok((hosts.start(place, &request.request_id, &setup, spare).await?, true))
}

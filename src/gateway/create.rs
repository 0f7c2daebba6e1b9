//! CreateSession: a host is started for it, and the call is passed on with the session's id put in.

use std::sync::Arc;

use bytes::Bytes;
use http::Response;
use prost::Message;
use tokio::sync::Mutex;
use tonic::body::Body;

use super::door::{ANSWER_LIMIT, EXIT_LIMIT, Gateway, undecodable, upstream};
use super::hosts::Host;
use super::{archived, wire};
use crate::auth::Owner;
use crate::error::{Error, Result};
use crate::id::SessionId;
use crate::limits;
use crate::proto::CreateSessionRequest;

/// Held while it is looked whether a request has led to a session already.
pub type Requests = Mutex<()>;

/// In a task of its own: a caller who goes away leaves no host that nobody knows of.
pub async fn create(
    gateway: Arc<Gateway>,
    owner: Owner,
    head: http::request::Parts,
    message: Bytes,
) -> Result<Response<Body>> {
    let created = tokio::spawn(async move { pass_on(&gateway, owner, head, &message).await }).await;
    created.map_err(Error::internal)?
}

async fn pass_on(
    gateway: &Gateway,
    owner: Owner,
    head: http::request::Parts,
    message: &Bytes,
) -> Result<Response<Body>> {
    let request = CreateSessionRequest::decode(message.clone()).map_err(undecodable)?;
    let (host, is_new) = find_or_start(gateway, owner, &request).await?;
    if host.has_ended() {
        return archived::created(&host).await;
    }
    let body = wire::frame(&wire::with_first_field(message, host.id.as_str()));
    let asked = host.link.ask(upstream(head, body));
    let answer = match tokio::time::timeout(limits::get().wait + ANSWER_LIMIT, asked).await {
        Ok(answer) => answer,
        Err(_) => Err(Error::HostUnavailable {
            session: host.id.clone(),
            problem: "it does not answer".into(),
        }),
    };
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

/// The host for the call, and whether it was started for it.
async fn find_or_start(
    gateway: &Gateway,
    owner: Owner,
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
    if request.request_id.is_empty() {
        let place = hosts.make_room(&id, owner.0).await?;
        let spare = gateway.pool.take(request, &setup);
        return Ok((hosts.start(place, "", &setup, spare).await?, true));
    }
    let _one_at_a_time = gateway.requests.lock().await;
    // Hosts that an earlier gateway started tell by their records.
    let is_its = |host: &Arc<Host>| host.request_id == request.request_id;
    if let Some(host) = hosts.all().into_iter().find(is_its) {
        return Ok((host, false));
    }
    let place = hosts.make_room(&id, owner.0).await?;
    let spare = gateway.pool.take(request, &setup);
    Ok((hosts.start(place, &request.request_id, &setup, spare).await?, true))
}

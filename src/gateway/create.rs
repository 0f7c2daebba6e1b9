//! CreateSession: a host is started for it, and the call is passed on with the session's id put in.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use http::Response;
use http_body_util::BodyExt;
use prost::Message;
use tokio::sync::Mutex;
use tonic::body::Body;

use super::door::{EXIT_LIMIT, Gateway, lost, undecodable, upstream};
use super::hosts::Host;
use super::{reply, wire};
use crate::error::{Error, Result};
use crate::id::SessionId;
use crate::proto::CreateSessionRequest;

/// Which session a `request_id` has led to, for calls that are repeated.
pub type Requests = Mutex<HashMap<String, SessionId>>;

/// In a task of its own: a caller who goes away leaves no host that nobody knows of.
pub async fn create(
    gateway: Arc<Gateway>,
    head: http::request::Parts,
    message: Bytes,
) -> Result<Response<Body>> {
    let created = tokio::spawn(async move { pass_on(&gateway, &head, &message).await }).await;
    created.map_err(Error::internal)?
}

async fn pass_on(
    gateway: &Gateway,
    head: &http::request::Parts,
    message: &Bytes,
) -> Result<Response<Body>> {
    let request = CreateSessionRequest::decode(message.clone()).map_err(undecodable)?;
    let (host, is_new) = find_or_start(gateway, &request).await?;
    let body = wire::frame(&wire::with_first_field(message, host.id.as_str()));
    let answer = host.link.call(upstream(head, body)?).await?;
    let (answer_head, body) = answer.into_parts();
    let collected = body.collect().await.map_err(Error::internal)?;
    let trailers = collected.trailers().cloned();
    let status =
        answer_head.headers.get("grpc-status").or_else(|| trailers.as_ref()?.get("grpc-status"));
    if is_new && status.is_none_or(|status| status != "0") {
        // Nothing remains of a session that was refused.
        gateway.hosts.remove(&host, EXIT_LIMIT).await;
        gateway.requests.lock().await.retain(|_, id| *id != host.id);
    }
    Ok(reply::collected(answer_head, collected.to_bytes(), trailers))
}

/// The host for the call, and whether it was started for it.
async fn find_or_start(
    gateway: &Gateway,
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
        return Ok((hosts.start(id, &setup).await?, true));
    }
    let mut requests = gateway.requests.lock().await;
    let known = requests.get(&request.request_id).and_then(|id| gateway.hosts.get(id.as_str()));
    let known = known.or_else(|| {
        gateway.hosts.all().into_iter().find(|host| is_made_by(host, &request.request_id))
    });
    if let Some(host) = known {
        return match host.ended() {
            None => Ok((host, false)),
            Some(how) => Err(lost(&host, &how)),
        };
    }
    let host = hosts.start(id, &setup).await?;
    requests.retain(|_, id| gateway.hosts.get(id.as_str()).is_some());
    requests.insert(request.request_id.clone(), host.id.clone());
    Ok((host, true))
}

/// The record tells, also of sessions that an earlier gateway made.
fn is_made_by(host: &Host, request_id: &str) -> bool {
    host.record().is_some_and(|record| record.request_id == request_id)
}

//! ListSessions: every host is asked for its session; of those that are gone, their record tells.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt;
use prost::Message;

use super::hosts::{Host, Hosts};
use super::wire;
use crate::api::LISTING;
use crate::auth::{Caller, Reach};
use crate::error::{Error, Result};
use crate::hop::Call;
use crate::proto::{
    GetSessionRequest, GetSessionResponse, ListSessionsRequest, ListSessionsResponse, Session,
};

/// A host that takes longer hangs, and the list goes without its details.
const ASK_LIMIT: Duration = Duration::from_secs(2);
const DEFAULT_PAGE: usize = 100;
const MAX_PAGE: usize = 1000;

/// A page of the sessions that fit, oldest first.
pub async fn sessions(
    hosts: &Hosts,
    caller: &Caller,
    request: ListSessionsRequest,
) -> Result<ListSessionsResponse> {
    let page_size = match usize::try_from(request.page_size) {
        Ok(0) => DEFAULT_PAGE,
        Ok(size) if size <= MAX_PAGE => size,
        _ => return Err(Error::invalid("page_size", format!("it must be 0 to {MAX_PAGE}"))),
    };
    let start: usize = match request.page_token.as_str() {
        "" => 0,
        token => token
            .parse()
            .map_err(|_| Error::invalid("page_token", "it was not given out by this method"))?,
    };
    let hosts = hosts.seen_by(caller);
    let asked = hosts.iter().map(async |host| {
        let owner = match *host.owner == *caller.owner || caller.reach != Reach::All {
            true => String::new(),
            false => host.owner.clone(),
        };
        Session { owner, ..ask(host).await }
    });
    let mut sessions = futures_util::future::join_all(asked).await;
    sessions.retain(|session| fits(session, &request));
    sessions.sort_by_key(|session| session.created_time.map(|time| (time.seconds, time.nanos)));
    let end = sessions.len().min(start.saturating_add(page_size));
    let next_page_token = if end < sessions.len() { end.to_string() } else { String::new() };
    let sessions = sessions.into_iter().take(end).skip(start).collect();
    Ok(ListSessionsResponse { sessions, next_page_token })
}

fn fits(session: &Session, request: &ListSessionsRequest) -> bool {
    let has_labels =
        request.labels.iter().all(|(name, value)| session.labels.get(name) == Some(value));
    let has_state = request.states.is_empty() || request.states.contains(&session.state);
    let has_root = request.project_root.is_empty() || request.project_root == session.project_root;
    has_labels && has_state && has_root
}

/// The session of a host as it tells, or as its archive does.
pub async fn ask(host: &Host) -> Session {
    match ask_living(host).await {
        Some(session) => session,
        // It is over, was just started, is ending, or hangs.
        None => Session { id: host.id.to_string(), ..host.archive.session() },
    }
}

/// The session as its host tells, if it does.
pub async fn ask_living(host: &Host) -> Option<Session> {
    if host.has_ended() {
        return None;
    }
    tokio::time::timeout(ASK_LIMIT, get_session(host)).await.ok()?.ok()
}

/// A call of our own to a host, which does not keep its session from being idle.
pub fn listing(path: &'static str, request: &impl Message) -> Call {
    let mut headers = http::HeaderMap::new();
    headers.insert("content-type", http::HeaderValue::from_static("application/grpc"));
    headers.insert(LISTING, http::HeaderValue::from_static("1"));
    Call { path: path.into(), headers, body: wire::frame(&request.encode_to_vec()) }
}

async fn get_session(host: &Host) -> Result<Session> {
    let request = GetSessionRequest { session_id: host.id.to_string() };
    let call = listing("/debugrelay.v1.SessionService/GetSession", &request);
    let body: Bytes =
        host.link.call(call).await?.collect().await.map_err(Error::internal)?.to_bytes();
    let answer = GetSessionResponse::decode(wire::message(&body)?).map_err(Error::internal)?;
    answer.session.ok_or_else(|| Error::internal("a host answered without a session"))
}

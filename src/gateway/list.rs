//! ListSessions: every host is asked for its session; of those that are gone, their record tells.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt;
use prost::Message;

use super::hosts::{Host, Hosts};
use super::wire;
use crate::api::LISTING;
use crate::clock;
use crate::error::{Error, Result};
use crate::proto::{
    GetSessionRequest, GetSessionResponse, ListSessionsRequest, ListSessionsResponse, Session,
    SessionState,
};

/// A host that takes longer hangs, and the list goes without its details.
const ASK_LIMIT: Duration = Duration::from_secs(2);
const DEFAULT_PAGE: usize = 100;
const MAX_PAGE: usize = 1000;

/// A page of the sessions that fit, oldest first.
pub async fn sessions(hosts: &Hosts, request: ListSessionsRequest) -> Result<ListSessionsResponse> {
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
    let hosts = hosts.all();
    let mut sessions = futures_util::future::join_all(hosts.iter().map(|host| ask(host))).await;
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

async fn ask(host: &Host) -> Session {
    if let Some(how) = host.ended() {
        return lost_session(host, &how);
    }
    match tokio::time::timeout(ASK_LIMIT, get_session(host)).await {
        Ok(Ok(session)) => session,
        // It was just started, is ending, or hangs.
        _ => from_record(host),
    }
}

async fn get_session(host: &Host) -> Result<Session> {
    let request = GetSessionRequest { session_id: host.id.to_string() };
    let mut call = http::Request::new(wire::frame(&request.encode_to_vec()));
    *call.method_mut() = http::Method::POST;
    *call.uri_mut() = http::Uri::from_static("http://host/debugrelay.v1.SessionService/GetSession");
    *call.version_mut() = http::Version::HTTP_2;
    let headers = call.headers_mut();
    headers.insert("content-type", http::HeaderValue::from_static("application/grpc"));
    headers.insert(LISTING, http::HeaderValue::from_static("1"));
    headers.insert("te", http::HeaderValue::from_static("trailers"));
    let body: Bytes =
        host.link.call(call).await?.collect().await.map_err(Error::internal)?.to_bytes();
    let answer = GetSessionResponse::decode(wire::message(&body)?).map_err(Error::internal)?;
    answer.session.ok_or_else(|| Error::internal("a host answered without a session"))
}

/// A session whose host died.
pub fn lost_session(host: &Host, how: &str) -> Session {
    let log = host.log_tail();
    let log = if log.is_empty() { String::new() } else { format!("; its log ends: {log}") };
    let failure = format!("the host process died, and the program with it ({how}){log}");
    Session { state: SessionState::Lost.into(), failure, ..from_record(host) }
}

fn from_record(host: &Host) -> Session {
    let mut session = Session { id: host.id.to_string(), ..Default::default() };
    if let Some(record) = host.record() {
        session.created_time = Some(clock::timestamp(record.created()));
        session.name = record.name;
        session.project_root = record.project_root.to_string_lossy().into_owned();
        session.adapter = record.adapter;
        session.labels = record.labels.into_iter().collect();
    }
    session
}

//! Calls to sessions whose host is gone: what can be read is answered from the archive, as the host
//! would have; all else is refused with what the session came to.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use http::Response;
use prost::Message;
use tonic::body::Body;

use super::door::undecodable;
use super::hosts::Host;
use super::reply;
use crate::api::convert;
use crate::archive::Archive;
use crate::error::{Error, Result};
use crate::proto::*;
use crate::session::state;

/// Events that are read at once for a stream.
const BATCH: usize = 500;

/// Whether a call reads only what a session that is over can still tell.
pub fn can_answer(path: &str) -> bool {
    const READS: [&str; 6] = [
        "SessionService/GetSession",
        "BreakpointService/ListBreakpoints",
        "EventService/ListEvents",
        "EventService/StreamEvents",
        "OutputService/GetOutput",
        "OutputService/StreamOutput",
    ];
    path.strip_prefix("debugrelay.v1.").is_some_and(|path| READS.contains(&path))
}

/// Answers a call to a session that is over.
pub async fn answer(path: &str, host: &Arc<Host>, message: &Bytes) -> Result<Response<Body>> {
    let (path, message) = (path.to_owned(), message.clone());
    aside(host, move |host| read(&path, host, &message)).await
}

/// The answer to CreateSession that is repeated after the session is over.
pub async fn created(host: &Arc<Host>, session_token: String) -> Result<Response<Body>> {
    aside(host, move |host| {
        if host.archive.session().state() == SessionState::Lost {
            return Err(refusal(host));
        }
        Ok(reply::message(&CreateSessionResponse {
            session: Some(host.archive.session()),
            breakpoints: host.archive.breakpoints(""),
            outcome: Some(outcome(&host.archive)),
            session_token,
            ..Default::default()
        }))
    })
    .await
}

/// Reads files on a thread that may wait for them.
async fn aside<T: Send + 'static>(
    host: &Arc<Host>,
    read: impl FnOnce(&Arc<Host>) -> Result<T> + Send + 'static,
) -> Result<T> {
    if host.is_forgotten() {
        return Err(Error::SessionNotFound { session: host.id.to_string() });
    }
    let reader = Arc::clone(host);
    let answered = tokio::task::spawn_blocking(move || read(&reader)).await;
    // What was read meanwhile may be of another session of the same name.
    if host.is_forgotten() {
        return Err(Error::SessionNotFound { session: host.id.to_string() });
    }
    answered.map_err(Error::internal)?
}

fn read(path: &str, host: &Arc<Host>, message: &[u8]) -> Result<Response<Body>> {
    let archive = &host.archive;
    let session = || Some(Session { id: host.id.to_string(), ..archive.session() });
    Ok(match path.strip_prefix("debugrelay.v1.").unwrap_or(path) {
        "SessionService/GetSession" => reply::message(&GetSessionResponse { session: session() }),
        "SessionService/TerminateSession" => {
            reply::message(&TerminateSessionResponse { session: session() })
        }
        "BreakpointService/ListBreakpoints" => {
            let request = ListBreakpointsRequest::decode(message).map_err(undecodable)?;
            let breakpoints = archive.breakpoints(&request.file);
            reply::message(&ListBreakpointsResponse { breakpoints })
        }
        "ExecutionService/WaitForStop" => {
            reply::message(&WaitForStopResponse { outcome: Some(outcome(archive)) })
        }
        "EventService/ListEvents" => list_events(archive, message)?,
        "EventService/StreamEvents" => stream_events(Arc::clone(host), message)?,
        "OutputService/GetOutput" => get_output(archive, message)?,
        "OutputService/StreamOutput" => stream_output(Arc::clone(host), message)?,
        _ => return Err(refusal(host)),
    })
}

/// Why nothing but reading can be done.
fn refusal(host: &Host) -> Error {
    let over = host.archive.session();
    let session = host.id.clone();
    match over.state() {
        SessionState::Lost => Error::SessionLost { session, why: over.failure },
        over => Error::SessionArchived { session, state: state::name(over) },
    }
}

fn outcome(archive: &Archive) -> Outcome {
    let session = archive.session();
    Outcome {
        state: session.state,
        exit_code: session.exit_code,
        exit_signal: session.exit_signal,
        sequence: session.last_sequence,
        ..Default::default()
    }
}

fn list_events(archive: &Archive, message: &[u8]) -> Result<Response<Body>> {
    let request = ListEventsRequest::decode(message).map_err(undecodable)?;
    let types = convert::event_types(&request.types)?;
    let limit = convert::event_limit(request.limit)?;
    let page = archive.events_after(request.after_sequence, &types, limit);
    Ok(reply::message(&ListEventsResponse {
        events: page.events,
        next_sequence: page.next_sequence,
    }))
}

fn stream_events(host: Arc<Host>, message: &[u8]) -> Result<Response<Body>> {
    let request = StreamEventsRequest::decode(message).map_err(undecodable)?;
    let types = convert::event_types(&request.types)?;
    let limit = if request.limit == 0 { usize::MAX } else { request.limit as usize };
    let archive = host.archive.clone();
    let events = pages(host, request.after_sequence, move |after| {
        let page = archive.events_after(*after, &types, BATCH);
        let is_last = page.next_sequence == *after;
        *after = page.next_sequence;
        (!is_last).then_some(page.events)
    });
    let events = events.take(limit).map(|event| StreamEventsResponse { event: Some(event) });
    Ok(reply::stream(events))
}

fn get_output(archive: &Archive, message: &[u8]) -> Result<Response<Body>> {
    let request = GetOutputRequest::decode(message).map_err(undecodable)?;
    let filter =
        convert::output_filter(&request.categories, request.include_data, request.data_only)?;
    let max_bytes = convert::output_bytes(request.max_bytes)?;
    let page = archive.output(request.after_offset, &filter, max_bytes);
    let end = archive.output_end() <= page.next_offset;
    Ok(reply::message(&GetOutputResponse {
        chunks: page.chunks,
        next_offset: page.next_offset,
        gap: page.gap,
        end,
    }))
}

fn stream_output(host: Arc<Host>, message: &[u8]) -> Result<Response<Body>> {
    let request = StreamOutputRequest::decode(message).map_err(undecodable)?;
    let filter =
        convert::output_filter(&request.categories, request.include_data, request.data_only)?;
    let max_bytes = convert::output_bytes(request.max_bytes)?;
    let archive = host.archive.clone();
    let items = pages(host, request.after_offset, move |after| {
        let page = archive.output(*after, &filter, max_bytes);
        let is_last = page.next_offset == *after && page.gap.is_none();
        *after = page.next_offset;
        let gap = page.gap.map(stream_output_response::Item::Gap);
        let chunks = page.chunks.into_iter().map(stream_output_response::Item::Chunk);
        (!is_last).then(|| gap.into_iter().chain(chunks).collect())
    });
    let items = items.map(|item| StreamOutputResponse { item: Some(item) });
    Ok(reply::stream(items))
}

/// Everything in pages that are read one after the other, as they are wanted. When the session was
/// forgotten meanwhile, another may have its name and its folder, and nothing more is told.
fn pages<T: Send + 'static>(
    host: Arc<Host>,
    after: u64,
    next: impl FnMut(&mut u64) -> Option<Vec<T>> + Send + 'static,
) -> impl Stream<Item = T> + Send {
    let begin = (host, after, next);
    let pages = futures_util::stream::unfold(begin, |(host, mut after, mut next)| async move {
        let read = tokio::task::spawn_blocking(move || {
            let page = next(&mut after)?;
            (!host.is_forgotten()).then_some((page, (host, after, next)))
        });
        read.await.ok().flatten()
    });
    pages.flat_map(futures_util::stream::iter)
}

//! StreamAllEvents: the events of every session, those that are over and those that appear later
//! included. Each session is followed by a task of its own; all end with the caller's stream.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use http::Response;
use http_body_util::BodyExt;
use prost::Message;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_stream::wrappers::ReceiverStream;
use tonic::body::Body;

use super::hosts::{Host, Hosts};
use super::{list, reply, wire};
use crate::api::convert;
use crate::auth::{Caller, Reach};
use crate::error::{Error, Result};
use crate::proto::{
    Event, EventType, StreamAllEventsRequest, StreamAllEventsResponse, StreamEventsRequest,
    StreamEventsResponse,
};

/// Events on their way to a caller; one that reads slowly holds back its own stream alone.
const QUEUE: usize = 64;
/// Events that are read at once from an archive.
const BATCH: usize = 500;
/// A host whose stream broke ends within this, or is asked again.
const END_LIMIT: Duration = Duration::from_secs(2);

/// What the caller wants.
struct Wish {
    labels: HashMap<String, String>,
    types: Vec<EventType>,
    after: HashMap<String, u64>,
    /// Who wants it.
    caller: Caller,
}

type Out = mpsc::Sender<StreamAllEventsResponse>;

pub fn stream(
    hosts: &Hosts,
    caller: Caller,
    request: StreamAllEventsRequest,
) -> Result<Response<Body>> {
    let wish = Wish {
        labels: request.labels,
        types: convert::event_types(&request.types)?,
        after: request.after_sequences,
        caller,
    };
    let (out, events) = mpsc::channel(QUEUE);
    tokio::spawn(follow_all(hosts.clone(), Arc::new(wish), out));
    Ok(reply::stream(ReceiverStream::new(events)))
}

async fn follow_all(hosts: Hosts, wish: Arc<Wish>, out: Out) {
    let mut appeared = hosts.appeared.subscribe();
    let mut is_first = true;
    let mut followed: HashMap<String, Arc<Host>> = HashMap::new();
    // Dropped with this task, and everybody in it with it.
    let mut followers = JoinSet::new();
    loop {
        appeared.mark_unchanged();
        followed.retain(|id, host| hosts.get(id).is_some_and(|now| Arc::ptr_eq(&now, host)));
        // A later session of the same name is not the one that a session's token is for.
        let is_over = !is_first && matches!(wish.caller.reach, Reach::Session(_));
        for host in hosts.seen_by(&wish.caller) {
            if !is_over && !followed.contains_key(host.id.as_str()) {
                followed.insert(host.id.to_string(), Arc::clone(&host));
                // A number is of a session that was there, not of a later one of the same name.
                let after = wish.after.get(host.id.as_str()).filter(|_| is_first);
                let after = after.copied().unwrap_or_default();
                followers.spawn(follow(host, Arc::clone(&wish), after, out.clone()));
            }
        }
        is_first = false;
        tokio::select! {
            () = out.closed() => return,
            changed = appeared.changed() => {
                if changed.is_err() {
                    return;
                }
            }
        }
        while followers.try_join_next().is_some() {}
    }
}

/// Sends the events of one session until it is forgotten or nobody reads any more.
async fn follow(host: Arc<Host>, wish: Arc<Wish>, mut after: u64, out: Out) {
    while !host.has_ended() {
        let followed = follow_living(&host, &wish, &mut after, &out).await;
        if out.is_closed() {
            return;
        }
        match followed {
            Ok(Followed::Broken) => {}
            // What is not wanted now never will be.
            Ok(Followed::NotWanted) => return,
            Err(error) => {
                tracing::debug!(session = %host.id, %error, "the stream of a session broke");
            }
        }
        host.wait_for_end(END_LIMIT).await;
    }
    if !is_wanted(&host, &wish) {
        return;
    }
    loop {
        let (archive, types) = (host.archive.clone(), wish.types.clone());
        let page =
            tokio::task::spawn_blocking(move || archive.events_after(after, &types, BATCH)).await;
        let page = page.unwrap_or_default();
        if page.next_sequence <= after || host.is_forgotten() {
            return;
        }
        after = page.next_sequence;
        for event in page.events {
            if !send(&host, event, &out).await {
                return;
            }
        }
    }
}

/// Why a stream of a host ended.
enum Followed {
    Broken,
    NotWanted,
}

/// Follows the host's own stream until it breaks.
async fn follow_living(host: &Host, wish: &Wish, after: &mut u64, out: &Out) -> Result<Followed> {
    let request = StreamEventsRequest {
        session_id: host.id.to_string(),
        after_sequence: *after,
        types: wish.types.iter().map(|kind| (*kind).into()).collect(),
        limit: 0,
    };
    // Answered when there is a session.
    let call = list::listing("/debugrelay.v1.EventService/StreamEvents", &request);
    let mut body = host.link.call(call).await?.into_body();
    if !is_wanted(host, wish) {
        return Ok(Followed::NotWanted);
    }
    let mut buffer = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(Error::internal)?.into_data() else { continue };
        buffer.extend_from_slice(&data);
        while let Some(message) = wire::take_message(&mut buffer) {
            let message = StreamEventsResponse::decode(message).map_err(Error::internal)?;
            let Some(event) = message.event else { continue };
            *after = event.sequence;
            if !send(host, event, out).await {
                return Ok(Followed::Broken);
            }
        }
    }
    Ok(Followed::Broken)
}

fn is_wanted(host: &Host, wish: &Wish) -> bool {
    let labels = host.archive.record().map(|record| record.labels).unwrap_or_default();
    wish.labels.iter().all(|(name, value)| labels.get(name) == Some(value))
}

/// False when nobody reads any more.
async fn send(host: &Host, event: Event, out: &Out) -> bool {
    let session_id = host.id.to_string();
    out.send(StreamAllEventsResponse { session_id, event: Some(event) }).await.is_ok()
}

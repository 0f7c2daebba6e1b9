//! EventService, as far as it concerns one session.

use std::sync::Arc;

use futures_util::StreamExt;
use tonic::{Request, Response};

use super::{Api, LISTING, Reply, Stream, convert};
use crate::error::Error;
use crate::proto::event_service_server::EventService;
use crate::proto::*;
use crate::session::{EventLog, Watching};

/// Events that a stream takes from the log at once.
const BATCH: usize = 100;

#[tonic::async_trait]
impl EventService for Api {
    type StreamEventsStream = Stream<StreamEventsResponse>;
    type StreamAllEventsStream = Stream<StreamAllEventsResponse>;

    async fn list_events(&self, request: Request<ListEventsRequest>) -> Reply<ListEventsResponse> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let types = convert::event_types(&request.types)?;
        let limit = convert::event_limit(request.limit)?;
        let wait = convert::poll(request.wait)?;
        let _watching = session.watching();
        let page = session.events().poll(request.after_sequence, &types, limit, wait).await;
        Ok(Response::new(ListEventsResponse {
            events: page.events,
            next_sequence: page.next_sequence,
        }))
    }

    async fn stream_events(
        &self,
        request: Request<StreamEventsRequest>,
    ) -> Reply<Self::StreamEventsStream> {
        let is_listing = request.metadata().contains_key(LISTING);
        let request = request.into_inner();
        let types = convert::event_types(&request.types)?;
        if is_listing {
            let session = self.room.peek_when_there(&request.session_id).await?;
            let log = Arc::clone(session.events());
            let room = Arc::clone(&self.room);
            let closing = async move { room.closing().await };
            let events = follow_for_ever(log, request.after_sequence, types);
            return Ok(Response::new(Box::pin(events.take_until(Box::pin(closing)))));
        }
        let session = self.session(&request.session_id)?;
        let log = Arc::clone(session.events());
        Ok(Response::new(follow(
            log,
            session.watching(),
            request.after_sequence,
            types,
            request.limit,
        )))
    }

    async fn stream_all_events(
        &self,
        _: Request<StreamAllEventsRequest>,
    ) -> Reply<Self::StreamAllEventsStream> {
        Err(Error::UnknownMethod { path: "StreamAllEvents of a host".into() }.into())
    }
}

/// What is kept, then what comes, until nothing more will come.
fn follow(
    log: Arc<EventLog>,
    watching: Watching,
    after: u64,
    types: Vec<EventType>,
    limit: u32,
) -> Stream<StreamEventsResponse> {
    let left = if limit == 0 { u32::MAX } else { limit };
    let state = (log, watching, after, types, left, std::collections::VecDeque::new());
    Box::pin(futures_util::stream::unfold(
        state,
        |(log, watching, mut after, types, left, mut ready)| async move {
            if left == 0 {
                return None;
            }
            while ready.is_empty() {
                let progress = log.wait_past(after).await;
                let page = log.events_after(after, &types, BATCH);
                if progress.is_over && page.next_sequence == after {
                    return None;
                }
                after = page.next_sequence;
                ready.extend(page.events);
            }
            let event = ready.pop_front();
            let state = (log, watching, after, types, left - 1, ready);
            Some((Ok(StreamEventsResponse { event }), state))
        },
    ))
}

/// For the gateway itself: goes on when the session is over, for it may be started again, and does
/// not keep it from being idle.
fn follow_for_ever(
    log: Arc<EventLog>,
    after: u64,
    types: Vec<EventType>,
) -> Stream<StreamEventsResponse> {
    let pages =
        futures_util::stream::unfold((log, after, types), |(log, after, types)| async move {
            log.wait_beyond(after).await;
            let page = log.events_after(after, &types, BATCH);
            Some((page.events, (log, page.next_sequence, types)))
        });
    let events = pages.flat_map(futures_util::stream::iter);
    Box::pin(events.map(|event| Ok(StreamEventsResponse { event: Some(event) })))
}

//! EventService, as far as it concerns one session.

use std::sync::Arc;
use std::time::Duration;

use tonic::{Request, Response};

use super::{Api, Reply, Stream, convert, not_built};
use crate::error::{Error, Result};
use crate::proto::event_service_server::EventService;
use crate::proto::*;
use crate::session::EventLog;

pub(super) const MAX_POLL: Duration = Duration::from_secs(600);
const MAX_EVENTS: u32 = 10_000;
/// Events that a stream takes from the log at once.
const BATCH: usize = 100;

#[tonic::async_trait]
impl EventService for Api {
    type StreamEventsStream = Stream<StreamEventsResponse>;
    type StreamAllEventsStream = Stream<StreamAllEventsResponse>;

    async fn list_events(&self, request: Request<ListEventsRequest>) -> Reply<ListEventsResponse> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let types = types(&request.types)?;
        let limit = convert::count("limit", request.limit, 100, MAX_EVENTS)? as usize;
        let wait = convert::duration("wait", request.wait, Duration::ZERO, MAX_POLL)?;
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
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let types = types(&request.types)?;
        let log = Arc::clone(session.events());
        Ok(Response::new(follow(log, request.after_sequence, types, request.limit)))
    }

    async fn stream_all_events(
        &self,
        _: Request<StreamAllEventsRequest>,
    ) -> Reply<Self::StreamAllEventsStream> {
        Err(not_built("StreamAllEvents").into())
    }
}

/// What is kept, then what comes, until nothing more will come.
fn follow(
    log: Arc<EventLog>,
    after: u64,
    types: Vec<EventType>,
    limit: u32,
) -> Stream<StreamEventsResponse> {
    let left = if limit == 0 { u32::MAX } else { limit };
    let state = (log, after, types, left, std::collections::VecDeque::new());
    Box::pin(futures_util::stream::unfold(
        state,
        |(log, mut after, types, left, mut ready)| async move {
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
            Some((Ok(StreamEventsResponse { event }), (log, after, types, left - 1, ready)))
        },
    ))
}

fn types(given: &[i32]) -> Result<Vec<EventType>> {
    let known = |number: &i32| {
        let kind = EventType::try_from(*number).ok().filter(|kind| *kind != EventType::Unspecified);
        kind.ok_or_else(|| Error::invalid("types", format!("there is no event type {number}")))
    };
    given.iter().map(known).collect()
}

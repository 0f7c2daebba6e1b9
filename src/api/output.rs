//! OutputService.

use std::collections::VecDeque;
use std::sync::Arc;

use tonic::{Request, Response};

use super::{Api, Reply, Stream, convert};
use crate::proto::output_service_server::OutputService;
use crate::proto::stream_output_response::Item;
use crate::proto::*;
use crate::session::{OutputFilter, OutputLog, Watching};

#[tonic::async_trait]
impl OutputService for Api {
    type StreamOutputStream = Stream<StreamOutputResponse>;

    async fn get_output(&self, request: Request<GetOutputRequest>) -> Reply<GetOutputResponse> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let filter =
            convert::output_filter(&request.categories, request.include_data, request.data_only)?;
        let max_bytes = convert::output_bytes(request.max_bytes)?;
        let wait = convert::poll(request.wait)?;
        let _watching = session.watching();
        let page = session.output().poll(request.after_offset, &filter, max_bytes, wait).await;
        let end = session.output().extent().is_at_end(page.next_offset);
        Ok(Response::new(GetOutputResponse {
            chunks: page.chunks,
            next_offset: page.next_offset,
            gap: page.gap,
            end,
        }))
    }

    async fn stream_output(
        &self,
        request: Request<StreamOutputRequest>,
    ) -> Reply<Self::StreamOutputStream> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let filter =
            convert::output_filter(&request.categories, request.include_data, request.data_only)?;
        let max_bytes = convert::output_bytes(request.max_bytes)?;
        let log = Arc::clone(session.output());
        Ok(Response::new(follow(log, session.watching(), request.after_offset, filter, max_bytes)))
    }

    async fn write_input(&self, request: Request<WriteInputRequest>) -> Reply<WriteInputResponse> {
        let WriteInputRequest { session_id, data, close } = request.into_inner();
        let session = self.session(&session_id)?;
        let bytes_written = session.write_input(data, close).await?;
        Ok(Response::new(WriteInputResponse { bytes_written }))
    }
}

/// Of those who stop reading, each holds a few of these.
const STREAMED: usize = 32 * 1024;

/// What is kept, then what comes, until nothing more will come.
fn follow(
    log: Arc<OutputLog>,
    watching: Watching,
    after: u64,
    filter: OutputFilter,
    max_bytes: usize,
) -> Stream<StreamOutputResponse> {
    let state = (log, watching, after, filter, VecDeque::new());
    Box::pin(futures_util::stream::unfold(
        state,
        move |(log, watching, mut after, filter, mut ready)| async move {
            while ready.is_empty() {
                let extent = log.wait_past(after).await;
                let page = log.read_one(after, &filter, max_bytes.min(STREAMED));
                if extent.is_at_end(after) && page.gap.is_none() {
                    return None;
                }
                after = page.next_offset;
                ready.extend(page.gap.map(Item::Gap));
                ready.extend(page.chunks.into_iter().map(Item::Chunk));
            }
            let item = ready.pop_front();
            Some((Ok(StreamOutputResponse { item }), (log, watching, after, filter, ready)))
        },
    ))
}

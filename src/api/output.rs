//! OutputService.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tonic::{Request, Response};

use super::event::MAX_POLL;
use super::{Api, Reply, Stream, convert};
use crate::error::{Error, Result};
use crate::proto::output_service_server::OutputService;
use crate::proto::stream_output_response::Item;
use crate::proto::*;
use crate::session::{OutputFilter, OutputLog};

const DEFAULT_BYTES: u32 = 64 * 1024;
const MAX_BYTES: u32 = 1024 * 1024;

#[tonic::async_trait]
impl OutputService for Api {
    type StreamOutputStream = Stream<StreamOutputResponse>;

    async fn get_output(&self, request: Request<GetOutputRequest>) -> Reply<GetOutputResponse> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let filter = filter(&request.categories, request.include_data)?;
        let max_bytes =
            convert::count("max_bytes", request.max_bytes, DEFAULT_BYTES, MAX_BYTES)? as usize;
        let wait = convert::duration("wait", request.wait, Duration::ZERO, MAX_POLL)?;
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
        let filter = filter(&request.categories, request.include_data)?;
        let max_bytes =
            convert::count("max_bytes", request.max_bytes, DEFAULT_BYTES, MAX_BYTES)? as usize;
        let log = Arc::clone(session.output());
        Ok(Response::new(follow(log, request.after_offset, filter, max_bytes)))
    }

    async fn write_input(&self, request: Request<WriteInputRequest>) -> Reply<WriteInputResponse> {
        let WriteInputRequest { session_id, data, close } = request.into_inner();
        let session = self.session(&session_id)?;
        let bytes_written = session.write_input(data, close).await?;
        Ok(Response::new(WriteInputResponse { bytes_written }))
    }
}

/// What is kept, then what comes, until nothing more will come.
fn follow(
    log: Arc<OutputLog>,
    after: u64,
    filter: OutputFilter,
    max_bytes: usize,
) -> Stream<StreamOutputResponse> {
    let state = (log, after, filter, VecDeque::new());
    Box::pin(futures_util::stream::unfold(
        state,
        move |(log, mut after, filter, mut ready)| async move {
            while ready.is_empty() {
                let extent = log.wait_past(after).await;
                let page = log.read(after, &filter, max_bytes);
                if extent.is_at_end(after) && page.gap.is_none() {
                    return None;
                }
                after = page.next_offset;
                ready.extend(page.gap.map(Item::Gap));
                ready.extend(page.chunks.into_iter().map(Item::Chunk));
            }
            let item = ready.pop_front();
            Some((Ok(StreamOutputResponse { item }), (log, after, filter, ready)))
        },
    ))
}

fn filter(categories: &[i32], include_data: bool) -> Result<OutputFilter> {
    let known = |number: &i32| {
        let category = OutputCategory::try_from(*number)
            .ok()
            .filter(|found| *found != OutputCategory::Unspecified);
        category.ok_or_else(|| {
            Error::invalid("categories", format!("there is no output category {number}"))
        })
    };
    Ok(OutputFilter {
        categories: categories.iter().map(known).collect::<Result<_>>()?,
        include_data,
    })
}

//! ExecutionService.

use futures_util::StreamExt;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response};

use super::{Api, Reply, Stream, convert};
use crate::error::Error;
use crate::id::ThreadId;
use crate::proto::execution_service_server::ExecutionService;
use crate::proto::*;
use crate::session::Movement;

const MAX_STEPS: u32 = 10_000;

#[tonic::async_trait]
impl ExecutionService for Api {
    type CollectStream = Stream<CollectResponse>;
    type TraceStream = Stream<TraceResponse>;

    async fn r#continue(&self, request: Request<ContinueRequest>) -> Reply<ContinueResponse> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let wait = convert::wait(request.wait)?;
        let outcome =
            session.move_on(Movement::Continue, ThreadId(request.thread_id), 1, &wait).await?;
        Ok(Response::new(ContinueResponse { outcome: Some(outcome) }))
    }

    async fn pause(&self, request: Request<PauseRequest>) -> Reply<PauseResponse> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let wait = convert::wait(request.wait)?;
        let outcome = session.pause(ThreadId(request.thread_id), &wait).await?;
        Ok(Response::new(PauseResponse { outcome: Some(outcome) }))
    }

    async fn step_over(&self, request: Request<StepOverRequest>) -> Reply<StepOverResponse> {
        let granularity = request.get_ref().granularity();
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let (count, wait) = (steps(request.count, granularity)?, convert::wait(request.wait)?);
        let outcome =
            session.move_on(Movement::Over, ThreadId(request.thread_id), count, &wait).await?;
        Ok(Response::new(StepOverResponse { outcome: Some(outcome) }))
    }

    async fn step_into(&self, request: Request<StepIntoRequest>) -> Reply<StepIntoResponse> {
        let granularity = request.get_ref().granularity();
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let (count, wait) = (steps(request.count, granularity)?, convert::wait(request.wait)?);
        let thread = ThreadId(request.thread_id);
        let outcome = match request.target_id {
            0 => session.move_on(Movement::Into, thread, count, &wait).await?,
            _ if 1 < count => {
                let problem = "only one step can go into a given call";
                return Err(Error::invalid("count", problem).into());
            }
            target => session.step_into_target(thread, target, &wait).await?,
        };
        Ok(Response::new(StepIntoResponse { outcome: Some(outcome) }))
    }

    async fn step_out(&self, request: Request<StepOutRequest>) -> Reply<StepOutResponse> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let wait = convert::wait(request.wait)?;
        let outcome = session.move_on(Movement::Out, ThreadId(request.thread_id), 1, &wait).await?;
        Ok(Response::new(StepOutResponse { outcome: Some(outcome) }))
    }

    async fn run_to_line(&self, request: Request<RunToLineRequest>) -> Reply<RunToLineResponse> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let (line, wait) = (convert::line(request.line)?, convert::wait(request.wait)?);
        let thread = ThreadId(request.thread_id);
        let outcome = session.run_to_line(thread, &request.file, line, &wait).await?;
        Ok(Response::new(RunToLineResponse { outcome: Some(outcome) }))
    }

    async fn goto(&self, request: Request<GotoRequest>) -> Reply<GotoResponse> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let (line, wait) = (convert::line(request.line)?, convert::wait(request.wait)?);
        let outcome = session.goto(ThreadId(request.thread_id), line, &wait).await?;
        Ok(Response::new(GotoResponse { outcome: Some(outcome) }))
    }

    async fn restart_frame(
        &self,
        request: Request<RestartFrameRequest>,
    ) -> Reply<RestartFrameResponse> {
        let session = self.session(&request.get_ref().session_id)?;
        let adapter = session.facts().profile.name.into();
        Err(Error::NotSupportedByAdapter { adapter, what: "beginning a frame anew" }.into())
    }

    async fn wait_for_stop(
        &self,
        request: Request<WaitForStopRequest>,
    ) -> Reply<WaitForStopResponse> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let wait = convert::wait(request.wait)?;
        let outcome = session.wait_for_stop(request.after_stop, &wait).await?;
        Ok(Response::new(WaitForStopResponse { outcome: Some(outcome) }))
    }

    async fn collect(&self, request: Request<CollectRequest>) -> Reply<Self::CollectStream> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let rows = session.collect(convert::collect(request)?).await?;
        Ok(Response::new(Box::pin(ReceiverStream::new(rows).map(Ok))))
    }

    async fn trace(&self, request: Request<TraceRequest>) -> Reply<Self::TraceStream> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let records = session.trace(convert::trace(request)?).await?;
        let records = ReceiverStream::new(records).map(|record| record.map_err(Into::into));
        Ok(Response::new(Box::pin(records)))
    }
}

fn steps(count: u32, granularity: SteppingGranularity) -> Result<u32, Error> {
    match granularity {
        SteppingGranularity::Unspecified | SteppingGranularity::Line => {
            convert::count("count", count, 1, MAX_STEPS)
        }
        SteppingGranularity::Statement | SteppingGranularity::Instruction => {
            let what = "steps smaller than a line";
            Err(Error::NotSupportedByAdapter { adapter: "debugpy".into(), what })
        }
    }
}

//! InspectionService.

use std::time::Duration;

use tonic::{Request, Response};

use super::{Api, Reply, convert, not_built};
use crate::error::Error;
use crate::id::ThreadId;
use crate::proto::inspection_service_server::InspectionService;
use crate::proto::*;
use crate::session::{EvaluateQuery, VariablesQuery};

const DEFAULT_EVALUATE: Duration = Duration::from_secs(10);
const MAX_EVALUATE: Duration = Duration::from_secs(600);
const MAX_VALUE: u32 = 1_000_000;

#[tonic::async_trait]
impl InspectionService for Api {
    async fn get_snapshot(
        &self,
        request: Request<GetSnapshotRequest>,
    ) -> Reply<GetSnapshotResponse> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let limits = convert::snapshot("options", request.options)?;
        let (snapshot, stop) = session.snapshot(ThreadId(request.thread_id), &limits).await?;
        Ok(Response::new(GetSnapshotResponse { snapshot: Some(snapshot), stop: Some(stop) }))
    }

    async fn list_threads(
        &self,
        request: Request<ListThreadsRequest>,
    ) -> Reply<ListThreadsResponse> {
        let session = self.session(&request.get_ref().session_id)?;
        let threads = session.threads().await?;
        Ok(Response::new(ListThreadsResponse { threads }))
    }

    async fn get_stack_trace(
        &self,
        request: Request<GetStackTraceRequest>,
    ) -> Reply<GetStackTraceResponse> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let count = convert::count("count", request.count, 50, 1000)?;
        let answer = session.stack_trace(ThreadId(request.thread_id), request.start, count).await?;
        Ok(Response::new(answer))
    }

    async fn get_scopes(&self, request: Request<GetScopesRequest>) -> Reply<GetScopesResponse> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        Ok(Response::new(session.scopes(request.frame_id).await?))
    }

    async fn get_variables(
        &self,
        request: Request<GetVariablesRequest>,
    ) -> Reply<GetVariablesResponse> {
        let filter = request.get_ref().filter();
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        match filter {
            VariableFilter::Unspecified | VariableFilter::All => {}
            VariableFilter::Indexed | VariableFilter::Named => {
                return Err(not_built("a filter other than ALL").into());
            }
        }
        if request.variables_reference == 0 {
            return Err(Error::MissingField { field: "variables_reference" }.into());
        }
        let query = VariablesQuery {
            reference: request.variables_reference,
            start: request.start as usize,
            count: convert::count("count", request.count, 100, 1000)? as usize,
            depth: convert::count("max_depth", request.max_depth, 1, 5)?,
            max_value_length: convert::count(
                "max_value_length",
                request.max_value_length,
                1000,
                MAX_VALUE,
            )? as usize,
        };
        Ok(Response::new(session.variables(&query).await?))
    }

    async fn evaluate(&self, request: Request<EvaluateRequest>) -> Reply<EvaluateResponse> {
        let context = request.get_ref().context();
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        convert::expression("expression", &request.expression)?;
        let query = EvaluateQuery {
            expression: request.expression,
            frame: request.frame_id,
            context,
            limit: convert::duration("timeout", request.timeout, DEFAULT_EVALUATE, MAX_EVALUATE)?,
            max_value_length: convert::count(
                "max_value_length",
                request.max_value_length,
                10_000,
                MAX_VALUE,
            )? as usize,
        };
        Ok(Response::new(session.evaluate(query).await?))
    }

    async fn find_value(&self, request: Request<FindValueRequest>) -> Reply<FindValueResponse> {
        self.session(&request.get_ref().session_id)?;
        Err(not_built("FindValue").into())
    }

    async fn set_variable(
        &self,
        request: Request<SetVariableRequest>,
    ) -> Reply<SetVariableResponse> {
        self.session(&request.get_ref().session_id)?;
        Err(not_built("SetVariable").into())
    }

    async fn set_expression(
        &self,
        request: Request<SetExpressionRequest>,
    ) -> Reply<SetExpressionResponse> {
        self.session(&request.get_ref().session_id)?;
        Err(not_built("SetExpression").into())
    }

    async fn get_exception_info(
        &self,
        request: Request<GetExceptionInfoRequest>,
    ) -> Reply<GetExceptionInfoResponse> {
        self.session(&request.get_ref().session_id)?;
        Err(not_built("GetExceptionInfo").into())
    }

    async fn get_source(&self, request: Request<GetSourceRequest>) -> Reply<GetSourceResponse> {
        self.session(&request.get_ref().session_id)?;
        Err(not_built("GetSource").into())
    }

    async fn list_modules(
        &self,
        request: Request<ListModulesRequest>,
    ) -> Reply<ListModulesResponse> {
        self.session(&request.get_ref().session_id)?;
        Err(not_built("ListModules").into())
    }

    async fn list_loaded_sources(
        &self,
        request: Request<ListLoadedSourcesRequest>,
    ) -> Reply<ListLoadedSourcesResponse> {
        self.session(&request.get_ref().session_id)?;
        Err(not_built("ListLoadedSources").into())
    }

    async fn get_completions(
        &self,
        request: Request<GetCompletionsRequest>,
    ) -> Reply<GetCompletionsResponse> {
        self.session(&request.get_ref().session_id)?;
        Err(not_built("GetCompletions").into())
    }

    async fn get_step_in_targets(
        &self,
        request: Request<GetStepInTargetsRequest>,
    ) -> Reply<GetStepInTargetsResponse> {
        self.session(&request.get_ref().session_id)?;
        Err(not_built("GetStepInTargets").into())
    }

    async fn read_memory(&self, request: Request<ReadMemoryRequest>) -> Reply<ReadMemoryResponse> {
        Err(self.no_memory(&request.get_ref().session_id, "reading memory").into())
    }

    async fn write_memory(
        &self,
        request: Request<WriteMemoryRequest>,
    ) -> Reply<WriteMemoryResponse> {
        Err(self.no_memory(&request.get_ref().session_id, "writing memory").into())
    }

    async fn disassemble(
        &self,
        request: Request<DisassembleRequest>,
    ) -> Reply<DisassembleResponse> {
        Err(self.no_memory(&request.get_ref().session_id, "disassembling").into())
    }
}

impl Api {
    /// debugpy knows neither memory nor instructions.
    fn no_memory(&self, session: &str, what: &'static str) -> Error {
        match self.session(session) {
            Ok(session) => {
                Error::NotSupportedByAdapter { adapter: session.facts().profile.name.into(), what }
            }
            Err(error) => error,
        }
    }
}

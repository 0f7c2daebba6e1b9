//! InspectionService.

use std::time::Duration;

use tonic::{Request, Response};

use super::{Api, READ_ONLY, Reply, convert};
use crate::error::Error;
use crate::id::ThreadId;
use crate::limits;
use crate::proto::inspection_service_server::InspectionService;
use crate::proto::*;
use crate::session::{EvaluateQuery, FindQuery, Shown, VariablesQuery, Veil};

const DEFAULT_EVALUATE: Duration = Duration::from_secs(10);
const MAX_VALUE: u32 = 1_000_000;
const DEFAULT_FIND: Duration = Duration::from_secs(2);
const MAX_FIND: Duration = Duration::from_secs(60);
const DEFAULT_LINES: i32 = 200;

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
        if request.variables_reference == 0 {
            return Err(Error::MissingField { field: "variables_reference" }.into());
        }
        let query = VariablesQuery {
            reference: request.variables_reference,
            start: request.start as usize,
            count: convert::count("count", request.count, 100, 1000)? as usize,
            shown: Shown {
                depth: convert::count("max_depth", request.max_depth, 1, 5)?,
                max_length: convert::count(
                    "max_value_length",
                    request.max_value_length,
                    1000,
                    MAX_VALUE,
                )? as usize,
                veil: Veil::over_secrets(request.reveal),
            },
            filter,
        };
        Ok(Response::new(session.variables(&query).await?))
    }

    async fn evaluate(&self, request: Request<EvaluateRequest>) -> Reply<EvaluateResponse> {
        let context = request.get_ref().context();
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        convert::expression("expression", &request.expression)?;
        let limit = convert::limited_duration(
            "timeout",
            request.timeout,
            DEFAULT_EVALUATE,
            ("evaluate", limits::get().evaluate),
        )?;
        if limit.is_zero() {
            return Err(Error::invalid("timeout", "it must be more than nothing").into());
        }
        let query = EvaluateQuery {
            expression: request.expression,
            frame: request.frame_id,
            context,
            limit,
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
        let is_read_only = request.metadata().contains_key(READ_ONLY);
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        if request.query.is_empty() {
            return Err(Error::MissingField { field: "query" }.into());
        }
        let query = FindQuery {
            frame: request.frame_id,
            query: request.query,
            max_depth: convert::count("max_depth", request.max_depth, 6, 20)?,
            max_results: convert::count("max_results", request.max_results, 20, 1000)?,
            timeout: convert::duration("timeout", request.timeout, DEFAULT_FIND, MAX_FIND)?,
            guesses_secrets: !is_read_only,
        };
        Ok(Response::new(session.find_value(query).await?))
    }

    async fn set_variable(
        &self,
        request: Request<SetVariableRequest>,
    ) -> Reply<SetVariableResponse> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        if request.variables_reference == 0 {
            return Err(Error::MissingField { field: "variables_reference" }.into());
        }
        convert::expression("name", &request.name)?;
        convert::expression("value", &request.value)?;
        let reference = request.variables_reference;
        let variable = session.set_variable(reference, &request.name, &request.value).await?;
        Ok(Response::new(SetVariableResponse { variable: Some(variable) }))
    }

    async fn set_expression(
        &self,
        request: Request<SetExpressionRequest>,
    ) -> Reply<SetExpressionResponse> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        convert::expression("expression", &request.expression)?;
        convert::expression("value", &request.value)?;
        let frame = request.frame_id;
        let variable = session.set_expression(frame, &request.expression, &request.value).await?;
        Ok(Response::new(SetExpressionResponse { variable: Some(variable) }))
    }

    async fn get_exception_info(
        &self,
        request: Request<GetExceptionInfoRequest>,
    ) -> Reply<GetExceptionInfoResponse> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        Ok(Response::new(session.exception_info(ThreadId(request.thread_id))?))
    }

    async fn get_source(&self, request: Request<GetSourceRequest>) -> Reply<GetSourceResponse> {
        let is_read_only = request.metadata().contains_key(READ_ONLY);
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        if request.file.is_empty() {
            return Err(Error::MissingField { field: "file" }.into());
        }
        let start = if request.start_line == 0 { 1 } else { convert::line(request.start_line)? };
        let end = match request.end_line {
            0 => start.saturating_add(DEFAULT_LINES - 1),
            end if end < start => {
                return Err(Error::invalid("end_line", "it comes before start_line").into());
            }
            end => end,
        };
        session.check_source(&request.file, is_read_only).await?;
        Ok(Response::new(session.source(&request.file, start, end).await?))
    }

    async fn list_modules(
        &self,
        request: Request<ListModulesRequest>,
    ) -> Reply<ListModulesResponse> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let count = convert::count("count", request.count, 100, 1000)? as usize;
        Ok(Response::new(session.modules(request.start as usize, count).await?))
    }

    async fn list_loaded_sources(
        &self,
        request: Request<ListLoadedSourcesRequest>,
    ) -> Reply<ListLoadedSourcesResponse> {
        let session = self.session(&request.get_ref().session_id)?;
        let files = session.loaded_sources().await?;
        Ok(Response::new(ListLoadedSourcesResponse { files }))
    }

    async fn get_completions(
        &self,
        request: Request<GetCompletionsRequest>,
    ) -> Reply<GetCompletionsResponse> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        convert::expression("text", &request.text)?;
        let found = session.completions(request.frame_id, &request.text, request.column).await?;
        Ok(Response::new(GetCompletionsResponse { completions: found }))
    }

    async fn get_step_in_targets(
        &self,
        request: Request<GetStepInTargetsRequest>,
    ) -> Reply<GetStepInTargetsResponse> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let targets = session.step_in_targets(request.frame_id).await?;
        Ok(Response::new(GetStepInTargetsResponse { targets }))
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

//! BreakpointService.

use tonic::{Request, Response};

use super::{Api, Reply, convert};
use crate::error::Error;
use crate::id::BreakpointId;
use crate::proto::breakpoint_service_server::BreakpointService;
use crate::proto::*;
use crate::session::Selection;

#[tonic::async_trait]
impl BreakpointService for Api {
    async fn set_breakpoints(
        &self,
        request: Request<SetBreakpointsRequest>,
    ) -> Reply<SetBreakpointsResponse> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let asked = convert::breakpoints("breakpoints", request.breakpoints)?;
        let breakpoints = session.set_breakpoints(asked, request.replace_file).await?;
        Ok(Response::new(SetBreakpointsResponse { breakpoints }))
    }

    async fn list_breakpoints(
        &self,
        request: Request<ListBreakpointsRequest>,
    ) -> Reply<ListBreakpointsResponse> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let file = Some(request.file.as_str()).filter(|file| !file.is_empty());
        let breakpoints = session.breakpoints(file).await?;
        Ok(Response::new(ListBreakpointsResponse { breakpoints }))
    }

    async fn update_breakpoint(
        &self,
        request: Request<UpdateBreakpointRequest>,
    ) -> Reply<UpdateBreakpointResponse> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let (id, change) = convert::breakpoint_change(request)?;
        let breakpoint = session.update_breakpoint(id, change).await?;
        Ok(Response::new(UpdateBreakpointResponse { breakpoint: Some(breakpoint) }))
    }

    async fn remove_breakpoints(
        &self,
        request: Request<RemoveBreakpointsRequest>,
    ) -> Reply<RemoveBreakpointsResponse> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let breakpoints = session.remove_breakpoints(selection(request)?).await?;
        Ok(Response::new(RemoveBreakpointsResponse { breakpoints }))
    }

    async fn set_exception_breakpoints(
        &self,
        request: Request<SetExceptionBreakpointsRequest>,
    ) -> Reply<SetExceptionBreakpointsResponse> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let given = request.exception_breakpoints;
        let filters = convert::exception_filters(given)?
            .ok_or(Error::MissingField { field: "exception_breakpoints" })?;
        session.set_exception_filters(filters.clone()).await?;
        let exception_breakpoints = Some(ExceptionBreakpoints { filters });
        Ok(Response::new(SetExceptionBreakpointsResponse { exception_breakpoints }))
    }

    async fn get_exception_breakpoints(
        &self,
        request: Request<GetExceptionBreakpointsRequest>,
    ) -> Reply<GetExceptionBreakpointsResponse> {
        let session = self.session(&request.get_ref().session_id)?;
        let filters = session.exception_filters().await?;
        let exception_breakpoints = Some(ExceptionBreakpoints { filters });
        let offers = session.exception_offers();
        Ok(Response::new(GetExceptionBreakpointsResponse { exception_breakpoints, offers }))
    }
}

fn selection(request: RemoveBreakpointsRequest) -> Result<Selection, Error> {
    match (request.ids.is_empty(), request.file.is_empty(), request.all) {
        (false, true, false) => {
            Ok(Selection::Ids(request.ids.into_iter().map(BreakpointId).collect()))
        }
        (true, false, false) => Ok(Selection::File(request.file)),
        (true, true, true) => Ok(Selection::All),
        _ => Err(Error::invalid("ids", "set exactly one of `ids`, `file` and `all`")),
    }
}

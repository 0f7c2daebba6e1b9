//! BreakpointService.

use tonic::{Request, Response};

use super::{Api, Reply, convert, not_built};
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
        self.session(&request.get_ref().session_id)?;
        Err(not_built("UpdateBreakpoint").into())
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
        self.session(&request.get_ref().session_id)?;
        Err(not_built("SetExceptionBreakpoints").into())
    }

    async fn get_exception_breakpoints(
        &self,
        request: Request<GetExceptionBreakpointsRequest>,
    ) -> Reply<GetExceptionBreakpointsResponse> {
        self.session(&request.get_ref().session_id)?;
        Err(not_built("GetExceptionBreakpoints").into())
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

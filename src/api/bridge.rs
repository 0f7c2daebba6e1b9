//! BridgeService.

use tonic::Request;

use super::{Api, Reply, not_built};
use crate::proto::bridge_service_server::BridgeService;
use crate::proto::*;

#[tonic::async_trait]
impl BridgeService for Api {
    async fn open_bridge(&self, request: Request<OpenBridgeRequest>) -> Reply<OpenBridgeResponse> {
        self.session(&request.get_ref().session_id)?;
        Err(not_built("OpenBridge").into())
    }

    async fn list_bridges(
        &self,
        request: Request<ListBridgesRequest>,
    ) -> Reply<ListBridgesResponse> {
        self.session(&request.get_ref().session_id)?;
        Err(not_built("ListBridges").into())
    }

    async fn close_bridge(
        &self,
        request: Request<CloseBridgeRequest>,
    ) -> Reply<CloseBridgeResponse> {
        self.session(&request.get_ref().session_id)?;
        Err(not_built("CloseBridge").into())
    }
}

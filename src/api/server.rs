//! ServerService, as far as it concerns a host: what it logs.

use tonic::{Request, Response};

use super::{Api, Reply, not_of_a_host};
use crate::error::Error;
use crate::proto::server_service_server::ServerService;
use crate::proto::*;
use crate::telemetry;

#[tonic::async_trait]
impl ServerService for Api {
    async fn get_info(&self, _: Request<GetInfoRequest>) -> Reply<GetInfoResponse> {
        not_of_a_host("GetInfo")
    }

    async fn list_adapters(&self, _: Request<ListAdaptersRequest>) -> Reply<ListAdaptersResponse> {
        not_of_a_host("ListAdapters")
    }

    async fn set_log_filter(
        &self,
        request: Request<SetLogFilterRequest>,
    ) -> Reply<SetLogFilterResponse> {
        let previous = telemetry::set_filter(&request.get_ref().filter)
            .map_err(|problem| Error::invalid("filter", problem))?;
        Ok(Response::new(SetLogFilterResponse { previous }))
    }
}

//! The gRPC services of one session: decode, call, encode. Knows nothing of how anything is done.

mod breakpoint;
mod bridge;
pub mod convert;
mod event;
mod execution;
mod inspection;
mod malformed;
mod output;
mod server;
mod session;
mod status;

use std::sync::Arc;

use tonic::service::Routes;
use tonic::{Response, Status};

use crate::error::Error;
use crate::limits;
use crate::proto::breakpoint_service_server::BreakpointServiceServer;
use crate::proto::bridge_service_server::BridgeServiceServer;
use crate::proto::event_service_server::EventServiceServer;
use crate::proto::execution_service_server::ExecutionServiceServer;
use crate::proto::inspection_service_server::InspectionServiceServer;
use crate::proto::output_service_server::OutputServiceServer;
use crate::proto::server_service_server::ServerServiceServer;
use crate::proto::session_service_server::SessionServiceServer;
use crate::session::{Room, Session};

pub use session::{LISTING, READ_ONLY, SESSION_TOKEN, WORDS_OF_GATEWAY};
pub use status::status;

type Reply<T> = Result<Response<T>, Status>;
type Stream<T> = std::pin::Pin<Box<dyn futures_util::Stream<Item = Result<T, Status>> + Send>>;

/// All services of a session.
#[derive(Clone)]
struct Api {
    room: Arc<Room>,
}

impl Api {
    /// The session that the caller names.
    fn session(&self, id: &str) -> Result<Session, Error> {
        self.room.session(id)
    }
}

/// The services of the one session in `room`.
pub fn services(room: Arc<Room>) -> Routes {
    let api = Api { room };
    let largest = limits::get().request_bytes;
    let routes =
        Routes::new(SessionServiceServer::new(api.clone()).max_decoding_message_size(largest))
            .add_service(
                BreakpointServiceServer::new(api.clone()).max_decoding_message_size(largest),
            )
            .add_service(
                ExecutionServiceServer::new(api.clone()).max_decoding_message_size(largest),
            )
            .add_service(
                InspectionServiceServer::new(api.clone()).max_decoding_message_size(largest),
            )
            .add_service(EventServiceServer::new(api.clone()).max_decoding_message_size(largest))
            .add_service(OutputServiceServer::new(api.clone()).max_decoding_message_size(largest))
            .add_service(ServerServiceServer::new(api.clone()).max_decoding_message_size(largest))
            .add_service(BridgeServiceServer::new(api).max_decoding_message_size(largest));
    let explained = tower::util::MapResponseLayer::new(malformed::explain);
    routes.into_axum_router().layer(explained).into()
}

/// The answer of an RPC that the gateway answers.
fn not_of_a_host<T>(method: &str) -> Reply<T> {
    Err(Error::UnknownMethod { path: format!("{method} of a host") }.into())
}

/// The answer of an RPC, or of a field of one, that this version does not serve.
fn not_built(what: &str) -> Error {
    Error::NotImplemented { what: what.into() }
}

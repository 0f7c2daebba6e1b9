//! Passes one call on to the host of its session, as bytes: head, message, answer, trailers.
//! Knows no RPC. Back-pressure and cancellation follow from the bodies being handed through.

use std::path::PathBuf;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body::{Body, Frame};

use super::connections::{Connections, InUse};
use crate::api;
use crate::error::Error;
use crate::hop;
use crate::id::SessionId;

/// The way to one host.
pub struct Link {
    session: SessionId,
    connections: Connections,
}

impl Link {
    pub fn new(session: SessionId, socket: PathBuf) -> Self {
        Self { session, connections: Connections::new(socket) }
    }

    /// Sends the call; what comes back is the host's answer, still running.
    pub async fn call(&self, request: Request<Bytes>) -> Result<Response<ForwardedBody>, Error> {
        let begun = self.connections.send(&request).await.map_err(|error| {
            Error::HostUnavailable { session: self.session.clone(), problem: error.to_string() }
        })?;
        let body = ForwardedBody { session: self.session.clone(), rest: begun.rest };
        let mut response = Response::new(body);
        *response.headers_mut() = begun.headers;
        Ok(response)
    }
}

/// The host's answer on its way to the caller. A host that dies half-way ends it with a status
/// instead of a broken stream.
pub struct ForwardedBody {
    session: SessionId,
    /// Until the answer is over.
    rest: Option<InUse>,
}

impl Body for ForwardedBody {
    type Data = Bytes;
    type Error = tonic::Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, tonic::Status>>> {
        let Some(rest) = &mut self.rest else { return Poll::Ready(None) };
        let frame = match ready!(rest.poll_frame(context)) {
            Ok(hop::Frame::Data(data)) => Some(Frame::data(data)),
            Ok(hop::Frame::End(trailers)) => {
                if let Some(rest) = self.rest.take() {
                    rest.give_back();
                }
                trailers.map(Frame::trailers)
            }
            Ok(hop::Frame::Call(_) | hop::Frame::Head { .. }) => Some(self.lost("it is confused")),
            Err(error) => Some(self.lost(error)),
        };
        Poll::Ready(frame.map(Ok))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_none()
    }
}

impl ForwardedBody {
    fn lost(&mut self, problem: impl std::fmt::Display) -> Frame<Bytes> {
        self.rest = None;
        let problem = format!("it died during the call ({problem})");
        let status = api::status(Error::HostUnavailable { session: self.session.clone(), problem });
        let mut trailers = HeaderMap::new();
        // Only a header value with control characters fails, and metadata of ours has none.
        let _ = status.add_header(&mut trailers);
        Frame::trailers(trailers)
    }
}

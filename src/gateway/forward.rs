//! Passes one call on to the host of its session, as bytes: head, message, answer, trailers.
//! Knows no RPC. Back-pressure and cancellation follow from the bodies being handed through.

use std::path::PathBuf;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body::{Body, Frame};
use hyper::body::Incoming;

use super::connections::{Connections, InUse};
use crate::api;
use crate::error::Error;
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
        let (answer, connection) = self.connections.send(request).await.map_err(|error| {
            Error::HostUnavailable { session: self.session.clone(), problem: error.to_string() }
        })?;
        // Nobody will ask for more of one that is empty.
        let connection = match answer.body().is_end_stream() {
            true => {
                connection.give_back();
                None
            }
            false => Some(connection),
        };
        let session = self.session.clone();
        Ok(answer.map(|body| ForwardedBody { body, session, connection }))
    }
}

/// The host's answer on its way to the caller. A host that dies half-way ends it with a status
/// instead of a broken stream.
pub struct ForwardedBody {
    body: Incoming,
    session: SessionId,
    /// Until the answer is over.
    connection: Option<InUse>,
}

impl Body for ForwardedBody {
    type Data = Bytes;
    type Error = tonic::Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, tonic::Status>>> {
        if self.connection.is_none() {
            return Poll::Ready(None);
        }
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        let is_whole = match &frame {
            Some(Ok(frame)) => frame.is_trailers(),
            Some(Err(_)) => false,
            None => true,
        };
        if is_whole && let Some(connection) = self.connection.take() {
            connection.give_back();
        }
        let frame = frame.map(|frame| {
            frame.unwrap_or_else(|error| {
                self.connection = None;
                Frame::trailers(self.lost(error))
            })
        });
        Poll::Ready(frame.map(Ok))
    }

    fn is_end_stream(&self) -> bool {
        self.connection.is_none()
    }
}

impl ForwardedBody {
    fn lost(&self, error: hyper::Error) -> HeaderMap {
        let problem = format!("it died during the call ({error})");
        let status = api::status(Error::HostUnavailable { session: self.session.clone(), problem });
        let mut trailers = HeaderMap::new();
        // Only a header value with control characters fails, and metadata of ours has none.
        let _ = status.add_header(&mut trailers);
        trailers
    }
}

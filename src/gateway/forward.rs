//! Passes one call on to the host of its session, as bytes: head, message, answer, trailers.
//! Knows no RPC. Back-pressure and cancellation follow from the bodies being handed through.

use std::path::PathBuf;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::{HeaderMap, Response};
use http_body::{Body, Frame};

use super::connections::{Connections, InUse};
use super::reply;
use crate::api;
use crate::error::Error;
use crate::hop::{self, Call};
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
    pub async fn call(&self, call: Call) -> Result<Response<ForwardedBody>, Error> {
        let begun = self.connections.send(call).await.map_err(|error| self.unavailable(error))?;
        let body = ForwardedBody { session: self.session.clone(), rest: begun.rest };
        let mut response = Response::new(body);
        *response.headers_mut() = begun.headers;
        Ok(response)
    }

    /// Sends the call and waits for all of its answer, so that head, message and trailers go out
    /// together, and wake the caller once.
    pub async fn ask(&self, call: Call) -> Result<Response<tonic::body::Body>, Error> {
        let begun = self.connections.send(call).await.map_err(|error| self.unavailable(error))?;
        let Some(mut rest) = begun.rest else {
            return Ok(reply::collected(begun.headers, Bytes::new(), None));
        };
        let mut pieces = Vec::new();
        loop {
            match rest.next().await {
                Ok(hop::Frame::Data(data)) => pieces.push(data),
                Ok(hop::Frame::End(trailers)) => {
                    rest.give_back();
                    return Ok(reply::collected(begun.headers, joined(pieces), trailers));
                }
                Ok(hop::Frame::Call(_) | hop::Frame::Head { .. }) => {
                    return Err(self.unavailable(CONFUSED));
                }
                Err(error) => {
                    return Err(self.unavailable(format!("it died during the call ({error})")));
                }
            }
        }
    }

    fn unavailable(&self, problem: impl ToString) -> Error {
        Error::HostUnavailable { session: self.session.clone(), problem: problem.to_string() }
    }
}

const CONFUSED: &str = "it answers out of turn";

fn joined(mut pieces: Vec<Bytes>) -> Bytes {
    match pieces.len() {
        0 => Bytes::new(),
        1 => pieces.remove(0),
        _ => pieces.concat().into(),
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
            Ok(hop::Frame::Call(_) | hop::Frame::Head { .. }) => Some(self.lost(CONFUSED)),
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

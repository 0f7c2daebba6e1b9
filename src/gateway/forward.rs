//! Passes one call on to the host of its session, as bytes: head, message, answer, trailers.
//! Knows no RPC. Back-pressure and cancellation follow from the bodies being handed through.

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body::{Body, Frame};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::UnixStream;

use crate::api;
use crate::error::Error;
use crate::id::SessionId;

/// All callers of a session share one HTTP/2 connection to its host, and so its window: were it
/// smaller than the windows of the streams together, a few callers that stop reading would stall
/// all others.
const STREAM_WINDOW: u32 = 256 << 10;
const CONNECTION_WINDOW: u32 = 1 << 30;
/// What a host sends at once; the default of 16 KiB makes long streams slow.
const MAX_FRAME: u32 = 64 << 10;

/// What callers and hosts may send in headers, with some room.
const MAX_HEADERS: u32 = 64 * 1024;

type Upstream = SendRequest<Full<Bytes>>;

/// The way to one host.
pub struct Link {
    session: SessionId,
    socket: PathBuf,
    connection: Mutex<Option<Upstream>>,
}

impl Link {
    pub fn new(session: SessionId, socket: PathBuf) -> Self {
        Self { session, socket, connection: Mutex::new(None) }
    }

    /// Sends the call; what comes back is the host's answer, still running.
    pub async fn call(&self, request: Request<Bytes>) -> Result<Response<ForwardedBody>, Error> {
        let mut upstream = self.connected().await?;
        let answer = upstream.send_request(request.map(Full::new)).await;
        let answer = answer.map_err(|error| self.unavailable(error))?;
        Ok(answer.map(|body| ForwardedBody { body, session: self.session.clone(), is_over: false }))
    }

    async fn connected(&self) -> Result<Upstream, Error> {
        let kept = self.connection.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(mut kept) = kept
            && kept.ready().await.is_ok()
        {
            return Ok(kept);
        }
        let stream =
            UnixStream::connect(&self.socket).await.map_err(|error| self.unavailable(error))?;
        let (mut fresh, connection) = http2::Builder::new(TokioExecutor::new())
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_frame_size(MAX_FRAME)
            .max_header_list_size(MAX_HEADERS)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(|error| self.unavailable(error))?;
        // Ends with the connection: when the host goes, or when the last sender is dropped.
        tokio::spawn(connection);
        fresh.ready().await.map_err(|error| self.unavailable(error))?;
        *self.connection.lock().unwrap_or_else(PoisonError::into_inner) = Some(fresh.clone());
        Ok(fresh)
    }

    fn unavailable(&self, error: impl std::fmt::Display) -> Error {
        Error::HostUnavailable { session: self.session.clone(), problem: error.to_string() }
    }
}

/// The host's answer on its way to the caller. A host that dies half-way ends it with a status
/// instead of a broken stream.
pub struct ForwardedBody {
    body: Incoming,
    session: SessionId,
    is_over: bool,
}

impl Body for ForwardedBody {
    type Data = Bytes;
    type Error = tonic::Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, tonic::Status>>> {
        if self.is_over {
            return Poll::Ready(None);
        }
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        let frame = match frame {
            Some(Ok(frame)) => frame,
            Some(Err(error)) => Frame::trailers(self.lost(error)),
            None => {
                self.is_over = true;
                return Poll::Ready(None);
            }
        };
        self.is_over = frame.is_trailers();
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.is_over || self.body.is_end_stream()
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

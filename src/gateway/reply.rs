//! Answers that the gateway makes itself.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::StreamExt;
use http::{HeaderMap, HeaderValue, Response};
use http_body::Frame;
use http_body_util::{BodyExt, Full, StreamBody};
use tonic::body::Body;

use super::wire;
use crate::api;
use crate::error::Error;

/// One message, and the status that all is well.
pub fn message(message: &impl prost::Message) -> Response<Body> {
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", HeaderValue::from_static("0"));
    let body = Full::new(wire::frame(&message.encode_to_vec()));
    let body = body.with_trailers(std::future::ready(Some(Ok(trailers))));
    respond(Body::new(body.map_err(|never: std::convert::Infallible| match never {})))
}

/// The status of an error, and nothing else.
pub fn error(error: Error) -> Response<Body> {
    api::status(error).into_http()
}

/// An answer of a host.
pub fn collected(headers: HeaderMap, body: Bytes, trailers: Option<HeaderMap>) -> Response<Body> {
    let body = match (body.is_empty(), trailers) {
        // The status is in the head, and callers take it from there only when nothing follows.
        (true, None) => Body::empty(),
        (_, trailers) => {
            let body = Full::new(body).with_trailers(std::future::ready(trailers.map(Ok)));
            Body::new(body.map_err(|never: std::convert::Infallible| match never {}))
        }
    };
    let mut response = Response::new(body);
    *response.headers_mut() = headers;
    response
}

fn respond(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    response.headers_mut().insert("content-type", HeaderValue::from_static("application/grpc"));
    response
}

/// An answer that is broken off with an error when `end` comes first.
pub fn until(body: Body, end: impl Future<Output = ()> + Send + 'static, error: Error) -> Body {
    Body::new(Until { body, end: Box::pin(end), error: Some(error) })
}

struct Until {
    body: Body,
    end: Pin<Box<dyn Future<Output = ()> + Send>>,
    /// None when it was broken off.
    error: Option<Error>,
}

impl http_body::Body for Until {
    type Data = Bytes;
    type Error = tonic::Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, tonic::Status>>> {
        if self.error.is_none() {
            return Poll::Ready(None);
        }
        if self.end.as_mut().poll(context).is_ready()
            && let Some(error) = self.error.take()
        {
            let mut trailers = HeaderMap::new();
            // Only a header value with control characters fails, and metadata of ours has none.
            let _ = api::status(error).add_header(&mut trailers);
            return Poll::Ready(Some(Ok(Frame::trailers(trailers))));
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.error.is_none() || self.body.is_end_stream()
    }
}

/// Messages as they come, then the status that all is well.
pub fn stream<M: prost::Message + 'static>(
    messages: impl futures_util::Stream<Item = M> + Send + 'static,
) -> Response<Body> {
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", HeaderValue::from_static("0"));
    let frames = messages.map(|message| Frame::data(wire::frame(&message.encode_to_vec())));
    let frames = frames.chain(futures_util::stream::iter([Frame::trailers(trailers)]));
    let frames = frames.map(Ok::<_, std::convert::Infallible>);
    let body = StreamBody::new(frames);
    respond(Body::new(body.map_err(|never| match never {})))
}

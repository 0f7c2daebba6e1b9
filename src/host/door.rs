//! The host's own socket, for the gateway alone: one call at a time on a connection. What of an
//! answer is ready goes out together, and wakes the gateway once.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use futures_util::{FutureExt, StreamExt};
use http::Request;
use http_body::Body as _;
use http_body_util::{BodyExt, Full};
use tokio::io::AsyncWriteExt;
use tokio::net::unix::OwnedWriteHalf;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio_util::codec::FramedRead;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tonic::body::Body;
use tonic::service::Routes;
use tower::ServiceExt;
use tracing::Instrument;

use crate::hop::{self, Call, Codec, Frame};
use crate::limits;
use crate::telemetry::{TRACEPARENT, TraceContext};

/// Calls of all callers of the session together.
const MAX_CALLS: usize = 1000;
/// Larger pieces of an answer are sent as they are; smaller ones are gathered.
const LARGE: usize = 16 * 1024;
/// Out of descriptors, perhaps: some may be free soon.
const ACCEPT_AGAIN: Duration = Duration::from_millis(50);

/// Serves until `closing`, and then until the last answer is given.
pub async fn serve(listener: UnixListener, services: Routes, closing: impl Future<Output = ()>) {
    let places = Arc::new(Semaphore::new(MAX_CALLS));
    let calls = TaskTracker::new();
    let end = CancellationToken::new();
    let mut closing = pin!(closing);
    loop {
        let accepted = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (place, listener.accept().await)
        };
        tokio::select! {
            (place, accepted) = accepted => match accepted {
                Ok((stream, _)) => {
                    let call = converse(stream, services.clone(), end.clone());
                    calls.spawn(async move {
                        if let Err(error) = call.await {
                            tracing::debug!(%error, "a connection of the gateway broke");
                        }
                        drop(place);
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "a call could not be taken");
                    tokio::time::sleep(ACCEPT_AGAIN).await;
                }
            },
            () = &mut closing => break,
        }
    }
    end.cancel();
    calls.close();
    calls.wait().await;
}

/// Answers the calls of one connection. When the other side hangs up, whatever works at an answer is
/// dropped.
async fn converse(stream: UnixStream, services: Routes, end: CancellationToken) -> io::Result<()> {
    let (input, mut output) = stream.into_split();
    let limit = limits::get().request_bytes + hop::MAX_HEADERS;
    let mut calls = FramedRead::new(input, Codec::new(limit));
    loop {
        let call = tokio::select! {
            call = calls.next() => call.transpose()?,
            () = end.cancelled() => return Ok(()),
        };
        let Some(Frame::Call(call)) = call else { return Ok(()) };
        tokio::select! {
            answered = answer(call, services.clone(), &mut output) => answered?,
            // The next call comes only after this answer.
            _ = calls.next() => return Ok(()),
        }
    }
}

async fn answer(call: Call, services: Routes, output: &mut OwnedWriteHalf) -> io::Result<()> {
    let mut request = Request::new(Body::new(Full::new(call.body)));
    *request.method_mut() = http::Method::POST;
    *request.uri_mut() = call.path.parse().map_err(io::Error::other)?;
    *request.version_mut() = http::Version::HTTP_2;
    *request.headers_mut() = call.headers;
    let context = request.headers().get(TRACEPARENT).and_then(|value| value.to_str().ok());
    let trace_id = context.and_then(TraceContext::parse).map(|context| context.trace_id);
    let span = tracing::info_span!("call", method = request.uri().path(), trace_id);
    span.in_scope(|| tracing::debug!("called"));
    let response = match services.oneshot(request).instrument(span).await {
        Ok(response) => response,
        Err(never) => match never {},
    };
    let (head, body) = response.into_parts();
    let mut ready = BytesMut::with_capacity(1024);
    let is_all = body.is_end_stream();
    hop::put_head(&mut ready, &head.headers, is_all);
    if !is_all {
        pass_on(body, &mut ready, output).await?;
    }
    output.write_all_buf(&mut ready).await
}

/// Sends a body; its end is left in what is ready.
async fn pass_on(
    mut body: Body,
    ready: &mut BytesMut,
    output: &mut OwnedWriteHalf,
) -> io::Result<()> {
    loop {
        let frame = match body.frame().now_or_never() {
            Some(frame) => frame,
            None => {
                output.write_all_buf(ready).await?;
                body.frame().await
            }
        };
        let Some(frame) = frame else {
            hop::put_end(ready, None);
            return Ok(());
        };
        match frame.map_err(io::Error::other)?.into_data() {
            Ok(data) => send(data, ready, output).await?,
            Err(frame) => {
                hop::put_end(ready, frame.trailers_ref());
                return Ok(());
            }
        }
    }
}

/// Sends a piece, or puts it to what is ready.
async fn send(
    mut data: Bytes,
    ready: &mut BytesMut,
    output: &mut OwnedWriteHalf,
) -> io::Result<()> {
    while !data.is_empty() {
        let piece = data.split_to(data.len().min(hop::MAX_DATA));
        hop::put_data_prefix(ready, piece.len());
        if piece.len() < LARGE {
            ready.extend_from_slice(&piece);
        } else {
            output.write_all_buf(&mut (&mut *ready).chain(piece)).await?;
        }
        if LARGE <= ready.len() {
            output.write_all_buf(ready).await?;
        }
    }
    Ok(())
}

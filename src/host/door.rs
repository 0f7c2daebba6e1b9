//! The host's own socket, for the gateway alone: gRPC in HTTP/1.1, one call at a time on a
//! connection. See the gateway's connections for why.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderValue, Request, Response, header};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tonic::body::Body;
use tonic::service::Routes;
use tower::ServiceExt;

/// Calls of all callers of the session together.
const MAX_CALLS: usize = 1000;
/// What the gateway takes of its callers, and what it adds.
const MAX_HEADERS: usize = 64 * 1024;
/// What waits to be sent to a caller that does not read, beside the message that did not fit.
const SEND_BUFFER: usize = 64 * 1024;
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
                        call.await;
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
async fn converse(stream: UnixStream, services: Routes, end: CancellationToken) {
    let answer = service_fn(|request: Request<Incoming>| {
        let answer = services.clone().oneshot(request);
        async { answer.await.map(announce_trailers) }
    });
    let connection = http1::Builder::new()
        .auto_date_header(false)
        .header_read_timeout(None)
        .max_buf_size(SEND_BUFFER)
        .max_header_size(MAX_HEADERS)
        .serve_connection(TokioIo::new(stream), answer);
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = &mut connection => ended,
        () = end.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection of the gateway broke");
    }
}

/// HTTP/1.1 sends only trailers that were announced.
fn announce_trailers(mut response: Response<Body>) -> Response<Body> {
    const STATUS: HeaderValue =
        HeaderValue::from_static("grpc-status, grpc-message, grpc-status-details-bin");
    response.headers_mut().insert(header::TRAILER, STATUS);
    response
}

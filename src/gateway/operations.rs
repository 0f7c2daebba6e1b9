//! The port for those who run the server: metrics for Prometheus, and whether it lives and is ready,
//! as Kubernetes asks. Plain HTTP, without tokens: it tells numbers and no names.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use super::observe::Observer;

/// Who asks for metrics is one, or a few.
const MAX_CONNECTIONS: usize = 32;
/// A connection that says nothing, or does not read, goes.
const HEADER_LIMIT: Duration = Duration::from_secs(5);
const CONNECTION_LIMIT: Duration = Duration::from_secs(60);
const ACCEPT_AGAIN: Duration = Duration::from_millis(50);
const METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";

/// A port that listens, and where.
pub struct Operations {
    listener: TcpListener,
    pub address: SocketAddr,
}

impl Operations {
    pub async fn listen(address: SocketAddr) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// Answers for as long as the server lives.
    pub async fn serve(self, observer: Arc<Observer>) {
        let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        loop {
            let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
            let stream = match self.listener.accept().await {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "a connection for metrics could not be taken");
                    tokio::time::sleep(ACCEPT_AGAIN).await;
                    continue;
                }
            };
            let answered = converse(stream, Arc::clone(&observer));
            tokio::spawn(async move {
                let _ = tokio::time::timeout(CONNECTION_LIMIT, answered).await;
                drop(place);
            });
        }
    }
}

async fn converse(stream: TcpStream, observer: Arc<Observer>) -> Result<(), hyper::Error> {
    let answer = service_fn(move |request| {
        let observer = Arc::clone(&observer);
        async move { Ok::<_, Infallible>(answer(&observer, request).await) }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_LIMIT)
        .max_buf_size(16 * 1024)
        .serve_connection(TokioIo::new(stream), answer)
        .await
}

async fn answer(observer: &Observer, request: Request<Incoming>) -> Response<Full<Bytes>> {
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return respond(StatusCode::METHOD_NOT_ALLOWED, TEXT, "only GET\n".into());
    }
    match request.uri().path() {
        "/metrics" => respond(StatusCode::OK, METRICS_TYPE, observer.metrics().await),
        "/livez" => respond(StatusCode::OK, TEXT, "ok\n".into()),
        "/readyz" => match observer.readiness() {
            Ok(()) => respond(StatusCode::OK, TEXT, "ok\n".into()),
            Err(why) => respond(StatusCode::SERVICE_UNAVAILABLE, TEXT, format!("{why}\n")),
        },
        _ => {
            let paths = "there are /metrics, /livez, /readyz\n";
            respond(StatusCode::NOT_FOUND, TEXT, paths.into())
        }
    }
}

fn respond(status: StatusCode, kind: &'static str, text: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(text.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(kind));
    response
}

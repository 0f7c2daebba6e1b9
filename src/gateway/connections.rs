//! The connections to one host: HTTP/1.1 on its socket, one call at a time on each. Half the work of
//! a second HTTP/2, and a caller that stops reading holds up its own connection and no other: the
//! kernel keeps what waits for it, up to the size of a socket's buffer.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::net::UnixStream;
use tokio_util::task::AbortOnDropHandle;

/// Connections that wait for the next call; more are there only while calls are under way.
const IDLE: usize = 8;
/// What is read of an answer before its reader has taken it.
const READ_AHEAD: usize = 128 * 1024;
/// What a host may send in headers and trailers.
const MAX_HEADERS: usize = 64 * 1024;

pub struct Connections {
    socket: PathBuf,
    idle: Arc<Mutex<Vec<Connection>>>,
}

/// A connection, which is closed when this is dropped: so a host learns that nobody waits for its
/// answer.
struct Connection {
    sender: SendRequest<Full<Bytes>>,
    _driver: AbortOnDropHandle<()>,
}

/// A connection on which an answer is under way.
pub struct InUse {
    connection: Connection,
    idle: Arc<Mutex<Vec<Connection>>>,
}

impl InUse {
    /// The answer was read to its end, so that the connection can take another call.
    pub fn give_back(self) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE {
            idle.push(self.connection);
        }
    }
}

impl Connections {
    pub fn new(socket: PathBuf) -> Self {
        Self { socket, idle: Arc::default() }
    }

    /// Sends a call, and answers with the beginning of its answer.
    pub async fn send(
        &self,
        mut request: Request<Bytes>,
    ) -> Result<(Response<Incoming>, InUse), Box<dyn std::error::Error + Send + Sync>> {
        *request.version_mut() = http::Version::HTTP_11;
        // Without it, HTTP/1.1 leaves out the trailers, which have the status.
        request.headers_mut().insert(http::header::TE, http::HeaderValue::from_static("trailers"));
        let mut connection = self.connected().await?;
        let mut response = connection.sender.send_request(request.map(Full::new)).await?;
        // These are of this connection, and say nothing to the caller.
        for name in [http::header::TRANSFER_ENCODING, http::header::TRAILER] {
            response.headers_mut().remove(name);
        }
        *response.version_mut() = http::Version::HTTP_2;
        Ok((response, InUse { connection, idle: Arc::clone(&self.idle) }))
    }

    async fn connected(&self) -> Result<Connection, Box<dyn std::error::Error + Send + Sync>> {
        while let Some(mut connection) = self.take_idle() {
            if connection.sender.ready().await.is_ok() {
                return Ok(connection);
            }
        }
        let stream = UnixStream::connect(&self.socket).await?;
        let (mut sender, driver) = http1::Builder::new()
            .max_buf_size(READ_AHEAD)
            .max_header_size(MAX_HEADERS)
            .handshake(TokioIo::new(stream))
            .await?;
        let driver = tokio::spawn(async move {
            // Whoever waits for an answer is told of it, too.
            let _ = driver.await;
        });
        sender.ready().await?;
        Ok(Connection { sender, _driver: AbortOnDropHandle::new(driver) })
    }

    fn take_idle(&self) -> Option<Connection> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }
}

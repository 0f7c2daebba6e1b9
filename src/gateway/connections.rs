//! The connections to one host, one call at a time on each: a caller that stops reading holds up its
//! own connection and no other, and the kernel keeps what waits for it, up to the size of a socket's
//! buffer.

use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Buf;
use futures_util::{Stream, StreamExt};
use http::HeaderMap;
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio_util::codec::FramedRead;

use crate::hop::{self, Call, Codec, Frame};

/// Connections that wait for the next call; more are there only while calls are under way.
const IDLE: usize = 8;

pub struct Connections {
    socket: PathBuf,
    idle: Arc<Mutex<Vec<Connection>>>,
}

/// Closed when it is dropped: so a host learns that nobody waits for its answer.
type Connection = FramedRead<UnixStream, Codec>;

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

    /// The next frame of the answer, which has not ended.
    pub async fn next(&mut self) -> io::Result<Frame> {
        std::future::poll_fn(|context| self.poll_frame(context)).await
    }

    pub fn poll_frame(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Frame>> {
        let frame = Pin::new(&mut self.connection).poll_next(context);
        frame.map(|frame| frame.unwrap_or_else(|| Err(io::ErrorKind::UnexpectedEof.into())))
    }
}

/// How an answer begins.
pub struct Begun {
    pub headers: HeaderMap,
    /// None when there is nothing more to come.
    pub rest: Option<InUse>,
}

impl Connections {
    pub fn new(socket: PathBuf) -> Self {
        Self { socket, idle: Arc::default() }
    }

    /// Sends a call, and waits for the beginning of its answer.
    pub async fn send(&self, call: Call) -> io::Result<Begun> {
        let prefix = hop::begin_call(&call);
        let mut connection = self.connected().await?;
        connection.get_mut().write_all_buf(&mut prefix.chain(call.body)).await?;
        match connection.next().await.transpose()? {
            Some(Frame::Head { headers, is_all }) => {
                let in_use = InUse { connection, idle: Arc::clone(&self.idle) };
                if !is_all {
                    return Ok(Begun { headers, rest: Some(in_use) });
                }
                in_use.give_back();
                Ok(Begun { headers, rest: None })
            }
            Some(other) => Err(io::Error::other(format!("it answers out of turn: {other:?}"))),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    async fn connected(&self) -> io::Result<Connection> {
        if let Some(connection) = self.take_idle() {
            return Ok(connection);
        }
        let stream = UnixStream::connect(&self.socket).await?;
        Ok(FramedRead::new(stream, Codec::new(hop::MAX_DATA.max(hop::MAX_HEADERS))))
    }

    fn take_idle(&self) -> Option<Connection> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }
}

//! Connections as they come: counted, with TLS where that is wanted, and with whatever can be told
//! of who is at the other end.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::FutureExt;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::mpsc;
use tokio::time::Sleep;
use tokio_rustls::server::TlsStream;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::WaitForCancellationFutureOwned;
use tonic::transport::server::Connected;

use super::crowd::{Arrival, Crowd, Place};
use super::tls::Tls;
use crate::auth::{Peer, PeerIdentity, certificate_identity};

/// Whoever connects has this long for TLS, and then for the first words of HTTP/2.
const HANDSHAKE_LIMIT: Duration = Duration::from_secs(10);
/// HTTP/2 begins with so many bytes.
const PREFACE: usize = 24;
/// Connections that are ready and not yet taken.
const QUEUE: usize = 16;
/// Out of descriptors, perhaps: some may be free soon.
const ACCEPT_AGAIN: Duration = Duration::from_millis(50);

/// A socket that listens.
pub enum Socket {
    Tcp(TcpListener),
    Unix(UnixListener),
}

/// Takes connections for as long as somebody wants them.
pub fn take(
    sockets: Vec<Socket>,
    tls: Option<Arc<Tls>>,
    crowd: Crowd,
) -> ReceiverStream<io::Result<Connection>> {
    let (ready, taken) = mpsc::channel(QUEUE);
    for socket in sockets {
        let (tls, crowd, ready) = (tls.clone(), crowd.clone(), ready.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = accept(socket, tls, crowd, ready.clone()) => {}
                () = ready.closed() => {}
            }
        });
    }
    ReceiverStream::new(taken)
}

async fn accept(
    socket: Socket,
    tls: Option<Arc<Tls>>,
    crowd: Crowd,
    ready: mpsc::Sender<io::Result<Connection>>,
) {
    loop {
        let (stream, peer) = match socket.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be taken");
                tokio::time::sleep(ACCEPT_AGAIN).await;
                continue;
            }
        };
        let Some(place) = crowd.enter() else {
            tracing::debug!(peer = %peer.address, "there are too many connections");
            continue;
        };
        let (tls, ready) = (tls.clone(), ready.clone());
        tokio::spawn(async move {
            let leave = place.leave.clone();
            let connected = tokio::select! {
                connected = tokio::time::timeout(HANDSHAKE_LIMIT, greet(stream, peer, tls)) => connected,
                () = leave.cancelled() => return,
            };
            match connected {
                Ok(Ok((stream, peer))) => {
                    let _ = ready.send(Ok(Connection::new(stream, peer, place))).await;
                }
                Ok(Err(error)) => tracing::debug!(%error, "a connection came to nothing"),
                Err(_) => tracing::debug!("a connection did not get through TLS in time"),
            }
        });
    }
}

impl Socket {
    async fn accept(&self) -> io::Result<(Stream, Peer)> {
        match self {
            Self::Tcp(listener) => {
                let (stream, address) = listener.accept().await?;
                stream.set_nodelay(true)?;
                let address = address.to_string().into();
                Ok((Stream::Tcp(stream), Peer { address, identity: PeerIdentity::Unknown }))
            }
            Self::Unix(listener) => {
                let (stream, _) = listener.accept().await?;
                let uid = stream.peer_cred()?.uid();
                let address = format!("uid {uid}").into();
                Ok((Stream::Unix(stream), Peer { address, identity: PeerIdentity::User(uid) }))
            }
        }
    }
}

/// Does TLS, where that is wanted, and learns who is there.
async fn greet(
    stream: Stream,
    mut peer: Peer,
    tls: Option<Arc<Tls>>,
) -> io::Result<(Stream, Peer)> {
    let (stream, tls) = match (stream, tls) {
        (Stream::Tcp(stream), Some(tls)) => (stream, tls),
        (stream, _) => return Ok((stream, peer)),
    };
    let stream = tls.acceptor().accept(stream).await?;
    if let Some([certificate, ..]) = stream.get_ref().1.peer_certificates() {
        peer.identity = certificate_identity(certificate);
    }
    Ok((Stream::Tls(Box::new(stream)), peer))
}

enum Stream {
    Tcp(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
    Unix(UnixStream),
}

/// One connection. It breaks when it must make room, or does not begin to speak.
pub struct Connection {
    stream: Stream,
    arrival: Arc<Arrival>,
    leave: Pin<Box<WaitForCancellationFutureOwned>>,
    /// Until it has begun to speak.
    beginning: Option<Pin<Box<Sleep>>>,
    read: usize,
}

impl Connection {
    fn new(stream: Stream, peer: Peer, place: Arc<Place>) -> Self {
        Self {
            stream,
            leave: Box::pin(place.leave.clone().cancelled_owned()),
            arrival: Arc::new(Arrival::new(peer, place)),
            beginning: Some(Box::pin(tokio::time::sleep(HANDSHAKE_LIMIT))),
            read: 0,
        }
    }

    /// Why it must end, if it must.
    fn end(&mut self, context: &mut Context<'_>) -> Option<io::Error> {
        if self.leave.poll_unpin(context).is_ready() {
            return Some(io::Error::new(io::ErrorKind::ConnectionAborted, "others need the place"));
        }
        let beginning = self.beginning.as_mut()?;
        beginning.poll_unpin(context).is_ready().then(|| io::ErrorKind::TimedOut.into())
    }
}

impl Connected for Connection {
    type ConnectInfo = Arc<Arrival>;

    fn connect_info(&self) -> Arc<Arrival> {
        Arc::clone(&self.arrival)
    }
}

macro_rules! with_stream {
    ($self:expr, $stream:ident => $body:expr) => {
        match &mut $self.stream {
            Stream::Tcp($stream) => $body,
            Stream::Tls($stream) => $body,
            Stream::Unix($stream) => $body,
        }
    };
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(error) = self.end(context) {
            return Poll::Ready(Err(error));
        }
        let before = buffer.filled().len();
        let read = with_stream!(self, stream => Pin::new(stream).poll_read(context, buffer));
        if self.beginning.is_some() {
            self.read += buffer.filled().len() - before;
            if PREFACE <= self.read {
                self.beginning = None;
            }
        }
        read
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        data: &[u8],
    ) -> Poll<io::Result<usize>> {
        with_stream!(self, stream => Pin::new(stream).poll_write(context, data))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        with_stream!(self, stream => Pin::new(stream).poll_flush(context))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        with_stream!(self, stream => Pin::new(stream).poll_shutdown(context))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        data: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        with_stream!(self, stream => Pin::new(stream).poll_write_vectored(context, data))
    }

    fn is_write_vectored(&self) -> bool {
        match &self.stream {
            Stream::Tcp(stream) => stream.is_write_vectored(),
            Stream::Tls(stream) => stream.is_write_vectored(),
            Stream::Unix(stream) => stream.is_write_vectored(),
        }
    }
}

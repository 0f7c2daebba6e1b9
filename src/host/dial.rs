//! The door for debugged programs: a loopback port on which each process dials in, proves itself
//! with the session's secret, and becomes one more connection of the session.

use std::net::Ipv4Addr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use constant_time_eq::constant_time_eq;
use futures_util::StreamExt;
use tokio::io::{AsyncRead, AsyncWriteExt, ReadBuf};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio_util::codec::FramedRead;

use super::dialler::{self, Dialler, Family};
use super::os;
use crate::dap::types::{
    Attach, ConfigurationDone, Disconnect, PydevdAuthorize, PydevdSystem, PydevdSystemInfo, Request,
};
use crate::dap::{self, Codec, Message};
use crate::session::{Entrance, ProcessIdentity};

/// A peer that has not proved itself by then is nobody of ours.
const PROOF_LIMIT: Duration = Duration::from_secs(20);
/// Strangers who dial and stay silent hold no more than this many places.
const MAX_UNPROVED: usize = 64;
/// So many refusals are logged, and no more.
const MAX_REFUSALS_TOLD: u32 = 100;
/// Nor may they make us hold long messages.
const MAX_UNPROVED_BODY: usize = 64 * 1024;
/// Messages on their way to one process.
const OUTGOING: usize = 16 * 1024;

type Reader = FramedRead<QuickReader, Codec>;

/// Listens on a free port of the loopback interface.
pub async fn listen() -> std::io::Result<(TcpListener, u16)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let port = listener.local_addr()?.port();
    Ok((listener, port))
}

/// Takes in every process that knows the secret, while the session has a program.
/// Without a secret, every process that dials is taken in: a program that was started by somebody
/// else knows none.
pub async fn welcome(
    listener: TcpListener,
    secret: Option<String>,
    entrance: Entrance,
    family: Family,
) {
    let secret: Option<Arc<str>> = secret.map(Into::into);
    if let Ok(address) = listener.local_addr() {
        family.listens(address.port());
    }
    let refused = Arc::new(AtomicU32::default());
    let places = Arc::new(Semaphore::new(MAX_UNPROVED));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Out of file descriptors, most likely: others may be freed in a while.
                tracing::warn!(%error, "cannot take a program's connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let (secret, entrance, family) = (secret.clone(), entrance.clone(), family.clone());
        let is_loud = refused.load(Ordering::Relaxed) < MAX_REFUSALS_TOLD;
        let refused = Arc::clone(&refused);
        tokio::spawn(async move {
            // Nobody is to come any more, or not yet: whoever dials is hung up on. What a program has
            // started may come late, also when it was left running.
            if !entrance.is_wanted()
                && !dialler::has_programs().await
                && !family.has_dialled(&stream).await
            {
                return;
            }
            let proof = prove(stream, secret.as_deref(), &family);
            let proved = tokio::time::timeout(PROOF_LIMIT, proof).await;
            drop(place);
            match proved {
                Ok(Ok((identity, dialler, reader, writer))) => {
                    // Not before: until then it is one that still comes.
                    let pid = identity.pid;
                    let known = || family.add(pid, dialler);
                    serve(identity, reader, writer, entrance, known).await
                }
                // Whoever dials again and again must not fill the log.
                _ if !is_loud => {}
                Ok(Err(problem)) => {
                    refused.fetch_add(1, Ordering::Relaxed);
                    tracing::warn!(%problem, "a connection was turned away");
                }
                Err(_) => {
                    refused.fetch_add(1, Ordering::Relaxed);
                    tracing::warn!("a connection did not prove itself in time");
                }
            }
        });
    }
}

/// debugpy's own greeting: it must show the secret that it was given, then says who it is. What a
/// process of ours starts is known by that, and need not know the secret. No other user is let in.
async fn prove(
    stream: TcpStream,
    secret: Option<&str>,
    family: &Family,
) -> Result<(ProcessIdentity, Option<Dialler>, Reader, OwnedWriteHalf), String> {
    let dialler = dialler::of(&stream).await;
    let users = [0, rustix::process::geteuid().as_raw()];
    match dialler {
        Some(dialler) if !users.contains(&dialler.uid) => return Err("it is another user's".into()),
        None if cfg!(target_os = "linux") => return Err("nobody knows whose it is".into()),
        Some(_) | None => {}
    }
    stream.set_nodelay(true).map_err(|error| error.to_string())?;
    let (reader, mut writer) = stream.into_split();
    let mut reader = FramedRead::new(QuickReader(reader), Codec::new(MAX_UNPROVED_BODY));

    let authorize = PydevdAuthorize { debug_server_access_token: None };
    let shown = ask(&mut reader, &mut writer, -2, &authorize)
        .await?
        .client_access_token
        .unwrap_or_default();
    let knows = |secret: &str| constant_time_eq(shown.as_bytes(), secret.as_bytes());
    let is_proved = match (secret, dialler) {
        (None, _) => true,
        (Some(secret), _) if knows(secret) => true,
        (Some(_), Some(dialler)) if shown.is_empty() => family.has(dialler).await,
        (Some(_), _) => false,
    };
    if !is_proved {
        if shown.is_empty() {
            let_go(&mut reader, &mut writer).await?;
        }
        return Err("it does not know the session's secret".into());
    }
    let PydevdSystem { process } = ask(&mut reader, &mut writer, -1, &PydevdSystemInfo {}).await?;
    reader.decoder_mut().allow(dap::MAX_BODY);
    let identity = ProcessIdentity { pid: process.pid, parent: process.ppid };
    Ok((identity, dialler, reader, writer))
}

/// Has a process run without us. Hung up on, it would wait for ever: it may be a child of a program
/// that was attached to, whose parent is gone, so that nobody can tell.
async fn let_go(reader: &mut Reader, writer: &mut OwnedWriteHalf) -> Result<(), String> {
    ask(reader, writer, -3, &Attach(serde_json::json!({}))).await?;
    ask(reader, writer, -4, &ConfigurationDone {}).await?;
    ask(reader, writer, -5, &Disconnect { terminate_debuggee: false }).await?;
    Ok(())
}

/// Makes a connection to a debugger that listens one of the session's. Who is there, it tells later.
pub fn join(stream: TcpStream, entrance: Entrance) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let (reader, writer) = stream.into_split();
    let reader = FramedRead::new(QuickReader(reader), Codec::new(dap::MAX_BODY));
    tokio::spawn(serve(ProcessIdentity { pid: 0, parent: 0 }, reader, writer, entrance, || {}));
    Ok(())
}

/// One request on a connection that nobody else uses yet.
async fn ask<R: Request>(
    reader: &mut Reader,
    writer: &mut OwnedWriteHalf,
    seq: i64,
    request: &R,
) -> Result<R::Answer, String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let arguments = serde_json::value::to_raw_value(request).map_err(|error| text(&error))?;
    let frame = dap::encode_request(seq, R::COMMAND, &arguments);
    writer.write_all(&frame).await.map_err(|error| text(&error))?;
    while let Some(body) = reader.next().await {
        let body = body.map_err(|error| text(&error))?;
        match dap::parse(&body).map_err(|error| text(&error))? {
            Message::Response(response) if response.request_seq == seq => {
                return response.body().map_err(|error| text(&error));
            }
            Message::Response(_) | Message::Event(_) | Message::Request(_) => {}
        }
    }
    Err("it hung up".into())
}

/// Carries messages both ways until either side ends.
async fn serve(
    identity: ProcessIdentity,
    mut reader: Reader,
    writer: OwnedWriteHalf,
    entrance: Entrance,
    known: impl FnOnce(),
) {
    let (outgoing, queue) = mpsc::channel(OUTGOING);
    let Some(feed) = entrance.connect(identity, outgoing).await else { return };
    known();
    let writing = tokio::spawn(write_all(writer, queue));
    let reason = loop {
        match reader.next().await {
            None => break "the connection ended".to_owned(),
            Some(Err(error)) => break error.to_string(),
            Some(Ok(body)) => match dap::parse(&body) {
                Ok(message) => {
                    tracing::trace!(target: "debug_relay::dap", received = %String::from_utf8_lossy(&body));
                    if !feed.deliver(message).await {
                        break "the session ended".to_owned();
                    }
                }
                Err(error) => tracing::warn!(%error, "a message was not understood"),
            },
        }
    };
    feed.close(reason).await;
    writing.abort();
}

async fn write_all(mut writer: OwnedWriteHalf, mut queue: mpsc::Receiver<Bytes>) {
    while let Some(frame) = queue.recv().await {
        tracing::trace!(target: "debug_relay::dap", sent = %String::from_utf8_lossy(&frame));
        if writer.write_all(&frame).await.is_err() {
            return;
        }
    }
}

/// Reads with every byte acknowledged at once.
struct QuickReader(OwnedReadHalf);

impl AsyncRead for QuickReader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        os::acknowledge_at_once(self.0.as_ref());
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

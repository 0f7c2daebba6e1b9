//! Moves what a program writes into the session's output log, as it comes, byte for byte.

use std::io::ErrorKind;
use std::os::fd::OwnedFd;

use tokio::net::unix::pipe::Receiver;
use tokio::sync::{mpsc, oneshot};

use super::os;
use crate::session::{Drain, OutputWriter};

const READ_SIZE: usize = 64 * 1024;

/// Starts the reader of one stream. It ends with the stream.
pub fn start(stream: OwnedFd, writer: OutputWriter) -> std::io::Result<Drain> {
    let stream = Receiver::from_owned_fd(stream)?;
    let (ask, requests) = mpsc::channel(4);
    tokio::spawn(run(stream, writer, requests));
    Ok(Drain(ask))
}

async fn run(
    stream: Receiver,
    writer: OutputWriter,
    mut requests: mpsc::Receiver<oneshot::Sender<()>>,
) {
    let mut buffer = vec![0; READ_SIZE];
    let mut may_be_asked = true;
    loop {
        tokio::select! {
            ready = stream.readable() => {
                if ready.is_err() {
                    return;
                }
                match stream.try_read(&mut buffer) {
                    Ok(0) => return,
                    Ok(length) => writer.write(&buffer[..length]),
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                    Err(_) => return,
                }
            }
            request = requests.recv(), if may_be_asked => match request {
                Some(done) => {
                    drain(&stream, &writer, &mut buffer);
                    let _ = done.send(());
                }
                None => may_be_asked = false,
            }
        }
    }
}

/// Reads what is there now and no more: a child may go on writing for ever.
fn drain(stream: &Receiver, writer: &OutputWriter, buffer: &mut [u8]) {
    let mut waiting = os::bytes_waiting(stream);
    while 0 < waiting {
        let part = waiting.min(buffer.len());
        match stream.try_read(&mut buffer[..part]) {
            Ok(length) if 0 < length => {
                writer.write(&buffer[..length]);
                waiting -= length;
            }
            _ => return,
        }
    }
}

//! Moves what a program writes into the session's output log, as it comes, byte for byte, and what
//! callers write into the program.

use std::io::ErrorKind;
use std::os::fd::OwnedFd;

use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::{mpsc, oneshot};

use super::os;
use crate::session::{Console, Drain, InputPiece, OutputWriter};

const READ_SIZE: usize = 64 * 1024;
/// What a person types to end the input of a terminal.
const END_OF_INPUT: &[u8] = b"\x04";

/// Starts the reader of one stream. It ends with the stream.
pub fn start(stream: OwnedFd, writer: OutputWriter) -> std::io::Result<Drain> {
    rustix::io::ioctl_fionbio(&stream, true)?;
    // A terminal is no pipe, and reads like one.
    let stream = Receiver::from_owned_fd_unchecked(stream)?;
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

/// Starts the writer of the program's input. It ends when the input is closed or taken no more.
pub fn feed(stream: OwnedFd, console: Console) -> std::io::Result<mpsc::Sender<InputPiece>> {
    rustix::io::ioctl_fionbio(&stream, true)?;
    let stream = Sender::from_owned_fd_unchecked(stream)?;
    let (give, mut pieces) = mpsc::channel::<InputPiece>(4);
    tokio::spawn(async move {
        while let Some(piece) = pieces.recv().await {
            let written = write(&stream, &piece).await;
            // What was not taken is to come again, and the end after it.
            let is_whole = written.as_ref().is_ok_and(|written| *written == piece.data.len());
            if piece.close && is_whole && console == Console::Terminal {
                // Closing our end would hang the terminal up, and the program with it. Within a line,
                // the first of these only hands the line over.
                let is_in_line = piece.data.last().is_some_and(|last| *last != b'\n');
                let times = if is_in_line { 2 } else { 1 };
                let _ = stream.try_write(&END_OF_INPUT.repeat(times));
            }
            let is_closed =
                piece.close && is_whole && console == Console::Pipes || written.is_err();
            let _ = piece.written.send(written);
            if is_closed {
                return;
            }
        }
    });
    Ok(give)
}

/// Writes until all is taken or the time is over, and tells how much was taken.
async fn write(stream: &Sender, piece: &InputPiece) -> std::io::Result<usize> {
    let mut written = 0;
    while written < piece.data.len() {
        let is_ready = match piece.deadline {
            None => stream.writable().await,
            Some(deadline) => match tokio::time::timeout_at(deadline, stream.writable()).await {
                Ok(ready) => ready,
                Err(_) => return Ok(written),
            },
        };
        is_ready?;
        match stream.try_write(&piece.data[written..]) {
            Ok(length) => written += length,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(written)
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

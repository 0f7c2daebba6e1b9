//! Moves what a program writes into the session's output log, as it comes, byte for byte, and what
//! callers write into the program.

use std::io::ErrorKind;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use bytes::BufMut;
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::{mpsc, oneshot, watch};

use super::os;
use super::pace::{self, Pace, Reads};
use crate::session::{Console, Drain, InputPiece, OutputWriter, Space};

const READ_SIZE: usize = 16 * 1024;
/// What the pipe of a program that writes much is to hold.
const ROOM: usize = 1024 * 1024;
/// Between reads of a stream that comes in a great many small pieces.
const REST: Duration = Duration::from_millis(1);
/// What is read before others have their turn.
const TURN: usize = 1024 * 1024;
/// So many visits in a row are a flood, too.
const LASTING: u32 = 10;
/// Nothing for so long, and the flood is over.
const QUIET: Duration = Duration::from_millis(50);
/// What a person types to end the input of a terminal.
const END_OF_INPUT: &[u8] = b"\x04";

/// Starts the reader of one stream. It ends with the stream.
pub fn start(stream: OwnedFd, writer: OutputWriter) -> std::io::Result<Drain> {
    rustix::io::ioctl_fionbio(&stream, true)?;
    // A terminal is no pipe, and reads like one.
    let stream = Receiver::from_owned_fd_unchecked(stream)?;
    let (ask, requests) = mpsc::channel(4);
    let (flood, is_flooding) = watch::channel(false);
    let intake = Intake { writer, requests: Some(requests), room: None, is_grown: false, flood };
    tokio::spawn(async move {
        // The end of the stream, or an error of it.
        let _ = intake.run(stream).await;
    });
    Ok(Drain { ask, is_flooding })
}

/// What reads one stream.
struct Intake {
    writer: OutputWriter,
    /// Until nobody can ask any more.
    requests: Option<mpsc::Receiver<oneshot::Sender<()>>>,
    /// What the pipe holds, once it has more room than pipes begin with.
    room: Option<usize>,
    is_grown: bool,
    flood: watch::Sender<bool>,
}

impl Intake {
    async fn run(mut self, mut stream: Receiver) -> std::io::Result<()> {
        loop {
            let (left_alone, room) = self.follow(stream).await?;
            stream = self.visit(left_alone, room).await?;
        }
    }

    /// Reads whenever there is something, until that is too often.
    async fn follow(&mut self, stream: Receiver) -> std::io::Result<(OwnedFd, usize)> {
        let mut reads = Reads::new(Instant::now());
        loop {
            tokio::select! {
                ready = stream.readable() => {
                    ready?;
                    let taken = self.take(|space| stream.try_read_buf(space))?;
                    let pace = reads.note(Instant::now(), taken);
                    if pace != Pace::Calm {
                        self.grow(&stream);
                    }
                    if pace == Pace::Flooding {
                        self.note_flood(true);
                    }
                    if let (Pace::Hasty | Pace::Flooding, Some(room)) = (pace, self.room) {
                        return Ok((stream.into_nonblocking_fd()?, room));
                    }
                    if TURN <= taken {
                        tokio::task::yield_now().await;
                    }
                }
                done = asked(&mut self.requests) => self.drain(&stream, done),
                () = tokio::time::sleep(QUIET), if *self.flood.borrow() => self.note_flood(false),
            }
        }
    }

    /// Reads after every rest, unseen by the poller: the kernel wakes who waits for a pipe at every
    /// write to it, which costs a program that writes little at a time most of its time.
    async fn visit(&mut self, stream: OwnedFd, room: usize) -> std::io::Result<Receiver> {
        let mut visits = 0;
        loop {
            tokio::select! {
                () = tokio::time::sleep(REST) => {
                    let taken = self.take(|space| read(&stream, space, usize::MAX))?;
                    visits += 1;
                    if visits == LASTING {
                        self.note_flood(true);
                    }
                    if !pace::may_rest(taken, room) {
                        return Receiver::from_owned_fd_unchecked(stream);
                    }
                }
                done = asked(&mut self.requests) => self.drain(&stream, done),
            }
        }
    }

    fn note_flood(&self, is_flooding: bool) {
        self.flood.send_if_modified(|was| std::mem::replace(was, is_flooding) != is_flooding);
    }

    /// Pipes begin small, for what all pipes of a user hold together has a limit.
    fn grow(&mut self, stream: impl AsFd) {
        if !self.is_grown {
            self.is_grown = true;
            self.room = os::grow_pipe(stream, ROOM);
        }
    }

    /// Reads what is there, up to a turn's worth, and tells how much it was.
    fn take(
        &mut self,
        mut read: impl FnMut(&mut Space) -> std::io::Result<usize>,
    ) -> std::io::Result<usize> {
        let mut taken = 0;
        while taken < TURN {
            match self.writer.write_with(&mut read) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(length) => taken += length,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(taken)
    }

    /// Reads what is there now and no more: a child may go on writing for ever.
    fn drain(&mut self, stream: impl AsFd, done: oneshot::Sender<()>) {
        let mut waiting = os::bytes_waiting(&stream);
        while 0 < waiting {
            match self.writer.write_with(|space| read(&stream, space, waiting)) {
                Ok(length) if 0 < length => waiting -= length,
                _ => break,
            }
        }
        let _ = done.send(());
    }
}

/// Reads at most `limit` bytes of a stream that no poller watches.
fn read(stream: impl AsFd, space: &mut Space, limit: usize) -> std::io::Result<usize> {
    let mut buffer = [0; READ_SIZE];
    let length = buffer.len().min(space.remaining_mut()).min(limit);
    let length = rustix::io::read(stream, &mut buffer[..length])?;
    space.put_slice(&buffer[..length]);
    Ok(length)
}

/// The next who wants to know that all was read.
async fn asked(requests: &mut Option<mpsc::Receiver<oneshot::Sender<()>>>) -> oneshot::Sender<()> {
    if let Some(receiver) = requests {
        match receiver.recv().await {
            Some(done) => return done,
            None => *requests = None,
        }
    }
    std::future::pending().await
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

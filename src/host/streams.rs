//! The program's standard streams as both sides hold them: pipes, or a terminal.

use std::io;
use std::os::fd::OwnedFd;
use std::process::Stdio;

use rustix::pty::OpenptFlags;
use rustix::termios::Winsize;

use crate::proto::OutputCategory;
use crate::session::Console;

/// What a program on a terminal is told of its size.
const TERMINAL_SIZE: Winsize = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };

/// The ends of the program's streams.
pub struct Streams {
    /// Standard input, output and error, for the program.
    pub theirs: [Stdio; 3],
    /// Where its input is written.
    pub input: OwnedFd,
    /// Where its output is read.
    pub output: Vec<(OwnedFd, OutputCategory)>,
}

pub fn open(console: Console) -> io::Result<Streams> {
    match console {
        Console::Pipes => pipes(),
        Console::Terminal => terminal(),
    }
}

fn pipes() -> io::Result<Streams> {
    let (stdin, input) = io::pipe()?;
    let (output, stdout) = io::pipe()?;
    let (errors, stderr) = io::pipe()?;
    Ok(Streams {
        theirs: [stdin.into(), stdout.into(), stderr.into()],
        input: input.into(),
        output: vec![
            (output.into(), OutputCategory::Stdout),
            (errors.into(), OutputCategory::Stderr),
        ],
    })
}

fn terminal() -> io::Result<Streams> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = rustix::pty::openpt(flags)?;
    rustix::pty::grantpt(&master)?;
    rustix::pty::unlockpt(&master)?;
    let name = rustix::pty::ptsname(&master, Vec::new())?;
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::CLOEXEC;
    let slave = rustix::fs::open(&name, flags, rustix::fs::Mode::empty())?;
    rustix::termios::tcsetwinsize(&slave, TERMINAL_SIZE)?;
    Ok(Streams {
        theirs: [slave.try_clone()?.into(), slave.try_clone()?.into(), slave.into()],
        input: master.try_clone()?,
        output: vec![(master, OutputCategory::Console)],
    })
}

//! The process table, as the system shows it.

use std::path::Path;

use rustix::process::{Pid, Signal};

/// A process by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Process(pub i32);

impl Process {
    pub fn of(pid: impl TryInto<i32>) -> Self {
        Self(pid.try_into().ok().unwrap())
    }

    pub fn pid(self) -> Pid {
        Pid::from_raw(self.0).unwrap()
    }

    pub fn kill(self) {
        self.send(Signal::KILL);
    }

    pub fn send(self, signal: Signal) {
        let _ = rustix::process::kill_process(self.pid(), signal);
    }

    fn stat(self) -> Option<(String, i32)> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.0)).ok()?;
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        Some((fields.next()?.to_owned(), fields.next()?.parse().ok()?))
    }
}

/// It is there and no zombie.
pub fn is_alive(process: Process) -> bool {
    process.stat().is_some_and(|(state, _)| state != "Z")
}

/// The processes whose command line, its words parted by NUL, is as it is to be.
pub fn processes_that(is_wanted: impl Fn(&str) -> bool) -> Vec<Process> {
    let has_it = |process: &Process| {
        let words = std::fs::read(format!("/proc/{}/cmdline", process.0)).unwrap_or_default();
        is_wanted(&String::from_utf8_lossy(&words))
    };
    processes().filter(has_it).collect()
}

fn processes() -> impl Iterator<Item = Process> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok().map(Process))
}

/// The living children of a process, and theirs, and so on.
pub fn children_of(process: Process) -> Vec<Process> {
    let all: Vec<Process> = processes().filter(|process| is_alive(*process)).collect();
    let mut found = vec![process];
    let mut next = 0;
    while next < found.len() {
        let parent = found[next].0;
        found.extend(
            all.iter().filter(|process| process.stat().is_some_and(|(_, own)| own == parent)),
        );
        next += 1;
    }
    found.remove(0);
    found
}

/// Whether any user can read a secret of ours, which is 64 digits, in what started this process.
pub fn shows_a_secret(process: Process) -> bool {
    let words = std::fs::read(format!("/proc/{}/cmdline", process.0)).unwrap();
    let words = String::from_utf8_lossy(&words);
    let is_secret =
        |word: &str| word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    words.split(|letter: char| !letter.is_ascii_alphanumeric()).any(is_secret)
}

/// Waits until none of these is alive.
pub async fn wait_until_gone(processes: &[Process]) {
    super::eventually(&format!("{processes:?} are gone"), async || {
        processes.iter().all(|process| !is_alive(*process)).then_some(())
    })
    .await;
}

/// The process at the other end of a socket.
pub fn peer_of(socket: &Path) -> Option<Process> {
    let stream = std::os::unix::net::UnixStream::connect(socket).ok()?;
    let credentials = rustix::net::sockopt::socket_peercred(&stream).ok()?;
    Some(Process(credentials.pid.as_raw_nonzero().get()))
}

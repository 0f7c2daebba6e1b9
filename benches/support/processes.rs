//! The processes of a session and the memory that each has, as Linux tells it.

use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};

/// Memory of a process, in KiB.
#[derive(Debug, Clone, Copy, Default)]
pub struct Memory {
    /// What is in memory, pages that it shares with others included.
    pub resident: u64,
    /// The same, each shared page divided by those who share it.
    pub proportional: u64,
    /// What nobody else has.
    pub private: u64,
}

pub fn memory(pid: i32) -> Memory {
    let text = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup"));
    let text = text.expect("a living process");
    let field = |name: &str| kib(&text, name).expect("a field of smaps_rollup");
    Memory {
        resident: field("Rss:"),
        proportional: field("Pss:"),
        private: field("Private_Clean:") + field("Private_Dirty:"),
    }
}

/// The most that was ever in memory, in KiB.
pub fn peak(pid: i32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("a living process");
    kib(&text, "VmHWM:").expect("a field of status")
}

fn kib(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// Every process with its parent.
pub fn parents() -> Vec<(i32, i32)> {
    let folder = std::fs::read_dir("/proc").expect("the process table");
    let row = |entry: std::fs::DirEntry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        // The name in parentheses may itself hold spaces and parentheses.
        let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
        Some((pid, parent))
    };
    folder.flatten().filter_map(row).collect()
}

/// The one child of a process.
pub fn child_of(parent: i32, parents: &[(i32, i32)]) -> i32 {
    let children: Vec<i32> =
        parents.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| *pid).collect();
    assert_eq!(children.len(), 1, "children of {parent}: {children:?}");
    children[0]
}

/// The process at the other end of a socket.
pub fn peer_of(socket: &Path) -> Option<i32> {
    let stream = std::os::unix::net::UnixStream::connect(socket).ok()?;
    let credentials = rustix::net::sockopt::socket_peercred(&stream).ok()?;
    Some(credentials.pid.as_raw_nonzero().get())
}

pub fn send(pid: i32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = kill_process(pid, signal);
    }
}

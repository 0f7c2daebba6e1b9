//! What operating systems do differently, in one place: parent death, orphans, the process table,
//! delayed acknowledgements. Linux is served fully; elsewhere the process group is the best we have.

use std::io;
use std::os::fd::AsFd;

use rustix::process::{Pid, Signal};

/// Orphans among our descendants become our children, so that none escapes.
pub fn adopt_orphans() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    Ok(())
}

/// The name in process lists; a process started as /proc/self/exe is called "exe".
pub fn name_process() {
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::set_name(c"debug-relay");
}

/// The calling process is killed when the thread that started it ends.
pub fn die_with_parent() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    Ok(())
}

/// The calling process, and whatever it starts, may each have so much address space.
pub fn limit_memory(bytes: u64) -> io::Result<()> {
    let limit = rustix::process::Rlimit { current: Some(bytes), maximum: Some(bytes) };
    rustix::process::setrlimit(rustix::process::Resource::As, limit)?;
    Ok(())
}

/// The calling process begins a session of its own on the terminal that is its standard input.
pub fn take_terminal() -> io::Result<()> {
    rustix::process::setsid()?;
    rustix::process::ioctl_tiocsctty(rustix::stdio::stdin())?;
    Ok(())
}

/// Acknowledge at once what is read next. debugpy writes header and body apart with Nagle's
/// algorithm on, so a delayed acknowledgement costs some 40 ms a message. Linux forgets this
/// setting, hence once a read.
pub fn acknowledge_at_once(socket: impl AsFd) {
    #[cfg(target_os = "linux")]
    let _ = rustix::net::sockopt::set_tcp_quickack(socket, true);
    #[cfg(not(target_os = "linux"))]
    let _ = socket;
}

/// Whether a process has ended; its last threads may still hold its sockets for a moment.
pub fn has_ended(pid: Pid) -> bool {
    match process_row(pid.as_raw_nonzero().get()) {
        Some(process) => !process.is_alive,
        None => cfg!(target_os = "linux"),
    }
}

/// Returns when a process has ended, also one that is no child of ours.
pub async fn wait_for_process(pid: Pid) {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{PidfdFlags, pidfd_open};
        match pidfd_open(pid, PidfdFlags::NONBLOCK) {
            Err(rustix::io::Errno::SRCH) => return,
            // SAFETY: the descriptor is owned by the value, which is neither replaced nor closed
            // meanwhile.
            Ok(pidfd) => match unsafe { tokio::io::unix::AsyncFd::register(pidfd) } {
                Ok(pidfd) if pidfd.readable().await.is_ok() => return,
                Ok(_) | Err(_) => {}
            },
            Err(_) => {}
        }
        // Out of descriptors, perhaps: that says nothing of the process.
        while !has_ended(pid) {
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        }
    }
    #[cfg(not(target_os = "linux"))]
    while rustix::process::test_kill_process(pid).is_ok() {
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
}

/// Whether a thread of a process is in a `read` of its standard input. False where the system does
/// not tell.
pub fn reads_input(pid: u32) -> bool {
    // The number of the system call, then its first argument.
    let read = if cfg!(target_arch = "x86_64") { "0 0x0 " } else { "63 0x0 " };
    let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return false };
    let calls =
        threads.flatten().map(|thread| std::fs::read_to_string(thread.path().join("syscall")));
    calls.flatten().any(|call| call.starts_with(read))
}

/// Bytes that wait in a pipe.
pub fn bytes_waiting(pipe: impl AsFd) -> usize {
    rustix::io::ioctl_fionread(pipe).unwrap_or(0).try_into().unwrap_or(usize::MAX)
}

/// Gives a pipe more room, and tells how much it has then. None for what is no pipe, where the system
/// has no such call, and when this user's pipes have all that they may.
pub fn grow_pipe(pipe: impl AsFd, size: usize) -> Option<usize> {
    #[cfg(target_os = "linux")]
    return rustix::pipe::fcntl_setpipe_size(pipe, size).ok();
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (pipe, size);
        None
    }
}

/// Every living process whose parents lead to `ancestor`. The way may lead over a zombie: a process
/// whose first thread has ended is one while its other threads still hold its children.
pub fn descendants_of(ancestor: Pid) -> Vec<Pid> {
    let found = rows_below(ancestor).into_iter().filter(|process| process.is_alive);
    found.filter_map(|process| Pid::from_raw(process.pid)).collect()
}

/// The words by which a process was started, parted by NUL. Empty where the system does not tell.
pub fn command_line(pid: Pid) -> String {
    let words = std::fs::read(format!("/proc/{}/cmdline", pid.as_raw_nonzero()));
    String::from_utf8_lossy(&words.unwrap_or_default()).into_owned()
}

pub fn parent_of(pid: Pid) -> Option<Pid> {
    Pid::from_raw(process_row(pid.as_raw_nonzero().get())?.parent)
}

/// Whether a process below this one is neither a host nor a guard.
pub fn has_programs() -> bool {
    let below = rows_below(rustix::process::getpid());
    below.iter().any(|process| process.is_alive && !process.is_ours)
}

fn rows_below(ancestor: Pid) -> Vec<ProcessRow> {
    take_below(&mut process_table(), vec![ancestor.as_raw_nonzero().get()])
}

/// Takes all processes out of a table whose parents lead to one of these.
fn take_below(table: &mut Vec<ProcessRow>, mut parents: Vec<i32>) -> Vec<ProcessRow> {
    let mut found = Vec::new();
    while let Some(parent) = parents.pop() {
        let children = table.extract_if(.., |process| process.parent == parent);
        let children: Vec<_> = children.collect();
        parents.extend(children.iter().map(|process| process.pid));
        found.extend(children);
    }
    found
}

/// What processes take.
#[derive(Debug, Default)]
pub struct Usage {
    pub own_bytes: u64,
    /// Of hosts and guards.
    pub host_bytes: u64,
    pub program_bytes: u64,
    pub program_processes: u64,
}

/// What this process, these hosts and everything below them take, by one look at all processes.
pub fn usage_of(hosts: &[Pid]) -> Usage {
    let mut table = process_table();
    let bytes = |process: &ProcessRow| process.resident_pages * rustix::param::page_size() as u64;
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let own = table.iter().find(|process| process.pid == own);
    let mut usage = Usage { own_bytes: own.map_or(0, bytes), ..Usage::default() };
    let hosts: Vec<i32> = hosts.iter().map(|pid| pid.as_raw_nonzero().get()).collect();
    let mut found: Vec<_> = table.extract_if(.., |process| hosts.contains(&process.pid)).collect();
    found.extend(take_below(&mut table, hosts));
    for process in &found {
        match process.is_ours {
            true => usage.host_bytes += bytes(process),
            false => {
                usage.program_bytes += bytes(process);
                usage.program_processes += u64::from(process.is_alive);
            }
        }
    }
    usage
}

/// Kills all descendants of this process, whatever session or group they moved to, and returns
/// when none is left. New ones that they start meanwhile are found in the next round.
pub fn kill_descendants() {
    // Some processes sit in uninterruptible waits of the kernel for a while; they cannot run on.
    const ROUNDS: u32 = 2_000;
    for _ in 0..ROUNDS {
        let left = descendants_of(rustix::process::getpid());
        if left.is_empty() {
            return;
        }
        for pid in left {
            let _ = rustix::process::kill_process(pid, Signal::KILL);
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

struct ProcessRow {
    pid: i32,
    parent: i32,
    /// It is no zombie.
    is_alive: bool,
    /// It is a host or a guard of ours.
    is_ours: bool,
    resident_pages: u64,
}

#[cfg(target_os = "linux")]
fn process_table() -> Vec<ProcessRow> {
    let Ok(folder) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = folder.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(process_row).collect()
}

#[cfg(target_os = "linux")]
fn process_row(pid: i32) -> Option<ProcessRow> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may itself hold spaces and parentheses.
    let (name, after_name) = stat.rsplit_once(')')?;
    let is_ours = name.ends_with("(debug-relay");
    let mut after_name = after_name.split_whitespace();
    let is_alive = after_name.next()? != "Z";
    let parent = after_name.next()?.parse().ok()?;
    let resident_pages = after_name.nth(19)?.parse().ok()?;
    Some(ProcessRow { pid, parent, is_alive, is_ours, resident_pages })
}

#[cfg(not(target_os = "linux"))]
fn process_table() -> Vec<ProcessRow> {
    Vec::new()
}

#[cfg(not(target_os = "linux"))]
fn process_row(_: i32) -> Option<ProcessRow> {
    None
}

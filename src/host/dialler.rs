//! Which process is at the other end of a loopback connection, as the kernel tells: nobody can
//! pretend to be another user, or a child of a program.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::process::Pid;
use tokio::net::TcpStream;

use super::os;

/// So often it is looked for a connection.
const LOOKS: usize = 3;

/// How often it is looked whether somebody still comes.
const PAUSE: Duration = Duration::from_millis(20);

/// The processes that have proved themselves: what they start needs no secret, and gets none.
#[derive(Clone, Default)]
pub struct Family(Arc<Mutex<Known>>);

#[derive(Clone, Default)]
struct Known {
    proved: BTreeSet<i64>,
    /// The ports that they are told to dial.
    ports: BTreeSet<u16>,
}

/// What the kernel says of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialler {
    pub uid: u32,
    inode: u64,
}

impl Family {
    /// Takes in a process that says that it is this one, if the connection is really its own.
    pub fn add(&self, pid: i64, dialler: Option<Dialler>) {
        let process = i32::try_from(pid).ok().and_then(Pid::from_raw);
        let is_its = |dialler: Dialler| process.is_some_and(|pid| holds(pid, dialler.inode));
        if !dialler.is_some_and(is_its) {
            return;
        }
        self.known().proved.insert(pid);
    }

    /// They are told to dial this port.
    pub fn listens(&self, port: u16) {
        self.known().ports.insert(port);
    }

    /// Returns when no process is on its way to us any more. One that finds nobody dies, and a program
    /// that was left is to go on as if we had never been there.
    pub async fn nobody_comes(&self) {
        loop {
            let known = self.known().clone();
            let looked = tokio::task::spawn_blocking(move || known.awaits_somebody()).await;
            if !looked.unwrap_or(false) {
                return;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether one that has proved itself, or a process below it, has dialled.
    pub async fn has_dialled(&self, stream: &TcpStream) -> bool {
        match of(stream).await {
            Some(dialler) => self.has(dialler).await,
            None => false,
        }
    }

    /// Whether a process below us, or below one that has proved itself, holds this connection.
    pub async fn has(&self, dialler: Dialler) -> bool {
        let proved = self.known().pids();
        let looked = tokio::task::spawn_blocking(move || {
            let heads = proved.iter().copied().chain([rustix::process::getpid()]);
            // One that has become another program is still itself.
            let mut family = heads.flat_map(os::descendants_of).chain(proved.iter().copied());
            family.any(|pid| holds(pid, dialler.inode))
        });
        looked.await.unwrap_or(false)
    }
}

impl Known {
    fn pids(&self) -> Vec<Pid> {
        let pids = self.proved.iter().filter_map(|pid| Pid::from_raw(i32::try_from(*pid).ok()?));
        pids.collect()
    }

    /// Whether a process below one of them was started to dial us, and has not done so yet.
    fn awaits_somebody(&self) -> bool {
        let living = self.pids().into_iter().filter(|pid| !os::has_ended(*pid));
        let mut below = living.flat_map(os::descendants_of);
        below.any(|pid| {
            let number = i64::from(pid.as_raw_nonzero().get());
            let words = os::command_line(pid);
            // A fork has the words of its parent, and dials at once or never.
            let is_fork = || os::parent_of(pid).is_some_and(|it| os::command_line(it) == words);
            !self.proved.contains(&number) && self.dials_us(&words) && !is_fork()
        })
    }

    /// pydevd is told the port as `--port N` or `port=N`.
    fn dials_us(&self, words: &str) -> bool {
        let mut numbers = words.split(|letter: char| !letter.is_ascii_digit());
        words.contains("pydevd")
            && numbers.any(|number| number.parse().is_ok_and(|port| self.ports.contains(&port)))
    }
}

/// Whether anything of a program is left below us.
pub async fn has_programs() -> bool {
    tokio::task::spawn_blocking(os::has_programs).await.unwrap_or(true)
}

/// Who dialled. None where the system does not tell.
pub async fn of(stream: &TcpStream) -> Option<Dialler> {
    let (theirs, ours) = (stream.peer_addr().ok()?, stream.local_addr().ok()?);
    let looked = tokio::task::spawn_blocking(move || find(theirs, ours)).await;
    looked.ok().flatten()
}

fn find(theirs: SocketAddr, ours: SocketAddr) -> Option<Dialler> {
    // The table changes while it is read, and a row may be passed over.
    (0..LOOKS).find_map(|_| {
        let look = |table: &str, theirs: SocketAddr, ours: SocketAddr| {
            row(&std::fs::read_to_string(table).ok()?, &hex(theirs), &hex(ours))
        };
        let plain = || look("/proc/net/tcp", theirs, ours);
        // Also who dials an old address with a socket of the new kind stands there.
        let mapped = || look("/proc/net/tcp6", mapped(theirs), mapped(ours));
        if theirs.is_ipv4() { plain().or_else(mapped) } else { mapped() }
    })
}

/// An address as sockets of IPv6 have it.
fn mapped(address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) => SocketAddr::new(ip.to_ipv6_mapped().into(), address.port()),
        IpAddr::V6(_) => address,
    }
}

/// The row of a connection, seen from the other end.
fn row(table: &str, local: &str, remote: &str) -> Option<Dialler> {
    table.lines().skip(1).find_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        if words.next()? != local || words.next()? != remote {
            return None;
        }
        // After state, queues, timers and retransmits.
        let mut words = words.skip(4);
        let uid = words.next()?.parse().ok()?;
        let inode = words.nth(1)?.parse().ok()?;
        Some(Dialler { uid, inode })
    })
}

/// As the kernel writes addresses: words of four bytes in the machine's order, and the port.
fn hex(address: SocketAddr) -> String {
    let bytes = match address.ip() {
        std::net::IpAddr::V4(ip) => ip.octets().to_vec(),
        std::net::IpAddr::V6(ip) => ip.octets().to_vec(),
    };
    let words = bytes.chunks_exact(4).map(|word| {
        let word = u32::from_ne_bytes([word[0], word[1], word[2], word[3]]);
        format!("{word:08X}")
    });
    format!("{}:{:04X}", words.collect::<String>(), address.port())
}

fn holds(pid: Pid, inode: u64) -> bool {
    let wanted = format!("socket:[{inode}]");
    let files = std::fs::read_dir(format!("/proc/{}/fd", pid.as_raw_nonzero()));
    let mut links = files.into_iter().flatten().flatten();
    links.any(|file| {
        std::fs::read_link(file.path()).is_ok_and(|link| link.as_os_str() == wanted.as_str())
    })
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    #[cfg(target_os = "linux")]
    async fn the_kernel_tells_who_dialled() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(listener) = TcpListener::bind(address).await else { continue };
            let dialled = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
            let (accepted, _) = listener.accept().await.unwrap();

            let dialler = of(&accepted).await.unwrap();

            assert_eq!(dialler.uid, rustix::process::geteuid().as_raw());
            assert!(holds(rustix::process::getpid(), dialler.inode));
            // We are not below ourselves.
            assert!(!Family::default().has(dialler).await);
            drop(dialled);
        }
    }

    #[tokio::test]
    #[cfg(target_os = "linux")]
    async fn an_old_address_dialled_with_a_new_socket_is_found_as_well() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let Ok(socket) = tokio::net::TcpSocket::new_v6() else { return };
        let address = format!("[::ffff:127.0.0.1]:{port}").parse().unwrap();

        let dialled = socket.connect(address).await.unwrap();
        let (accepted, _) = listener.accept().await.unwrap();

        let dialler = of(&accepted).await.expect("it is in the other table");
        assert_eq!(dialler.uid, rustix::process::geteuid().as_raw());
        drop(dialled);
    }

    #[test]
    fn who_was_started_to_dial_is_known_by_the_port() {
        let family = Family::default();
        family.listens(4711);
        let known = family.known().clone();

        assert!(known.dials_us("python\0/d/pydevd.py\0--port\x004711\0--file\0a.py"));
        assert!(known.dials_us("python\0-c\0import pydevd; settrace(port=4711, suspend=False)"));
        assert!(!known.dials_us("python\0/d/pydevd.py\0--port\x0047110"));
        assert!(!known.dials_us("python\0serve.py\x004711"));
    }

    #[test]
    fn a_row_is_read_as_the_kernel_writes_it() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n   \
                     0: 0100007F:9C40 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0000\n";

        let found = row(table, "0100007F:9C40", "0100007F:1F90");

        assert_eq!(found, Some(Dialler { uid: 1000, inode: 4711 }));
        assert_eq!(row(table, "0100007F:1F90", "0100007F:9C40"), None);
    }
}

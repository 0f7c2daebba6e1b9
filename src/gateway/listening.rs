//! The sockets that a server listens on: its own, or those that a service manager has opened for it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use listenfd::ListenFd;
use rustix::io::FdFlags;
use tokio::net::{TcpListener, UnixListener};

use super::incoming::Socket;
use super::serve::ServeError;
use crate::config::{self, Config, Listen};

/// Sockets that listen, and where.
pub struct Listening {
    /// Of the first, as callers write it.
    pub address: String,
    /// The same for who is on this machine.
    pub dial: String,
    pub sockets: Vec<Socket>,
    /// Removed at the end.
    pub path: Option<PathBuf>,
}

/// Listens where the settings say, unless a service manager has done so already.
pub async fn listen(config: &Config) -> Result<Listening, ServeError> {
    if let Some(given) = given(config)? {
        return Ok(given);
    }
    let listen = &config.listen;
    let failed = |error: std::io::Error| {
        let hint = match error.kind() {
            std::io::ErrorKind::AddrInUse => {
                "; something else listens there, choose another --listen"
            }
            _ => "",
        };
        ServeError::Listen { address: listen.to_string(), problem: format!("{error}{hint}") }
    };
    match listen {
        Listen::Tcp(address) => {
            let listener = TcpListener::bind(address).await.map_err(failed)?;
            let address = listener.local_addr().map_err(failed)?;
            Ok(Listening {
                address: address.to_string(),
                dial: dialled(address),
                sockets: vec![Socket::Tcp(listener)],
                path: None,
            })
        }
        Listen::Unix(path) => {
            config::remove_stale_socket(path).map_err(failed)?;
            let listener = private_socket(path, config.socket_mode).map_err(failed)?;
            let address = format!("unix:{}", path.display());
            Ok(Listening {
                dial: address.clone(),
                address,
                sockets: vec![Socket::Unix(listener)],
                path: Some(path.clone()),
            })
        }
    }
}

/// A socket that nobody can connect to before its permissions are set.
fn private_socket(path: &Path, mode: u32) -> std::io::Result<UnixListener> {
    let before = rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o177));
    let bound = UnixListener::bind(path);
    rustix::process::umask(before);
    config::set_mode(path, mode)?;
    bound
}

/// The sockets of systemd's socket activation (LISTEN_FDS), if there are any.
fn given(config: &Config) -> Result<Option<Listening>, ServeError> {
    let failed = |problem: String| ServeError::Listen {
        address: "the sockets of the service manager".into(),
        problem,
    };
    let io = |error: std::io::Error| failed(error.to_string());
    let mut handed = ListenFd::from_env();
    let mut listening =
        Listening { address: String::new(), dial: String::new(), sockets: Vec::new(), path: None };
    for index in 0..handed.len() {
        let (address, dial) = match handed.take_tcp_listener(index) {
            Ok(Some(listener)) => {
                let address = listener.local_addr().map_err(io)?;
                check_safety(config, address).map_err(failed)?;
                keep_to_ourselves(&listener).map_err(io)?;
                listener.set_nonblocking(true).map_err(io)?;
                let listener = TcpListener::from_std(listener).map_err(io)?;
                listening.sockets.push(Socket::Tcp(listener));
                (address.to_string(), dialled(address))
            }
            _ => {
                let listener = handed.take_unix_listener(index).map_err(io)?;
                let Some(listener) = listener else { continue };
                let address = listener.local_addr().map_err(io)?;
                keep_to_ourselves(&listener).map_err(io)?;
                listener.set_nonblocking(true).map_err(io)?;
                let listener = UnixListener::from_std(listener).map_err(io)?;
                listening.sockets.push(Socket::Unix(listener));
                let path = address.as_pathname().unwrap_or(Path::new("?")).display();
                (format!("unix:{path}"), format!("unix:{path}"))
            }
        };
        if listening.address.is_empty() {
            (listening.address, listening.dial) = (address, dial);
        }
    }
    Ok((!listening.sockets.is_empty()).then_some(listening))
}

/// Where to find a server that listens everywhere.
fn dialled(address: SocketAddr) -> String {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port()).to_string()
}

/// What holds for an address of the settings holds for one that is handed to us.
fn check_safety(config: &Config, address: SocketAddr) -> Result<(), String> {
    let as_set = Config { listen: Listen::Tcp(address), ..config.clone() };
    let problems = config::safety_problems(&as_set);
    match problems.into_iter().find(|(key, _)| ["listen", "auth"].contains(key)) {
        Some((_, problem)) => Err(problem),
        None => Ok(()),
    }
}

/// Hosts and programs must not inherit it.
fn keep_to_ourselves(socket: impl AsFd) -> std::io::Result<()> {
    Ok(rustix::io::fcntl_setfd(socket, FdFlags::CLOEXEC)?)
}

//! The address: free, ours already, or somebody else's. And how many connections there can be.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;

use rustix::process::{Pid, Resource};

use super::report::Finding;
use crate::config::{self, Config, Listen, MAX_SOCKET_PATH};
use crate::host;
use crate::store::ServerFile;

const SUBJECT: &str = "listen";
/// A session takes some ten files of the server's.
const FEW_FILES: u64 = 1024;
const MANY: u64 = 4096;

pub fn address(config: &Config) -> Finding {
    let listen = &config.listen;
    let unsafe_listen =
        config::safety_problems(config).into_iter().find(|(key, _)| *key == SUBJECT);
    if let Some((_, problem)) = unsafe_listen {
        return Finding::fail(SUBJECT, problem)
            .remedy("set listen (--listen) to 127.0.0.1:PORT or unix:PATH");
    }
    let free = match listen {
        Listen::Tcp(address) => TcpListener::bind(address).map(drop),
        Listen::Unix(path) => socket(path),
    };
    let running = running(&config.run_dir);
    let is_same = |server: &ServerFile| server.address == listen.to_string();
    match (free, running) {
        (Err(error), Some(server)) if error.kind() == ErrorKind::AddrInUse && is_same(&server) => {
            Finding::ok(SUBJECT, told(&server))
        }
        (Err(error), _) => not_free(listen, &error),
        // The lock of the run folder would refuse a second one. A word that nobody stands behind
        // was left by a server whose number another process has now.
        (Ok(()), Some(server)) if !is_same(&server) => {
            Finding::warn(SUBJECT, format!("{listen} is free; {}", told(&server)))
                .remedy("stop that server, or choose another --run-dir for a second one")
        }
        (Ok(()), _) if matches!(listen, Listen::Tcp(address) if address.port() == 0) => {
            Finding::ok(SUBJECT, format!("{listen}, which takes any free port"))
        }
        (Ok(()), _) => Finding::ok(SUBJECT, format!("{listen} is free")),
    }
}

fn told(server: &ServerFile) -> String {
    let ServerFile { address, pid, version, .. } = server;
    format!("a server of this run folder listens on {address} (process {pid}, version {version})")
}

/// The server of this run folder, if it is alive.
fn running(run_dir: &Path) -> Option<ServerFile> {
    let server = ServerFile::read(run_dir).ok()?;
    let pid = Pid::from_raw(server.pid.cast_signed())?;
    (!host::has_ended(pid)).then_some(server)
}

fn socket(path: &Path) -> std::io::Result<()> {
    if MAX_SOCKET_PATH < path.as_os_str().len() {
        return Err(std::io::Error::other("the path is too long for a socket"));
    }
    match path.parent() {
        Some(folder) if !folder.is_dir() => {
            Err(std::io::Error::other(format!("there is no folder {}", folder.display())))
        }
        _ => config::check_socket(path),
    }
}

fn not_free(listen: &Listen, error: &std::io::Error) -> Finding {
    let (found, remedy) = match (error.kind(), listen) {
        (ErrorKind::AddrInUse, Listen::Tcp(_)) => {
            (format!("{listen} is in use by something else"), another_port())
        }
        (ErrorKind::AddrInUse, Listen::Unix(_)) => (
            format!("{listen} is in use by something else"),
            "choose another --listen, such as unix:PATH".into(),
        ),
        (ErrorKind::PermissionDenied, Listen::Tcp(_)) => {
            (format!("{listen} is not for this user"), another_port())
        }
        _ => (format!("{listen} cannot be used: {error}"), "choose another --listen".into()),
    };
    Finding::fail(SUBJECT, found).remedy(remedy)
}

/// A port that is free at this moment, to name one that works.
fn another_port() -> String {
    let free = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0)));
    match free.and_then(|listener| listener.local_addr()) {
        Ok(address) => format!("choose another --listen, such as {address}"),
        Err(_) => "choose another --listen".into(),
    }
}

pub fn open_files() -> Finding {
    let limit = rustix::process::getrlimit(Resource::Nofile);
    judge_files(limit.current, limit.maximum)
}

fn judge_files(current: Option<u64>, most: Option<u64>) -> Finding {
    const SUBJECT: &str = "open files";
    match current {
        Some(files) if files < FEW_FILES => {
            let finding = Finding::warn(SUBJECT, format!("{files} are few for many sessions"));
            match most {
                Some(most) if most < FEW_FILES => {
                    finding.remedy("have the hard limit of open files raised, to 4096 or more")
                }
                most => {
                    finding.remedy(format!("run: ulimit -n {}", most.unwrap_or(MANY).min(MANY)))
                }
            }
        }
        Some(files) => Finding::ok(SUBJECT, files.to_string()),
        None => Finding::ok(SUBJECT, "unlimited"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::Mark;
    use super::*;

    fn at(listen: &str, run_dir: &Path) -> Finding {
        let listen = listen.parse().unwrap();
        address(&Config { listen, run_dir: run_dir.into(), ..Config::default() })
    }

    #[test]
    fn sockets_that_are_used_misplaced_or_too_long_fail() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| format!("unix:{}", folder.path().join(name).display());
        let _listener = std::os::unix::net::UnixListener::bind(folder.path().join("used")).unwrap();

        assert_eq!(at(&path("free"), folder.path()).mark, Mark::Ok);
        assert!(at(&path("used"), folder.path()).found.contains("in use"));
        assert!(at(&path("none/a"), folder.path()).found.contains("no folder"));
        assert!(at(&path(&"x".repeat(100)), folder.path()).found.contains("too long"));
        assert_eq!(at("0.0.0.0:0", folder.path()).mark, Mark::Fail);
    }

    #[test]
    fn the_word_of_a_dead_server_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let word = r#"{"address": "127.0.0.1:1", "pid": 2147483647, "version": "0"}"#;
        std::fs::write(folder.path().join("server.json"), word).unwrap();

        assert!(running(folder.path()).is_none());
    }

    #[test]
    fn the_word_of_a_server_whose_number_another_process_has_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let socket = format!("unix:{}", folder.path().join("socket").display());
        let server =
            ServerFile { address: socket.clone(), pid: std::process::id(), ..Default::default() };
        let word = serde_json::to_vec(&server).unwrap();
        std::fs::write(folder.path().join("server.json"), word).unwrap();

        let finding = at(&socket, folder.path());

        assert!(finding.mark == Mark::Ok && finding.found.ends_with("is free"), "{finding:?}");
    }

    #[test]
    fn few_open_files_are_raised_as_far_as_they_can_be() {
        assert_eq!(judge_files(Some(1024), None).mark, Mark::Ok);
        assert_eq!(judge_files(Some(256), Some(2000)).remedies, ["run: ulimit -n 2000"]);
        assert_eq!(judge_files(Some(256), None).remedies, ["run: ulimit -n 4096"]);
        assert!(judge_files(Some(256), Some(256)).remedies[0].contains("hard limit"));
    }
}

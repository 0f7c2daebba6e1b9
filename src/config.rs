//! Where things are: addresses and folders, from flags, environment and the system's customs.

use std::fmt;
use std::net::SocketAddr;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use etcetera::BaseStrategy;

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listen {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

impl FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("unix:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            return if path.is_empty() {
                Err("unix: needs a path".into())
            } else {
                Ok(Self::Unix(path.into()))
            };
        }
        let text = text.replace("localhost:", "127.0.0.1:");
        text.parse()
            .map(Self::Tcp)
            .map_err(|_| "it must be ADDRESS:PORT, such as 127.0.0.1:50051, or unix:PATH".into())
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(out),
            Self::Unix(path) => write!(out, "unix:{}", path.display()),
        }
    }
}

/// The server's folders.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Folders {
    /// Sockets, token and lock. Default: $XDG_RUNTIME_DIR/debug-relay, or /tmp/debug-relay-UID.
    #[arg(long, env = "DEBUG_RELAY_RUN_DIR")]
    run_dir: Option<PathBuf>,
    /// What is kept across restarts of the machine. Default: $XDG_STATE_HOME/debug-relay.
    #[arg(long, env = "DEBUG_RELAY_STATE_DIR")]
    state_dir: Option<PathBuf>,
}

impl Folders {
    pub fn run_dir(&self) -> PathBuf {
        let custom = || {
            let base =
                std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|base| base.is_dir());
            base.map_or_else(
                || {
                    PathBuf::from(format!(
                        "/tmp/debug-relay-{}",
                        rustix::process::getuid().as_raw()
                    ))
                },
                |base| base.join("debug-relay"),
            )
        };
        absolute(self.run_dir.clone().unwrap_or_else(custom))
    }

    pub fn state_dir(&self) -> PathBuf {
        let custom = || {
            let base = etcetera::choose_base_strategy().ok().and_then(|base| base.state_dir());
            base.map_or_else(|| self.run_dir(), |base| base.join("debug-relay"))
        };
        absolute(self.state_dir.clone().unwrap_or_else(custom))
    }
}

/// Hosts are given paths, and may have another working directory.
pub fn absolute(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}

/// Makes a folder that only this user may enter, or checks that it is one.
pub fn make_private(path: &Path) -> Result<(), String> {
    match std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path) {
        Ok(()) => {}
        Err(error) => return Err(error.to_string()),
    }
    let facts = std::fs::symlink_metadata(path).map_err(|error| error.to_string())?;
    if !facts.is_dir() {
        return Err("it is no folder".into());
    }
    if facts.uid() != rustix::process::getuid().as_raw() {
        return Err("it belongs to another user; choose another --run-dir".into());
    }
    if facts.permissions().mode() & 0o077 != 0 {
        return Err(format!("other users may enter it; run: chmod 700 {}", path.display()));
    }
    Ok(())
}

/// Only this user may connect.
pub fn restrict(socket: &Path) -> std::io::Result<()> {
    std::fs::set_permissions(socket, std::fs::Permissions::from_mode(0o600))
}

/// Removes a socket that nobody answers any more. One that is in use, and any other file, stays.
pub fn remove_stale_socket(path: &Path) -> std::io::Result<()> {
    match std::fs::symlink_metadata(path) {
        Err(_) => Ok(()),
        Ok(facts) if !facts.file_type().is_socket() => Err(std::io::Error::new(
            std::io::ErrorKind::AlreadyExists,
            "there is a file that is no socket",
        )),
        Ok(_) if std::os::unix::net::UnixStream::connect(path).is_ok() => {
            Err(std::io::ErrorKind::AddrInUse.into())
        }
        Ok(_) => std::fs::remove_file(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_nonsense_is_refused() {
        assert_eq!("localhost:0".parse(), Ok(Listen::Tcp("127.0.0.1:0".parse().unwrap())));
        assert_eq!("unix:///a/b".parse(), Ok(Listen::Unix("/a/b".into())));
        assert_eq!("unix:/a/b".parse::<Listen>().unwrap().to_string(), "unix:/a/b");
        for nonsense in ["", "unix:", "50051", "example.com:1", "127.0.0.1"] {
            assert!(nonsense.parse::<Listen>().is_err(), "{nonsense}");
        }
    }

    #[test]
    fn a_folder_that_others_may_enter_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let open = folder.path().join("open");
        std::fs::create_dir(&open).unwrap();
        std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o755)).unwrap();

        assert!(make_private(&open).unwrap_err().contains("chmod 700"));
        assert!(make_private(&folder.path().join("fresh/deep")).is_ok());
    }

    #[test]
    fn only_a_dead_socket_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let (file, socket) = (folder.path().join("file"), folder.path().join("socket"));
        std::fs::write(&file, "").unwrap();
        let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();

        assert!(remove_stale_socket(&file).is_err());
        assert!(remove_stale_socket(&socket).is_err());
        drop(listener);
        assert!(remove_stale_socket(&socket).is_ok());
        assert!(!socket.exists());
    }
}

//! The folders and sockets of a server: where they are by the system's customs, and who may enter.

use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

/// What a socket's path may be long, on any system.
pub const MAX_SOCKET_PATH: usize = 103;

/// `$XDG_CONFIG_HOME/debug-relay/config.toml`.
pub fn default_file() -> Option<PathBuf> {
    let base = etcetera::choose_base_strategy().ok()?;
    Some(base.config_dir().join("debug-relay/config.toml"))
}

/// `$XDG_RUNTIME_DIR/debug-relay`, or a folder of this user in /tmp.
pub fn default_run_dir() -> PathBuf {
    let base = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    match base.filter(|base| base.is_dir()) {
        Some(base) => absolute(base.join("debug-relay")),
        None => format!("/tmp/debug-relay-{}", rustix::process::getuid().as_raw()).into(),
    }
}

/// `$XDG_STATE_HOME/debug-relay`; None for a user without a home.
pub fn default_state_dir() -> Option<PathBuf> {
    let base = etcetera::choose_base_strategy().ok()?.state_dir()?;
    Some(absolute(base.join("debug-relay")))
}

/// Hosts are given paths, and may have another working directory.
pub fn absolute(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}

/// Why a folder is not this user's alone.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum NotPrivate {
    #[error("{0}")]
    Unreadable(String),
    #[error("it is no folder")]
    NoFolder,
    #[error("it belongs to another user")]
    Foreign,
    #[error("other users may enter it")]
    Open,
}

impl NotPrivate {
    /// What to do about it.
    pub fn remedy(&self, path: &Path) -> String {
        match self {
            Self::Open => format!("run: chmod 700 {}", path.display()),
            Self::Unreadable(_) | Self::NoFolder | Self::Foreign => {
                "choose another --run-dir".into()
            }
        }
    }
}

/// Checks that a folder is this user's alone.
pub fn check_private(path: &Path) -> Result<(), NotPrivate> {
    let facts = std::fs::symlink_metadata(path)
        .map_err(|error| NotPrivate::Unreadable(error.to_string()))?;
    if !facts.is_dir() {
        return Err(NotPrivate::NoFolder);
    }
    if facts.uid() != rustix::process::getuid().as_raw() {
        return Err(NotPrivate::Foreign);
    }
    if facts.permissions().mode() & 0o077 != 0 {
        return Err(NotPrivate::Open);
    }
    Ok(())
}

/// Makes a folder that only this user may enter, or checks that it is one.
pub fn make_private(path: &Path) -> Result<(), String> {
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|error| error.to_string())?;
    check_private(path).map_err(|problem| format!("{problem}; {}", problem.remedy(path)))
}

/// Says who may use a file or connect to a socket.
pub fn set_mode(path: &Path, mode: u32) -> std::io::Result<()> {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
}

/// Whether a socket could be made here: nothing is there, or a socket that nobody answers any more.
pub fn check_socket(path: &Path) -> std::io::Result<()> {
    match std::fs::symlink_metadata(path) {
        Err(_) => Ok(()),
        Ok(facts) if !facts.file_type().is_socket() => Err(std::io::Error::new(
            std::io::ErrorKind::AlreadyExists,
            "there is a file that is no socket",
        )),
        Ok(_) if std::os::unix::net::UnixStream::connect(path).is_ok() => {
            Err(std::io::ErrorKind::AddrInUse.into())
        }
        Ok(_) => Ok(()),
    }
}

/// Removes a socket that nobody answers any more. One that is in use, and any other file, stays.
pub fn remove_stale_socket(path: &Path) -> std::io::Result<()> {
    check_socket(path)?;
    match std::fs::remove_file(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(remove_stale_socket(&socket).is_ok());
    }
}

//! The server's own token, made at its first start and kept in a file that only its user reads.

use std::io::Write;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::secret;

/// Where the token of a run folder lies.
pub fn token_path(run_dir: &Path) -> PathBuf {
    run_dir.join("token")
}

/// The token of this run folder; made if there is none.
pub fn load_or_make_token(run_dir: &Path) -> std::io::Result<String> {
    let path = token_path(run_dir);
    let token = secret::make("")?;
    match std::fs::OpenOptions::new().create_new(true).write(true).mode(0o600).open(&path) {
        Ok(mut file) => {
            writeln!(file, "{token}")?;
            Ok(token)
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => read_token(run_dir),
        Err(error) => Err(error),
    }
}

/// The token that a server of this run folder takes. A file that others could have written or can
/// read is refused.
pub fn read_token(run_dir: &Path) -> std::io::Result<String> {
    let path = token_path(run_dir);
    let facts = std::fs::symlink_metadata(&path)?;
    let problem = match facts {
        _ if !facts.is_file() => Some("it is no plain file"),
        _ if facts.uid() != rustix::process::geteuid().as_raw() => {
            Some("it belongs to another user")
        }
        _ if facts.mode() & 0o077 != 0 => Some("other users may read it; run: chmod 600"),
        _ => None,
    };
    if let Some(problem) = problem {
        return Err(std::io::Error::other(format!("{problem} {}", path.display())));
    }
    let token = std::fs::read_to_string(path)?.trim().to_owned();
    match token.is_empty() {
        true => Err(std::io::Error::other("the token file is empty; remove it")),
        false => Ok(token),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_token_is_made_once_and_is_private() {
        let folder = tempfile::tempdir().unwrap();

        let first = load_or_make_token(folder.path()).unwrap();
        let second = load_or_make_token(folder.path()).unwrap();

        assert_eq!(first, second);
        assert_eq!(first.len(), 64);
        let mode = token_path(folder.path()).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_token_that_others_can_read_or_that_is_a_link_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        load_or_make_token(folder.path()).unwrap();
        let path = token_path(folder.path());

        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(read_token(folder.path()).unwrap_err().to_string().contains("chmod 600"));

        let elsewhere = folder.path().join("elsewhere");
        std::fs::rename(&path, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        assert!(read_token(folder.path()).unwrap_err().to_string().contains("no plain file"));
    }
}

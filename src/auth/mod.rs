//! Who may call: the server's token, made at first start and kept in a file that only its owner reads.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use constant_time_eq::constant_time_eq;

use crate::error::Error;
use crate::id;

/// Where the token of a run folder lies.
pub fn token_path(run_dir: &Path) -> PathBuf {
    run_dir.join("token")
}

/// The token of this run folder; made if there is none.
pub fn load_or_make_token(run_dir: &Path) -> std::io::Result<String> {
    let path = token_path(run_dir);
    let token = id::random_secret().map_err(std::io::Error::other)?;
    match std::fs::OpenOptions::new().create_new(true).write(true).mode(0o600).open(&path) {
        Ok(mut file) => {
            writeln!(file, "{token}")?;
            Ok(token)
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => read_token(run_dir),
        Err(error) => Err(error),
    }
}

/// The token that a server of this run folder takes.
pub fn read_token(run_dir: &Path) -> std::io::Result<String> {
    let token = std::fs::read_to_string(token_path(run_dir))?.trim().to_owned();
    if token.is_empty() {
        Err(std::io::Error::other("the token file is empty; remove it"))
    } else {
        Ok(token)
    }
}

/// Whose call it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner(pub &'static str);

/// Whoever has the server's token.
const SERVER: &str = "server";
/// Whoever calls a server that takes calls without a token.
const ANYONE: &str = "anyone";

/// Decides who comes in.
pub enum Gate {
    Open,
    Token(String),
}

impl Gate {
    /// Lets a call in by its `authorization` metadata and tells whose it is, or says what is wrong
    /// with it.
    pub fn admit(&self, authorization: Option<&[u8]>) -> Result<Owner, Error> {
        let Self::Token(token) = self else { return Ok(Owner(ANYONE)) };
        let problem = match authorization {
            None => "the call has no `authorization` metadata",
            Some(value) => match bearer(value) {
                None => "`authorization` is not of the form `Bearer TOKEN`",
                Some(given) if constant_time_eq(given, token.as_bytes()) => {
                    return Ok(Owner(SERVER));
                }
                Some(_) => "the token is not this server's",
            },
        };
        Err(Error::Unauthenticated { problem })
    }
}

fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then(|| token.trim_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_token_comes_in() {
        let gate = Gate::Token("secret".into());

        assert!(gate.admit(Some(b"Bearer secret")).is_ok());
        assert!(gate.admit(Some(b"bearer secret")).is_ok());
        for refused in
            [&b"Bearer secre"[..], b"Bearer secrets", b"Bearer ", b"Basic secret", b"secret", b""]
        {
            assert!(gate.admit(Some(refused)).is_err(), "{refused:?}");
        }
        assert!(gate.admit(None).is_err());
    }

    #[test]
    fn the_token_is_made_once_and_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();

        let first = load_or_make_token(folder.path()).unwrap();
        let second = load_or_make_token(folder.path()).unwrap();

        assert_eq!(first, second);
        assert_eq!(first.len(), 64);
        let mode = token_path(folder.path()).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

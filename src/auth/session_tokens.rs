//! Tokens for one session, kept beside its record: they outlive the gateway and end with the session.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::secret::{self, Hash};
use crate::error::{Error, Result};
use crate::id::SessionId;
use crate::store;

/// What every token of a session begins with.
const PREFIX: &str = "drs_";
/// So many can be handed out for one session.
const MAX_TOKENS: usize = 100;
const FILE: &str = "tokens.json";
/// The name of the token that the creator of a session is told, and how many there may be.
const CREATED: &str = "created";
const MAX_CREATED: usize = 10;

/// What is known of a token, the token itself not.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SessionToken {
    pub id: String,
    pub name: String,
    pub read_only: bool,
    pub created_unix_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_unix_ms: Option<u64>,
    #[serde(with = "as_text")]
    hash: Hash,
}

impl SessionToken {
    pub fn expires(&self) -> Option<SystemTime> {
        self.expires_unix_ms.map(store::from_unix_ms)
    }

    pub fn created(&self) -> SystemTime {
        store::from_unix_ms(self.created_unix_ms)
    }

    fn has_expired(&self) -> bool {
        self.expires().is_some_and(|time| time <= SystemTime::now())
    }
}

/// What a token is to be.
#[derive(Debug, Default)]
pub struct NewToken {
    pub name: String,
    pub read_only: bool,
    pub expires: Option<SystemTime>,
    /// It is the one that the answer of CreateSession tells.
    pub is_creators: bool,
}

/// The tokens of one session.
#[derive(Debug)]
pub struct TokenBook {
    folder: PathBuf,
    /// None when the session is forgotten: another may have its name and its folder.
    tokens: Mutex<Option<Vec<SessionToken>>>,
}

impl TokenBook {
    /// Those that were handed out for the session in this folder.
    pub fn open(folder: &Path) -> Self {
        let tokens = match store::read_json(&folder.join(FILE)) {
            Ok(tokens) => tokens,
            Err(error) => {
                if error.kind() != std::io::ErrorKind::NotFound {
                    tracing::warn!(folder = %folder.display(), %error, "tokens of a session are lost");
                }
                Vec::new()
            }
        };
        Self { folder: folder.to_owned(), tokens: Mutex::new(Some(tokens)) }
    }

    /// Makes a token, which is told here and never again.
    pub fn make(&self, session: &SessionId, new: NewToken) -> Result<(String, SessionToken)> {
        let mut book = self.tokens();
        let tokens = book.as_mut().ok_or_else(|| gone(session))?;
        let mut changed: Vec<_> =
            tokens.iter().filter(|token| !token.has_expired()).cloned().collect();
        if new.is_creators {
            // A creation that is repeated again and again keeps its last few.
            let is_creators = |token: &SessionToken| token.name == CREATED;
            let count = changed.iter().filter(|token| is_creators(token)).count();
            let mut surplus = (count + 1).saturating_sub(MAX_CREATED);
            changed.retain(|token| {
                let is_surplus = 0 < surplus && is_creators(token);
                surplus -= usize::from(is_surplus);
                !is_surplus
            });
        }
        if MAX_TOKENS <= changed.len() {
            return Err(Error::TooManyTokens { session: session.clone(), limit: MAX_TOKENS });
        }
        let token = secret::make(&format!("{PREFIX}{session}_")).map_err(Error::internal)?;
        let id = SessionId::random().map_err(Error::internal)?;
        let entry = SessionToken {
            id: id.as_str().replacen("s-", "t-", 1),
            name: if new.is_creators { CREATED.into() } else { new.name },
            read_only: new.read_only,
            created_unix_ms: store::unix_ms(SystemTime::now()),
            expires_unix_ms: new.expires.map(store::unix_ms),
            hash: Hash::of(token.as_bytes()),
        };
        changed.push(entry.clone());
        self.write(session, &changed)?;
        *tokens = changed;
        Ok((token, entry))
    }

    pub fn list(&self) -> Vec<SessionToken> {
        let tokens = self.tokens();
        tokens.iter().flatten().filter(|token| !token.has_expired()).cloned().collect()
    }

    /// Takes tokens back, by their ids or all; says how many there were.
    pub fn revoke(
        &self,
        session: &SessionId,
        is_meant: impl Fn(&SessionToken) -> bool,
    ) -> Result<usize> {
        let mut book = self.tokens();
        let tokens = book.as_mut().ok_or_else(|| gone(session))?;
        let kept: Vec<_> = tokens.iter().filter(|token| !is_meant(token)).cloned().collect();
        let count = tokens.len() - kept.len();
        self.write(session, &kept)?;
        *tokens = kept;
        Ok(count)
    }

    /// Voids all for good, and leaves the folder alone from now on.
    pub fn close(&self) {
        *self.tokens() = None;
    }

    pub(super) fn find(&self, given: &Hash) -> Option<SessionToken> {
        let mut found = None;
        for token in self.tokens().iter().flatten() {
            if token.hash.is(given) && !token.has_expired() {
                found = Some(token.clone());
            }
        }
        found
    }

    fn write(&self, session: &SessionId, tokens: &[SessionToken]) -> Result<()> {
        let written = store::write_json(&self.folder.join(FILE), &tokens);
        written.map_err(|error| match error.kind() {
            // Its host has taken the folder away, and is about to end.
            std::io::ErrorKind::NotFound => gone(session),
            _ => Error::StorageFailed {
                what: "the tokens of the session",
                problem: error.to_string(),
            },
        })
    }

    fn tokens(&self) -> MutexGuard<'_, Option<Vec<SessionToken>>> {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn gone(session: &SessionId) -> Error {
    Error::SessionNotFound { session: session.to_string() }
}

/// The session that a token says it is for, if it is one for a session.
pub(super) fn session_of(token: &[u8]) -> Option<&str> {
    let token = std::str::from_utf8(token).ok()?.strip_prefix(PREFIX)?;
    Some(token.rsplit_once('_')?.0)
}

mod as_text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use crate::auth::secret::Hash;

    pub fn serialize<S: Serializer>(hash: &Hash, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(hash)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Hash, D::Error> {
        String::deserialize(input)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn tokens_are_known_after_a_restart_until_they_are_revoked() {
        let folder = tempfile::tempdir().unwrap();
        let session = SessionId::parse("my_session-1").unwrap();
        let book = TokenBook::open(folder.path());
        let (token, entry) = book.make(&session, NewToken::default()).unwrap();
        book.make(&session, NewToken { read_only: true, ..Default::default() }).unwrap();

        let later = TokenBook::open(folder.path());

        assert_eq!(session_of(token.as_bytes()), Some("my_session-1"));
        assert_eq!(later.find(&Hash::of(token.as_bytes())).unwrap().id, entry.id);
        assert_eq!(later.revoke(&session, |token| token.id == entry.id).unwrap(), 1);
        let again = TokenBook::open(folder.path());
        assert!(again.find(&Hash::of(token.as_bytes())).is_none());
        assert_eq!(again.list().len(), 1);
        let file = std::fs::read_to_string(folder.path().join(FILE)).unwrap();
        assert!(!file.contains("drs_"), "{file}");
    }

    #[test]
    fn a_creation_that_is_repeated_for_ever_does_not_use_up_the_tokens() {
        let folder = tempfile::tempdir().unwrap();
        let session = SessionId::parse("s").unwrap();
        let book = TokenBook::open(folder.path());
        let (shared, _) = book.make(&session, NewToken::default()).unwrap();
        let created = || NewToken { is_creators: true, ..Default::default() };

        let made: Vec<String> =
            (0..200).map(|_| book.make(&session, created()).unwrap().0).collect();

        assert_eq!(book.list().len(), 1 + MAX_CREATED);
        let holds = |token: &String| book.find(&Hash::of(token.as_bytes())).is_some();
        assert!(holds(&shared) && holds(&made[199]) && holds(&made[190]) && !holds(&made[0]));
    }

    #[test]
    fn a_token_that_has_expired_is_nobodys() {
        let folder = tempfile::tempdir().unwrap();
        let session = SessionId::parse("s").unwrap();
        let book = TokenBook::open(folder.path());
        let past = SystemTime::now() - Duration::from_secs(1);

        let (token, _) =
            book.make(&session, NewToken { expires: Some(past), ..Default::default() }).unwrap();

        assert!(book.find(&Hash::of(token.as_bytes())).is_none());
        assert!(book.list().is_empty());
    }

    #[test]
    fn the_tokens_of_a_forgotten_session_are_void_and_do_not_touch_the_next_of_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let session = SessionId::parse("s").unwrap();
        let old = TokenBook::open(folder.path());
        let (token, _) = old.make(&session, NewToken::default()).unwrap();
        old.close();
        std::fs::remove_file(folder.path().join(FILE)).unwrap();
        let next = TokenBook::open(folder.path());
        next.make(&session, NewToken::default()).unwrap();

        let made = old.make(&session, NewToken::default()).unwrap_err();
        let revoked = old.revoke(&session, |_| true).unwrap_err();

        for refused in [made, revoked] {
            assert!(matches!(refused, Error::SessionNotFound { .. }), "{refused:?}");
        }
        assert!(old.list().is_empty());
        assert!(old.find(&Hash::of(token.as_bytes())).is_none());
        assert_eq!(TokenBook::open(folder.path()).list().len(), 1);
    }

    #[test]
    fn a_session_whose_folder_its_host_has_taken_away_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let session = SessionId::parse("s").unwrap();
        let book = TokenBook::open(folder.path());
        folder.close().unwrap();

        let refused = book.make(&session, NewToken::default()).unwrap_err();

        assert!(matches!(refused, Error::SessionNotFound { .. }), "{refused:?}");
    }
}

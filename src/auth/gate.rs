//! The gate: says who a caller is, by token, certificate or user id, and whether that still holds.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use arc_swap::ArcSwap;
use tokio::sync::watch;

use super::access::Access;
use super::caller::{ANYONE, Caller, Proof, Reach, SERVER};
use super::peer::{Peer, PeerIdentity};
use super::secret::Hash;
use super::session_tokens::{TokenBook, session_of};
use crate::error::{Error, Result};

/// Clocks may be set meanwhile, so that nobody sleeps longer than this.
const LONGEST_SLEEP: Duration = Duration::from_secs(60);

/// Decides who comes in.
pub struct Gate {
    /// None means that callers of whom nothing is known are let in as well.
    server: Option<Hash>,
    /// Users of this machine need no token on a Unix socket.
    trusts_users: bool,
    access_file: Option<PathBuf>,
    access: ArcSwap<Access>,
    /// Changes whenever somebody may have lost their right.
    changes: watch::Sender<u64>,
}

/// Finds the tokens of a session.
pub trait Books {
    fn book(&self, session: &str) -> Option<Arc<TokenBook>>;
}

impl Gate {
    pub fn new(
        server_token: Option<&str>,
        access_file: Option<PathBuf>,
        trusts_users: bool,
    ) -> std::result::Result<Self, String> {
        let access = access_file.as_deref().map(Access::read).transpose()?.unwrap_or_default();
        Ok(Self {
            server: server_token.map(|token| Hash::of(token.as_bytes())),
            trusts_users,
            access_file,
            access: ArcSwap::from_pointee(access),
            changes: watch::Sender::default(),
        })
    }

    /// Tokens are of use here.
    pub fn takes_tokens(&self) -> bool {
        self.server.is_some()
    }

    /// Reads the access file again. If it cannot be used, what was read before holds.
    pub fn reload(&self) {
        let Some(file) = &self.access_file else { return };
        match Access::read(file) {
            Ok(access) => {
                let (tokens, certificates) = access.counts();
                tracing::info!(tokens, certificates, "the access file was read again");
                self.access.store(Arc::new(access));
                self.changed();
            }
            Err(problem) => {
                tracing::error!(
                    problem,
                    "the access file cannot be used; the last one still holds"
                );
            }
        }
    }

    /// Somebody may have lost their right: those who are being served are looked at again.
    pub fn changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Says who calls, by the `authorization` metadata of the call and the connection that it came on.
    pub fn admit(
        &self,
        authorization: Option<&[u8]>,
        peer: Option<&Peer>,
        books: &impl Books,
    ) -> Result<Caller> {
        let refused = |problem: &'static str| Err(Error::Unauthenticated { problem });
        let identity = peer.map_or(&PeerIdentity::Unknown, |peer| &peer.identity);
        let caller = match (authorization, identity) {
            (Some(value), _) if self.server.is_some() => match bearer(value) {
                Some(token) => self.of_token(token, books),
                None => return refused("`authorization` is not of the form `Bearer TOKEN`"),
            },
            (_, PeerIdentity::Certificate(Ok(uri))) => Some(self.access.load().of_certificate(uri)),
            (_, PeerIdentity::User(uid)) if self.trusts_users => Some(of_user(*uid)),
            // Whoever shows one is known by it, or not at all.
            (_, PeerIdentity::Certificate(Err(problem))) => return refused(problem),
            _ if self.server.is_none() => {
                Some(Caller::of(ANYONE.into(), ANYONE, Reach::All, Proof::Lasting))
            }
            _ => return refused("the call has no `authorization` metadata"),
        };
        let Some(caller) = caller else { return refused("the token is not known here") };
        match caller.expires {
            Some(time) if time <= SystemTime::now() => match caller.proof {
                Proof::Certificate(_) => {
                    refused("the access file says that this certificate is good no more")
                }
                Proof::Lasting | Proof::Token(_) | Proof::SessionToken(..) => {
                    refused("the token has expired")
                }
            },
            _ => Ok(caller),
        }
    }

    fn of_token(&self, token: &[u8], books: &impl Books) -> Option<Caller> {
        let hash = Hash::of(token);
        if self.server.is_some_and(|server| server.is(&hash)) {
            return Some(Caller::of(SERVER.into(), SERVER, Reach::All, Proof::Lasting));
        }
        match session_of(token) {
            Some(session) => of_session_token(session, hash, books),
            None => self.access.load().of_token(&hash),
        }
    }

    /// Returns when what a caller showed holds no more: it has expired, or was taken back.
    pub async fn until_void(&self, caller: &Caller, books: &impl Books) {
        if matches!(caller.proof, Proof::Lasting) {
            return std::future::pending().await;
        }
        let mut changes = self.changes.subscribe();
        loop {
            let Some(now) = self.holding(caller, books) else { return };
            let left =
                now.expires.map(|time| time.duration_since(SystemTime::now()).unwrap_or_default());
            let pause = left.unwrap_or(LONGEST_SLEEP).min(LONGEST_SLEEP);
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                changed = changes.changed() => if changed.is_err() { return },
            }
        }
    }

    /// The caller as it would be let in now, if it still were.
    fn holding(&self, caller: &Caller, books: &impl Books) -> Option<Caller> {
        let now = match &caller.proof {
            Proof::Lasting => return Some(caller.clone()),
            Proof::Token(hash) => self.access.load().of_token(hash),
            Proof::SessionToken(session, hash) => of_session_token(session, *hash, books),
            Proof::Certificate(uri) => Some(self.access.load().of_certificate(uri)),
        };
        // Whoever may less than before begins anew.
        now.filter(|now| {
            now.owner == caller.owner
                && now.reach == caller.reach
                && now.is_read_only == caller.is_read_only
                && now.expires.is_none_or(|time| SystemTime::now() < time)
        })
    }
}

fn of_session_token(session: &str, hash: Hash, books: &impl Books) -> Option<Caller> {
    let token = books.book(session)?.find(&hash)?;
    let session: Arc<str> = session.into();
    let (name, reach) = (format!("{} of {session}", token.id), Reach::Session(session.clone()));
    Some(Caller {
        is_read_only: token.read_only,
        expires: token.expires(),
        ..Caller::of(name, "", reach, Proof::SessionToken(session, hash))
    })
}

/// The server's own user and root could read the server's token as well.
fn of_user(uid: u32) -> Caller {
    let is_own = uid == 0 || uid == rustix::process::geteuid().as_raw();
    match is_own {
        true => Caller::of(format!("user {uid}"), SERVER, Reach::All, Proof::Lasting),
        false => {
            Caller::of(format!("user {uid}"), &format!("uid:{uid}"), Reach::Own, Proof::Lasting)
        }
    }
}

fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then(|| token.trim_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::session_tokens::NewToken;
    use crate::id::SessionId;

    struct One(Arc<TokenBook>);

    impl Books for One {
        fn book(&self, session: &str) -> Option<Arc<TokenBook>> {
            (session == "s-1").then(|| Arc::clone(&self.0))
        }
    }

    fn one() -> (tempfile::TempDir, One) {
        let folder = tempfile::tempdir().unwrap();
        let book = TokenBook::open(folder.path());
        (folder, One(Arc::new(book)))
    }

    fn with_identity(identity: PeerIdentity) -> Peer {
        Peer { address: "test".into(), identity }
    }

    #[test]
    fn only_the_exact_token_comes_in() {
        let gate = Gate::new(Some("secret"), None, false).unwrap();
        let (_folder, books) = one();
        let admit = |value: &[u8]| gate.admit(Some(value), None, &books);

        assert!(admit(b"Bearer secret").is_ok() && admit(b"bearer secret").is_ok());
        for refused in [
            &b"Bearer secre"[..],
            b"Bearer secrets",
            b"Bearer ",
            b"Basic secret",
            b"secret",
            b"",
            b"Bearer drs_s-1_secret",
            b"Bearer drs_",
            b"Bearer \xff\xff",
        ] {
            assert!(admit(refused).is_err(), "{refused:?}");
        }
        assert!(gate.admit(None, None, &books).is_err());
    }

    #[test]
    fn a_wrong_token_is_refused_also_where_the_connection_would_do() {
        let gate = Gate::new(Some("secret"), None, true).unwrap();
        let (_folder, books) = one();
        let uid = rustix::process::geteuid().as_raw();
        let peer = with_identity(PeerIdentity::User(uid));

        assert_eq!(gate.admit(None, Some(&peer), &books).unwrap().reach, Reach::All);
        assert!(gate.admit(Some(b"Bearer wrong"), Some(&peer), &books).is_err());
        let other = with_identity(PeerIdentity::User(4711));
        let other = gate.admit(None, Some(&other), &books).unwrap();
        assert_eq!((&*other.owner, other.reach), ("uid:4711", Reach::Own));
    }

    #[test]
    fn users_are_strangers_unless_the_settings_say_otherwise() {
        let gate = Gate::new(Some("secret"), None, false).unwrap();
        let (_folder, books) = one();
        let uid = rustix::process::geteuid().as_raw();

        let peer = with_identity(PeerIdentity::User(uid));

        assert!(gate.admit(None, Some(&peer), &books).is_err());
    }

    #[test]
    fn without_tokens_a_certificate_that_names_nobody_is_refused_all_the_same() {
        let gate = Gate::new(None, None, false).unwrap();
        let (_folder, books) = one();
        let nobody = with_identity(PeerIdentity::Certificate(Err("it names nobody")));
        let somebody = with_identity(PeerIdentity::Certificate(Ok("spiffe://a/b".into())));

        assert!(gate.admit(None, Some(&nobody), &books).is_err());
        assert_eq!(gate.admit(None, Some(&somebody), &books).unwrap().reach, Reach::Own);
        assert_eq!(gate.admit(None, None, &books).unwrap().reach, Reach::All);
    }

    #[tokio::test]
    async fn a_token_that_is_taken_back_is_void_at_once() {
        let gate = Gate::new(Some("secret"), None, false).unwrap();
        let (_folder, books) = one();
        let session = SessionId::parse("s-1").unwrap();
        let (token, entry) = books.0.make(&session, NewToken::default()).unwrap();
        let caller = gate.admit(Some(format!("Bearer {token}").as_bytes()), None, &books).unwrap();

        let void = gate.until_void(&caller, &books);
        let revoked = async {
            books.0.revoke(&session, |token| token.id == entry.id).unwrap();
            gate.changed();
        };
        let limit = Duration::from_secs(10);

        assert!(caller.may_see("s-1", "whoever") && !caller.may_see("s-2", ""));
        tokio::time::timeout(limit, async { tokio::join!(void, revoked) }).await.unwrap();
    }
}

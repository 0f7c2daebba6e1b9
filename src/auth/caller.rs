//! Who calls, and how far they reach.

use std::sync::Arc;
use std::time::SystemTime;

use super::secret::Hash;

/// Whoever has the server's token, or is the server's own user.
pub const SERVER: &str = "server";
/// Whoever calls a server that asks nobody who they are.
pub const ANYONE: &str = "anyone";

/// Somebody who was let in.
#[derive(Debug, Clone)]
pub struct Caller {
    /// For logs: by what they were known.
    pub name: Arc<str>,
    /// Who owns what they make.
    pub owner: Arc<str>,
    pub reach: Reach,
    pub is_read_only: bool,
    /// How many sessions their owner may have; None means what holds for all.
    pub sessions: Option<usize>,
    pub expires: Option<SystemTime>,
    pub(super) proof: Proof,
}

/// Which sessions somebody may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    All,
    /// Those of their owner.
    Own,
    /// The one that the token is for.
    Session(Arc<str>),
}

/// What they showed, to look later whether it still holds.
#[derive(Debug, Clone)]
pub(super) enum Proof {
    /// What cannot be taken back while the server runs.
    Lasting,
    Token(Hash),
    SessionToken(Arc<str>, Hash),
    Certificate(Arc<str>),
}

impl Caller {
    /// Whether a session, by its id and its owner, is theirs to see.
    pub fn may_see(&self, session: &str, owner: &str) -> bool {
        match &self.reach {
            Reach::All => true,
            Reach::Own => *self.owner == *owner,
            Reach::Session(only) => **only == *session,
        }
    }

    /// What they showed cannot be taken back, and does not expire.
    pub fn is_lasting(&self) -> bool {
        matches!(self.proof, Proof::Lasting)
    }

    pub(super) fn of(name: String, owner: &str, reach: Reach, proof: Proof) -> Self {
        Self {
            name: name.into(),
            owner: owner.into(),
            reach,
            is_read_only: false,
            sessions: None,
            expires: None,
            proof,
        }
    }
}

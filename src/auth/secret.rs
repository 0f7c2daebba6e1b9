//! Tokens: how they are made, and the hashes that are all the server keeps of them.

use std::fmt;
use std::str::FromStr;

use constant_time_eq::constant_time_eq_32;
use sha2::{Digest, Sha256};

use crate::id;

/// What the text of a hash begins with.
const SCHEME: &str = "sha256:";

/// The hash of a token. A token is 32 random bytes, so a plain hash cannot be undone.
#[derive(Clone, Copy)]
pub struct Hash([u8; 32]);

impl Hash {
    pub fn of(token: &[u8]) -> Self {
        Self(Sha256::digest(token).into())
    }

    /// Takes the same time for whatever it is compared with.
    pub fn is(&self, other: &Self) -> bool {
        constant_time_eq_32(&self.0, &other.0)
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(SCHEME)?;
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

/// Nothing that is logged by accident tells more than that there is one.
impl fmt::Debug for Hash {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str("Hash(…)")
    }
}

impl FromStr for Hash {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let problem = "it must be `sha256:` and 64 hex digits, as `debug-relay token new` prints";
        let digits =
            text.strip_prefix(SCHEME).filter(|digits| digits.len() == 64).ok_or(problem)?;
        let mut bytes = [0; 32];
        for (index, byte) in bytes.iter_mut().enumerate() {
            let digits = digits.get(2 * index..2 * index + 2).ok_or(problem)?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| problem)?;
        }
        Ok(Self(bytes))
    }
}

/// A new token of this kind: the prefix tells people and scanners of secrets what it is.
pub fn make(prefix: &str) -> std::io::Result<String> {
    let secret = id::random_secret().map_err(std::io::Error::other)?;
    Ok(format!("{prefix}{secret}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_written_and_read_and_fits_one_token_only() {
        let hash = Hash::of(b"token");

        let again: Hash = hash.to_string().parse().unwrap();

        assert!(again.is(&Hash::of(b"token")) && !again.is(&Hash::of(b"tokem")));
        assert_eq!(
            hash.to_string(),
            "sha256:3c469e9d6c5875d37a43f353d4f88e61fcf812c66eee3457465a40b0da4153e0"
        );
        assert_eq!(format!("{hash:?}"), "Hash(…)");
        for nonsense in
            ["", "sha256:", "sha256:3c", "3c469e", &format!("sha256:{}", "ä".repeat(32))]
        {
            assert!(nonsense.parse::<Hash>().is_err(), "{nonsense}");
        }
    }
}

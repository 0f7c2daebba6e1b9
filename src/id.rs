//! Ids that must not be mixed up, each a type of its own.

use std::fmt;

/// How long a caller may make a session's id: it becomes a folder's name and part of a socket's path.
const MAX_SESSION_ID: usize = 40;

/// Letters and digits that nobody takes for one another.
const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// The name of one session. Safe as a file name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId(String);

impl SessionId {
    /// Takes a name that a caller chose, or says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let fits = |byte: u8| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_'
        };
        let starts_well = text
            .bytes()
            .next()
            .is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        if MAX_SESSION_ID < text.len() || !starts_well || !text.bytes().all(fits) {
            return Err(format!(
                "a session id is 1 to {MAX_SESSION_ID} of a-z, 0-9, '-' and '_', and begins with a letter or digit"
            ));
        }
        Ok(Self(text.into()))
    }

    /// A fresh name, short enough to read aloud.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes)?;
        let name: String =
            bytes.iter().map(|byte| char::from(ALPHABET[usize::from(byte % 32)])).collect();
        Ok(Self(format!("s-{name}")))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(&self.0)
    }
}

macro_rules! number_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u64);

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
                self.0.fmt(out)
            }
        }
    };
}

number_id!(
    /// A breakpoint, for the life of a session.
    BreakpointId
);
number_id!(
    /// A thread of any process of the session; the debugger's own numbers repeat across processes.
    ThreadId
);
number_id!(
    /// A process under the debugger: one connection.
    TargetId
);

/// A secret of 32 random bytes, as hex.
pub fn random_secret() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_could_leave_their_folder_are_refused() {
        for name in
            ["", ".", "..", "a/b", "/etc", "-flag", "a b", "A", "ü", "a\0b", &"x".repeat(41)]
        {
            assert!(SessionId::parse(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn random_names_differ_and_are_valid() {
        let (one, two) = (SessionId::random().unwrap(), SessionId::random().unwrap());

        assert_ne!(one, two);
        assert_eq!(SessionId::parse(one.as_str()), Ok(one));
    }
}

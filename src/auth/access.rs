//! The access file: named tokens, and what is said of client certificates. It holds no secret, only
//! the hashes of tokens.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use serde::Deserialize;

use super::caller::{Caller, Proof, Reach};
use super::secret::Hash;

/// No such file is longer.
const MAX_FILE: u64 = 1024 * 1024;

/// Everybody whom the file names.
#[derive(Debug, Default)]
pub struct Access {
    tokens: Vec<(Hash, Grant)>,
    certificates: BTreeMap<String, Grant>,
}

/// What somebody may.
#[derive(Debug, Clone)]
struct Grant {
    name: String,
    owner: Arc<str>,
    sessions: Option<usize>,
    expires: Option<SystemTime>,
    is_admin: bool,
    is_read_only: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    tokens: BTreeMap<String, TokenEntry>,
    #[serde(default)]
    certificates: BTreeMap<String, Entry>,
}

// `deny_unknown_fields` and `flatten` do not go together, so the fields stand here twice.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TokenEntry {
    hash: String,
    owner: Option<String>,
    sessions: Option<usize>,
    expires: Option<toml::value::Datetime>,
    #[serde(default)]
    admin: bool,
    #[serde(default)]
    read_only: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    owner: Option<String>,
    sessions: Option<usize>,
    expires: Option<toml::value::Datetime>,
    #[serde(default)]
    admin: bool,
    #[serde(default)]
    read_only: bool,
}

impl Access {
    pub fn read(path: &Path) -> Result<Self, String> {
        let told = |problem: String| format!("{}: {problem}", path.display());
        let facts = std::fs::metadata(path).map_err(|error| told(error.to_string()))?;
        // Who can change it can let anybody in.
        if facts.mode() & 0o022 != 0 {
            let problem = format!("other users may change it; run: chmod go-w {}", path.display());
            return Err(told(problem));
        }
        if ![0, rustix::process::geteuid().as_raw()].contains(&facts.uid()) {
            let problem =
                "it belongs to another user, who may change it; make it your own or root's";
            return Err(told(problem.into()));
        }
        if MAX_FILE < facts.len() {
            return Err(told("it is longer than 1 MiB".into()));
        }
        let text = std::fs::read_to_string(path).map_err(|error| told(error.to_string()))?;
        Self::parse(&text).map_err(told)
    }

    pub(super) fn parse(text: &str) -> Result<Self, String> {
        // Its message repeats the line, in which a token may stand by mistake.
        let file: File = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| 1 + text[..span.start].matches('\n').count());
            let line = line.map(|line| format!("line {line}: ")).unwrap_or_default();
            format!("{line}{}", error.message())
        })?;
        let mut access = Self::default();
        for (name, entry) in file.tokens {
            let TokenEntry { hash, owner, sessions, expires, admin, read_only } = entry;
            let told = |problem: String| format!("tokens.{name}: {problem}");
            let hash = hash.parse().map_err(|problem| told(format!("hash: {problem}")))?;
            let entry = Entry { owner, sessions, expires, admin, read_only };
            let grant = entry.grant(format!("token {name}"), &name).map_err(told)?;
            access.tokens.push((hash, grant));
        }
        for (uri, entry) in file.certificates {
            let told = |problem: String| format!("certificates.{uri:?}: {problem}");
            let grant = entry.grant(uri.clone(), &uri).map_err(told)?;
            access.certificates.insert(uri, grant);
        }
        Ok(access)
    }

    /// Whose token it is. Every one is compared, so that the time tells nothing.
    pub(super) fn of_token(&self, given: &Hash) -> Option<Caller> {
        let mut found = None;
        for (hash, grant) in &self.tokens {
            if hash.is(given) {
                found = Some(grant);
            }
        }
        found.map(|grant| grant.caller(Proof::Token(*given)))
    }

    /// Who shows a certificate with this URI. One that the file does not name owns what it makes.
    pub(super) fn of_certificate(&self, uri: &str) -> Caller {
        let proof = Proof::Certificate(uri.into());
        match self.certificates.get(uri) {
            Some(grant) => grant.caller(proof),
            None => Caller::of(uri.into(), uri, Reach::Own, proof),
        }
    }

    pub fn counts(&self) -> (usize, usize) {
        (self.tokens.len(), self.certificates.len())
    }
}

/// How many tokens and certificates a file names, or what is wrong with it.
pub fn check(path: &Path) -> Result<(usize, usize), String> {
    Access::read(path).map(|access| access.counts())
}

impl Entry {
    fn grant(self, name: String, default_owner: &str) -> Result<Grant, String> {
        let owner = self.owner.unwrap_or_else(|| default_owner.into());
        if owner.is_empty() || owner.chars().any(char::is_control) || 256 < owner.len() {
            return Err("owner: it must be a text of 1 to 256 letters".into());
        }
        let expires = self.expires.map(|time| time_of(&time)).transpose()?;
        Ok(Grant {
            name,
            owner: owner.into(),
            sessions: self.sessions,
            expires,
            is_admin: self.admin,
            is_read_only: self.read_only,
        })
    }
}

fn time_of(time: &toml::value::Datetime) -> Result<SystemTime, String> {
    let text = time.to_string();
    humantime::parse_rfc3339_weak(&text)
        .map_err(|_| format!("expires: {text} must be a time in UTC, such as 2030-01-31T00:00:00Z"))
}

impl Grant {
    fn caller(&self, proof: Proof) -> Caller {
        let reach = if self.is_admin { Reach::All } else { Reach::Own };
        Caller {
            is_read_only: self.is_read_only,
            sessions: self.sessions,
            expires: self.expires,
            owner: Arc::clone(&self.owner),
            ..Caller::of(self.name.clone(), "", reach, proof)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_its_owner_and_its_limits() {
        let hash = Hash::of(b"secret");
        let text = format!(
            "[tokens.ci]\nhash = '{hash}'\nowner = 'team'\nsessions = 3\n\
             expires = 2030-01-31T00:00:00Z\n[tokens.eye]\nhash = '{}'\nadmin = true\nread_only = true\n",
            Hash::of(b"other")
        );

        let access = Access::parse(&text).unwrap();

        let ci = access.of_token(&hash).unwrap();
        assert_eq!((&*ci.owner, &*ci.name, ci.sessions), ("team", "token ci", Some(3)));
        assert_eq!(ci.reach, Reach::Own);
        assert!(ci.expires.is_some() && !ci.is_read_only);
        let eye = access.of_token(&Hash::of(b"other")).unwrap();
        assert!(eye.reach == Reach::All && eye.is_read_only && &*eye.owner == "eye");
        assert!(access.of_token(&Hash::of(b"wrong")).is_none());
    }

    #[test]
    fn certificates_own_what_they_make_unless_the_file_says_otherwise() {
        let access = Access::parse("[certificates.'spiffe://a/b']\nowner = 'b'\n").unwrap();

        assert_eq!(&*access.of_certificate("spiffe://a/b").owner, "b");
        assert_eq!(&*access.of_certificate("spiffe://a/c").owner, "spiffe://a/c");
    }

    #[test]
    fn a_file_that_other_users_may_change_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for (mode, is_good) in [(0o600, true), (0o444, true), (0o660, false), (0o602, false)] {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
            std::fs::set_permissions(file.path(), mode).unwrap();

            let read = Access::read(file.path());

            assert_eq!(read.is_ok(), is_good, "{read:?}");
            assert!(read.is_ok() || read.unwrap_err().contains("chmod go-w"));
        }
    }

    #[test]
    fn what_is_wrong_is_told_without_repeating_a_secret() {
        let hash = Hash::of(b"");
        for (text, says) in [
            ("[tokens.a]\n".into(), "hash"),
            ("[tokens.a]\nhash = 'topsecret'\n".into(), "tokens.a: hash: it must be"),
            (format!("[tokens.a]\nhash = '{hash}'\nowner = ''\n"), "tokens.a: owner"),
            (format!("[tokens.a]\nhash = '{hash}'\nexpires = 2030-01-31\n"), "tokens.a: expires"),
            (format!("[tokens.a]\nhash = '{hash}'\ntopsecret = 1\n"), "line 3: unknown field"),
            ("tokens = 'topsecret'\n".into(), "line 1: "),
            ("[tokens.a]\ntopsecret\n".into(), "line 2: "),
        ] {
            let problem = Access::parse(&text).unwrap_err();
            assert!(problem.contains(says), "{text}: {problem}");
            assert!(!problem.contains("'topsecret'"), "{problem}");
        }
    }
}

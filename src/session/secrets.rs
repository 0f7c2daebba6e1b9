//! Values that look like secrets are covered before they leave: by the name that they stand under,
//! and by the well-known forms of keys. What a program prints is its own affair.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

const COVER: &str = "***";
/// Longer texts are covered only so far; nothing shows more of them.
const MAX_SEARCHED: usize = 1024 * 1024;
/// Shorter values under a name such as `token` are the words of some language, not secrets.
const MIN_TOKEN: usize = 8;

const NAMES: &str = "password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|private[_-]?key|secret[_-]?key|\
                     credentials?|auth_?token|access_?token|refresh_?token|session_?token|bearer|authorization";

// What letters other languages have is not asked: with tables of them, the patterns take some 8 MiB
// of every host.

/// A name that says what its value is.
static SECRET_NAME: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&format!("(?i)(^|[^a-z])({NAMES})([^a-z]|$)")).ok());
/// A name that may.
static TOKEN_NAME: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new("(?i)(^|[^a-z])token([^a-z]|$)").ok());
/// `'password': 'x'`, `password='x'`, `password=x` inside of a longer text.
static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    // A text that was cut may end before its quote.
    let value =
        r#"(b?'(?:[^'\\]|\\.)*(?:'|$)|b?"(?:[^"\\]|\\.)*(?:"|$)|[A-Za-z0-9+/_.~!@#$%^*-]{3,}\(?)"#;
    let name = format!(r"(?-u:\b)[a-z0-9_-]*(?:{NAMES})(?:[_-][a-z0-9_\u{{80}}-\u{{10FFFF}}]*)?");
    Regex::new(&format!(r#"(?i)({name}['"]?\s*[:=,]\s*[\[(]?){value}"#)).ok()
});
/// `scheme://user:password@host`.
static IN_ADDRESS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(://[^/\s:@']+:)([^/\s@']+)(@)").ok());
static NAMED_TOKEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let value = r#"(b?'(?:[^'\\]|\\.){8,}'|b?"(?:[^"\\]|\\.){8,}")"#;
    Regex::new(&format!(r#"(?i)((?-u:\b)(?:[a-z0-9_]*_)?token['"]?\s*[:=]\s*){value}"#)).ok()
});
/// Keys of GitHub, AWS, OpenAI and its like, Slack, Google, GitLab; signed tokens; private keys.
static KNOWN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?-u:\b)(?:[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,}|(?:AKIA|ASIA)[A-Z0-9]{16}(?-u:\b)|sk-[A-Za-z0-9_-]{20,}|xox[abprs]-[A-Za-z0-9_-]{10,}|AIza[A-Za-z0-9_-]{30,}|glpat-[A-Za-z0-9_-]{16,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+)|-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\\\sn-]*",
    )
    .ok()
});

/// Covers secrets, or nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Veil {
    is_lifted: bool,
}

impl Veil {
    /// `reveal` is the caller's wish to see them.
    pub fn over_secrets(reveal: bool) -> Self {
        Self { is_lifted: reveal }
    }

    /// The value as it may be shown under this name, and whether something of it is covered.
    pub fn cover(self, name: &str, value: &str) -> (String, bool) {
        if self.is_lifted || value.is_empty() {
            return (value.to_owned(), false);
        }
        if is_text(value) && names_secret(name, value) {
            return (format!("'{COVER}'"), true);
        }
        let (searched, rest) = split(value);
        let mut shown = Cow::Borrowed(searched);
        for pattern in [&NAMED, &NAMED_TOKEN] {
            shown = replace(pattern, shown, |found| match is_plain(&found[2]) {
                true => found[0].to_owned(),
                false => format!("{}'{COVER}'", &found[1]),
            });
        }
        shown = replace(&IN_ADDRESS, shown, |found| format!("{}{COVER}{}", &found[1], &found[3]));
        shown = replace(&KNOWN, shown, |_| COVER.into());
        let is_covered = *shown != *searched;
        (shown.into_owned() + rest, is_covered)
    }
}

fn replace<'a>(
    pattern: &LazyLock<Option<Regex>>,
    text: Cow<'a, str>,
    with: impl Fn(&Captures) -> String,
) -> Cow<'a, str> {
    let Some(pattern) = pattern.as_ref().filter(|pattern| pattern.is_match(&text)) else {
        return text;
    };
    Cow::Owned(pattern.replace_all(&text, |found: &Captures| with(found)).into_owned())
}

fn split(value: &str) -> (&str, &str) {
    let end = (0..=MAX_SEARCHED.min(value.len())).rev().find(|end| value.is_char_boundary(*end));
    value.split_at(end.unwrap_or_default())
}

/// The repr of a text or of bytes.
fn is_text(value: &str) -> bool {
    let value = value.strip_prefix('b').unwrap_or(value);
    value.starts_with(['\'', '"']) && 2 < value.len()
}

/// Words and numbers of the language, and calls, hide nothing.
fn is_plain(value: &str) -> bool {
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    matches!(value, "None" | "True" | "False") || is_number || value.ends_with('(')
}

/// `dbPassword` as `db_Password`.
fn with_gaps(name: &str) -> String {
    let mut parted = String::new();
    let mut was_small = false;
    for letter in name.chars() {
        if was_small && letter.is_uppercase() {
            parted.push('_');
        }
        was_small = letter.is_lowercase();
        parted.push(letter);
    }
    parted
}

fn names_secret(name: &str, value: &str) -> bool {
    let name = with_gaps(name);
    let fits = |pattern: &LazyLock<Option<Regex>>| {
        pattern.as_ref().is_some_and(|pattern| pattern.is_match(&name))
    };
    fits(&SECRET_NAME) || fits(&TOKEN_NAME) && MIN_TOKEN + 2 <= value.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str, value: &str) -> String {
        Veil::over_secrets(false).cover(name, value).0
    }

    #[test]
    fn values_are_covered_by_their_names() {
        for name in
            ["password", "db_password", "API_KEY", "self.apikey", "'client_secret'", "dbPassword"]
        {
            assert_eq!(shown(name, "'hunter2'"), "'***'", "{name}");
        }
        assert_eq!(shown("token", "'a-long-secret'"), "'***'");
        assert_eq!(shown("token", "'+'"), "'+'");
        assert_eq!(shown("tokens", "['a', 'b']"), "['a', 'b']");
        assert_eq!(shown("password", "None"), "None");
        assert_eq!(shown("secretary", "'Ann'"), "'Ann'");
    }

    #[test]
    fn names_inside_of_values_cover_what_stands_under_them() {
        assert_eq!(
            shown("config", "{'user': 'ann', 'password': 'hunter2', 'port': 1}"),
            "{'user': 'ann', 'password': '***', 'port': 1}"
        );
        assert_eq!(
            shown("login", "Login(user='a', password=\"x y\")"),
            "Login(user='a', password='***')"
        );
        assert_eq!(shown("url", "'host=a password=hunter2'"), "'host=a password='***''");
        assert_eq!(shown("url", "'postgres://ann:hunter2@db/x'"), "'postgres://ann:***@db/x'");
        assert_eq!(shown("x", "{'a': 1, 'password': 'hunter2hun"), "{'a': 1, 'password': '***'");
        assert_eq!(shown("x", "{'X-Api-Key': 'abcdef'}"), "{'X-Api-Key': '***'}");
        assert_eq!(shown("x", "[('password', 'x')]"), "[('password', '***')]");
        assert_eq!(shown("x", "{'größe_password_größe': 'x'}"), "{'größe_password_größe': '***'}");
        for plain in [
            "{'password': None}",
            "Login(password=None)",
            "f(secret=Secret('x'))",
            "{'password': 3}",
        ] {
            assert_eq!(shown("x", plain), plain);
        }
    }

    #[test]
    fn well_known_keys_are_covered_wherever_they_stand() {
        let github = format!("ghp_{}", "a1B2".repeat(9));
        let aws = "AKIAIOSFODNN7EXAMPLE";

        assert_eq!(shown("x", &format!("'{github}'")), "'***'");
        assert_eq!(shown("items", &format!("['{aws}', 3]")), "['***', 3]");
        let key = "'-----BEGIN RSA PRIVATE KEY-----\\nMIIE\\n-----END RSA PRIVATE KEY-----'";
        assert!(!shown("x", key).contains("MIIE"));
    }

    #[test]
    fn whoever_asks_sees_them_and_plain_values_are_left_alone() {
        assert_eq!(Veil::over_secrets(true).cover("password", "'x'"), ("'x'".into(), false));
        assert_eq!(Veil::over_secrets(false).cover("total", "3"), ("3".into(), false));
    }
}

//! New named tokens: their lines in the access file.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::access::Access;
use super::secret::{self, Hash};

/// What a token of the access file is to be.
#[derive(Debug, Clone, clap::Args)]
pub struct NewNamedToken {
    /// Its name in the access file: letters, digits, - and _.
    pub name: String,
    /// Who owns the sessions that are made with it; else its name.
    #[arg(long)]
    pub owner: Option<String>,
    /// How long it holds: 8h, 30d; else for ever.
    #[arg(long = "for", value_name = "TIME", value_parser = humantime::parse_duration)]
    pub ttl: Option<Duration>,
    /// How many sessions its owner may have.
    #[arg(long, value_name = "NUMBER")]
    pub sessions: Option<usize>,
    /// It sees the sessions of all.
    #[arg(long)]
    pub admin: bool,
    /// It may look and stream, and nothing else.
    #[arg(long)]
    pub read_only: bool,
}

/// Makes a token and adds its hash to the access file, which is made if it is not there. The token is
/// told here and never again.
pub fn add(path: &Path, new: &NewNamedToken) -> Result<String, String> {
    let told = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    if new.name.is_empty() || !new.name.chars().all(is_name) {
        return Err(format!("{:?} is no name: use letters, digits, - and _", new.name));
    }
    let before = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(told(&error)),
    };
    let token = secret::make("drt_").map_err(|error| error.to_string())?;
    let text = |text: &str| toml::Value::from(text).to_string();
    let mut lines = format!("[tokens.{}]\nhash = \"{}\"\n", new.name, Hash::of(token.as_bytes()));
    if let Some(owner) = &new.owner {
        lines += &format!("owner = {}\n", text(owner));
    }
    if let Some(ttl) = new.ttl {
        let time = SystemTime::now().checked_add(ttl).ok_or("that is too long")?;
        lines += &format!("expires = {}\n", humantime::format_rfc3339_seconds(time));
    }
    if let Some(sessions) = new.sessions {
        lines += &format!("sessions = {sessions}\n");
    }
    for (name, is_set) in [("admin", new.admin), ("read_only", new.read_only)] {
        if is_set {
            lines += &format!("{name} = true\n");
        }
    }
    let lines = if before.is_empty() { lines } else { format!("\n{lines}") };
    // A name that is there already, and a file that is broken, are found before anything is written.
    Access::parse(&format!("{before}{lines}")).map_err(|problem| told(&problem))?;
    let mut options = std::fs::OpenOptions::new();
    let mut file =
        options.create(true).append(true).mode(0o600).open(path).map_err(|error| told(&error))?;
    file.write_all(lines.as_bytes()).map_err(|error| told(&error))?;
    Ok(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_token_is_in_the_file_and_its_name_only_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("access.toml");
        let new = |name: &str| NewNamedToken {
            name: name.into(),
            owner: Some("it's \"us\"".into()),
            ttl: Some(Duration::from_secs(3600)),
            sessions: Some(3),
            admin: true,
            read_only: true,
        };

        let (one, two) = (add(&path, &new("one")).unwrap(), add(&path, &new("two")).unwrap());

        let access = Access::read(&path).unwrap();
        for token in [&one, &two] {
            let caller = access.of_token(&Hash::of(token.as_bytes())).unwrap();
            assert_eq!((&*caller.owner, caller.sessions), ("it's \"us\"", Some(3)));
            assert!(caller.is_read_only && caller.expires.is_some());
        }
        let before = std::fs::read_to_string(&path).unwrap();
        assert!(add(&path, &new("one")).unwrap_err().contains("duplicate"));
        for nonsense in ["", "a b", "a.b", "ä", "x]\n[y"] {
            assert!(add(&path, &new(nonsense)).is_err(), "{nonsense}");
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), before);
        assert!(!before.contains("drt_"));
    }
}

//! Callers of all kinds: an access file with named tokens.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use debug_relay::auth::{Hash, make_secret};

use super::{Server, ServerOptions};

/// An access file that tests write to.
pub struct AccessFile {
    folder: tempfile::TempDir,
    text: String,
}

impl AccessFile {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = Self { folder, text: String::new() };
        file.write();
        file
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("access.toml")
    }

    /// Adds a token, with more lines about it, and gives it.
    pub fn token(&mut self, name: &str, more: &str) -> String {
        let token = make_secret("").unwrap();
        let hash = Hash::of(token.as_bytes());
        self.text += &format!("[tokens.{name}]\nhash = \"{hash}\"\n{more}\n");
        self.write();
        token
    }

    /// Adds lines of any kind.
    pub fn add(&mut self, text: &str) {
        self.text += text;
        self.write();
    }

    /// Takes everybody out.
    pub fn clear(&mut self) {
        self.text.clear();
        self.write();
    }

    fn write(&self) {
        std::fs::write(self.path(), &self.text).unwrap();
        std::fs::set_permissions(self.path(), PermissionsExt::from_mode(0o600)).unwrap();
    }

    /// A server that lets these in.
    pub async fn server(&self, arguments: &[&str]) -> Server {
        let path = self.path().to_string_lossy().into_owned();
        let own = ["--access".to_owned(), path];
        let arguments = own.into_iter().chain(arguments.iter().map(|word| (*word).to_owned()));
        let arguments = arguments.collect();
        Server::with(ServerOptions { arguments, ..Default::default() }).await
    }
}

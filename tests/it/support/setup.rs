//! A user with a home of its own, who runs commands of the binary.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use super::server::BINARY;

/// A home with folders by the system's customs, and no settings but those that a test makes.
pub struct Setup {
    folder: tempfile::TempDir,
}

/// How a command came out.
#[derive(Debug)]
pub struct Ran {
    pub status: ExitStatus,
    pub out: String,
    pub errors: String,
}

impl Setup {
    pub fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("dr").tempdir().unwrap();
        for name in ["config/debug-relay", "state", "runtime"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        Self { folder }
    }

    /// One whose config file says this.
    pub fn with(text: &str) -> Self {
        let setup = Self::new();
        setup.write(text);
        setup
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The config file at its customary place.
    pub fn file(&self) -> PathBuf {
        self.path().join("config/debug-relay/config.toml")
    }

    pub fn write(&self, text: &str) {
        std::fs::write(self.file(), text).unwrap();
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.run_in(arguments, &[])
    }

    /// The same, with these variables.
    pub fn run_in(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        let mut command = self.command(arguments);
        command.envs(variables.iter().copied());
        Ran::of(command.output().unwrap())
    }

    /// A command of this user, not yet run.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(BINARY);
        let inherited = std::env::vars_os().map(|(name, _)| name);
        for name in inherited.filter(|name| name.to_string_lossy().starts_with("DEBUG_RELAY_")) {
            command.env_remove(name);
        }
        for (name, folder) in
            [("CONFIG_HOME", "config"), ("STATE_HOME", "state"), ("RUNTIME_DIR", "runtime")]
        {
            command.env(format!("XDG_{name}"), self.path().join(folder));
        }
        command.args(arguments);
        command
    }
}

impl Ran {
    pub fn of(output: std::process::Output) -> Self {
        Self {
            status: output.status,
            out: String::from_utf8(output.stdout).unwrap(),
            errors: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// What it printed, for it went well.
    pub fn succeeded(self) -> String {
        assert!(self.status.success(), "{self:?}");
        self.out
    }

    /// What it said of its failure.
    pub fn failed(self) -> String {
        assert_eq!(self.status.code(), Some(1), "{self:?}");
        self.errors
    }
}

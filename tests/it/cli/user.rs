//! Somebody with a home and a project folder, who has no server until a command starts one.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{Process, Ran, Setup, tools};

pub struct User {
    setup: Setup,
}

impl User {
    pub fn new() -> Self {
        let setup = Setup::with(&format!(
            "listen = '127.0.0.1:0'\nstop_sessions = false\ndebugpy = {:?}\n\n[limits]\nspares = 0\n",
            tools().join("debugpy")
        ));
        let user = Self { setup };
        std::fs::create_dir(user.folder()).unwrap();
        user
    }

    /// The project, in which commands are run.
    pub fn folder(&self) -> PathBuf {
        self.setup.path().join("project")
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.folder().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.setup.command(arguments);
        command.current_dir(self.folder()).stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).output().unwrap())
    }

    /// The same in a folder of the project.
    pub fn run_in(&self, folder: &str, arguments: &[&str]) -> Ran {
        let mut command = self.command(arguments);
        Ran::of(command.current_dir(self.folder().join(folder)).output().unwrap())
    }

    /// Puts the examples of the project where its pages look for them.
    pub fn copy_examples(&self) {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
        let copied = Command::new("cp").arg("-r").arg(examples).arg(self.folder()).status();
        assert!(copied.unwrap().success());
    }

    /// Runs a script with bash, with our commands and grpcurl on its path.
    pub fn script(&self, text: &str) -> Ran {
        Ran::of(self.bash(text).output().unwrap())
    }

    /// The same, not yet run.
    pub fn bash(&self, text: &str) -> Command {
        let mut command = Command::new("bash");
        let model = self.command(&[]);
        for (name, value) in model.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let binary = Path::new(model.get_program()).parent().unwrap().to_owned();
        let inherited = std::env::var_os("PATH").unwrap_or_default();
        let folders = [binary, tools().join("bin")].into_iter();
        let path = std::env::join_paths(folders.chain(std::env::split_paths(&inherited))).unwrap();
        command.args(["-euo", "pipefail", "-c", text]).env("PATH", path);
        command.current_dir(self.folder()).stdin(Stdio::null());
        command
    }

    /// The server that a command has started.
    pub fn server(&self) -> Process {
        let word =
            std::fs::read(self.setup.path().join("runtime/debug-relay/server.json")).unwrap();
        let word: serde_json::Value = serde_json::from_slice(&word).unwrap();
        Process::of(word["pid"].as_u64().unwrap() as u32)
    }
}

impl Drop for User {
    /// No server and no session outlives the test.
    fn drop(&mut self) {
        for arguments in [&["stop", "--all", "--forget"][..], &["shutdown"]] {
            let _ = self.command(arguments).output();
        }
    }
}

//! Somebody with a home and a project folder, who has no server until a command starts one.

use std::path::PathBuf;
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

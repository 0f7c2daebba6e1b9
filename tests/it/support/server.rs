//! A real server process with folders of its own. Dropping it leaves no process behind.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::Signal;

use super::client::Client;
use super::processes::{self, Process};
use super::tools;

pub const BINARY: &str = env!("CARGO_BIN_EXE_debug-relay");
/// The config file of whoever runs the tests is none of their business.
const NO_FILE: (&str, &str) = ("DEBUG_RELAY_CONFIG", "/dev/null");

/// How a server is started.
#[derive(Clone)]
pub struct ServerOptions {
    pub arguments: Vec<String>,
    pub environment: Vec<(String, String)>,
    /// Uses the debugpy of the tools folder; else the server provides its own.
    pub has_debugpy: bool,
    pub listen: String,
}

impl Default for ServerOptions {
    fn default() -> Self {
        let listen = "127.0.0.1:0".into();
        // Only tests of spares want any: the others would make them for nobody. Who wants to see that
        // all holds with spares as well, sets DEBUG_RELAY_TEST_SPARES.
        let spares = std::env::var("DEBUG_RELAY_TEST_SPARES").unwrap_or_else(|_| "0".into());
        let environment = vec![("DEBUG_RELAY_LIMITS_SPARES".to_owned(), spares)];
        Self { arguments: Vec::new(), environment, has_debugpy: true, listen }
    }
}

pub struct Server {
    child: Child,
    binary: PathBuf,
    options: ServerOptions,
    pub address: String,
    /// What it printed when it started.
    pub greeting: String,
    folder: tempfile::TempDir,
}

impl Server {
    pub async fn start() -> Self {
        Self::with(ServerOptions::default()).await
    }

    pub async fn with(options: ServerOptions) -> Self {
        Self::begin(BINARY.into(), options)
    }

    /// A server that runs this copy of the binary.
    pub async fn of_binary(binary: &Path) -> Self {
        Self::begin(binary.to_owned(), ServerOptions::default())
    }

    fn begin(binary: PathBuf, options: ServerOptions) -> Self {
        let folder = tempfile::Builder::new().prefix("dr").tempdir().unwrap();
        let (child, greeting) = spawn(&binary, folder.path(), &options);
        let address = address(&greeting);
        Self { child, binary, options, address, greeting, folder }
    }

    /// Kills the server with SIGKILL; its hosts live on.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.reap();
    }

    /// Takes note of the end of a server that somebody killed.
    pub fn reap(&mut self) {
        self.child.wait().unwrap();
    }

    /// Sends a signal and returns the exit status.
    pub fn end_by(&mut self, signal: Signal) -> std::process::ExitStatus {
        rustix::process::kill_process(Process::of(self.child.id()).pid(), signal).unwrap();
        self.child.wait().unwrap()
    }

    /// Starts a server on the same folders again.
    pub fn start_again(&mut self) {
        (self.child, self.greeting) = spawn(&self.binary, self.folder.path(), &self.options);
        self.address = address(&self.greeting);
    }

    /// Waits for its end.
    pub fn wait(&mut self) -> std::process::ExitStatus {
        self.child.wait().unwrap()
    }

    /// Where its metrics are.
    pub fn metrics_address(&self) -> String {
        let line = self.greeting.lines().find(|line| line.trim_start().starts_with("metrics"));
        let url = line.and_then(|line| line.rsplit(' ').next()).expect("a server with metrics");
        url.trim_start_matches("http://").trim_end_matches("/metrics").to_owned()
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it has logged so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("server.log")).unwrap()
    }

    pub fn run_dir(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    pub fn state_dir(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// Where the story of a session is kept.
    pub fn archive(&self, session: &str) -> PathBuf {
        self.archives().join(session)
    }

    /// Where the stories of all sessions are kept.
    pub fn archives(&self) -> PathBuf {
        let runs = std::fs::read_dir(self.state_dir().join("sessions")).unwrap();
        runs.flatten().next().expect("a folder for the run folder").path()
    }

    pub fn token(&self) -> String {
        std::fs::read_to_string(self.run_dir().join("token")).unwrap().trim().to_owned()
    }

    /// A client with the server's token.
    pub async fn client(&self) -> Client {
        Client::connect(&self.address, Some(&self.token())).await
    }

    pub async fn client_without_token(&self) -> Client {
        Client::connect(&self.address, None).await
    }

    /// The host process of a session.
    pub fn host(&self, session: &str) -> Process {
        processes::peer_of(&self.run_dir().join("sessions").join(session).join("host.sock"))
            .expect("a living host")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A process that is killed writes no coverage counters.
        let signal = match std::env::var_os("LLVM_PROFILE_FILE") {
            Some(_) => Signal::TERM,
            None => Signal::KILL,
        };
        let sessions = std::fs::read_dir(self.run_dir().join("sessions"));
        let sockets =
            sessions.into_iter().flatten().flatten().map(|entry| entry.path().join("host.sock"));
        let hosts: Vec<Process> =
            sockets.filter_map(|socket| processes::peer_of(&socket)).collect();
        for host in &hosts {
            host.send(signal);
        }
        if matches!(self.child.try_wait(), Ok(None)) {
            Process::of(self.child.id()).send(signal);
        }
        let _ = self.child.wait();
    }
}

/// The command that starts a server on the folders in `folder`.
fn command(binary: &Path, folder: &Path, options: &ServerOptions) -> Command {
    let mut command = Command::new(binary);
    command.args(["serve", "--listen", &options.listen]);
    command.arg("--run-dir").arg(folder.join("run"));
    command.arg("--state-dir").arg(folder.join("state"));
    if options.has_debugpy {
        command.arg("--debugpy").arg(tools().join("debugpy"));
    }
    command.args(&options.arguments).env(NO_FILE.0, NO_FILE.1);
    command.envs(options.environment.iter().cloned());
    command
}

fn spawn(binary: &Path, folder: &Path, options: &ServerOptions) -> (Child, String) {
    let log = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(folder.join("server.log"))
        .unwrap();
    let mut child =
        command(binary, folder, options).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut greeting = String::new();
    for line in &mut lines {
        greeting += &line;
        greeting.push('\n');
        if line.trim_start().starts_with("try") {
            return (child, greeting);
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    let log = std::fs::read_to_string(folder.join("server.log")).unwrap_or_default();
    panic!("the server did not start:\n{greeting}{log}");
}

fn address(greeting: &str) -> String {
    let line = greeting.lines().next().unwrap();
    line.rsplit(' ').next().unwrap().to_owned()
}

/// Runs the binary to its end.
pub fn run_binary(arguments: &[&str]) -> std::process::Output {
    Command::new(BINARY).args(arguments).env(NO_FILE.0, NO_FILE.1).output().unwrap()
}

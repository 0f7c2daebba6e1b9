//! A real server process with folders of its own, and callers of it over TCP.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use debug_relay::proto::execution_service_client::ExecutionServiceClient;
use debug_relay::proto::inspection_service_client::InspectionServiceClient;
use debug_relay::proto::output_service_client::OutputServiceClient;
use debug_relay::proto::server_service_client::ServerServiceClient;
use debug_relay::proto::session_service_client::SessionServiceClient;
use rustix::process::Signal;
use tonic::Request;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Channel, Endpoint};

use super::{Tools, processes};

/// The largest message that a benchmark reads.
const MAX_MESSAGE: usize = 16 * 1024 * 1024;

/// A server. Dropping it ends it and all its sessions.
pub struct Server {
    command: Command,
    child: Child,
    address: String,
    folder: tempfile::TempDir,
}

impl Server {
    /// Starts `binary`, with limits that allow for so many sessions.
    pub fn start(tools: &Tools, binary: &Path, sessions: usize) -> Self {
        Self::start_with_spares(tools, binary, sessions, 0)
    }

    /// The same with interpreters that wait for their programs.
    pub fn start_with_spares(tools: &Tools, binary: &Path, sessions: usize, spares: usize) -> Self {
        let folder = tempfile::Builder::new().prefix("dr").tempdir().expect("a folder");
        let mut command = Command::new(binary);
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--stop-sessions"])
            .arg("--run-dir")
            .arg(folder.path().join("run"))
            .arg("--state-dir")
            .arg(folder.path().join("state"))
            .arg("--debugpy")
            .arg(&tools.debugpy)
            .arg("--python")
            .arg(&tools.python)
            .env("RUST_LOG", "warn")
            // Programs are to write as they do without any setting.
            .env_remove("PYTHONUNBUFFERED")
            .stdout(Stdio::piped());
        if offers(binary, LIMIT_OF_SESSIONS) {
            command.args([LIMIT_OF_SESSIONS, &sessions.to_string()]);
        }
        if offers(binary, SPARES) {
            command.args([SPARES, &spares.to_string()]);
        }
        let (child, address) = spawn(&mut command);
        Self { command, child, address, folder }
    }

    /// Kills the server with SIGKILL; its hosts live on.
    pub fn kill(&mut self) {
        self.child.kill().expect("a living server");
        self.child.wait().expect("its end");
    }

    /// Starts it on the same folders again. The time is until it says where it listens.
    pub fn start_again(&mut self) -> Duration {
        let begun = Instant::now();
        (self.child, self.address) = spawn(&mut self.command);
        begun.elapsed()
    }

    /// Where it listens, and its token.
    pub fn door(&self) -> (String, String) {
        let token = std::fs::read_to_string(self.folder.path().join("run/token"));
        (self.address.clone(), token.expect("a token").trim().to_owned())
    }

    pub fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).expect("a process number")
    }

    /// The host process of a session.
    pub fn host(&self, session: &str) -> i32 {
        let socket = self.sessions_dir().join(session).join("host.sock");
        processes::peer_of(&socket).expect("a living host")
    }

    /// A caller with a connection of its own.
    pub async fn caller(&self) -> Caller {
        let (address, token) = self.door();
        let endpoint = Endpoint::from_shared(format!("http://{address}"));
        let endpoint = endpoint.expect("an address").tcp_nodelay(true);
        let channel = endpoint.connect().await.expect("a server");
        let authorization = format!("Bearer {token}").parse().expect("a header");
        Caller { channel, authorization }
    }

    fn sessions_dir(&self) -> PathBuf {
        self.folder.path().join("run/sessions")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            processes::send(self.pid(), Signal::TERM);
            let _ = self.child.wait();
        }
        // Only a benchmark that failed leaves hosts without their server.
        let sessions = std::fs::read_dir(self.sessions_dir()).into_iter().flatten().flatten();
        let sockets = sessions.map(|entry| entry.path().join("host.sock"));
        for host in sockets.filter_map(|socket| processes::peer_of(&socket)) {
            processes::send(host, Signal::TERM);
        }
    }
}

/// Whoever calls the server, with the token.
#[derive(Clone)]
pub struct Caller {
    channel: Channel,
    authorization: MetadataValue<Ascii>,
}

impl Caller {
    pub fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request.metadata_mut().insert("authorization", self.authorization.clone());
        request
    }

    pub fn sessions(&self) -> SessionServiceClient<Channel> {
        SessionServiceClient::new(self.channel.clone()).max_decoding_message_size(MAX_MESSAGE)
    }

    pub fn inspection(&self) -> InspectionServiceClient<Channel> {
        InspectionServiceClient::new(self.channel.clone())
    }

    pub fn server(&self) -> ServerServiceClient<Channel> {
        ServerServiceClient::new(self.channel.clone())
    }

    pub fn execution(&self) -> ExecutionServiceClient<Channel> {
        ExecutionServiceClient::new(self.channel.clone())
    }

    pub fn output(&self) -> OutputServiceClient<Channel> {
        OutputServiceClient::new(self.channel.clone()).max_decoding_message_size(MAX_MESSAGE)
    }
}

const LIMIT_OF_SESSIONS: &str = "--limits-sessions";
const SPARES: &str = "--limits-spares";

/// Other builds may be measured, which have fewer options.
fn offers(binary: &Path, option: &str) -> bool {
    let help = Command::new(binary).args(["serve", "--help"]).output().expect("the server's help");
    String::from_utf8_lossy(&help.stdout).contains(option)
}

fn spawn(command: &mut Command) -> (Child, String) {
    let mut child = command.spawn().expect("the server starts");
    let mut greeting = String::new();
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    output.read_line(&mut greeting).expect("a greeting");
    // What it prints further is read and dropped.
    std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
    let address = greeting.trim().rsplit(' ').next().expect("an address").to_owned();
    (child, address)
}

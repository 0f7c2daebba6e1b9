//! The floor: debugpy without its adapter, as a host of ours drives it, and without any relay. The
//! program dials us, and every byte of it is acknowledged at once.

use std::io::Read;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use debug_relay::adapters::debugpy::{self, Dial, Target};
use rustix::net::sockopt;
use serde_json::{Map, json};

use super::Tools;
use super::dap::{Client, LIMIT};

const SECRET: &str = "benchmark";

/// A program under debugpy, configured by whoever holds it. Dropping it ends it.
pub struct DirectProgram {
    pub process: Child,
    pub client: Client,
    _folder: tempfile::TempDir,
}

/// How a program is started.
pub struct Start<'a> {
    pub program: &'a Path,
    pub arguments: &'a [String],
    pub stdout: Stdio,
    /// As hosts start it: every write goes out at once.
    pub is_unbuffered: bool,
}

impl DirectProgram {
    /// Starts it and leads it to where breakpoints can be set.
    pub fn start(tools: &Tools, start: Start) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        // On Linux it holds for accepting, too.
        sockopt::set_socket_timeout(&listener, sockopt::Timeout::Recv, Some(LIMIT))
            .expect("a timeout");
        let port = listener.local_addr().expect("an address").port();
        let process = spawn(tools, start, folder.path(), port);
        let (stream, _) = listener.accept().expect("the program dials");
        let mut client = connect(stream);

        let shown = client.request("pydevdAuthorize", json!({ "debugServerAccessToken": null }));
        assert_eq!(shown["clientAccessToken"], SECRET);
        client.request("pydevdSystemInfo", json!({}));
        client.initialize();
        client.request("attach", debugpy::attach_arguments(true, true, &Map::new()));
        Self { process, client, _folder: folder }
    }
}

impl Drop for DirectProgram {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn spawn(tools: &Tools, start: Start, folder: &Path, port: u16) -> Child {
    let (launcher, plan) = (folder.join(debugpy::LAUNCHER_NAME), folder.join("launch.json"));
    let dial = Dial { port, secret: SECRET, debugpy: &tools.debugpy };
    let target = Target::Program(start.program.to_string_lossy().into_owned());
    let content = debugpy::launch_plan(&dial, &target, start.arguments, true);
    std::fs::write(&launcher, debugpy::LAUNCHER).expect("a file");
    std::fs::write(&plan, content.to_string()).expect("a file");
    let mut words = debugpy::command(&tools.python, &[], &launcher, &plan);
    if !start.is_unbuffered {
        words.retain(|word| word != "-u");
    }
    Command::new(&words[0])
        .args(&words[1..])
        .envs(debugpy::ENVIRONMENT.iter().copied())
        .env_remove("PYTHONUNBUFFERED")
        .current_dir(start.program.parent().expect("a folder"))
        .stdin(Stdio::null())
        .stdout(start.stdout)
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

fn connect(stream: TcpStream) -> Client {
    stream.set_nodelay(true).expect("a setting");
    stream.set_read_timeout(Some(LIMIT)).expect("a timeout");
    let writer = stream.try_clone().expect("a second handle");
    Client::new(QuickReader(stream), writer)
}

/// Reads with every byte acknowledged at once, as src/host/dial.rs does.
struct QuickReader(TcpStream);

impl Read for QuickReader {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        #[cfg(target_os = "linux")]
        sockopt::set_tcp_quickack(&self.0, true)?;
        self.0.read(buffer)
    }
}

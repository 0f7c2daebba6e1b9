//! The floor: debugpy without its adapter, as a host of ours drives it, and without any relay. The
//! program dials us, and every byte of it is acknowledged at once.

use std::io::Read;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use debug_relay::adapters::debugpy::{self, Dial, Target};
use rustix::net::sockopt;
use serde_json::{Map, json};

use crate::Setup;
use crate::course::Seen;
use crate::raw_dap::{Client, LIMIT, Stop};

const SECRET: &str = "benchmark";

pub struct DirectSession {
    program: Child,
    client: Client,
    stop: Stop,
    _folder: tempfile::TempDir,
}

impl DirectSession {
    /// Starts the program; the time is until the first stop has been looked at.
    pub fn start(setup: &Setup) -> (Duration, Seen, Self) {
        let folder = tempfile::tempdir().expect("a folder");

        let begun = Instant::now();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        // On Linux it holds for accepting, too.
        sockopt::set_socket_timeout(&listener, sockopt::Timeout::Recv, Some(LIMIT))
            .expect("a timeout");
        let port = listener.local_addr().expect("an address").port();
        let program = start_program(setup, folder.path(), port);
        let (stream, _) = listener.accept().expect("the program dials");
        let mut client = connect(stream);

        let shown = client.request("pydevdAuthorize", json!({ "debugServerAccessToken": null }));
        assert_eq!(shown["clientAccessToken"], SECRET);
        client.request("pydevdSystemInfo", json!({}));
        client.initialize();
        client.request("attach", debugpy::attach_arguments(true, true, &Map::new()));
        let (stop, seen) = client.run_to_start(&setup.program);
        (begun.elapsed(), seen, Self { program, client, stop, _folder: folder })
    }

    pub fn step(&mut self) -> (Duration, Seen) {
        self.client.step(self.stop)
    }
}

impl Drop for DirectSession {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

fn start_program(setup: &Setup, folder: &std::path::Path, port: u16) -> Child {
    let (launcher, plan) = (folder.join(debugpy::LAUNCHER_NAME), folder.join("launch.json"));
    let dial = Dial { port, secret: SECRET, debugpy: &setup.debugpy };
    let target = Target::Program(setup.program.file());
    let content = debugpy::launch_plan(&dial, &target, &[], true);
    std::fs::write(&launcher, debugpy::LAUNCHER).expect("a file");
    std::fs::write(&plan, content.to_string()).expect("a file");
    let command = debugpy::command(&setup.python, &[], &launcher, &plan);
    Command::new(&command[0])
        .args(&command[1..])
        .envs(debugpy::ENVIRONMENT.iter().copied())
        .current_dir(setup.folder())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
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

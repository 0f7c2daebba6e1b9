//! debugpy as everybody else runs it: a client speaks DAP with `python -m debugpy.adapter` on its
//! standard streams, which launches the program by way of its launcher.

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::json;

use super::Tools;
use super::dap::{Client, LIMIT};

/// An adapter, and its program once there is one. Dropping it ends both.
pub struct Adapter {
    process: Child,
    client: Option<Client>,
}

impl Adapter {
    /// Starts both, and leads the program to where breakpoints can be set.
    pub fn launch(tools: &Tools, program: &Path) -> Self {
        let mut adapter = Self::start(tools);
        let client = adapter.client();
        client.initialize();
        let launch = json!({
            "program": program, "python": tools.python, "cwd": program.parent(),
            "console": "internalConsole",
        });
        // Its answer comes only after configurationDone, and is passed by.
        client.send("launch", launch);
        client.event("initialized");
        adapter
    }

    /// An adapter that nobody has spoken to yet.
    pub fn start(tools: &Tools) -> Self {
        // Socket pairs for standard streams, as Node makes them for VS Code: they have a timeout.
        let (input, their_input) = UnixStream::pair().expect("sockets");
        let (output, their_output) = UnixStream::pair().expect("sockets");
        output.set_read_timeout(Some(LIMIT)).expect("a timeout");
        let process = Command::new(&tools.python)
            .args(["-m", "debugpy.adapter"])
            .env("PYTHONPATH", &tools.debugpy)
            .stdin(Stdio::from(OwnedFd::from(their_input)))
            .stdout(Stdio::from(OwnedFd::from(their_output)))
            .stderr(Stdio::null())
            .spawn()
            .expect("the adapter starts");
        Self { process, client: Some(Client::new(output, input)) }
    }

    pub fn client(&mut self) -> &mut Client {
        self.client.as_mut().expect("a client until the end")
    }
}

impl Drop for Adapter {
    fn drop(&mut self) {
        if let Some(mut client) = self.client.take()
            && !std::thread::panicking()
        {
            client.request("disconnect", json!({ "terminateDebuggee": true }));
        }
        // The end of its standard input ends the adapter. One that is killed takes its program along.
        for _ in 0..500 {
            if !matches!(self.process.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

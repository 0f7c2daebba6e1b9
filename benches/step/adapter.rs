//! debugpy as everybody else runs it: a client speaks DAP with `python -m debugpy.adapter` on its
//! standard streams, which launches the program by way of its launcher.

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::Setup;
use crate::support::course::Seen;
use crate::support::dap::{Client, LIMIT, Stop};

pub struct AdapterSession {
    adapter: Child,
    client: Option<Client>,
    stop: Stop,
}

impl AdapterSession {
    /// Starts adapter and program; the time is until the first stop has been looked at.
    pub fn start(setup: &Setup) -> (Duration, Seen, Self) {
        // Socket pairs for standard streams, as Node makes them for VS Code: they have a timeout.
        let (input, their_input) = UnixStream::pair().expect("sockets");
        let (output, their_output) = UnixStream::pair().expect("sockets");
        output.set_read_timeout(Some(LIMIT)).expect("a timeout");

        let begun = Instant::now();
        let adapter = Command::new(&setup.tools.python)
            .args(["-m", "debugpy.adapter"])
            .env("PYTHONPATH", &setup.tools.debugpy)
            .stdin(Stdio::from(OwnedFd::from(their_input)))
            .stdout(Stdio::from(OwnedFd::from(their_output)))
            .stderr(Stdio::null())
            .spawn()
            .expect("the adapter starts");
        let mut client = Client::new(output, input);
        client.initialize();
        let launch = json!({
            "program": setup.program.file(), "python": setup.tools.python, "cwd": setup.program.folder(),
            "console": "internalConsole",
        });
        // Its answer comes only after configurationDone, and is passed by.
        client.send("launch", launch);
        client.event("initialized");
        let (stop, seen) = client.run_to_start(&setup.program);
        (begun.elapsed(), seen, Self { adapter, client: Some(client), stop })
    }

    pub fn step(&mut self) -> (Duration, Seen) {
        self.client.as_mut().expect("a client until the end").step(self.stop)
    }
}

impl Drop for AdapterSession {
    fn drop(&mut self) {
        if let Some(mut client) = self.client.take()
            && !std::thread::panicking()
        {
            client.request("disconnect", json!({ "terminateDebuggee": true }));
        }
        // The end of its standard input ends the adapter. One that is killed takes its program along.
        for _ in 0..500 {
            if !matches!(self.adapter.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.adapter.kill();
        let _ = self.adapter.wait();
    }
}

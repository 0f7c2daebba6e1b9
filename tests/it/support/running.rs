//! Programs that somebody else started.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use debug_relay::proto::attach_config::Target;
use debug_relay::proto::*;

use super::{Client, Process, Program, eventually, processes_that, tools};

/// Counts on in a file.
pub const TICKS: &str = "import os, sys, time\n\nTICKS = sys.argv[1]\n\ndef tick(count):\n    with open(TICKS, 'w') as file:  # @tick\n        file.write(str(count))\n    return count + 1\n\ncount = 0\nwhile True:\n    count = tick(count)\n    time.sleep(0.01)\n";

/// Starts itself again and again, as long as that goes well.
pub const CHILDREN: &str = "import subprocess, sys\n\nif len(sys.argv) == 2:\n    while True:\n        subprocess.run([sys.executable, __file__, sys.argv[1], 'child'], check=True)\nelse:\n    with open(sys.argv[1], 'a') as file:  # @tick\n        file.write('1')\n";

/// A program that somebody else started. It ends with the test.
pub struct Running {
    pub child: Child,
    pub program: Program,
    pub ticks: tempfile::NamedTempFile,
    /// The port at which debugpy was told to listen, if it was.
    port: Option<String>,
}

impl Running {
    /// Runs `text` with these arguments of the interpreter.
    pub fn start(text: &str, arguments: &[&str]) -> Self {
        let program = Program::of(text);
        let ticks = tempfile::NamedTempFile::new().unwrap();
        let child = Command::new("python3")
            .args(arguments)
            .arg(&program.path)
            .arg(ticks.path())
            .env("PYTHONPATH", tools().join("debugpy"))
            .env("PYDEVD_DISABLE_FILE_VALIDATION", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let listens = arguments.iter().skip_while(|word| **word != "--listen");
        let port = listens.skip(1).map(|port| (*port).to_owned()).next();
        Self { child, program, ticks, port }
    }

    pub fn process(&self) -> Process {
        Process::of(self.child.id())
    }

    /// It counts on.
    pub async fn goes_on(&self) {
        let before = count(self.ticks.path());
        eventually("the program goes on", async || {
            (before < count(self.ticks.path())).then_some(())
        })
        .await;
    }

    pub async fn attach(&self, client: &mut Client, target: Target) -> CreateSessionResponse {
        let root = self.program.path.parent().unwrap().to_string_lossy().into_owned();
        let timeout = Some(prost_types::Duration { seconds: 30, nanos: 0 });
        let attach = AttachConfig { target: Some(target), ..Default::default() };
        let request = CreateSessionRequest {
            project_root: root,
            breakpoints: vec![self.program.breakpoint("tick")],
            start: Some(create_session_request::Start::Attach(attach)),
            wait: Some(WaitOptions { timeout, snapshot: None }),
            ..Default::default()
        };
        client.sessions.create_session(request).await.unwrap().into_inner()
    }

    /// Takes the program, stops it, leaves it, and sees that it goes on.
    pub async fn visit(&self, client: &mut Client, target: Target) {
        let created = self.attach(client, target).await;
        let session = created.session.unwrap().id;
        let outcome = created.outcome.unwrap();
        let stop = outcome.stop.unwrap_or_else(|| panic!("no stop: {:?}", outcome.hint));
        assert_eq!(stop.location.unwrap().line, self.program.line("tick"));
        assert_eq!(client.step_over(&session).await.stop.unwrap().reason(), StopReason::Step);
        let shown = client.session(&session).await.unwrap();
        assert_eq!(shown.processes[0].process_id, i64::from(self.child.id()));

        let request = DetachRequest { session_id: session.clone() };
        let left = client.sessions.detach(request).await.unwrap().into_inner().session.unwrap();

        assert_eq!(left.state(), SessionState::Detached);
        self.goes_on().await;
        client.delete(&session).await;
        self.goes_on().await;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // debugpy's own adapter is nobody's child, and may outlive the program.
        if let Some(port) = &self.port {
            let is_its = |words: &str| {
                words.contains("debugpy/adapter") && words.split('\0').any(|word| word == port)
            };
            processes_that(is_its).into_iter().for_each(Process::kill);
        }
    }
}

/// What it has written: a number, or one mark for each time.
pub fn count(path: &Path) -> usize {
    let text = std::fs::read_to_string(path).unwrap();
    if text.starts_with("11") { text.len() } else { text.parse().unwrap_or_default() }
}

pub fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// The beginning of a program that dials until somebody listens.
pub fn dialling(port: u16) -> String {
    format!(
        "import debugpy\nfor attempt in range(1000):\n    try:\n        debugpy.connect(('127.0.0.1', {port}))\n        break\n    except Exception:\n        import time\n        time.sleep(0.05)"
    )
}

pub fn endpoint(port: u16) -> Endpoint {
    Endpoint { host: String::new(), port: port.into() }
}

//! The whole relay: a real server process, a real host a session, and a gRPC client over TCP.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::time::{Duration, Instant};

use debug_relay::proto::execution_service_client::ExecutionServiceClient;
use debug_relay::proto::session_service_client::SessionServiceClient;
use debug_relay::proto::*;
use rustix::process::{Pid, Signal, kill_process};
use tokio::runtime::Runtime;
use tonic::Request;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Channel, Endpoint};

use crate::Setup;
use crate::course::Seen;

/// A server with folders of its own. Dropping it ends it and all its sessions.
pub struct Server {
    child: Child,
    runtime: Runtime,
    channel: Channel,
    authorization: MetadataValue<Ascii>,
    _folder: tempfile::TempDir,
}

impl Server {
    pub fn start(setup: &Setup, binary: &Path) -> Rc<Self> {
        let folder = tempfile::Builder::new().prefix("dr").tempdir().expect("a folder");
        let run_dir = folder.path().join("run");
        let mut child = Command::new(binary)
            .args(["serve", "--listen", "127.0.0.1:0", "--stop-sessions"])
            .arg("--run-dir")
            .arg(&run_dir)
            .arg("--state-dir")
            .arg(folder.path().join("state"))
            .arg("--debugpy")
            .arg(&setup.debugpy)
            .arg("--python")
            .arg(&setup.python)
            .env("RUST_LOG", "warn")
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut greeting = String::new();
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        output.read_line(&mut greeting).expect("a greeting");
        // What it prints further is read and dropped.
        std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
        let address = greeting.trim().rsplit(' ').next().expect("an address").to_owned();
        let token = std::fs::read_to_string(run_dir.join("token")).expect("a token");

        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("a runtime");
        let endpoint = Endpoint::from_shared(format!("http://{address}")).expect("an address");
        let channel = runtime.block_on(endpoint.tcp_nodelay(true).connect()).expect("a server");
        let authorization = format!("Bearer {}", token.trim()).parse().expect("a header");
        Rc::new(Self { child, runtime, channel, authorization, _folder: folder })
    }

    fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request.metadata_mut().insert("authorization", self.authorization.clone());
        request
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Ok(pid) = i32::try_from(self.child.id())
            && let Some(pid) = Pid::from_raw(pid)
        {
            let _ = kill_process(pid, Signal::TERM);
        }
        let _ = self.child.wait();
    }
}

/// A session of the server.
pub struct RelaySession {
    server: Rc<Server>,
    sessions: SessionServiceClient<Channel>,
    execution: ExecutionServiceClient<Channel>,
    id: String,
    changes_only: bool,
}

impl RelaySession {
    /// Makes a session with the program in it; the time is until its first stop is shown.
    pub fn start(setup: &Setup, server: &Rc<Server>, changes_only: bool) -> (Duration, Seen, Self) {
        let server = Rc::clone(server);
        let mut sessions = SessionServiceClient::new(server.channel.clone());
        let execution = ExecutionServiceClient::new(server.channel.clone());
        let line = i32::try_from(setup.program.start).expect("a small file");
        let place = LineLocation { file: setup.program.file(), line, column: 0 };
        let location = Some(breakpoint_spec::Location::Line(place));
        let target = Some(launch_config::Target::Program(setup.program.file()));
        let launch = LaunchConfig { target, ..Default::default() };
        let request = server.request(CreateSessionRequest {
            breakpoints: vec![BreakpointSpec { location, ..Default::default() }],
            start: Some(create_session_request::Start::Launch(launch)),
            ..Default::default()
        });

        let begun = Instant::now();
        let created = server.runtime.block_on(sessions.create_session(request));
        let took = begun.elapsed();

        let created = created.expect("a session").into_inner();
        let id = created.session.expect("a session").id;
        let seen = seen(created.outcome.expect("an outcome"), false);
        (took, seen, Self { server, sessions, execution, id, changes_only })
    }

    /// One step over a line, in one call.
    pub fn step(&mut self) -> (Duration, Seen) {
        let snapshot = SnapshotOptions { changes_only: self.changes_only, ..Default::default() };
        let request = self.server.request(StepOverRequest {
            session_id: self.id.clone(),
            wait: Some(WaitOptions { snapshot: Some(snapshot), timeout: None }),
            ..Default::default()
        });

        let begun = Instant::now();
        let stepped = self.server.runtime.block_on(self.execution.step_over(request));
        let took = begun.elapsed();

        let outcome = stepped.expect("a step").into_inner().outcome.expect("an outcome");
        (took, seen(outcome, self.changes_only))
    }

    /// One call that asks nothing of the debugger.
    pub fn get_session(&mut self) -> Duration {
        let request = self.server.request(GetSessionRequest { session_id: self.id.clone() });

        let begun = Instant::now();
        let found = self.server.runtime.block_on(self.sessions.get_session(request));
        let took = begun.elapsed();

        let session = found.expect("a session").into_inner().session.expect("a session");
        assert_eq!((session.id.as_str(), session.state()), (&*self.id, SessionState::Stopped));
        took
    }
}

impl Drop for RelaySession {
    fn drop(&mut self) {
        let request = self.server.request(DeleteSessionRequest { session_id: self.id.clone() });
        // What is left is ended with the server.
        let _ = self.server.runtime.block_on(self.sessions.delete_session(request));
    }
}

fn seen(outcome: Outcome, changes_only: bool) -> Seen {
    assert_eq!(outcome.state(), SessionState::Stopped, "{outcome:?}");
    let place = outcome.stop.and_then(|stop| stop.location).expect("a place");
    let snapshot = outcome.snapshot.expect("a snapshot");
    let top = snapshot.frames.first().map(|frame| frame.line);
    assert_eq!(top, (!changes_only).then_some(place.line), "the top frame");
    let changed = snapshot.changes.into_iter().map(|change| (change.name, change.after));
    let scopes = snapshot.scopes.into_iter();
    let shown = scopes.flat_map(|scope| scope.variables).map(|one| (one.name, one.value));
    Seen {
        line: place.line.into(),
        variables: if changes_only { changed.collect() } else { shown.collect() },
    }
}

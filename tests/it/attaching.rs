//! Programs that run already: taken, left running, taken again.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use debug_relay::proto::attach_config::Target;
use debug_relay::proto::*;

use crate::support::{
    Client, Process, Program, Server, eventually, is_alive, processes_that, reason, shows_a_secret,
    tools,
};

const TICKS: &str = "import os, sys, time\n\nTICKS = sys.argv[1]\n\ndef tick(count):\n    with open(TICKS, 'w') as file:  # @tick\n        file.write(str(count))\n    return count + 1\n\ncount = 0\nwhile True:\n    count = tick(count)\n    time.sleep(0.01)\n";

/// Starts itself again and again, as long as that goes well.
const CHILDREN: &str = "import subprocess, sys\n\nif len(sys.argv) == 2:\n    while True:\n        subprocess.run([sys.executable, __file__, sys.argv[1], 'child'], check=True)\nelse:\n    with open(sys.argv[1], 'a') as file:  # @tick\n        file.write('1')\n";

/// A program that somebody else started. It ends with the test.
struct Running {
    child: Child,
    program: Program,
    ticks: tempfile::NamedTempFile,
    /// The port at which debugpy was told to listen, if it was.
    port: Option<String>,
}

impl Running {
    /// Runs `text` with these arguments of the interpreter.
    fn start(text: &str, arguments: &[&str]) -> Self {
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

    fn process(&self) -> Process {
        Process::of(self.child.id())
    }

    /// It counts on.
    async fn goes_on(&self) {
        let before = count(self.ticks.path());
        eventually("the program goes on", async || {
            (before < count(self.ticks.path())).then_some(())
        })
        .await;
    }

    async fn attach(&self, client: &mut Client, target: Target) -> CreateSessionResponse {
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
    async fn visit(&self, client: &mut Client, target: Target) {
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
fn count(path: &Path) -> usize {
    let text = std::fs::read_to_string(path).unwrap();
    if text.starts_with("11") { text.len() } else { text.parse().unwrap_or_default() }
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// The beginning of a program that dials until somebody listens.
fn dialling(port: u16) -> String {
    format!(
        "import debugpy\nfor attempt in range(1000):\n    try:\n        debugpy.connect(('127.0.0.1', {port}))\n        break\n    except Exception:\n        import time\n        time.sleep(0.05)"
    )
}

fn endpoint(port: u16) -> Endpoint {
    Endpoint { host: String::new(), port: port.into() }
}

#[tokio::test]
async fn a_process_is_taken_left_running_and_taken_again() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let running = Running::start(TICKS, &[]);
    running.goes_on().await;

    for _ in 0..2 {
        running.visit(&mut client, Target::ProcessId(running.child.id().into())).await;
    }
}

#[tokio::test]
async fn a_process_that_another_session_has_is_refused() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let running = Running::start(TICKS, &[]);
    running.goes_on().await;
    let target =
        |pid: i64| AttachConfig { target: Some(Target::ProcessId(pid)), ..Default::default() };
    let own = i64::from(running.child.id());
    let first = running.attach(&mut client, Target::ProcessId(own)).await.session.unwrap().id;
    let launched = client.debug(&Program::named("loop.py"), &["add"]).await;
    let launched = launched.outcome.unwrap().stop.unwrap().process_id;

    for (pid, words) in
        [(own, "another session is attached"), (launched, "program of another session")]
    {
        let start = Some(create_session_request::Start::Attach(target(pid)));
        let request =
            CreateSessionRequest { project_root: "/".into(), start, ..Default::default() };
        let status = client.sessions.create_session(request).await.unwrap_err();
        assert_eq!(reason(&status), ErrorReason::AttachFailed);
        assert!(status.message().contains(words), "{status:?}");
    }
    assert_eq!(client.step_over(&first).await.stop.unwrap().reason(), StopReason::Step);
}

#[tokio::test]
async fn a_debugger_that_listens_is_joined_left_and_joined_again() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let port = free_port();
    let running = Running::start(TICKS, &["-m", "debugpy", "--listen", &port.to_string()]);
    running.goes_on().await;

    for _ in 0..2 {
        running.visit(&mut client, Target::Connect(endpoint(port))).await;
    }
}

#[tokio::test]
async fn a_program_that_dials_is_waited_for() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let port = free_port();
    let running = Running::start(&format!("{}\n{TICKS}", dialling(port)), &[]);

    running.visit(&mut client, Target::Listen(endpoint(port))).await;
}

#[tokio::test]
async fn files_that_the_program_knows_by_other_paths_are_found_here() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let running = Running::start(TICKS, &[]);
    running.goes_on().await;
    let here = Program::of(TICKS);
    let folder = |program: &Program| program.path.parent().unwrap().to_string_lossy().into_owned();
    let mapping = PathMapping { local_root: folder(&here), remote_root: folder(&running.program) };
    let attach = AttachConfig {
        target: Some(Target::ProcessId(running.child.id().into())),
        path_mappings: vec![mapping],
        ..Default::default()
    };
    let timeout = Some(prost_types::Duration { seconds: 30, nanos: 0 });
    let request = CreateSessionRequest {
        project_root: folder(&here),
        breakpoints: vec![here.breakpoint("tick")],
        start: Some(create_session_request::Start::Attach(attach)),
        wait: Some(WaitOptions { timeout, snapshot: None }),
        ..Default::default()
    };

    let created = client.sessions.create_session(request).await.unwrap().into_inner();

    let outcome = created.outcome.unwrap();
    assert_eq!(outcome.stop.unwrap().location.unwrap().file, here.file());
    assert!(outcome.snapshot.unwrap().source.unwrap().text.contains("@tick"));
}

#[tokio::test]
async fn deleting_an_attached_session_leaves_the_program_and_terminating_ends_it() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let running = Running::start(TICKS, &[]);
    running.goes_on().await;
    let target = || Target::ProcessId(running.child.id().into());
    let session = running.attach(&mut client, target()).await.session.unwrap().id;

    client.delete(&session).await;
    running.goes_on().await;
    let again = running.attach(&mut client, target()).await.session.unwrap().id;
    let request = RestartRequest { session_id: again.clone(), wait: None };
    let status = client.sessions.restart(request).await.unwrap_err();
    let request = TerminateSessionRequest { session_id: again, force: true, grace: None };
    let ended = client.sessions.terminate_session(request).await.unwrap().into_inner();

    assert_eq!(reason(&status), ErrorReason::WrongState);
    assert_eq!(ended.session.unwrap().state(), SessionState::Terminated);
    assert!(!is_alive(running.process()));
}

#[tokio::test]
async fn an_attached_program_that_ends_is_exited_without_a_code() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let port = free_port();
    let text = TICKS.replace("while True:", "while count < 10_000_000:");
    let by_endpoint = Running::start(&text, &["-m", "debugpy", "--listen", &port.to_string()]);
    let by_process = Running::start(&text, &[]);
    let targets = [
        (&by_endpoint, Target::Connect(endpoint(port))),
        (&by_process, Target::ProcessId(by_process.child.id().into())),
    ];
    for (running, target) in targets {
        running.goes_on().await;
        let session = running.attach(&mut client, target).await.session.unwrap().id;
        let request = RunToLineRequest {
            session_id: session.clone(),
            line: running.program.line("tick") + 2,
            ..Default::default()
        };
        client.execution.run_to_line(request).await.unwrap();
        let request = EvaluateRequest {
            session_id: session.clone(),
            expression: "count = 10_000_000".into(),
            context: EvaluateContext::Statement.into(),
            ..Default::default()
        };
        client.inspection.evaluate(request).await.unwrap();
        let end = client.debugged_to_the_end(&session).await;

        assert_eq!((end.state(), end.exit_code), (SessionState::Exited, None), "{end:?}");
    }
}

#[tokio::test]
async fn children_of_a_joined_program_are_followed_and_do_not_hang() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let port = free_port();
    let running = Running::start(CHILDREN, &["-m", "debugpy", "--listen", &port.to_string()]);
    running.goes_on().await;

    let created = running.attach(&mut client, Target::Connect(endpoint(port))).await;

    let session = created.session.unwrap().id;
    let stop = created.outcome.unwrap().stop.unwrap();
    assert_ne!(stop.process_id, i64::from(running.child.id()));
    client.delete(&session).await;
    running.goes_on().await;
}

/// Stops in a child of the program, leaves it, and sees that it starts others.
async fn visit_a_child(running: &Running, target: Target) {
    let server = Server::start().await;
    let mut client = server.client().await;

    let created = running.attach(&mut client, target).await;

    let session = created.session.unwrap().id;
    let stop = created.outcome.unwrap().stop.unwrap();
    assert_ne!(stop.process_id, i64::from(running.child.id()));
    assert!(!shows_a_secret(Process::of(stop.process_id)));
    let request = DetachRequest { session_id: session.clone() };
    client.sessions.detach(request).await.unwrap();
    running.goes_on().await;
    client.delete(&session).await;
    running.goes_on().await;
}

#[tokio::test]
async fn children_of_a_process_that_was_taken_show_no_secret_and_run_when_it_is_left() {
    let running = Running::start(CHILDREN, &[]);
    running.goes_on().await;

    visit_a_child(&running, Target::ProcessId(running.child.id().into())).await;
}

#[tokio::test]
async fn children_of_a_program_that_dialled_run_when_it_is_left() {
    let port = free_port();
    let connect = dialling(port).replace('\n', "\n    ");
    let text = format!("import sys\nif len(sys.argv) == 2:\n    {connect}\n{CHILDREN}");
    let running = Running::start(&text, &[]);

    visit_a_child(&running, Target::Listen(endpoint(port))).await;
}

#[tokio::test]
async fn an_orphan_of_a_process_that_was_taken_does_not_hang() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let text = "import subprocess, sys, time\n\ndef start(run, kind):\n    return run([sys.executable, __file__, sys.argv[1], kind])\n\nif len(sys.argv) == 2:\n    while True:\n        start(subprocess.run, 'parent')\n        time.sleep(0.1)\nelif sys.argv[2] == 'parent':\n    start(subprocess.Popen, 'orphan')\nelse:\n    with open(sys.argv[1], 'a') as file:\n        file.write('1')  # @tick\n";
    let running = Running::start(text, &[]);
    running.goes_on().await;
    let attach = AttachConfig {
        target: Some(Target::ProcessId(running.child.id().into())),
        ..Default::default()
    };
    let request = CreateSessionRequest {
        project_root: running.program.path.parent().unwrap().to_string_lossy().into_owned(),
        start: Some(create_session_request::Start::Attach(attach)),
        wait: Some(WaitOptions { timeout: Some(Default::default()), snapshot: None }),
        ..Default::default()
    };
    let made = client.sessions.create_session(request).await.unwrap().into_inner();

    for _ in 0..3 {
        running.goes_on().await;
    }

    client.delete(&made.session.unwrap().id).await;
}

#[tokio::test]
async fn a_process_that_is_just_being_started_survives_the_end_of_the_session() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let running = Running::start(CHILDREN, &[]);
    running.goes_on().await;

    for _ in 0..3 {
        let process = Target::ProcessId(running.child.id().into());
        let session = running.attach(&mut client, process).await.session.unwrap().id;
        let request = RemoveBreakpointsRequest {
            session_id: session.clone(),
            all: true,
            ..Default::default()
        };
        client.breakpoints.remove_breakpoints(request).await.unwrap();
        let wait = Some(WaitOptions { timeout: Some(Default::default()), snapshot: None });
        let request = ContinueRequest { session_id: session.clone(), wait, ..Default::default() };
        client.execution.r#continue(request).await.unwrap();
        running.goes_on().await;

        client.delete(&session).await;

        for _ in 0..3 {
            running.goes_on().await;
        }
    }
}

#[tokio::test]
async fn what_cannot_be_taken_says_why() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let mut sleeper = Command::new("sleep").arg("60").spawn().unwrap();
    let targets = [
        (Target::ProcessId(i64::from(i32::MAX)), "there is no process"),
        (Target::Connect(endpoint(free_port())), "nobody answers at 127.0.0.1"),
        (Target::ProcessId(sleeper.id().into()), "is it a Python"),
    ];
    for (target, words) in targets {
        let attach = AttachConfig { target: Some(target), ..Default::default() };
        let request = CreateSessionRequest {
            project_root: "/".into(),
            start: Some(create_session_request::Start::Attach(attach)),
            ..Default::default()
        };
        let status = client.sessions.create_session(request).await.unwrap_err();

        assert_eq!(reason(&status), ErrorReason::AttachFailed);
        assert!(status.message().contains(words), "{status:?}");
    }
    assert!(is_alive(Process::of(sleeper.id())));
    sleeper.kill().unwrap();
    sleeper.wait().unwrap();
}

#[tokio::test]
async fn a_launched_program_runs_on_after_it_is_left() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(TICKS);
    let ticks = tempfile::NamedTempFile::new().unwrap();
    let path = ticks.path().to_string_lossy().into_owned();
    let launch = LaunchConfig { args: vec![path], ..program.launch() };
    let created = client.launch(launch, vec![program.breakpoint("tick")]).await;
    let session = created.session.unwrap().id;
    let process = Process::of(created.outcome.unwrap().stop.unwrap().process_id);

    let request = DetachRequest { session_id: session.clone() };
    let left = client.sessions.detach(request.clone()).await.unwrap().into_inner().session.unwrap();
    let again = client.sessions.detach(request).await.unwrap_err();
    client.delete(&session).await;

    assert_eq!(left.state(), SessionState::Detached);
    assert_eq!(reason(&again), ErrorReason::WrongState);
    let before = count(ticks.path());
    eventually("it goes on", async || (before < count(ticks.path())).then_some(())).await;
    process.kill();
}

#[tokio::test]
async fn what_a_left_program_and_its_children_start_later_runs_without_a_debugger() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let text = "import subprocess, sys\n\ndef start():\n    subprocess.run([sys.executable, __file__, *sys.argv[1:], 'child'], check=True)\n\nif len(sys.argv) == 2:\n    start()\nelif len(sys.argv) == 3:\n    while True:\n        start()\nelse:\n    with open(sys.argv[1], 'a') as file:  # @tick\n        file.write('1')\n";
    let program = Program::of(text);
    let ticks = tempfile::NamedTempFile::new().unwrap();
    let path = ticks.path().to_string_lossy().into_owned();
    let launch = LaunchConfig { args: vec![path], ..program.launch() };
    let created = client.launch(launch, vec![program.breakpoint("tick")]).await;
    let session = created.session.unwrap().id;
    let processes = client.session(&session).await.unwrap().processes;
    assert_eq!(processes.len(), 3, "{processes:?}");
    let goes_on = async || {
        let before = count(ticks.path());
        eventually("it starts more", async || (before + 2 < count(ticks.path())).then_some(()))
            .await;
    };

    let request = DetachRequest { session_id: session.clone() };
    client.sessions.detach(request).await.unwrap();
    goes_on().await;
    client.delete(&session).await;
    goes_on().await;

    for process in processes {
        Process::of(process.process_id).kill();
    }
}

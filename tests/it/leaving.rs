//! Programs that are left go on as if they had never been debugged, and so does all that they start.

use debug_relay::proto::attach_config::Target;
use debug_relay::proto::*;

use crate::support::{
    CHILDREN, Process, Program, Running, Server, TICKS, count, dialling, endpoint, eventually,
    free_port, reason, shows_a_secret,
};

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
    // Its parent is gone before it dials.
    let text = "import os, subprocess, sys, time\n\ndef start(run, kind):\n    return run([sys.executable, __file__, sys.argv[1], kind])\n\nif len(sys.argv) == 2:\n    while True:\n        start(subprocess.run, 'parent')\n        time.sleep(0.1)\nelif sys.argv[2] == 'parent':\n    start(subprocess.Popen, 'orphan')\n    os._exit(0)\nelse:\n    with open(sys.argv[1], 'a') as file:\n        file.write('1')  # @tick\n";
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

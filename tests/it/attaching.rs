//! Programs that run already: taken, left running, taken again.

use std::process::Command;

use debug_relay::proto::attach_config::Target;
use debug_relay::proto::*;

use crate::support::{
    Process, Program, Running, Server, TICKS, dialling, endpoint, free_port, is_alive, reason,
};

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

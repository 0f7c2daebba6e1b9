//! Breakpoints on lines: with conditions, before launch, while running, while stopped.

use debug_relay::proto::*;

use crate::support::{Program, Server, values};

#[tokio::test]
async fn a_condition_holds_and_the_end_tells_exit_code_output_and_unhit_breakpoints() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::named("loop.py");
    let conditional = BreakpointSpec { condition: "item == 3".into(), ..program.breakpoint("add") };
    let never = BreakpointSpec { condition: "total < 0".into(), ..program.breakpoint("printed") };
    let request = CreateSessionRequest {
        breakpoints: vec![conditional, never],
        start: Some(create_session_request::Start::Launch(program.launch())),
        ..Default::default()
    };

    let created = client.sessions.create_session(request).await.unwrap().into_inner();
    let session = created.session.unwrap().id;
    let end = client.resume(&session).await;

    assert_eq!(
        values(&created.outcome.unwrap().snapshot.unwrap()),
        [("item", "3"), ("total", "3")]
    );
    assert_eq!((end.state(), end.exit_code, end.exit_signal), (SessionState::Exited, Some(0), 0));
    assert_eq!(end.output.unwrap().text, "total 6\ntotal 10\ndone 10\n");
    assert_eq!(end.unhit_breakpoints.len(), 1);
    assert_eq!(end.unhit_breakpoints[0].reason(), UnhitReason::ConditionNeverTrue);
    assert_eq!(
        client.text(&session).await,
        "total 0\ntotal 1\ntotal 3\ntotal 6\ntotal 10\ndone 10\n"
    );
}

#[tokio::test]
async fn breakpoints_are_set_before_launch_while_running_and_while_stopped() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::named("endless.py");
    let root = program.path.parent().unwrap().to_string_lossy().into_owned();
    let request = CreateSessionRequest { project_root: root, ..Default::default() };
    let session =
        client.sessions.create_session(request).await.unwrap().into_inner().session.unwrap();
    assert_eq!(session.state(), SessionState::Created);
    let session = session.id;

    let set = |line: i32| {
        let location = LineLocation { file: "endless.py".into(), line, column: 0 };
        let location = Some(breakpoint_spec::Location::Line(location));
        let breakpoints = vec![BreakpointSpec { location, ..Default::default() }];
        SetBreakpointsRequest { session_id: session.clone(), breakpoints, replace_file: false }
    };
    let begun = program.line("tick") - 2;
    let before = client.breakpoints.set_breakpoints(set(begun)).await.unwrap().into_inner();
    assert!(!before.breakpoints[0].verified);
    let launch = Some(program.launch());
    let request = LaunchRequest { session_id: session.clone(), launch, wait: None };
    let first = client.sessions.launch(request).await.unwrap().into_inner().outcome.unwrap();
    assert_eq!(first.stop.unwrap().location.unwrap().line, begun);

    let wait =
        Some(WaitOptions { timeout: Some(prost_types::Duration::default()), snapshot: None });
    let request = ContinueRequest { session_id: session.clone(), wait, ..Default::default() };
    let running = client.execution.r#continue(request).await.unwrap().into_inner().outcome.unwrap();
    assert_eq!((running.state(), running.timed_out), (SessionState::Running, false));
    let set =
        client.breakpoints.set_breakpoints(set(program.line("tick"))).await.unwrap().into_inner();
    assert!(set.breakpoints[0].verified);
    let request = WaitForStopRequest { session_id: session.clone(), after_stop: 1, wait: None };
    let hit = client.execution.wait_for_stop(request).await.unwrap().into_inner().outcome.unwrap();
    assert_eq!(hit.stop.unwrap().breakpoint_ids, [2]);

    let request =
        RemoveBreakpointsRequest { session_id: session.clone(), all: true, ..Default::default() };
    let removed = client.breakpoints.remove_breakpoints(request).await.unwrap().into_inner();
    assert_eq!(removed.breakpoints.iter().map(|removed| removed.id).collect::<Vec<_>>(), [1, 2]);
    let request = ListBreakpointsRequest { session_id: session, ..Default::default() };
    let listed = client.breakpoints.list_breakpoints(request).await.unwrap().into_inner();
    assert_eq!(listed.breakpoints, []);
}

#[tokio::test]
async fn replace_file_leaves_only_the_given_breakpoints() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::named("loop.py");
    let session = client.debug(&program, &["add", "printed"]).await.session.unwrap().id;

    let breakpoints = vec![program.breakpoint("done"), program.breakpoint("printed")];
    let request =
        SetBreakpointsRequest { session_id: session.clone(), breakpoints, replace_file: true };
    client.breakpoints.set_breakpoints(request).await.unwrap();

    let request = ListBreakpointsRequest { session_id: session.clone(), file: program.file() };
    let listed =
        client.breakpoints.list_breakpoints(request).await.unwrap().into_inner().breakpoints;
    assert_eq!(listed.iter().map(|breakpoint| breakpoint.id).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(client.resume(&session).await.stop.unwrap().breakpoint_ids, [2]);
}

#[tokio::test]
async fn a_disabled_breakpoint_and_one_on_a_comment_do_as_they_say() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of("x = 1\n# a comment\n\ny = 2  # @next\nz = 3  # @off\n");
    let off = BreakpointSpec { enabled: Some(false), ..program.breakpoint("off") };
    let breakpoints = vec![program.breakpoint_on(2), off];
    let start = Some(create_session_request::Start::Launch(program.launch()));
    let request = CreateSessionRequest { breakpoints, start, ..Default::default() };

    let created = client.sessions.create_session(request).await.unwrap().into_inner();

    assert_eq!(created.outcome.unwrap().stop.unwrap().location.unwrap().line, program.line("next"));
    assert!(created.breakpoints[0].message.contains("line 2 has no code; it stops at line 4"));
    let end = client.resume(&created.session.unwrap().id).await;
    assert_eq!(end.state(), SessionState::Exited);
    assert_eq!(end.unhit_breakpoints[0].reason(), UnhitReason::Disabled);
}

//! The gateway may die at any moment: the sessions are there when it comes back, nothing missing.

use debug_relay::proto::*;

use crate::support::{Program, Server, children_of, is_alive};

#[tokio::test]
async fn a_session_survives_the_gateway_stopped_where_it_was_and_its_events_go_on_without_a_hole() {
    let mut server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::named("loop.py");
    let session = client.stop_at(&program, "add").await;
    client.step_over(&session).await;
    let before = client.session(&session).await.unwrap();

    server.kill();
    server.start_again();
    let mut client = server.client().await;
    let listed =
        client.sessions.list_sessions(ListSessionsRequest::default()).await.unwrap().into_inner();

    assert_eq!(listed.sessions.len(), 1);
    assert_eq!(
        (listed.sessions[0].state(), &listed.sessions[0].stop),
        (SessionState::Stopped, &before.stop)
    );
    let stepped = client.step_over(&session).await;
    assert_eq!(stepped.stop.unwrap().stop_number, 3);
    let end = client.debugged_to_the_end(&session).await;
    assert_eq!(end.exit_code, Some(0));
    let request =
        ListEventsRequest { session_id: session.clone(), limit: 10_000, ..Default::default() };
    let events = client.events.list_events(request).await.unwrap().into_inner().events;
    let numbers: Vec<_> = events.iter().map(|event| event.sequence).collect();
    assert_eq!(numbers, (1..=end.sequence).collect::<Vec<_>>());
    assert!(client.text(&session).await.ends_with("done 10\n"));
}

#[tokio::test]
async fn a_caller_resumes_its_stream_by_number_after_the_gateway_was_killed() {
    let mut server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;
    let request = StreamEventsRequest { session_id: session.clone(), ..Default::default() };
    let mut stream = client.events.stream_events(request).await.unwrap().into_inner();
    let mut seen = Vec::new();
    for _ in 0..4 {
        seen.push(stream.message().await.unwrap().unwrap().event.unwrap().sequence);
    }

    server.kill();
    while let Ok(Some(more)) = stream.message().await {
        seen.push(more.event.unwrap().sequence);
    }
    server.start_again();
    let mut client = server.client().await;
    let after_sequence = *seen.last().unwrap();
    let request =
        StreamEventsRequest { session_id: session.clone(), after_sequence, ..Default::default() };
    let mut stream = client.events.stream_events(request).await.unwrap().into_inner();
    client.debugged_to_the_end(&session).await;
    while let Some(more) = stream.message().await.unwrap() {
        seen.push(more.event.unwrap().sequence);
    }

    let last = client.session(&session).await.unwrap().last_sequence;
    assert_eq!(seen, (1..=last).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_program_runs_on_while_there_is_no_gateway() {
    let mut server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "import os, sys, time\nprint('go', flush=True)  # @go\nwhile not os.path.exists(sys.argv[1]):\n    time.sleep(0.01)\nprint('seen')\n",
    );
    let flag = tempfile::tempdir().unwrap();
    let flag = flag.path().join("flag");
    let launch =
        LaunchConfig { args: vec![flag.to_string_lossy().into_owned()], ..program.launch() };
    let start = Some(create_session_request::Start::Launch(launch));
    let breakpoints = vec![program.breakpoint("go")];
    let request = CreateSessionRequest { start, breakpoints, ..Default::default() };
    let session =
        client.sessions.create_session(request).await.unwrap().into_inner().session.unwrap().id;
    let wait =
        Some(WaitOptions { timeout: Some(prost_types::Duration::default()), snapshot: None });
    let request = ContinueRequest { session_id: session.clone(), wait, ..Default::default() };
    client.execution.r#continue(request).await.unwrap();

    server.kill();
    std::fs::create_dir_all(flag.parent().unwrap()).unwrap();
    std::fs::write(&flag, "").unwrap();
    server.start_again();
    let mut client = server.client().await;
    let request = WaitForStopRequest { session_id: session.clone(), after_stop: 1, wait: None };
    let end = client.execution.wait_for_stop(request).await.unwrap().into_inner().outcome.unwrap();

    assert_eq!(
        (end.state(), end.output.unwrap().text.as_str()),
        (SessionState::Exited, "go\nseen\n")
    );
}

#[tokio::test]
async fn a_repeated_request_id_finds_its_session_after_the_gateway_was_killed() {
    let mut server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::named("loop.py");
    let request = CreateSessionRequest {
        request_id: "once".into(),
        breakpoints: vec![program.breakpoint("add")],
        start: Some(create_session_request::Start::Launch(program.launch())),
        ..Default::default()
    };
    let first = client
        .sessions
        .create_session(request.clone())
        .await
        .unwrap()
        .into_inner()
        .session
        .unwrap();

    server.kill();
    server.start_again();
    let mut client = server.client().await;
    let second =
        client.sessions.create_session(request).await.unwrap().into_inner().session.unwrap();

    assert_eq!(first.id, second.id);
}

#[tokio::test]
async fn a_host_that_died_while_there_was_no_gateway_is_lost_and_can_be_deleted() {
    let mut server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;
    let host = server.host(&session);
    let processes = children_of(host);

    server.kill();
    host.kill();
    crate::support::wait_until_gone(&[host]).await;
    server.start_again();
    let mut client = server.client().await;

    let lost = client.session(&session).await.unwrap();
    assert_eq!(lost.state(), SessionState::Lost);
    assert!(lost.failure.contains("gone when the server started"), "{}", lost.failure);
    let info = client.server.get_info(GetInfoRequest {}).await.unwrap().into_inner();
    assert_eq!(info.sessions, Some(SessionCounts { total: 1, alive: 0, lost: 1, over: 0 }));
    client.delete(&session).await;
    assert!(client.session(&session).await.is_err());
    assert!(processes.iter().all(|process| !is_alive(*process)));
}

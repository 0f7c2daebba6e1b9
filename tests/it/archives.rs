//! Sessions that are over: what happened in them can be read by whoever comes later, whatever died.

use std::time::Duration;

use debug_relay::proto::event::Payload;
use debug_relay::proto::*;
use rustix::process::Signal;
use tonic::Code;

use crate::support::{Client, Program, Server, children_of, eventually, reason, wait_until_gone};

/// All events that can be read of a session.
async fn events_of(client: &mut Client, session: &str) -> Vec<Event> {
    let request =
        ListEventsRequest { session_id: session.into(), limit: 10_000, ..Default::default() };
    client.events.list_events(request).await.unwrap().into_inner().events
}

async fn in_state(client: &mut Client, session: &str, state: SessionState) -> Session {
    eventually("the session is in its state", async || {
        client.session(session).await.ok().filter(|session| session.state() == state)
    })
    .await
}

#[tokio::test]
async fn a_session_whose_host_was_killed_is_lost_and_its_story_can_be_read() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program =
        Program::of("import os\nos.write(1, b'first\\n')\nx = 1  # @here\nprint('second')\n");
    let session = client.stop_at(&program, "here").await;
    let before = events_of(&mut client, &session).await;
    let host = server.host(&session);
    let processes = children_of(host);
    eventually("the output is on disk", async || {
        let archive = server.archive(&session);
        let mut names = std::fs::read_dir(archive).unwrap().flatten();
        names.find(|entry| entry.file_name().to_string_lossy().starts_with("output"))
    })
    .await;

    host.kill();
    let lost = in_state(&mut client, &session, SessionState::Lost).await;

    wait_until_gone(&processes).await;
    assert!(lost.failure.contains("signal: 9"), "{}", lost.failure);
    let after = events_of(&mut client, &session).await;
    assert_eq!(after[..before.len()], before[..]);
    let numbers: Vec<_> = after.iter().map(|event| event.sequence).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    let end = Terminated { state: SessionState::Lost.into() };
    assert_eq!(after.last().unwrap().payload, Some(Payload::Terminated(end)));
    assert_eq!(client.text(&session).await, "first\n");
    let status = client.evaluate(&session, "x").await.unwrap_err();
    assert_eq!(
        (status.code(), reason(&status)),
        (Code::FailedPrecondition, ErrorReason::SessionLost)
    );
    let request = ListBreakpointsRequest { session_id: session.clone(), ..Default::default() };
    let kept = client.breakpoints.list_breakpoints(request).await.unwrap().into_inner().breakpoints;
    assert_eq!((kept.len(), kept[0].hit_count, kept[0].verified), (1, 1, true));
    client.delete(&session).await;
    assert!(!server.archive(&session).exists());
}

#[tokio::test]
async fn a_stream_that_a_hosts_death_cut_goes_on_from_the_archive_to_its_end() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;
    let request = StreamEventsRequest { session_id: session.clone(), ..Default::default() };
    let mut stream = client.events.stream_events(request.clone()).await.unwrap().into_inner();
    let mut seen = Vec::new();
    for _ in 0..5 {
        seen.push(stream.message().await.unwrap().unwrap().event.unwrap().sequence);
    }

    server.host(&session).kill();
    let broken = loop {
        match stream.message().await {
            Ok(Some(message)) => seen.push(message.event.unwrap().sequence),
            Ok(None) => panic!("a stream that was cut does not end well"),
            Err(status) => break status,
        }
    };
    assert_eq!(broken.code(), Code::Unavailable);
    in_state(&mut client, &session, SessionState::Lost).await;
    let after_sequence = *seen.last().unwrap();
    let request = StreamEventsRequest { after_sequence, ..request };
    let mut stream = client.events.stream_events(request).await.unwrap().into_inner();
    while let Some(message) = stream.message().await.unwrap() {
        seen.push(message.event.unwrap().sequence);
    }

    let last = client.session(&session).await.unwrap().last_sequence;
    assert_eq!(seen, (1..=last).collect::<Vec<_>>());
}

#[tokio::test]
async fn an_ended_session_outlives_its_host_and_the_server() {
    let mut server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "import os\nos.write(1, b'bytes \\xff\\n')\nfor n in range(3000):\n    print('line', n)\nraise SystemExit(7)\n",
    );
    let created = client.debug(&program, &[]).await;
    let session = created.session.unwrap().id;
    assert_eq!(created.outcome.unwrap().exit_code, Some(7));
    let events = events_of(&mut client, &session).await;
    let output = read_output(&mut client, &session).await;

    let host = server.host(&session);
    host.send(Signal::TERM);
    wait_until_gone(&[host]).await;
    server.kill();
    server.start_again();
    let mut client = server.client().await;

    let found = client.session(&session).await.unwrap();
    assert_eq!((found.state(), found.exit_code), (SessionState::Exited, Some(7)));
    assert_eq!(found.id, session);
    assert_eq!(events_of(&mut client, &session).await, events);
    assert_eq!(read_output(&mut client, &session).await, output);
    let listed = client.sessions.list_sessions(ListSessionsRequest::default()).await.unwrap();
    assert_eq!(listed.into_inner().sessions.len(), 1);
    let restart = RestartRequest { session_id: session.clone(), wait: None };
    let status = client.sessions.restart(restart).await.unwrap_err();
    assert_eq!(
        (status.code(), reason(&status)),
        (Code::FailedPrecondition, ErrorReason::WrongState)
    );
    assert!(status.message().contains("CreateSession"), "{}", status.message());
    let again = CreateSessionRequest { session_id: session.clone(), ..Default::default() };
    let status = client.sessions.create_session(again).await.unwrap_err();
    assert_eq!(reason(&status), ErrorReason::SessionExists);
}

/// Everything that was written, by a stream: bytes, in order, without a gap.
async fn read_output(client: &mut Client, session: &str) -> Vec<u8> {
    let request = StreamOutputRequest {
        session_id: session.into(),
        include_data: true,
        ..Default::default()
    };
    let mut stream = client.output.stream_output(request).await.unwrap().into_inner();
    let mut read = Vec::new();
    while let Some(message) = stream.message().await.unwrap() {
        let Some(stream_output_response::Item::Chunk(chunk)) = message.item else {
            panic!("a gap: {message:?}");
        };
        assert_eq!(chunk.offset, read.len() as u64);
        read.extend_from_slice(&chunk.data);
    }
    read
}

#[tokio::test]
async fn a_create_whose_gateway_died_is_repeated_and_makes_one_session() {
    let mut server = Server::start().await;
    let client = server.client().await;
    let program = Program::of("import time\nwhile True:\n    time.sleep(0.01)\n");
    let request = CreateSessionRequest {
        request_id: "once".into(),
        start: Some(create_session_request::Start::Launch(program.launch())),
        wait: Some(WaitOptions {
            timeout: Some(prost_types::Duration { seconds: 20, nanos: 0 }),
            snapshot: None,
        }),
        ..Default::default()
    };
    for round in 0..5 {
        let request = CreateSessionRequest { request_id: format!("{round}"), ..request.clone() };
        let mut caller = server.client().await;
        let cut = tokio::spawn(async move { caller.sessions.create_session(request).await });
        // As soon as a host is there, in whatever state; the rounds differ by themselves.
        eventually("a host is started", async || {
            let hosts = std::fs::read_dir(server.run_dir().join("sessions")).unwrap().count();
            (round < hosts).then_some(())
        })
        .await;
        server.kill();
        assert!(cut.await.unwrap().is_err());
        server.start_again();
    }
    drop(client);
    let mut client = server.client().await;

    for round in 0..5 {
        let wait = Some(WaitOptions { timeout: Some(Default::default()), snapshot: None });
        let request =
            CreateSessionRequest { request_id: format!("{round}"), wait, ..request.clone() };
        let one = client.sessions.create_session(request.clone()).await.unwrap().into_inner();
        let two = client.sessions.create_session(request).await.unwrap().into_inner();
        assert_eq!(one.session.unwrap().id, two.session.unwrap().id);
    }

    let listed = client.sessions.list_sessions(ListSessionsRequest::default()).await.unwrap();
    assert_eq!(listed.into_inner().sessions.len(), 5);
}

#[tokio::test]
async fn sessions_live_on_under_a_new_binary() {
    let folder = tempfile::tempdir().unwrap();
    let binary = folder.path().join("debug-relay");
    std::fs::copy(env!("CARGO_BIN_EXE_debug-relay"), &binary).unwrap();
    let mut server = Server::of_binary(&binary).await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;

    server.kill();
    let fresh = folder.path().join("fresh");
    std::fs::copy(env!("CARGO_BIN_EXE_debug-relay"), &fresh).unwrap();
    std::fs::rename(&fresh, &binary).unwrap();
    server.start_again();
    let mut client = server.client().await;

    assert_eq!(client.step_over(&session).await.stop.unwrap().stop_number, 2);
    let restart = RestartRequest { session_id: session.clone(), wait: None };
    let again = client.sessions.restart(restart).await.unwrap().into_inner().outcome.unwrap();
    assert_eq!(again.state(), SessionState::Stopped);
    client.delete(&session).await;
}

#[tokio::test]
async fn all_sessions_are_followed_in_one_stream_those_that_come_later_and_a_restart_included() {
    let mut server = Server::start().await;
    let mut client = server.client().await;
    let labels = std::collections::HashMap::from([("team".to_owned(), "blue".to_owned())]);
    let program = Program::named("loop.py");
    let create =
        |id: &str, labels: &std::collections::HashMap<String, String>| CreateSessionRequest {
            session_id: id.into(),
            labels: labels.clone(),
            breakpoints: vec![program.breakpoint("add")],
            start: Some(create_session_request::Start::Launch(program.launch())),
            ..Default::default()
        };
    client.sessions.create_session(create("early", &labels)).await.unwrap();
    client.sessions.create_session(create("other", &Default::default())).await.unwrap();
    let mut seen = Notes::default();
    let request = StreamAllEventsRequest { labels: labels.clone(), ..Default::default() };
    let mut stream = client.events.stream_all_events(request.clone()).await.unwrap().into_inner();

    client.sessions.create_session(create("later", &labels)).await.unwrap();
    seen.read_until(&mut stream, |seen| seen.has_stop("early") && seen.has_stop("later")).await;
    server.kill();
    server.start_again();
    let mut client = server.client().await;
    let request = StreamAllEventsRequest { after_sequences: seen.last(), ..request };
    let mut stream = client.events.stream_all_events(request).await.unwrap().into_inner();
    client.debugged_to_the_end("early").await;
    server.host("later").kill();
    seen.read_until(&mut stream, |seen| seen.is_over("early") && seen.is_over("later")).await;

    for id in ["early", "later"] {
        let last = client.session(id).await.unwrap().last_sequence;
        assert_eq!(seen.numbers(id), (1..=last).collect::<Vec<_>>(), "{id}");
    }
    assert_eq!(seen.numbers("other"), Vec::<u64>::new());
    assert_eq!(client.session("later").await.unwrap().state(), SessionState::Lost);
}

/// What a caller of StreamAllEvents has seen.
#[derive(Default)]
struct Notes(Vec<(String, Event)>);

impl Notes {
    async fn read_until(
        &mut self,
        stream: &mut tonic::Streaming<StreamAllEventsResponse>,
        is_enough: impl Fn(&Self) -> bool,
    ) {
        let reading = async {
            while !is_enough(self) {
                let message = stream.message().await.unwrap().unwrap();
                self.0.push((message.session_id, message.event.unwrap()));
            }
        };
        tokio::time::timeout(Duration::from_secs(30), reading).await.unwrap();
    }

    fn of<'a>(&'a self, id: &'a str) -> impl Iterator<Item = &'a Event> {
        self.0.iter().filter(move |(session, _)| session == id).map(|(_, event)| event)
    }

    fn numbers(&self, id: &str) -> Vec<u64> {
        self.of(id).map(|event| event.sequence).collect()
    }

    fn has_stop(&self, id: &str) -> bool {
        self.of(id).any(|event| matches!(event.payload, Some(Payload::Stopped(_))))
    }

    fn is_over(&self, id: &str) -> bool {
        self.of(id).any(|event| matches!(event.payload, Some(Payload::Terminated(_))))
    }

    fn last(&self) -> std::collections::HashMap<String, u64> {
        self.0.iter().map(|(session, event)| (session.clone(), event.sequence)).collect()
    }
}

#[tokio::test]
async fn a_session_without_a_program_has_last_words_too() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let request = CreateSessionRequest { project_root: "/tmp".into(), ..Default::default() };
    let created = client.sessions.create_session(request).await.unwrap().into_inner();
    let session = created.session.unwrap().id;

    server.host(&session).kill();
    let lost = in_state(&mut client, &session, SessionState::Lost).await;

    let events = events_of(&mut client, &session).await;
    assert_eq!((lost.last_sequence, events.len()), (2, 2));
    assert!(matches!(events[1].payload, Some(Payload::Terminated(_))));
}

#[tokio::test]
async fn a_host_that_dies_just_after_a_restart_leaves_a_lost_session_not_the_end_before() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of("import sys\nprint('run', flush=True)\nif sys.stdin.read(1): pass\n");
    let launch = LaunchConfig { stdin: Some("x".into()), ..program.launch() };
    let created = client.launch(launch, vec![]).await;
    let session = created.session.unwrap().id;
    assert_eq!(created.outcome.unwrap().state(), SessionState::Exited);
    eventually("the record tells of the end", async || {
        let record = std::fs::read_to_string(server.archive(&session).join("session.json")).ok()?;
        record.contains("EXITED").then_some(())
    })
    .await;

    let restart = RestartRequest {
        session_id: session.clone(),
        wait: Some(WaitOptions { timeout: Some(Default::default()), snapshot: None }),
    };
    client.sessions.restart(restart).await.unwrap();
    server.host(&session).kill();

    let lost = in_state(&mut client, &session, SessionState::Lost).await;
    let events = events_of(&mut client, &session).await;
    let numbers: Vec<_> = events.iter().map(|event| event.sequence).collect();
    assert_eq!(numbers, (1..=lost.last_sequence).collect::<Vec<_>>());
    assert_eq!((lost.exit_code, lost.failure.is_empty()), (None, false));
}

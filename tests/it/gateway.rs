//! What the public door passes on and how, and what one caller can do to others.

use std::time::Duration;

use debug_relay::proto::*;
use tonic::{Code, Request};

use crate::support::{LIMIT, Program, Server, ServerOptions, eventually, reason, wait_until_gone};

/// A program that prints `size` megabytes and then waits to be looked at.
fn chatty(megabytes: usize) -> Program {
    Program::of(&format!(
        "import sys\nline = 'x' * 1023 + '\\n'\nfor _ in range({megabytes}):\n    sys.stdout.write(line * 1024)\nprint('written')  # @written\n"
    ))
}

#[tokio::test]
async fn a_deadline_passes_through_and_loses_nothing() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("endless.py"), "tick").await;
    let remove =
        RemoveBreakpointsRequest { session_id: session.clone(), all: true, ..Default::default() };
    client.breakpoints.remove_breakpoints(remove).await.unwrap();

    let mut request =
        Request::new(ContinueRequest { session_id: session.clone(), ..Default::default() });
    request.set_timeout(Duration::from_millis(300));
    let status = client.execution.r#continue(request).await.unwrap_err();

    assert!(matches!(status.code(), Code::DeadlineExceeded | Code::Cancelled), "{status:?}");
    assert_eq!(client.session(&session).await.unwrap().state(), SessionState::Running);
    let pause = PauseRequest { session_id: session, ..Default::default() };
    let paused = client.execution.pause(pause).await.unwrap().into_inner().outcome.unwrap();
    assert_eq!(paused.stop.unwrap().stop_number, 2);
}

#[tokio::test]
async fn a_stream_that_its_caller_drops_ends_in_the_host() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.short_lived().await;
    let host = server.host(&session);
    let request = StreamEventsRequest { session_id: session.clone(), ..Default::default() };
    let mut stream = client.events.stream_events(request).await.unwrap().into_inner();
    stream.message().await.unwrap().unwrap();

    drop(stream);

    // While anybody follows its events, the host would not take the session for idle.
    wait_until_gone(&[host]).await;
}

#[tokio::test]
async fn the_trace_of_a_caller_is_in_the_logs_of_gateway_and_host() {
    let arguments = ["--log", "debug_relay=debug", "--log-format", "json"];
    let arguments = arguments.map(String::from).to_vec();
    let server = Server::with(ServerOptions { arguments, ..Default::default() }).await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;
    let trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";

    let mut request = Request::new(GetSessionRequest { session_id: session.clone() });
    let context = format!("00-{trace_id}-00f067aa0ba902b7-01");
    request.metadata_mut().insert("traceparent", context.parse().unwrap());
    client.sessions.get_session(request).await.unwrap();

    let host_log = server.run_dir().join("sessions").join(&session).join("host.log");
    let traced = |log: &str| -> Vec<serde_json::Value> {
        let lines = log.lines().filter(|line| line.contains(trace_id));
        lines.map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let of_host = traced(&std::fs::read_to_string(host_log).unwrap());
    let of_gateway = eventually("the end of the call is logged", async || {
        Some(traced(&server.log())).filter(|lines| !lines.is_empty())
    })
    .await;
    assert_eq!(of_host[0]["spans"][0]["id"], session, "{of_host:?}");
    assert_eq!(of_host[0]["span"]["trace_id"], trace_id);
    assert_eq!(of_gateway[0]["span"]["session"], session, "{of_gateway:?}");
    assert_eq!(of_gateway[0]["span"]["caller"], "server");
}

#[tokio::test]
async fn words_that_only_the_gateway_says_are_not_taken_from_callers() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;
    let before = client.session(&session).await.unwrap().last_active_time;

    // From the gateway it would mean that this is part of a list, which does not count as a call.
    eventually("it counts as a call", async || {
        let mut request = Request::new(GetSessionRequest { session_id: session.clone() });
        request.metadata_mut().insert("debug-relay-listing", "1".parse().unwrap());
        let found = client.sessions.get_session(request).await.unwrap().into_inner();
        (found.session.unwrap().last_active_time != before).then_some(())
    })
    .await;
}

#[tokio::test]
async fn eight_callers_that_stop_reading_do_not_stall_a_ninth() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&chatty(16), "written").await;
    let mut stalled = Vec::new();
    for _ in 0..8 {
        // A connection each: what stalls must be the way to the host, not a caller's own.
        let mut reader = server.client().await;
        let request = StreamOutputRequest {
            session_id: session.clone(),
            max_bytes: 1 << 20,
            ..Default::default()
        };
        let first = async {
            let mut stream = reader.output.stream_output(request).await.unwrap().into_inner();
            stream.message().await.unwrap().unwrap();
            stream
        };
        let first = tokio::time::timeout(LIMIT, first).await;
        stalled.push((first.expect("a later reader was stalled"), reader));
    }

    let ninth = async {
        let value = client.evaluate(&session, "6 * 7").await.unwrap().value;
        (value, client.resume(&session).await.state())
    };
    let ninth = tokio::time::timeout(LIMIT, ninth).await.expect("the ninth call was stalled");

    assert_eq!(ninth, ("42".into(), SessionState::Exited));
}

#[tokio::test]
async fn a_host_that_dies_during_a_stream_is_unavailable_and_the_session_is_lost() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;
    let request = StreamEventsRequest { session_id: session.clone(), ..Default::default() };
    let mut stream = client.events.stream_events(request).await.unwrap().into_inner();
    stream.message().await.unwrap().unwrap();

    server.host(&session).kill();
    let status = loop {
        match stream.message().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("the stream ended as if all were well"),
            Err(status) => break status,
        }
    };

    assert_eq!((status.code(), reason(&status)), (Code::Unavailable, ErrorReason::HostUnavailable));
    let lost = eventually("the session is lost", async || {
        client.session(&session).await.ok().filter(|session| session.state() == SessionState::Lost)
    })
    .await;
    assert!(
        lost.failure.contains("host process died") && lost.failure.contains("signal: 9"),
        "{}",
        lost.failure
    );
    let status = client.evaluate(&session, "1").await.unwrap_err();
    assert_eq!(
        (status.code(), reason(&status)),
        (Code::FailedPrecondition, ErrorReason::SessionLost)
    );
    client.delete(&session).await;
    assert_eq!(reason(&client.session(&session).await.unwrap_err()), ErrorReason::SessionNotFound);
}

#[tokio::test]
async fn sessions_are_listed_oldest_first_filtered_and_in_pages() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::named("loop.py");
    for (id, team) in [("one", "red"), ("two", "blue"), ("three", "red")] {
        let request = CreateSessionRequest {
            session_id: id.into(),
            project_root: "/tmp".into(),
            labels: [("team".into(), team.into())].into(),
            ..Default::default()
        };
        client.sessions.create_session(request).await.unwrap();
    }
    let launch =
        LaunchRequest { session_id: "two".into(), launch: Some(program.launch()), wait: None };
    client.sessions.launch(launch).await.unwrap();
    let list = async |request: ListSessionsRequest| {
        let page = client.sessions.clone().list_sessions(request).await.unwrap().into_inner();
        let ids: Vec<_> = page.sessions.into_iter().map(|session| session.id).collect();
        (ids.join(" "), page.next_page_token)
    };

    assert_eq!(list(ListSessionsRequest::default()).await.0, "one two three");
    let red = ListSessionsRequest {
        labels: [("team".into(), "red".into())].into(),
        ..Default::default()
    };
    assert_eq!(list(red).await.0, "one three");
    let exited =
        ListSessionsRequest { states: vec![SessionState::Exited.into()], ..Default::default() };
    assert_eq!(list(exited).await.0, "two");
    let elsewhere = ListSessionsRequest { project_root: "/elsewhere".into(), ..Default::default() };
    assert_eq!(list(elsewhere).await.0, "");
    let (first, token) = list(ListSessionsRequest { page_size: 2, ..Default::default() }).await;
    let (second, end) =
        list(ListSessionsRequest { page_size: 2, page_token: token, ..Default::default() }).await;
    assert_eq!((first.as_str(), second.as_str(), end.as_str()), ("one two", "three", ""));
}

#[tokio::test]
async fn a_repeated_request_id_answers_with_the_same_session() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::named("loop.py");
    let request = CreateSessionRequest {
        request_id: "once".into(),
        breakpoints: vec![program.breakpoint("add")],
        start: Some(create_session_request::Start::Launch(program.launch())),
        ..Default::default()
    };

    let first = client.sessions.create_session(request.clone()).await.unwrap().into_inner();
    let second = client.sessions.create_session(request).await.unwrap().into_inner();

    assert_eq!(first.session.unwrap().id, second.session.unwrap().id);
    assert_eq!(first.outcome.unwrap().stop, second.outcome.unwrap().stop);
    let info = client.server.get_info(GetInfoRequest {}).await.unwrap().into_inner();
    assert_eq!(info.sessions.unwrap().total, 1);
}

#[tokio::test]
async fn what_is_no_method_no_message_or_compressed_is_refused() {
    let server = Server::start().await;
    let token = server.token();
    let call = async |path: &'static str, body: &'static [u8]| {
        let stream = tokio::net::TcpStream::connect(&server.address).await.unwrap();
        let executor = hyper_util::rt::TokioExecutor::new();
        let io = hyper_util::rt::TokioIo::new(stream);
        let (mut sender, connection) =
            hyper::client::conn::http2::handshake(executor, io).await.unwrap();
        tokio::spawn(connection);
        let request = http::Request::post(format!("http://{}{path}", server.address))
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .header("authorization", format!("Bearer {token}"))
            .body(http_body_util::Full::new(bytes::Bytes::from_static(body)))
            .unwrap();
        let response = sender.send_request(request).await.unwrap();
        tonic::Status::from_header_map(response.headers()).expect("a status in the head")
    };

    let unknown = call("/debugrelay.v1.SessionService/Dance", b"\0\0\0\0\0").await;
    let garbage =
        call("/debugrelay.v1.SessionService/GetSession", b"\0\0\0\0\x03\xff\xff\xff").await;
    let short = call("/debugrelay.v1.SessionService/GetSession", b"\0\0\0\0\x7f").await;
    let packed = call("/debugrelay.v1.SessionService/GetSession", b"\x01\0\0\0\0").await;

    assert_eq!(
        (unknown.code(), reason(&unknown)),
        (Code::Unimplemented, ErrorReason::UnknownMethod)
    );
    assert_eq!(
        (garbage.code(), reason(&garbage)),
        (Code::InvalidArgument, ErrorReason::InvalidArgument)
    );
    assert_eq!(
        (short.code(), reason(&short)),
        (Code::InvalidArgument, ErrorReason::InvalidArgument)
    );
    assert_eq!(
        (packed.code(), reason(&packed)),
        (Code::Unimplemented, ErrorReason::CompressionNotSupported)
    );
}

//! The public door: who comes in, what is passed on and how, and what one caller can do to others.

use std::time::Duration;

use debug_relay::proto::*;
use rustix::process::Signal;
use tonic::{Code, Request};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

use crate::support::{
    Client, LIMIT, Program, Server, ServerOptions, eventually, reason, run_binary,
};

/// A program that prints `size` megabytes and then waits to be looked at.
fn chatty(megabytes: usize) -> Program {
    Program::of(&format!(
        "import sys\nline = 'x' * 1023 + '\\n'\nfor _ in range({megabytes}):\n    sys.stdout.write(line * 1024)\nprint('written')  # @written\n"
    ))
}

#[tokio::test]
async fn without_the_token_nothing_is_answered_but_health_and_reflection() {
    let server = Server::start().await;
    let mut nobody = server.client_without_token().await;
    let mut wrong = Client::connect(&server.address, Some("0000")).await;

    for client in [&mut nobody, &mut wrong] {
        let status = client.server.get_info(GetInfoRequest {}).await.unwrap_err();
        assert_eq!(
            (status.code(), reason(&status)),
            (Code::Unauthenticated, ErrorReason::Unauthenticated)
        );
        assert!(status.message().contains("debug-relay token"));
    }
    let mut health = HealthClient::new(nobody.channel.clone());
    for service in ["", "debugrelay.v1.SessionService", "debugrelay.v1.ServerService"] {
        let request = HealthCheckRequest { service: service.into() };
        let status = health.check(request).await.unwrap().into_inner().status;
        assert_eq!(status, 1, "{service} is SERVING");
    }
}

#[tokio::test]
async fn the_token_command_prints_the_token_that_the_server_takes() {
    let server = Server::start().await;
    let run_dir = server.run_dir().to_string_lossy().into_owned();

    let printed = run_binary(&["token", "--run-dir", &run_dir]);
    let none = run_binary(&["token", "--run-dir", "/tmp/no-such-run-dir"]);

    let token = String::from_utf8(printed.stdout).unwrap();
    let mut client = Client::connect(&server.address, Some(token.trim())).await;
    client.server.get_info(GetInfoRequest {}).await.unwrap();
    assert!(!none.status.success());
    assert!(String::from_utf8_lossy(&none.stderr).contains("debug-relay serve"));
}

#[tokio::test]
async fn without_auth_only_on_this_machine() {
    let options = ServerOptions { arguments: vec!["--no-auth".into()], ..Default::default() };
    let server = Server::with(options).await;
    server.client_without_token().await.server.get_info(GetInfoRequest {}).await.unwrap();
    assert!(server.greeting.contains("token      none"));

    for arguments in [
        vec!["serve", "--listen", "0.0.0.0:0", "--no-auth"],
        vec!["serve", "--listen", "0.0.0.0:0"],
    ] {
        let folder = tempfile::tempdir().unwrap();
        let run_dir = folder.path().join("run").to_string_lossy().into_owned();
        let refused = run_binary(&[arguments.as_slice(), &["--run-dir", &run_dir]].concat());
        assert!(!refused.status.success());
        let error = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(error.contains("can be reached from other machines"), "{error}");
    }
}

#[tokio::test]
async fn a_server_listens_on_a_unix_socket() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("relay.sock");
    let listen = format!("unix:{}", socket.display());
    let server = Server::with(ServerOptions { listen, ..Default::default() }).await;
    let mut client = server.client().await;

    let created = client.debug(&Program::named("loop.py"), &["add"]).await;

    assert_eq!(created.outcome.unwrap().state(), SessionState::Stopped);
    let mode = std::os::unix::fs::PermissionsExt::mode(&socket.metadata().unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test]
async fn the_start_says_where_it_listens_where_the_token_is_and_what_to_try() {
    let server = Server::start().await;

    let run_dir = server.run_dir();
    assert!(server.greeting.contains(&format!("listens on {}", server.address)));
    assert!(server.greeting.contains(&run_dir.join("token").display().to_string()));
    assert!(server.greeting.contains("grpcurl -plaintext"));
    assert!(server.greeting.contains("debugpy"));
    let file: serde_json::Value =
        serde_json::from_slice(&std::fs::read(run_dir.join("server.json")).unwrap()).unwrap();
    assert_eq!(
        (file["address"].as_str(), file["pid"].as_u64()),
        (Some(server.address.as_str()), Some(server.pid().into()))
    );
}

#[tokio::test]
async fn logs_are_json_when_asked_for() {
    let arguments = vec!["--log-format".into(), "json".into()];
    let server = Server::with(ServerOptions { arguments, ..Default::default() }).await;

    let line =
        eventually("a line of the log", async || server.log().lines().next().map(str::to_owned))
            .await;

    let entry: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(entry["level"], "INFO");
    assert!(entry["fields"]["message"].is_string(), "{entry}");
}

#[tokio::test]
async fn a_second_server_on_the_same_folder_is_refused() {
    let server = Server::start().await;
    let run_dir = server.run_dir().to_string_lossy().into_owned();

    let second = run_binary(&["serve", "--listen", "127.0.0.1:0", "--run-dir", &run_dir]);

    assert!(!second.status.success());
    let error = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(error.contains(&format!("process {}", server.pid())), "{error}");
}

#[tokio::test]
async fn a_port_in_use_and_a_folder_of_others_are_clear_errors() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let folder = tempfile::tempdir().unwrap();
    let open = folder.path().join("open");
    std::fs::create_dir(&open).unwrap();
    std::fs::set_permissions(&open, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let (fresh, open) = (folder.path().join("run"), open);

    let port = run_binary(&["serve", "--listen", &address, "--run-dir", fresh.to_str().unwrap()]);
    let entered =
        run_binary(&["serve", "--listen", "127.0.0.1:0", "--run-dir", open.to_str().unwrap()]);

    assert!(String::from_utf8_lossy(&port.stderr).contains("something else listens there"));
    assert!(String::from_utf8_lossy(&entered.stderr).contains("chmod 700"));
}

#[tokio::test]
async fn info_tells_version_limits_counts_and_debuggers() {
    let server = Server::start().await;
    let mut client = server.client().await;
    client.stop_at(&Program::named("loop.py"), "add").await;

    let info = client.server.get_info(GetInfoRequest {}).await.unwrap().into_inner();
    let adapters =
        client.server.list_adapters(ListAdaptersRequest {}).await.unwrap().into_inner().adapters;

    assert_eq!(
        (info.version.as_str(), info.address.as_str()),
        (env!("CARGO_PKG_VERSION"), server.address.as_str())
    );
    assert_eq!(info.sessions, Some(SessionCounts { total: 1, alive: 1, lost: 0 }));
    assert_eq!(info.limits.unwrap().events_per_session, 10_000);
    assert_eq!(
        (adapters[0].name.as_str(), adapters[0].found, adapters[0].version.as_str()),
        ("debugpy", true, "1.8.22")
    );
    assert_eq!(info.adapters, adapters);
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
    let session = client.stop_at(&Program::named("loop.py"), "add").await;
    let open_sockets = |server: &Server| {
        let host = server.host(&session);
        std::fs::read_to_string(format!("/proc/{}/net/unix", host.0))
            .map(|text| text.lines().count())
            .unwrap()
    };
    let request = StreamEventsRequest { session_id: session.clone(), ..Default::default() };
    let mut stream = client.events.stream_events(request).await.unwrap().into_inner();
    stream.message().await.unwrap().unwrap();
    let before = open_sockets(&server);

    drop(stream);

    // The host answers on as before, on the same connection.
    for _ in 0..20 {
        client.session(&session).await.unwrap();
    }
    assert!(open_sockets(&server) <= before + 2);
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
        let mut stream = reader.output.stream_output(request).await.unwrap().into_inner();
        stream.message().await.unwrap().unwrap();
        stalled.push((reader, stream));
    }

    let ninth = tokio::time::timeout(LIMIT, client.evaluate(&session, "6 * 7")).await;

    assert_eq!(ninth.expect("the ninth call was stalled").unwrap().value, "42");
    assert_eq!(client.resume(&session).await.state(), SessionState::Exited);
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

#[tokio::test]
async fn a_debugger_that_cannot_be_had_is_named_with_what_to_do() {
    let options = ServerOptions {
        has_debugpy: false,
        arguments: vec!["--debugpy".into(), "/no/such/debugpy".into()],
        ..Default::default()
    };
    let server = Server::with(options).await;
    let mut client = server.client().await;
    let start = Some(create_session_request::Start::Launch(Program::named("loop.py").launch()));

    let status = client
        .sessions
        .create_session(CreateSessionRequest { start, ..Default::default() })
        .await
        .unwrap_err();

    assert_eq!(
        (status.code(), reason(&status)),
        (Code::FailedPrecondition, ErrorReason::DebuggerUnavailable)
    );
    assert!(status.message().contains("pip install"), "{}", status.message());
    let adapters =
        client.server.list_adapters(ListAdaptersRequest {}).await.unwrap().into_inner().adapters;
    assert!(!adapters[0].found && adapters[0].message.contains("holds no debugpy"));
}

#[tokio::test]
async fn debugpy_is_installed_on_first_use() {
    let server = Server::with(ServerOptions { has_debugpy: false, ..Default::default() }).await;
    let mut client = server.client().await;

    let created = client.debug(&Program::named("loop.py"), &["add"]).await;

    assert_eq!(created.outcome.unwrap().state(), SessionState::Stopped);
    assert!(server.state_dir().join("debugpy/1.8.22/debugpy/__init__.py").is_file());
    let left: Vec<_> =
        std::fs::read_dir(server.state_dir().join("debugpy")).unwrap().flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[tokio::test]
async fn a_polite_end_leaves_the_sessions_unless_it_is_told_to_stop_them() {
    for stop_sessions in [false, true] {
        let arguments = if stop_sessions { vec!["--stop-sessions".to_owned()] } else { vec![] };
        let mut server = Server::with(ServerOptions { arguments, ..Default::default() }).await;
        let mut client = server.client().await;
        let session = client.stop_at(&Program::named("loop.py"), "add").await;
        let host = server.host(&session);
        // A stream that nobody ends must not keep the server alive.
        let request = StreamEventsRequest { session_id: session.clone(), ..Default::default() };
        let _stream = client.events.stream_events(request).await.unwrap();

        let status = server.end_by(if stop_sessions { Signal::INT } else { Signal::TERM });

        assert!(status.success(), "{status:?}");
        assert!(!server.run_dir().join("server.json").exists());
        assert_eq!(crate::support::is_alive(host), !stop_sessions);
    }
}

//! How a server starts, who comes in, what it says of itself, how it ends.

use debug_relay::proto::*;
use rustix::process::Signal;
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

use crate::support::{
    Client, Program, Server, ServerOptions, eventually, is_alive, reason, run_binary,
};

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
    assert_eq!(info.sessions, Some(SessionCounts { total: 1, alive: 1, lost: 0, over: 0 }));
    assert_eq!(info.limits.unwrap().events_per_session, 10_000);
    assert_eq!(
        (adapters[0].name.as_str(), adapters[0].found, adapters[0].version.as_str()),
        ("debugpy", true, "1.8.22")
    );
    assert_eq!(info.adapters, adapters);
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
        assert_eq!(is_alive(host), !stop_sessions);
    }
}

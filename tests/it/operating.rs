//! What those rely on who run a server: metrics, probes, a slow end, the audit log, other logs at
//! run time, sockets of a service manager.

use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

use debug_relay::proto::*;
use futures_util::future::join_all;
use rustix::process::Signal;
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use crate::support::{
    Client, LIMIT, Page, Process, Program, Server, ServerOptions, eventually, is_alive, reason,
    wait_until_gone,
};

async fn with(arguments: &[&str]) -> Server {
    let arguments = arguments.iter().map(|word| (*word).to_owned()).collect();
    Server::with(ServerOptions { arguments, ..Default::default() }).await
}

async fn scrape(server: &Server) -> Page {
    let page = Page::get(&server.metrics_address(), "/metrics").await;
    assert_eq!(page.status, 200);
    page
}

#[tokio::test]
async fn metrics_agree_with_what_the_clients_counted() {
    const CLIENTS: usize = 8;
    const STEPS: usize = 10;
    let server = with(&["--metrics-listen", "127.0.0.1:0", "--limits-sessions", "50"]).await;
    let program = Program::named("loop.py");
    let load = (0..CLIENTS).map(async |_| {
        let mut client = server.client().await;
        let session = client.stop_at(&program, "add").await;
        for _ in 0..STEPS {
            client.step_over(&session).await;
        }
        for _ in 0..3 {
            client.session("s-nobody").await.unwrap_err();
        }
        session
    });
    let scraping = async {
        // While they work, it answers as well, and counts only upwards.
        let mut before = 0.0;
        for _ in 0..10 {
            let steps = scrape(&server).await.sum("debug_relay_rpc_started_total", &["StepOver"]);
            assert!(before <= steps);
            before = steps;
        }
    };

    let (sessions, ()) = tokio::join!(join_all(load), scraping);

    let count = |page: &Page, method: &str, code: &str| {
        page.sum("debug_relay_rpc_handled_total", &[method, &format!("code=\"{code}\"")])
    };
    let page = eventually("the last answer is counted and looked at", async || {
        let page = scrape(&server).await;
        let stopped = page.sum("debug_relay_sessions", &["state=\"stopped\""]);
        (stopped == CLIENTS as f64).then_some(page)
    })
    .await;
    assert_eq!(count(&page, "SessionService/CreateSession", "OK"), CLIENTS as f64);
    assert_eq!(count(&page, "ExecutionService/StepOver", "OK"), (CLIENTS * STEPS) as f64);
    assert_eq!(count(&page, "SessionService/GetSession", "NOT_FOUND"), (CLIENTS * 3) as f64);
    let reasons = page.sum("debug_relay_rpc_errors_total", &["reason=\"SESSION_NOT_FOUND\""]);
    assert_eq!(reasons, (CLIENTS * 3) as f64);
    let timed = page.sum("debug_relay_rpc_duration_seconds_count", &["StepOver"]);
    assert_eq!(timed, (CLIENTS * STEPS) as f64);
    assert_eq!(page.sum("debug_relay_rpc_in_flight", &[]), 0.0);
    assert_eq!(page.sum("debug_relay_program_processes", &[]), CLIENTS as f64);
    for kind in ["gateway", "hosts", "programs"] {
        let bytes = page.sum("debug_relay_memory_bytes", &[&format!("kind=\"{kind}\"")]);
        assert!(1e6 < bytes, "{kind}: {bytes}");
    }
    assert!(0.0 < page.sum("debug_relay_events_kept", &[]));
    // A stream is counted when it ends, and no session is named anywhere.
    let mut client = server.client().await;
    let request = StreamEventsRequest { session_id: sessions[0].clone(), ..Default::default() };
    let mut events = client.events.stream_events(request).await.unwrap().into_inner();
    events.message().await.unwrap().unwrap();
    assert_eq!(count(&scrape(&server).await, "StreamEvents", "OK"), 0.0);
    client.delete(&sessions[0]).await;
    while events.message().await.unwrap().is_some() {}
    let page = eventually("the stream is counted", async || {
        let page = scrape(&server).await;
        (count(&page, "StreamEvents", "OK") == 1.0).then_some(page)
    })
    .await;
    assert!(sessions.iter().all(|session| !page.text.contains(session)));
}

#[tokio::test]
async fn dropped_output_gaps_and_adoption_are_counted() {
    let arguments = ["--metrics-listen", "127.0.0.1:0", "--limits-output-bytes", "64KiB"];
    let mut server = with(&arguments).await;
    let mut client = server.client().await;
    let program =
        Program::called("much.py", "for i in range(3000):\n    print('x' * 80)\npass  # @end\n");
    let session = client.stop_at(&program, "end").await;
    let request = GetOutputRequest { session_id: session.clone(), ..Default::default() };
    let page = client.output.get_output(request).await.unwrap().into_inner();

    let counters = client.session(&session).await.unwrap().counters.unwrap();
    let metrics = scrape(&server).await;

    assert!(page.gap.is_some());
    assert!(100_000 < counters.dropped_output_bytes && 0 < counters.gaps, "{counters:?}");
    assert_eq!(metrics.sum("debug_relay_gaps_total", &[]), counters.gaps as f64);
    let kept = counters.output_bytes - counters.dropped_output_bytes;
    assert_eq!(metrics.sum("debug_relay_output_kept_bytes", &[]), kept as f64);
    assert_eq!(metrics.sum("debug_relay_output_ring_fullest", &[]), 1.0);
    server.kill();
    server.start_again();
    let metrics = scrape(&server).await;
    assert_eq!(metrics.sum("debug_relay_adopted_sessions", &[]), 1.0);
}

#[tokio::test]
async fn a_server_that_drains_serves_its_sessions_and_makes_no_new_ones() {
    let arguments = ["--metrics-listen", "127.0.0.1:0", "--drain", "10m", "--limits-spares", "0"];
    let mut server = with(&arguments).await;
    let mut client = server.client().await;
    let program = Program::named("loop.py");
    let session = client.stop_at(&program, "add").await;
    let metrics = server.metrics_address();
    let mut health = HealthClient::new(client.channel.clone());
    assert_eq!(Page::get(&metrics, "/readyz").await.status, 200);

    Process::of(server.pid()).send(Signal::TERM);
    eventually("it is not ready any more", async || {
        (Page::get(&metrics, "/readyz").await.status == 503).then_some(())
    })
    .await;

    let checked = health.check(HealthCheckRequest::default()).await.unwrap().into_inner();
    assert_eq!(checked.status(), ServingStatus::NotServing);
    assert_eq!(Page::get(&metrics, "/livez").await.status, 200);
    assert_eq!(scrape(&server).await.sum("debug_relay_draining", &[]), 1.0);
    // Also on new connections.
    let mut late = server.client().await;
    let request = CreateSessionRequest { project_root: "/tmp".into(), ..Default::default() };
    let refused = late.sessions.create_session(request).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused)), (Code::Unavailable, ErrorReason::ShuttingDown));
    late.step_over(&session).await;
    assert!(late.server.get_info(GetInfoRequest {}).await.unwrap().into_inner().draining);
    client.debugged_to_the_end(&session).await;
    // The last session is over, so nothing is waited for.
    let status = tokio::task::spawn_blocking(move || server.wait()).await.unwrap();
    assert!(status.success());
}

#[tokio::test]
async fn a_drain_ends_with_its_time_or_with_a_second_signal() {
    for (drain, has_second) in [("1s", false), ("10m", true)] {
        let mut server = with(&["--drain", drain]).await;
        let mut client = server.client().await;
        let session = client.stop_at(&Program::named("loop.py"), "add").await;
        let host = server.host(&session);

        Process::of(server.pid()).send(Signal::TERM);
        if has_second {
            eventually("it drains", async || server.log().contains("told to end").then_some(()))
                .await;
            Process::of(server.pid()).send(Signal::TERM);
        }
        let server = tokio::task::spawn_blocking(move || {
            assert!(server.wait().success());
            server
        });
        let server = tokio::time::timeout(LIMIT, server).await.unwrap().unwrap();

        // Sessions stay for the next server.
        assert!(is_alive(host), "{drain}");
        drop(server);
        wait_until_gone(&[host]).await;
    }
}

#[tokio::test]
async fn a_server_is_not_ready_before_debugpy_is_there() {
    let options = ServerOptions {
        arguments: ["--metrics-listen", "127.0.0.1:0", "--debugpy", "/nowhere"]
            .map(String::from)
            .to_vec(),
        has_debugpy: false,
        ..Default::default()
    };
    let server = Server::with(options).await;
    let metrics = server.metrics_address();

    let ready = Page::get(&metrics, "/readyz").await;

    assert_eq!(ready.status, 503);
    assert!(ready.text.contains("debugpy"), "{}", ready.text);
    assert_eq!(Page::get(&metrics, "/livez").await.status, 200);
    assert_eq!(Page::get(&metrics, "/else").await.status, 404);
}

#[tokio::test]
async fn the_audit_log_tells_who_did_what_to_which_session_and_nothing_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.log");
    let server = with(&["--audit-log", &path.to_string_lossy()]).await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;
    client.evaluate(&session, "'a secret expression'").await.unwrap();
    client.session("s-nobody").await.unwrap_err();
    server.client_without_token().await.session(&session).await.unwrap_err();

    let read = || -> Vec<serde_json::Value> {
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains("a secret expression"), "{text}");
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let lines = read();
    let facts = |line: &serde_json::Value| {
        ["method", "session", "caller", "code", "reason"]
            .map(|name| line[name].as_str().unwrap_or_default().replace("debugrelay.v1.", ""))
    };
    let of = |method: &str, id: &str, caller: &str, code: &str, reason: &str| {
        [method, id, caller, code, reason].map(String::from)
    };
    assert_eq!(
        lines.iter().map(facts).collect::<Vec<_>>(),
        [
            of("SessionService/CreateSession", &session, "server", "OK", ""),
            of("InspectionService/Evaluate", &session, "server", "OK", ""),
            of("SessionService/GetSession", "s-nobody", "server", "NOT_FOUND", "SESSION_NOT_FOUND"),
            of("SessionService/GetSession", "", "", "UNAUTHENTICATED", "UNAUTHENTICATED"),
        ]
    );
    assert!(lines.iter().all(|line| line["peer"].as_str().unwrap().starts_with("127.0.0.1:")));
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    // Rotated as logrotate does it.
    std::fs::rename(&path, folder.path().join("audit.log.1")).unwrap();
    Process::of(server.pid()).send(Signal::HUP);
    eventually("a new file is begun", async || path.exists().then_some(())).await;
    client.delete(&session).await;
    assert_eq!(read().len(), 1);
}

#[tokio::test]
async fn what_is_logged_can_be_changed_while_all_run() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;
    let host_log = server.run_dir().join("sessions").join(&session).join("host.log");
    let host_log = || std::fs::read_to_string(&host_log).unwrap();
    client.step_over(&session).await;
    assert!(!server.log().contains("answered") && !host_log().contains("called"));
    let mut set = async |filter: &str| {
        let request = SetLogFilterRequest { filter: filter.into() };
        client.server.set_log_filter(request).await
    };

    let before = set("debug_relay=debug").await.unwrap().into_inner().previous;
    let nonsense = set("debug_relay=loud").await.unwrap_err();

    assert_eq!((before.as_str(), nonsense.code()), ("info", Code::InvalidArgument));
    let mut other = server.client().await;
    other.step_over(&session).await;
    assert!(server.log().contains("answered") && host_log().contains("called"));
    assert!(host_log().contains(&format!("session{{id=\"{session}\"}}")), "{}", host_log());
    let debug = set("").await.unwrap().into_inner().previous;
    assert_eq!(debug, "debug_relay=debug");
    let length = host_log().len();
    other.step_over(&session).await;
    assert_eq!(host_log().len(), length);
}

/// Starts a server as systemd does: with sockets that listen already, and a socket to be told at.
fn activated(folder: &std::path::Path, socket: OwnedFd, arguments: &[&str]) -> std::process::Child {
    let script = "exec 3<&0 0</dev/null; LISTEN_FDS=1 LISTEN_PID=$$ exec \"$@\"";
    Command::new("sh")
        .args(["-c", script, "sh", env!("CARGO_BIN_EXE_debug-relay"), "serve"])
        .args(arguments)
        .arg("--run-dir")
        .arg(folder.join("run"))
        .arg("--state-dir")
        .arg(folder.join("state"))
        .env("NOTIFY_SOCKET", folder.join("notify"))
        .env("DEBUG_RELAY_CONFIG", "/dev/null")
        .env("DEBUG_RELAY_LIMITS_SPARES", "0")
        .stdin(Stdio::from(socket))
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

async fn told(notified: &tokio::net::UnixDatagram) -> String {
    let mut buffer = [0; 1000];
    let received = tokio::time::timeout(LIMIT, notified.recv(&mut buffer)).await.unwrap().unwrap();
    String::from_utf8_lossy(&buffer[..received]).into_owned()
}

#[tokio::test]
async fn sockets_of_a_service_manager_are_taken_and_it_is_told_what_happens() {
    let folder = tempfile::Builder::new().prefix("dr").tempdir().unwrap();
    let notified = tokio::net::UnixDatagram::bind(folder.path().join("notify")).unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();

    let mut child = activated(folder.path(), listener.into(), &[]);

    assert!(told(&notified).await.contains("READY=1"));
    let token = std::fs::read_to_string(folder.path().join("run/token")).unwrap();
    let mut client = Client::connect(&address, Some(token.trim())).await;
    client.server.get_info(GetInfoRequest {}).await.unwrap();
    let process = Process::of(child.id());
    process.send(Signal::HUP);
    assert!(told(&notified).await.contains("RELOADING=1"));
    assert!(told(&notified).await.contains("READY=1"));
    process.send(Signal::TERM);
    assert!(told(&notified).await.contains("STOPPING=1"));
    let status = tokio::task::spawn_blocking(move || child.wait()).await.unwrap().unwrap();
    assert!(status.success());
}

#[tokio::test]
async fn a_socket_that_others_can_reach_is_refused_also_from_a_service_manager() {
    let folder = tempfile::Builder::new().prefix("dr").tempdir().unwrap();
    let listener = std::net::TcpListener::bind("0.0.0.0:0").unwrap();

    let mut child = activated(folder.path(), listener.into(), &[]);

    let status = tokio::task::spawn_blocking(move || child.wait()).await.unwrap().unwrap();
    assert_eq!(status.code(), Some(1));
}

#[tokio::test]
async fn users_of_a_unix_socket_are_known_by_the_kernel() {
    let folder = tempfile::Builder::new().prefix("dr").tempdir().unwrap();
    let socket = folder.path().join("s");
    let options = ServerOptions {
        listen: format!("unix:{}", socket.display()),
        arguments: ["--unix-peers", "--socket-mode", "0666"].map(String::from).to_vec(),
        ..Default::default()
    };
    let server = Server::with(options).await;
    let mut own = server.client_without_token().await;

    let caller = own.server.get_info(GetInfoRequest {}).await.unwrap().into_inner().caller;

    let caller = caller.unwrap();
    assert_eq!((caller.owner.as_str(), caller.admin), ("server", true));
    let wrong = Client::connect(&server.address, Some("wrong")).await;
    let refused = { wrong }.server.get_info(GetInfoRequest {}).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(socket.metadata().unwrap().permissions().mode() & 0o777, 0o666);
    // Another user, where the test may become one.
    if rustix::process::geteuid().is_root() {
        let grpcurl = crate::support::tools().join("bin/grpcurl");
        let copy = std::env::temp_dir().join(format!("grpcurl-{}", std::process::id()));
        std::fs::copy(grpcurl, &copy).unwrap();
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
        use std::os::unix::process::CommandExt;
        let shown = Command::new(&copy)
            .uid(4711)
            .gid(4711)
            .args(["-plaintext", "-unix", "-authority", "localhost"])
            .arg(&socket)
            .arg("debugrelay.v1.ServerService/GetInfo")
            .output();
        std::fs::remove_file(copy).unwrap();
        let shown = shown.unwrap();
        let text = String::from_utf8_lossy(&shown.stdout);
        assert!(text.contains("\"uid:4711\"") && !text.contains("\"admin\""), "{shown:?}");
    }
}

#[tokio::test]
async fn the_memory_of_programs_that_are_gone_is_not_counted() {
    let server = with(&["--metrics-listen", "127.0.0.1:0"]).await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;
    assert_eq!(scrape(&server).await.sum("debug_relay_program_processes", &[]), 1.0);

    client.delete(&session).await;

    eventually("nothing is counted", async || {
        let page = scrape(&server).await;
        (page.sum("debug_relay_program_processes", &[]) == 0.0).then_some(())
    })
    .await;
}

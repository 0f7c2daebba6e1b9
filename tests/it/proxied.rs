//! Two replicas behind a real proxy, HAProxy and Envoy with the files of `deploy/`: sessions are
//! pinned, streams and deadlines go through, and one replica drains while its sessions go on.

use std::time::Duration;

use debug_relay::proto::*;
use futures_util::future::join_all;
use rustix::process::Signal;
use tonic::{Code, Request, Status};

use crate::support::{
    AccessFile, Client, LIMIT, Page, Process, Program, Proxy, ProxyKind, Server, eventually, reason,
};

const SESSIONS: usize = 20;

/// Two replicas that know the same token.
struct Replicas {
    token: String,
    servers: [Server; 2],
    _file: AccessFile,
}

impl Replicas {
    async fn start() -> Self {
        let mut file = AccessFile::new();
        let token = file.token("agents", "admin = true");
        let arguments =
            ["--metrics-listen", "127.0.0.1:0", "--drain", "10m", "--limits-sessions", "100"];
        let servers = [file.server(&arguments).await, file.server(&arguments).await];
        Self { token, servers, _file: file }
    }

    async fn proxy(&self, kind: ProxyKind) -> Proxy {
        let proxy = Proxy::start(kind, self.servers.each_ref()).await;
        let mut client = Client::on(proxy.connect().await.unwrap(), Some(&self.token));
        eventually("both replicas are known to be well", async || {
            client.server.get_info(GetInfoRequest {}).await.ok()
        })
        .await;
        proxy
    }

    /// How many sessions each has.
    async fn counts(&self) -> [usize; 2] {
        let mut counts = [0; 2];
        for (server, count) in self.servers.iter().zip(&mut counts) {
            let mut client = Client::connect(&server.address, Some(&self.token)).await;
            let listed = client.sessions.list_sessions(ListSessionsRequest::default()).await;
            *count = listed.unwrap().into_inner().sessions.len();
        }
        counts
    }
}

/// A caller of one session, who names it where the proxy sees it.
async fn caller(proxy: &Proxy, token: &str, pin: (&'static str, &str)) -> Client {
    let channel = proxy.connect().await.unwrap();
    Client::on(channel, None).pinned(Some(token), pin.0, pin.1)
}

/// Makes a session through the proxy; a new one is asked for again while a replica is just going.
async fn make(proxy: &Proxy, replicas: &Replicas, kind: ProxyKind, name: &str) -> (Client, String) {
    let program = Program::named("loop.py");
    let mut attempt = 0;
    eventually(&format!("a replica takes {name}"), async || {
        attempt += 1;
        let id = format!("{name}-{attempt}");
        let mut client = caller(proxy, &replicas.token, ("debug-relay-session", &id)).await;
        let request = CreateSessionRequest {
            session_id: id.clone(),
            start: Some(create_session_request::Start::Launch(program.launch())),
            breakpoints: vec![program.breakpoint("add")],
            ..Default::default()
        };
        let answer = match client.sessions.create_session(request).await {
            Ok(answer) => answer,
            // Another id points elsewhere, and a check of the proxy comes every second.
            Err(status) => {
                assert_eq!(status.code(), Code::Unavailable, "{status:?}\n{}", proxy.log());
                return None;
            }
        };
        // The one that must be told where its session is.
        if kind == ProxyKind::EnvoyStateful {
            let place = answer.metadata().get("debug-relay-replica").unwrap();
            let pin = ("debug-relay-replica", place.to_str().unwrap());
            client = caller(proxy, &replicas.token, pin).await;
        }
        assert_eq!(answer.metadata().get("debug-relay-session").unwrap(), id.as_str());
        Some((client, id))
    })
    .await
}

/// Drives a session to its end, and reads its events to theirs.
async fn drive(client: &mut Client, session: &str) -> Outcome {
    let request = StreamEventsRequest { session_id: session.into(), ..Default::default() };
    let mut events = client.events.stream_events(request).await.unwrap().into_inner();
    for _ in 0..3 {
        client.step_over(session).await;
    }
    let outcome = client.debugged_to_the_end(session).await;
    let read = async {
        let mut last = 0;
        while let Some(message) = events.message().await.unwrap() {
            let sequence = message.event.unwrap().sequence;
            assert_eq!(sequence, last + 1);
            last = sequence;
        }
        last
    };
    assert!(0 < tokio::time::timeout(LIMIT, read).await.unwrap());
    outcome
}

async fn a_replica_drains_while_all_sessions_are_driven_to_their_ends(kind: ProxyKind) {
    let mut replicas = Replicas::start().await;
    let proxy = replicas.proxy(kind).await;
    let made = (0..SESSIONS)
        .map(async |number| make(&proxy, &replicas, kind, &format!("t{number}")).await);
    let mut made = join_all(made).await;
    let counts = replicas.counts().await;
    assert_eq!(counts.iter().sum::<usize>(), SESSIONS);
    assert!(counts.iter().all(|count| 0 < *count), "all went to one replica: {counts:?}");

    let metrics = replicas.servers[0].metrics_address();
    Process::of(replicas.servers[0].pid()).send(Signal::TERM);
    eventually("the first replica drains", async || {
        (Page::get(&metrics, "/readyz").await.status == 503).then_some(())
    })
    .await;
    let late = join_all(
        (0..4).map(async |number| make(&proxy, &replicas, kind, &format!("late{number}")).await),
    );
    let driven = join_all(made.iter_mut().map(async |(client, id)| drive(client, id).await));
    let (mut late, outcomes) = tokio::join!(late, driven);

    for outcome in outcomes {
        assert_eq!((outcome.state(), outcome.exit_code), (SessionState::Exited, Some(0)));
    }
    // The drained one has nothing more to do; the other has the new sessions, and serves on.
    let [mut first, second] = replicas.servers;
    let status = tokio::task::spawn_blocking(move || first.wait());
    assert!(tokio::time::timeout(LIMIT, status).await.unwrap().unwrap().success());
    let mut direct = Client::connect(&second.address, Some(&replicas.token)).await;
    for (client, id) in &mut late {
        direct.session(id).await.unwrap();
        let outcome = drive(client, id).await;
        assert_eq!(outcome.exit_code, Some(0));
    }
    replicas.servers = [Server::start().await, second];
    drop(proxy);
}

#[tokio::test]
async fn twenty_sessions_behind_haproxy_while_a_replica_drains() {
    a_replica_drains_while_all_sessions_are_driven_to_their_ends(ProxyKind::HaProxy).await;
}

#[tokio::test]
async fn twenty_sessions_behind_envoy_while_a_replica_drains() {
    a_replica_drains_while_all_sessions_are_driven_to_their_ends(ProxyKind::Envoy).await;
}

#[tokio::test]
async fn twenty_sessions_behind_an_envoy_that_tells_the_replica_while_one_drains() {
    a_replica_drains_while_all_sessions_are_driven_to_their_ends(ProxyKind::EnvoyStateful).await;
}

#[tokio::test]
async fn deadlines_errors_and_cancelled_calls_go_through_a_proxy() {
    for kind in [ProxyKind::HaProxy, ProxyKind::Envoy] {
        let replicas = Replicas::start().await;
        let proxy = replicas.proxy(kind).await;
        let (mut client, session) = make(&proxy, &replicas, kind, "one").await;
        let wait = || WaitForStopRequest {
            session_id: session.clone(),
            after_stop: 99,
            wait: Some(WaitOptions {
                timeout: Some(prost_types::Duration { seconds: 600, nanos: 0 }),
                ..Default::default()
            }),
        };

        let mut limited = Request::new(wait());
        limited.set_timeout(Duration::from_secs(1));
        let late: Status = client.execution.wait_for_stop(limited).await.unwrap_err();
        let unknown = client.session("nobody").await.unwrap_err();
        let stale = client.evaluate(&session, "1 +").await.unwrap();
        let given_up = tokio::spawn({
            let (mut client, wait) = (client.clone(), wait());
            async move { client.execution.wait_for_stop(wait).await }
        });
        let in_flight = async || {
            let mut sum = 0.0;
            for server in &replicas.servers {
                let page = Page::get(&server.metrics_address(), "/metrics").await;
                sum += page.sum("debug_relay_rpc_in_flight", &[]);
            }
            sum
        };
        eventually("the wait has come in", async || (in_flight().await == 1.0).then_some(())).await;
        given_up.abort();

        assert!(
            matches!(late.code(), Code::DeadlineExceeded | Code::Cancelled),
            "{kind:?}: {late:?}"
        );
        assert_eq!(reason(&unknown), ErrorReason::SessionNotFound, "{kind:?}");
        assert!(!stale.error.is_empty());
        // Nobody waits any more, so the replica does not either.
        eventually("the wait is given up", async || (in_flight().await == 0.0).then_some(())).await;
    }
}

#[tokio::test]
async fn a_dead_replica_is_unavailable_for_its_sessions_and_no_other_ones_notice() {
    let mut replicas = Replicas::start().await;
    let kind = ProxyKind::HaProxy;
    let proxy = replicas.proxy(kind).await;
    let mut made = Vec::new();
    while replicas.counts().await.contains(&0) {
        made.push(make(&proxy, &replicas, kind, &format!("n{}", made.len())).await);
    }
    let mut direct = Client::connect(&replicas.servers[1].address, Some(&replicas.token)).await;

    replicas.servers[0].kill();

    for (client, id) in &mut made {
        match direct.session(id).await {
            Ok(_) => drop(client.step_over(id).await),
            // Told in the words of gRPC, and never that there is no such session.
            Err(_) => {
                let refused = client.session(id).await.unwrap_err();
                assert_eq!(refused.code(), Code::Unavailable, "{refused:?}");
            }
        }
    }
    let (mut client, id) = make(&proxy, &replicas, kind, "new").await;
    assert_eq!(drive(&mut client, &id).await.exit_code, Some(0));
}

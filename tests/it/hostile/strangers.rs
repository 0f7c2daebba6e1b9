//! Strangers, and callers who reach for what is not theirs, all at once and while the owner works:
//! nothing is let in, nothing leaks, and the owner does not notice.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use bytes::Bytes;
use debug_relay::proto::*;
use futures_util::future::join_all;
use http::Request;
use http_body_util::StreamBody;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;
use tonic::{Code, Status};

use super::connections::{GET_SESSION, PREFACE, post_as};
use super::world::Weight;
use crate::raw_calls::{Rpc, call, first_field, rpcs};
use crate::support::{AccessFile, Client, LIMIT, Process, Program, Server, eventually, reason};

const FLOOD: usize = 500;
const CONNECTIONS: usize = 64;
const SILENT: usize = 300;

struct Scene {
    server: Server,
    /// Stopped, and Ann's.
    session: String,
    ann: String,
    bob: String,
    late: String,
}

impl Scene {
    async fn new(audit: &std::path::Path) -> (AccessFile, Self) {
        let mut file = AccessFile::new();
        let (ann, bob) = (file.token("ann", ""), file.token("bob", ""));
        let late = file.token("late", "owner = 'ann'\nexpires = 2020-01-01T00:00:00Z");
        let limit = CONNECTIONS.to_string();
        let arguments = ["--limits-connections", &limit, "--audit-log", &audit.to_string_lossy()];
        let server = file.server(&arguments).await;
        let mut client = Client::connect(&server.address, Some(&ann)).await;
        let session = client.stop_at(&Program::named("loop.py"), "add").await;
        (file, Self { server, session, ann, bob, late })
    }

    /// Values of `authorization` that are nobody's.
    fn bad_tokens(&self) -> Vec<Option<String>> {
        let server = self.server.token();
        let mut tokens: Vec<Option<String>> = [
            String::new(),
            "Bearer".into(),
            "Bearer ".into(),
            format!("Basic {server}"),
            server.clone(),
            format!("Bearer {}", &server[..63]),
            format!("Bearer {server}0"),
            format!("Bearer {}", server.to_uppercase()),
            format!("Bearer {}", "0".repeat(64)),
            format!("Bearer {}", self.late),
            format!("Bearer {},{}", self.ann, self.bob),
            format!("Bearer drs_{}_{}", self.session, "0".repeat(64)),
            format!("Bearer drs_{}_", self.session),
            "Bearer drs_".into(),
            format!("Bearer {}", "x".repeat(20_000)),
            "Bearer ../../run/token".into(),
        ]
        .into_iter()
        .map(Some)
        .collect();
        tokens.push(None);
        tokens
    }
}

/// A flood of calls with tokens that are nobody's.
async fn flood(scene: &Scene) {
    let message = first_field(&scene.session);
    let body = [&[0, 0, 0, 0, message.len() as u8][..], &message].concat();
    let tokens = scene.bad_tokens();
    for (number, token) in (0..FLOOD).zip(tokens.iter().cycle()) {
        let head: Vec<(&str, &str)> =
            token.iter().map(|token| ("authorization", token.as_str())).collect();
        // One that is too long for a header is cut off.
        let Some(answer) = post_as(&scene.server, GET_SESSION, &head, body.clone()).await else {
            continue;
        };
        let status = answer.expect_err("a stranger was let in");
        assert_eq!(status.code(), Code::Unauthenticated, "{number}: {token:?}: {status:?}");
        assert_eq!(reason(&status), ErrorReason::Unauthenticated);
        assert!(!format!("{status:?}").contains(&scene.session), "{status:?}");
    }
}

/// Somebody who is known calls everything of somebody else's session.
async fn reach_over(scene: &Scene) {
    let files = crate::proto_rules::contract();
    let client = scene.server.client_without_token().await;
    let ask = async |rpc: &Rpc, session: &str| -> Status {
        call(&client.channel, Some(&scene.bob), rpc, first_field(session)).await.unwrap_err()
    };
    let of_session = |rpc: &Rpc| rpc.is_of_session && rpc.name != "CreateSession";
    for rpc in rpcs(&files).iter().filter(|rpc| of_session(rpc)) {
        let theirs = ask(rpc, &scene.session).await;
        let nobodys = ask(rpc, "s-nobody").await;
        let told = |status: &Status, id: &str| {
            (status.code(), reason(status), status.message().replace(id, "X"))
        };
        assert_eq!(told(&theirs, &scene.session), told(&nobodys, "s-nobody"), "{}", rpc.name);
        assert_eq!(theirs.code(), Code::NotFound, "{}", rpc.name);
    }
    for escape in
        ["..", "../sessions", "a/../../token", "/etc/passwd", "%2e%2e", "s-\0", "\u{202e}"]
    {
        let rpc = rpcs(&files).into_iter().find(|rpc| rpc.name == "GetSession").unwrap();
        assert_eq!(ask(&rpc, escape).await.code(), Code::NotFound, "{escape:?}");
        let mut bob = Client::connect(&scene.server.address, Some(&scene.bob)).await;
        let request = CreateSessionRequest {
            session_id: escape.into(),
            project_root: "/tmp".into(),
            ..Default::default()
        };
        let refused = bob.sessions.create_session(request).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{escape:?}");
    }
}

/// Calls that are too much: heads without end, bodies over the limit.
async fn oversize(scene: &Scene) {
    let long = "x".repeat(1000);
    let names: Vec<String> = (0..200).map(|number| format!("bomb-{number}")).collect();
    let bomb: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), &*long)).collect();
    let large = [&[0][..], &(5_u32 << 20).to_be_bytes(), &vec![b'a'; 5 << 20]].concat();
    let bob = format!("Bearer {}", scene.bob);
    for _ in 0..20 {
        let cut = post_as(&scene.server, GET_SESSION, &bomb, Bytes::new()).await;
        assert!(cut.is_none_or(|answer| answer.is_err()));
        let unknown = post_as(&scene.server, GET_SESSION, &[], large.clone()).await;
        let code =
            |answer: Option<Result<_, Status>>| answer.map(|answer| answer.unwrap_err().code());
        // It is refused before it is read, so that the rest may find nobody.
        assert!(matches!(code(unknown), None | Some(Code::Unauthenticated)));
        let known =
            post_as(&scene.server, GET_SESSION, &[("authorization", &bob)], large.clone()).await;
        assert!(matches!(code(known), None | Some(Code::ResourceExhausted)));
    }
}

/// Calls that begin and never end, of strangers and of somebody who is known.
async fn half_open(scene: &Scene) {
    let stream = TcpStream::connect(&scene.server.address).await.unwrap();
    let (sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
            .await
            .unwrap();
    tokio::spawn(connection);
    let calls = (0..200).map(async |number| {
        let silent = futures_util::stream::pending::<Result<http_body::Frame<Bytes>, Status>>();
        let mut request = Request::post(format!("http://{}{GET_SESSION}", scene.server.address))
            .header("content-type", "application/grpc")
            .header("te", "trailers");
        if number % 2 == 0 {
            request = request.header("authorization", format!("Bearer {}", scene.bob));
        }
        let request = request.body(StreamBody::new(silent)).unwrap();
        let asked = sender.clone().send_request(request);
        match number % 2 {
            // Who is known may take a while, and is not waited for here.
            0 => drop(tokio::time::timeout(std::time::Duration::from_millis(100), asked).await),
            _ => {
                let answer = tokio::time::timeout(LIMIT, asked).await.unwrap().unwrap();
                let status = Status::from_header_map(answer.headers()).unwrap();
                assert_eq!(status.code(), Code::Unauthenticated);
            }
        }
    });
    join_all(calls).await;
}

/// More connections than there may be, which say little or nothing.
async fn silence(scene: &Scene) -> Vec<TcpStream> {
    use tokio::io::AsyncWriteExt;
    let mut silent = Vec::new();
    for number in 0..SILENT {
        let mut stream = TcpStream::connect(&scene.server.address).await.unwrap();
        let words: &[u8] = [&b""[..], b"P", PREFACE, b"GET / HT"][number % 4];
        let _ = stream.write_all(words).await;
        silent.push(stream);
    }
    silent
}

/// The owner works on one connection all the time, and again and again on a new one.
async fn work(scene: &Scene, is_over: &AtomicBool, done: &AtomicUsize) {
    let mut client = Client::connect(&scene.server.address, Some(&scene.ann)).await;
    let mut number = 0;
    while !is_over.load(Ordering::Relaxed) {
        number += 1;
        let expression = format!("{number} + 1");
        let value = client.evaluate(&scene.session, &expression).await.unwrap().value;
        assert_eq!(value, (number + 1).to_string());
        if number % 5 == 0 {
            let mut other = Client::connect(&scene.server.address, Some(&scene.ann)).await;
            assert_eq!(other.session(&scene.session).await.unwrap().id, scene.session);
        }
        done.store(number, Ordering::Relaxed);
    }
}

#[tokio::test]
async fn strangers_get_nothing_and_the_owner_does_not_notice() {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit.log");
    let (_file, scene) = Scene::new(&audit).await;
    let gateway = Process::of(scene.server.pid());
    let before = Weight::of(gateway);
    let (is_over, done) = (AtomicBool::default(), AtomicUsize::default());

    let silent = silence(&scene).await;
    let attacks = async {
        tokio::join!(
            flood(&scene),
            flood(&scene),
            reach_over(&scene),
            oversize(&scene),
            half_open(&scene)
        );
        is_over.store(true, Ordering::Relaxed);
    };
    tokio::join!(attacks, work(&scene, &is_over, &done));

    let silent_again = silence(&scene).await;
    // While as many sit there as may, a new caller still comes in.
    let mut client = Client::connect(&scene.server.address, Some(&scene.ann)).await;
    client.step_over(&scene.session).await;
    assert!(20 < done.load(Ordering::Relaxed));
    drop((silent, silent_again));
    let (log, audit) = (scene.server.log(), std::fs::read_to_string(&audit).unwrap());
    for text in [&log, &audit] {
        assert!(!text.contains("panicked"), "{text}");
        for secret in [&scene.ann, &scene.bob, &scene.late, &scene.server.token()] {
            assert!(!text.contains(secret.as_str()), "a token is in a log");
        }
    }
    eventually("the descriptors are given back", async || {
        (Weight::of(gateway).descriptors <= before.descriptors + 12).then_some(())
    })
    .await;
    let after = Weight::of(gateway);
    assert!(after.resident < before.resident + (96 << 20), "{before:?} to {after:?}");
    client.debugged_to_the_end(&scene.session).await;
}

#[tokio::test]
async fn a_stranger_has_only_a_few_calls_at_once_and_only_small_ones() {
    use tonic_health::pb::HealthCheckRequest;
    use tonic_health::pb::health_client::HealthClient;
    let server = Server::start().await;
    let stranger = server.client_without_token().await;
    let mut health = HealthClient::new(stranger.channel.clone());
    let watch = || HealthCheckRequest { service: String::new() };

    let mut open = Vec::new();
    for _ in 0..16 {
        open.push(health.watch(watch()).await.unwrap());
    }
    let refused = health.watch(watch()).await.unwrap_err();
    drop(open);
    let large = HealthCheckRequest { service: "x".repeat(100_000) };
    let too_long = health.check(large).await.unwrap_err();

    assert_eq!(refused.code(), Code::ResourceExhausted, "{refused:?}");
    assert_ne!(too_long.code(), Code::NotFound, "it was read: {too_long:?}");
    // They are given back, and who is known has no such limit.
    eventually("there is room again", async || health.watch(watch()).await.ok()).await;
    let mut known = server.client().await;
    known.server.get_info(GetInfoRequest {}).await.unwrap();
    let mut health = HealthClient::new(known.channel.clone());
    let mut open = Vec::new();
    for _ in 0..40 {
        open.push(health.watch(watch()).await.unwrap());
    }
}

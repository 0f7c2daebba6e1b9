//! Connections that do not speak the protocol, or speak it to do harm: whoever does is refused or
//! cut off, and all others are answered meanwhile.

use std::time::Duration;

use bytes::Bytes;
use debug_relay::proto::*;
use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tonic::{Code, Status};

use super::world::Weight;
use crate::raw_calls::complaint;
use crate::support::{Client, LIMIT, Process, Program, Random, Server, eventually, reason};

pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const SETTINGS: &[u8] = b"\0\0\0\x04\0\0\0\0\0";
pub const GET_SESSION: &str = "/debugrelay.v1.SessionService/GetSession";
const GET_INFO: &str = "/debugrelay.v1.ServerService/GetInfo";
/// A peer that has said nonsense and waits is not read from for longer.
const GLANCE: Duration = Duration::from_millis(200);

/// A frame of HTTP/2 that says it has `length` bytes, whatever it has.
fn frame(length: u32, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut frame = length.to_be_bytes()[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// First words of connections that are no calls.
fn nonsense() -> Vec<(&'static str, Vec<u8>)> {
    let after_preface = |frames: &[Vec<u8>]| [PREFACE, SETTINGS, &frames.concat()].concat();
    let headers = |block: &[u8]| frame(block.len() as u32, 1, 4, 1, block);
    let mut random = Random::new(1);
    let continued = frame(1_000, 9, 0, 1, &[0x40; 1_000]);
    vec![
        ("nothing", Vec::new()),
        ("a page is asked for", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_vec()),
        ("a call in HTTP/1.1", format!("POST {GET_INFO} HTTP/1.1\r\nHost: x\r\n").into_bytes()),
        ("a line without end", vec![b'A'; 200_000]),
        (
            "many headers",
            b"GET / HTTP/1.1\r\n".iter().copied().chain(b"a: b\r\n".repeat(20_000)).collect(),
        ),
        (
            "lengths that differ",
            b"POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 9\r\n\r\nx".to_vec(),
        ),
        (
            "TLS",
            b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03".iter().copied().chain([7; 500]).collect(),
        ),
        ("noise", random.bytes(10_000)),
        ("half a preface", PREFACE[..10].to_vec()),
        ("a preface and noise", [PREFACE, &random.bytes(10_000)].concat()),
        ("a preface twice", [PREFACE, PREFACE].concat()),
        ("settings of a wrong length", after_preface(&[frame(5, 4, 0, 0, &[0; 5])])),
        ("settings without end", after_preface(&[frame(0xff_ffff, 4, 0, 0, &[0; 600])])),
        ("a frame that is too long", after_preface(&[frame(0xff_ffff, 0, 0, 1, &[0; 100_000])])),
        ("a frame that is too short", after_preface(&[frame(1, 8, 0, 0, &[0])])),
        (
            "a window over the limit",
            after_preface(&vec![frame(4, 8, 0, 0, &[0x7f, 255, 255, 255]); 3]),
        ),
        ("a window of nothing", after_preface(&[frame(4, 8, 0, 0, &[0; 4])])),
        ("data of no stream", after_preface(&[frame(3, 0, 0, 0, b"abc")])),
        ("data of a stream that is not open", after_preface(&[frame(3, 0, 0, 99, b"abc")])),
        ("headers that cannot be read", after_preface(&[headers(&[0xff; 50])])),
        ("headers of an even stream", after_preface(&[frame(1, 1, 5, 2, &[0x82])])),
        (
            "headers that never end",
            after_preface(&[vec![frame(1, 1, 0, 1, &[0x82])], vec![continued; 500]].concat()),
        ),
        ("priority of itself", after_preface(&[frame(5, 2, 0, 1, &[0, 0, 0, 1, 0])])),
        ("a push", after_preface(&[frame(4, 5, 4, 1, &[0, 0, 0, 2])])),
        ("an unknown frame", after_preface(&[frame(3, 0xee, 0xff, 7, b"abc")])),
        ("many pings", after_preface(&vec![frame(8, 6, 0, 0, &[1; 8]); 10_000])),
        ("many settings", after_preface(&vec![frame(0, 4, 0, 0, &[]); 10_000])),
        (
            "many resets",
            after_preface(
                &(0..2_000)
                    .map(|n| {
                        [frame(1, 1, 5, 2 * n + 1, &[0x82]), frame(4, 3, 0, 2 * n + 1, &[0; 4])]
                            .concat()
                    })
                    .collect::<Vec<_>>(),
            ),
        ),
    ]
}

/// Says these bytes and reads for a moment what is said to them.
async fn say(address: &str, words: &[u8]) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let talk = async {
        // The other side may hang up in the middle.
        let _ = stream.write_all(words).await;
        let mut answer = [0; 4096];
        while let Ok(1..) = stream.read(&mut answer).await {}
    };
    let _ = tokio::time::timeout(GLANCE, talk).await;
}

async fn assert_answers(client: &mut Client, after: &str) {
    let answer = tokio::time::timeout(LIMIT, client.server.get_info(GetInfoRequest {})).await;
    answer.unwrap_or_else(|_| panic!("no answer after: {after}")).unwrap();
}

/// A call with any head and any body. None when the stream is cut off without a status.
async fn post(
    server: &Server,
    path: &str,
    headers: &[(&str, &str)],
    body: impl Into<Bytes>,
) -> Option<Result<Option<Bytes>, Status>> {
    let bearer = format!("Bearer {}", server.token());
    let headers = [&[("authorization", bearer.as_str())], headers].concat();
    post_as(server, path, &headers, body).await
}

/// The same, without a token unless one is among the headers.
pub async fn post_as(
    server: &Server,
    path: &str,
    headers: &[(&str, &str)],
    body: impl Into<Bytes>,
) -> Option<Result<Option<Bytes>, Status>> {
    let stream = TcpStream::connect(&server.address).await.unwrap();
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
            .await
            .unwrap();
    tokio::spawn(connection);
    let mut request = Request::post(format!("http://{}{path}", server.address))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(Full::new(body.into()))
        .unwrap();
    for (name, value) in headers {
        let name: http::HeaderName = name.parse().unwrap();
        request.headers_mut().append(name, http::HeaderValue::from_str(value).unwrap());
    }
    let answer = async { status_of(sender.send_request(request).await.ok()?).await };
    tokio::time::timeout(LIMIT, answer).await.expect("an answer in time")
}

async fn status_of(response: Response<Incoming>) -> Option<Result<Option<Bytes>, Status>> {
    let in_head = Status::from_header_map(response.headers());
    let collected = response.into_body().collect().await.ok()?;
    let trailers = collected.trailers().cloned().unwrap_or_else(HeaderMap::new);
    let status = in_head.or_else(|| Status::from_header_map(&trailers))?;
    let message = Some(collected.to_bytes()).filter(|bytes| !bytes.is_empty());
    Some(if status.code() == Code::Ok { Ok(message) } else { Err(status) })
}

#[tokio::test]
async fn connections_that_speak_nonsense_are_no_trouble_to_others() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let gateway = Process::of(server.pid());
    for (_, words) in nonsense() {
        say(&server.address, &words).await;
    }
    let before = Weight::of(gateway);

    for (what, words) in nonsense() {
        tokio::join!(say(&server.address, &words), assert_answers(&mut client, what));
        assert_answers(&mut client, what).await;
        assert_answers(&mut server.client().await, what).await;
    }

    eventually("the descriptors are given back", async || {
        (Weight::of(gateway).descriptors <= before.descriptors + 2).then_some(())
    })
    .await;
    let after = Weight::of(gateway);
    assert!(after.resident < before.resident + (64 << 20), "{before:?} to {after:?}");
    assert!(!server.log().contains("panicked"), "{}", server.log());
}

#[tokio::test]
async fn a_hundred_connections_that_say_nothing_keep_nobody_out() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let mut silent = Vec::new();
    for number in 0..100 {
        let mut stream = TcpStream::connect(&server.address).await.unwrap();
        // Some begin, and then say no more.
        let words: &[u8] = [&b""[..], b"P", PREFACE, b"GET / HT"][number % 4];
        stream.write_all(words).await.unwrap();
        silent.push(stream);
    }

    assert_answers(&mut client, "silence").await;
    let mut other = server.client().await;
    assert_answers(&mut other, "silence").await;
    let created = other.debug(&Program::named("loop.py"), &["add"]).await;

    assert_eq!(created.outcome.unwrap().state(), SessionState::Stopped);
}

#[tokio::test]
async fn frames_that_are_not_what_they_promise_are_refused_with_a_reason() {
    let server = Server::start().await;
    let created = server.client().await.debug(&Program::named("loop.py"), &["add"]).await;
    let session = created.session.unwrap().id;
    let right =
        [&[0, 0, 0, 0, session.len() as u8 + 2, 0x0a, session.len() as u8][..], session.as_bytes()]
            .concat();
    let with =
        |flag: u8, length: u32, rest: &[u8]| [&[flag][..], &length.to_be_bytes(), rest].concat();
    let frames = [
        ("promises more than it sends", with(0, 100, b"abc"), Code::InvalidArgument),
        ("promises all there is", with(0, u32::MAX, b"abc"), Code::ResourceExhausted),
        ("sends more than it promises", with(0, 1, b"\x0a\x03abc"), Code::InvalidArgument),
        ("is compressed, it says", with(1, 3, b"abc"), Code::Unimplemented),
        ("has a flag that there is not", with(0xff, 3, b"abc"), Code::Unimplemented),
        ("is two messages", [&right[..], &right].concat(), Code::InvalidArgument),
        ("is half a prefix", vec![0, 0], Code::InvalidArgument),
        ("is nothing", vec![], Code::InvalidArgument),
        ("is longer than allowed", with(0, 5 << 20, &vec![b'a'; 5 << 20]), Code::ResourceExhausted),
    ];

    assert!(matches!(post(&server, GET_SESSION, &[], right).await, Some(Ok(Some(_)))));
    for (what, body, expected) in frames {
        let answer = post(&server, GET_SESSION, &[], body).await;
        let answer = answer.unwrap_or_else(|| panic!("cut off: a frame that {what}"));

        assert_eq!(complaint(what, &answer), None);
        assert_eq!(answer.unwrap_err().code(), expected, "a frame that {what}");
    }
}

#[tokio::test]
async fn heads_of_calls_without_sense_are_refused_or_passed_by() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let created = client.debug(&Program::named("loop.py"), &["add"]).await;
    let session = created.session.unwrap().id;
    let message = [&[0x0a, session.len() as u8][..], session.as_bytes()].concat();
    let body = [&[0, 0, 0, 0, message.len() as u8][..], &message].concat();
    let long = "x".repeat(20_000);
    let bomb: Vec<(String, &str)> =
        (0..200).map(|n| (format!("bomb-{n}"), &long[..1000])).collect();
    let bomb: Vec<(&str, &str)> =
        bomb.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let heads: Vec<Vec<(&str, &str)>> = vec![
        vec![("grpc-timeout", "")],
        vec![("grpc-timeout", "S")],
        vec![("grpc-timeout", "-1S")],
        vec![("grpc-timeout", "1X")],
        vec![("grpc-timeout", "99999999H")],
        vec![("grpc-timeout", "999999999999999999999S")],
        vec![("grpc-timeout", "1S"), ("grpc-timeout", "2S")],
        vec![("grpc-encoding", "gzip")],
        vec![("grpc-encoding", "nonsense")],
        vec![("grpc-accept-encoding", "gzip,deflate,zstd,nonsense")],
        vec![("some-bin", "%%% no base64 %%%")],
        vec![("grpc-status", "0")],
        vec![("content-length", "3")],
        vec![("content-type", "text/html")],
        vec![("debug-relay-listing", "1")],
        vec![("long", &long)],
        bomb,
    ];

    for head in heads {
        let what = format!("{:.200}", format!("{head:?}"));
        // A head that is too much is cut off with its stream.
        if let Some(answer) = post(&server, GET_SESSION, &head, body.clone()).await {
            assert_eq!(complaint(&what, &answer), None, "{what}");
        }
        assert_answers(&mut client, &what).await;
    }
    for path in
        ["/", "//", "/a", "/a/b/c", "/debugrelay.v1.SessionService/", "/%00/%ff", "/grpc.x/y?z"]
    {
        let answer = post(&server, path, &[], body.clone()).await.expect("a status");
        let status = answer.expect_err(path);
        assert_eq!(status.code(), Code::Unimplemented, "{path}");
        if !path.starts_with("/grpc.") {
            assert_eq!(reason(&status), ErrorReason::UnknownMethod, "{path}");
        }
    }
    assert_eq!(client.evaluate(&session, "1 + 1").await.unwrap().value, "2");
    assert!(!server.log().contains("panicked"), "{}", server.log());
}

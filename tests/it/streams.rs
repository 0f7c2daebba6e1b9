//! Events and output by number: replay, then follow, to the end; polls that wait; filters.

use debug_relay::proto::event::Payload;
use debug_relay::proto::*;

use crate::support::{Program, Server};

#[tokio::test]
async fn a_stream_of_events_replays_follows_and_ends_with_the_session() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "done").await;
    let request = StreamEventsRequest { session_id: session.clone(), ..Default::default() };
    let mut stream = client.events.stream_events(request).await.unwrap().into_inner();

    client.resume(&session).await;
    let mut events = Vec::new();
    while let Some(message) = stream.message().await.unwrap() {
        events.push(message.event.unwrap());
    }

    let numbers: Vec<_> = events.iter().map(|event| event.sequence).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    let place = |wanted: fn(&Payload) -> bool| {
        events.iter().position(|event| wanted(event.payload.as_ref().unwrap()))
    };
    let stopped = place(|payload| matches!(payload, Payload::Stopped(_))).unwrap();
    let exited = place(|payload| matches!(payload, Payload::Exited(_))).unwrap();
    let output = place(|payload| matches!(payload, Payload::Output(_))).unwrap();
    assert!(
        output < stopped && stopped < exited,
        "what was printed comes before the stop that follows it"
    );
    assert!(matches!(events.last().unwrap().payload, Some(Payload::Terminated(_))));
}

#[tokio::test]
async fn events_are_filtered_limited_and_waited_for() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;
    let types = vec![EventType::Stopped.into()];
    let request = ListEventsRequest {
        session_id: session.clone(),
        types: types.clone(),
        ..Default::default()
    };
    let first = client.events.list_events(request.clone()).await.unwrap().into_inner();
    assert_eq!(first.events.len(), 1);

    let wait = Some(prost_types::Duration { seconds: 30, nanos: 0 });
    let poll = ListEventsRequest { after_sequence: first.next_sequence, wait, ..request };
    let mut poller = client.clone();
    let (polled, _) = tokio::join!(poller.events.list_events(poll), client.step_over(&session));

    let polled = polled.unwrap().into_inner();
    assert!(
        matches!(&polled.events[0].payload, Some(Payload::Stopped(stop)) if stop.stop_number == 2)
    );
    let request =
        StreamEventsRequest { session_id: session.clone(), types, limit: 2, after_sequence: 0 };
    let mut stream = client.events.stream_events(request).await.unwrap().into_inner();
    let mut stops = 0;
    while let Some(message) = stream.message().await.unwrap() {
        assert!(matches!(message.event.unwrap().payload, Some(Payload::Stopped(_))));
        stops += 1;
    }
    assert_eq!(stops, 2);
}

#[tokio::test]
async fn a_stream_of_output_has_every_byte_of_both_streams_in_order() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "import os, sys\nos.write(1, b'bytes \\xff\\xfe\\n')  # @here\nsys.stderr.write('trouble\\n')\nfor n in range(2000):\n    print('line', n)\n",
    );
    let session = client.stop_at(&program, "here").await;
    let request = StreamOutputRequest {
        session_id: session.clone(),
        include_data: true,
        ..Default::default()
    };
    let mut stream = client.output.stream_output(request).await.unwrap().into_inner();

    client.resume(&session).await;
    let (mut out, mut err, mut next) = (Vec::new(), Vec::new(), 0);
    while let Some(message) = stream.message().await.unwrap() {
        let Some(stream_output_response::Item::Chunk(chunk)) = message.item else {
            panic!("a gap")
        };
        assert_eq!(chunk.offset, next);
        next += chunk.data.len() as u64;
        match chunk.category() {
            OutputCategory::Stdout => out.extend_from_slice(&chunk.data),
            OutputCategory::Stderr => err.extend_from_slice(&chunk.data),
            other => panic!("{other:?}"),
        }
    }

    let lines: String = (0..2000).map(|number| format!("line {number}\n")).collect();
    assert_eq!(out, [b"bytes \xff\xfe\n", lines.as_bytes()].concat());
    assert_eq!(err, b"trouble\n");
    let request = GetOutputRequest {
        session_id: session,
        categories: vec![OutputCategory::Stderr.into()],
        max_bytes: 1 << 20,
        ..Default::default()
    };
    let page = client.output.get_output(request).await.unwrap().into_inner();
    assert_eq!((page.chunks.len(), page.chunks[0].text.as_str()), (1, "trouble\n"));
    assert_eq!((page.next_offset, page.end), (next, true));
}

#[tokio::test]
async fn output_that_is_no_longer_kept_is_announced_as_a_gap() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "import sys\nfor _ in range(60):\n    sys.stdout.write('x' * (1 << 20))\nprint('end')  # @end\n",
    );
    let session = client.stop_at(&program, "end").await;

    let request = StreamOutputRequest {
        session_id: session.clone(),
        max_bytes: 1 << 20,
        ..Default::default()
    };
    let mut stream = client.output.stream_output(request).await.unwrap().into_inner();
    let first = stream.message().await.unwrap().unwrap().item.unwrap();
    let second = stream.message().await.unwrap().unwrap().item.unwrap();

    let stream_output_response::Item::Gap(gap) = first else { panic!("{first:?}") };
    let stream_output_response::Item::Chunk(chunk) = second else { panic!("{second:?}") };
    assert_eq!(gap.from_offset, 0);
    assert!(0 < gap.to_offset && gap.to_offset < 60 << 20);
    assert_eq!(chunk.offset, gap.to_offset);
}

#[tokio::test]
async fn a_hundred_readers_that_stop_reading_slow_nobody_and_one_that_reads_gets_every_byte() {
    let server = Server::start().await;
    let mut client = server.client().await;
    // Less than the ring holds, so that nothing can be missing, however slow the reader is.
    let program = Program::of(
        "import sys\nready = True  # @ready\nfor _ in range(45):\n    sys.stdout.write('x' * (1 << 20))\n",
    );
    let session = client.stop_at(&program, "ready").await;
    let host = server.host(&session);
    let request = StreamOutputRequest {
        session_id: session.clone(),
        max_bytes: 1 << 20,
        data_only: true,
        ..Default::default()
    };
    let mut stalled = Vec::new();
    for _ in 0..10 {
        let mut reader = server.client().await;
        for _ in 0..10 {
            stalled.push(reader.output.stream_output(request.clone()).await.unwrap().into_inner());
        }
    }
    let mut reader = server.client().await;
    let good = reader.output.stream_output(request).await.unwrap().into_inner();

    let (outcome, read) = tokio::join!(client.resume(&session), read_all(good));

    assert_eq!((outcome.state(), outcome.exit_code), (SessionState::Exited, Some(0)));
    assert_eq!(read, 45 << 20);
    // The ring, and a little for each who does not read.
    let (host, gateway) = (resident(host.0), resident(server.pid()));
    assert!(host < 100 << 20, "the host holds {host} bytes");
    assert!(gateway < 150 << 20, "the gateway holds {gateway} bytes");
    drop(stalled);
}

/// Prints very much; `seen` has whether each piece went out by itself.
const FLOOD: &str = "\
import os, sys, time
seen = set()
print('ready')  # @ready
for number in range(300_000):
    print('line', number)
    seen.add(sys.stdout.write_through)
";

fn flood() -> u64 {
    (0..300_000).map(|number| format!("line {number}\n").len() as u64).sum::<u64>() + 6
}

#[tokio::test]
async fn all_of_a_flood_of_lines_is_there_at_the_stop_that_follows_it() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(&format!("{FLOOD}after = 1  # @after\nend = 1\n"));

    let created = client.debug(&program, &["after"]).await;

    // In the very answer that tells of the stop: what is gathered would come by itself soon after.
    let outcome = created.outcome.unwrap();
    assert_eq!(outcome.state(), SessionState::Stopped);
    assert_eq!(outcome.output.unwrap().next_offset, flood());
    let session = created.session.unwrap().id;

    let request = GetOutputRequest {
        session_id: session.clone(),
        after_offset: flood(),
        ..Default::default()
    };
    let page = client.output.get_output(request).await.unwrap().into_inner();
    assert_eq!((page.next_offset, page.chunks.len(), page.gap), (flood(), 0, None));
    assert_eq!(client.evaluate(&session, "sorted(seen)").await.unwrap().value, "[False, True]");
}

#[tokio::test]
async fn all_of_a_flood_of_lines_is_read_while_the_program_goes_on_without_a_word() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let waiting = "if os.fork() == 0:\n    os._exit(0)\nsys.stdin.read()\n";
    let session = client.stop_at(&Program::of(&format!("{FLOOD}{waiting}")), "ready").await;
    let request = ContinueRequest {
        session_id: session.clone(),
        wait: Some(WaitOptions { timeout: Some(Default::default()), snapshot: None }),
        ..Default::default()
    };
    client.execution.r#continue(request).await.unwrap();

    let wait = Some(prost_types::Duration { seconds: 30, nanos: 0 });
    let request = GetOutputRequest {
        session_id: session.clone(),
        after_offset: flood() - 1,
        wait,
        ..Default::default()
    };
    let page = client.output.get_output(request).await.unwrap().into_inner();

    assert_eq!((page.next_offset, page.gap), (flood(), None));
}

#[tokio::test]
async fn signals_in_a_flood_of_lines_cost_no_byte() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let alarm = "import signal\nsignal.signal(signal.SIGALRM, lambda *_: None)\n\
                 signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)\n";
    let quiet = "signal.setitimer(signal.ITIMER_REAL, 0)\nafter = 1  # @after\n";
    let program = Program::of(&format!("{alarm}{FLOOD}{quiet}"));

    let session = client.stop_at(&program, "after").await;

    let request =
        GetOutputRequest { session_id: session, after_offset: flood(), ..Default::default() };
    let page = client.output.get_output(request).await.unwrap().into_inner();
    assert_eq!((page.next_offset, page.chunks.len(), page.gap), (flood(), 0, None));
}

/// Reads to the end; nothing may be missing.
async fn read_all(mut stream: tonic::Streaming<StreamOutputResponse>) -> u64 {
    let mut next = 0;
    while let Some(message) = stream.message().await.unwrap() {
        let Some(stream_output_response::Item::Chunk(chunk)) = message.item else {
            panic!("a gap at {next}")
        };
        assert_eq!(chunk.offset, next);
        next += chunk.data.len() as u64;
    }
    next
}

/// Bytes of memory that a process holds.
fn resident(pid: impl std::fmt::Display) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

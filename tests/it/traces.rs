//! Traces: thousands of steps in one call, made inside the program, and every way in which they end.

use debug_relay::proto::*;

use crate::support::{Client, Program, Server, eventually};

/// A loop, with another thread at work beside it.
const LOOP: &str = "\
import threading, time

def beside():
    while not over:
        time.sleep(0.001)

def work(n):
    total = 0  # @start
    for i in range(n):
        total += i
        if i == 50:
            seen = i  # @fifty
    return total

class Slow:
    def __repr__(self):
        while quick is False:
            pass
        return 'slow'

over, quick = False, True
thread = threading.Thread(target=beside)
thread.start()
result = work(3000)
value = Slow()  # @slow
quick = False
quick = False
over = True
quick = True
thread.join()
print(result)
";

/// All records of a trace, and how it ended.
async fn trace(client: &mut Client, request: TraceRequest) -> (Vec<TraceRecord>, Outcome) {
    let mut stream = client.execution.trace(request).await.unwrap().into_inner();
    let mut records = Vec::new();
    loop {
        match stream.message().await.unwrap().unwrap().item.unwrap() {
            trace_response::Item::Record(record) => records.push(record),
            trace_response::Item::Outcome(outcome) => return (records, outcome),
        }
    }
}

fn asked(session: &str, max_steps: u64) -> TraceRequest {
    TraceRequest { session_id: session.into(), max_steps, ..Default::default() }
}

fn numbers(records: &[TraceRecord]) -> Vec<u64> {
    records.iter().map(|record| record.number).collect()
}

#[tokio::test]
async fn thousands_of_steps_are_told_one_by_one_without_a_stop_for_each() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(LOOP);
    let session = client.stop_at(&program, "start").await;
    let request = TraceRequest {
        expressions: vec!["total + 1".into(), "nope".into()],
        ..asked(&session, 5000)
    };

    let (records, outcome) = trace(&mut client, request).await;

    assert_eq!(numbers(&records), (1..=5000).collect::<Vec<_>>());
    assert_eq!(outcome.hint, "`max_steps` were made.");
    let last = records.last().unwrap();
    let location = last.location.as_ref().unwrap();
    assert_eq!(location.line, outcome.stop.unwrap().location.unwrap().line);
    assert_eq!((location.function.as_str(), last.depth), ("work", 2));
    let total = client.evaluate(&session, "total + 1").await.unwrap().value;
    assert_eq!(
        (last.expressions[0].value.as_str(), &*last.expressions[0].expression),
        (&*total, "total + 1")
    );
    assert!(last.expressions[1].error.contains("NameError"), "{last:?}");
    // Each round changes the counter and the sum, each in its own step.
    let changed = |name: &str| {
        records
            .iter()
            .flat_map(|record| &record.changes)
            .filter(|change| change.name == name)
            .count()
    };
    assert!(
        1600 < changed("i") && 1600 < changed("total"),
        "{} {}",
        changed("i"),
        changed("total")
    );
    let stops = client.session(&session).await.unwrap().counters.unwrap().stops;
    assert!(stops < 10, "{stops} stops");
    client.delete(&session).await;
}

#[tokio::test]
async fn a_breakpoint_ends_a_trace_and_steps_out_lead_out() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(LOOP);
    let session = client.debug(&program, &["start", "fifty"]).await.session.unwrap().id;

    let (records, outcome) = trace(&mut client, asked(&session, 0)).await;
    let stop = outcome.stop.unwrap();
    assert_eq!((stop.reason(), stop.breakpoint_ids), (StopReason::Breakpoint, vec![2]));
    assert_eq!(outcome.hint, "Something else stopped the program.");
    assert_eq!(records.last().unwrap().location.as_ref().unwrap().line, program.line("fifty"));

    let out = TraceRequest { step: StepKind::Out.into(), ..asked(&session, 1) };
    let (records, _) = trace(&mut client, out).await;
    assert_eq!(records[0].location.as_ref().unwrap().function, "<module>");
    assert_eq!(records[0].depth, 1);
    assert_eq!(client.debugged_to_the_end(&session).await.exit_code, Some(0));
}

#[tokio::test]
async fn a_caller_who_goes_away_leaves_a_program_that_stands() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::of(LOOP), "start").await;
    let request = asked(&session, 1_000_000);

    let mut stream = client.execution.trace(request).await.unwrap().into_inner();
    for _ in 0..10 {
        stream.message().await.unwrap().unwrap();
    }
    drop(stream);

    eventually("the program stands", async || {
        let found = client.session(&session).await.unwrap();
        (found.state() == SessionState::Stopped).then_some(())
    })
    .await;
    assert_eq!(client.step_over(&session).await.state(), SessionState::Stopped);
    client.delete(&session).await;
}

#[tokio::test]
async fn a_pause_ends_a_trace() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::of(LOOP), "start").await;
    let request = asked(&session, 1_000_000);
    let mut stream = client.execution.trace(request).await.unwrap().into_inner();
    for _ in 0..100 {
        stream.message().await.unwrap().unwrap();
    }

    let request = PauseRequest { session_id: session.clone(), ..Default::default() };
    let (paused, ended) = tokio::join!(client.execution.pause(request), async {
        let mut last = None;
        while let Some(item) = stream.message().await.unwrap() {
            last = item.item;
        }
        last
    });

    assert!(matches!(ended, Some(trace_response::Item::Outcome(_))), "{ended:?}");
    assert_eq!(paused.unwrap().into_inner().outcome.unwrap().state(), SessionState::Stopped);
    client.delete(&session).await;
}

#[tokio::test]
async fn a_value_that_is_never_shown_does_not_keep_a_trace_beyond_its_time() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::of(LOOP), "slow").await;
    let timeout = Some(prost_types::Duration { seconds: 1, nanos: 0 });

    let (records, outcome) =
        trace(&mut client, TraceRequest { timeout, ..asked(&session, 4) }).await;

    assert!(outcome.timed_out, "{records:?} {outcome:?}");
    assert!(records.len() < 4, "{records:?}");
    client.delete(&session).await;
}

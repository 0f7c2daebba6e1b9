//! Moves that name a place, and many moves in one call.

use debug_relay::proto::*;

use crate::support::{Client, Program, Server, reason};

const WORK: &str = "def double(x):\n    return x * 2  # @double\n\ndef add(x, y):\n    return x + y  # @adding\n\ndef work(n):\n    total = 0  # @start\n    for i in range(n):\n        total = add(total, double(i))  # @call\n    done = total  # @done\n    return done\n\nprint(work(5))  # @print\n";

fn line_of(outcome: &Outcome) -> i32 {
    outcome.stop.as_ref().unwrap().location.as_ref().unwrap().line
}

async fn run_to(
    client: &mut Client,
    session: &str,
    file: &str,
    line: i32,
) -> Result<Outcome, tonic::Status> {
    let request = RunToLineRequest {
        session_id: session.into(),
        file: file.into(),
        line,
        ..Default::default()
    };
    Ok(client.execution.run_to_line(request).await?.into_inner().outcome.unwrap())
}

#[tokio::test]
async fn a_line_is_run_to_and_leaves_no_breakpoint() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(WORK);
    let session = client.stop_at(&program, "start").await;

    let there = run_to(&mut client, &session, "", program.line("done")).await.unwrap();
    let past_the_end = run_to(&mut client, &session, "", 99).await.unwrap_err();

    assert_eq!(line_of(&there), program.line("done"));
    let stop = there.stop.unwrap();
    assert_eq!((stop.reason(), stop.breakpoint_ids.len()), (StopReason::RunToLine, 0));
    assert!(past_the_end.message().contains("there is no line 99"), "{past_the_end:?}");
    let request = ListBreakpointsRequest { session_id: session.clone(), file: String::new() };
    let left = client.breakpoints.list_breakpoints(request).await.unwrap().into_inner();
    assert_eq!(left.breakpoints.len(), 1);
    assert_eq!(client.resume(&session).await.exit_code, Some(0));
}

#[tokio::test]
async fn a_breakpoint_on_the_way_ends_the_run_and_the_line_is_forgotten() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(WORK);
    let session = client.debug(&program, &["start", "adding"]).await.session.unwrap().id;

    let stopped = run_to(&mut client, &session, "", program.line("done")).await.unwrap();
    assert_eq!(stopped.stop.unwrap().reason(), StopReason::Breakpoint);
    let end = client.debugged_to_the_end(&session).await;

    assert_eq!(end.state(), SessionState::Exited);
}

#[tokio::test]
async fn the_next_line_is_set_without_running_what_lies_between() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(WORK);
    let session = client.stop_at(&program, "done").await;
    client.evaluate(&session, "total").await.unwrap();

    let goto = |line| GotoRequest { session_id: session.clone(), line, ..Default::default() };
    let moved = client.execution.goto(goto(program.line("start"))).await.unwrap().into_inner();
    let outside = client.execution.goto(goto(program.line("double"))).await.unwrap_err();

    let moved = moved.outcome.unwrap();
    assert_eq!(
        (line_of(&moved), moved.stop.unwrap().reason()),
        (program.line("start"), StopReason::Goto)
    );
    assert_eq!(reason(&outside), ErrorReason::AdapterError);
    assert_eq!(client.session(&session).await.unwrap().state(), SessionState::Stopped);
    let again = client.resume(&session).await;
    assert_eq!(line_of(&again), program.line("done"));
}

#[tokio::test]
async fn one_call_of_several_is_stepped_into() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(WORK);
    let session = client.stop_at(&program, "call").await;

    let request = GetStepInTargetsRequest { session_id: session.clone(), frame_id: 0 };
    let targets =
        client.inspection.get_step_in_targets(request).await.unwrap().into_inner().targets;
    let labels: Vec<_> = targets.iter().map(|target| target.label.as_str()).collect();
    assert_eq!(labels, ["double(i)", "add(total, double(i))"], "only calls of the line");
    let add = targets.iter().find(|target| target.label.starts_with("add")).unwrap();
    let request = StepIntoRequest {
        session_id: session.clone(),
        target_id: add.target_id,
        ..Default::default()
    };
    let inside = client.execution.step_into(request.clone()).await.unwrap().into_inner();
    let stale = client.execution.step_into(request).await.unwrap_err();

    assert_eq!(line_of(&inside.outcome.unwrap()), program.line("adding"));
    assert_eq!(reason(&stale), ErrorReason::StaleHandle);
}

#[tokio::test]
async fn a_trace_tells_every_step_with_changes_and_expressions() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(WORK);
    let session = client.stop_at(&program, "start").await;
    let request = TraceRequest {
        session_id: session.clone(),
        until: Some(LineLocation { line: program.line("done"), ..Default::default() }),
        expressions: vec!["total * 10".into()],
        ..Default::default()
    };

    let mut stream = client.execution.trace(request).await.unwrap().into_inner();
    let (mut records, mut last) = (Vec::new(), None);
    while let Some(item) = stream.message().await.unwrap() {
        match item.item.unwrap() {
            trace_response::Item::Record(record) => records.push(record),
            trace_response::Item::Outcome(outcome) => last = Some(outcome),
        }
    }

    // Into the loop, five times around it, and out of it.
    assert_eq!(records.len(), 12, "{records:#?}");
    let numbers: Vec<_> = records.iter().map(|record| record.number).collect();
    assert_eq!(numbers, (1..=12).collect::<Vec<_>>());
    let total: Vec<_> = records
        .iter()
        .flat_map(|record| &record.changes)
        .filter(|change| change.name == "total")
        .map(|change| change.after.as_str())
        .collect();
    assert_eq!(total, ["0", "2", "6", "12", "20"]);
    assert_eq!(records[11].expressions[0].value, "200");
    assert_eq!(records[0].depth, 2);
    assert_eq!(line_of(&last.unwrap()), program.line("done"));
}

#[tokio::test]
async fn a_trace_ends_at_its_condition_its_count_and_the_end_of_the_program() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(WORK);
    let session = client.stop_at(&program, "start").await;
    let trace = |until_condition: &str, max_steps| TraceRequest {
        session_id: session.clone(),
        step: StepKind::Into.into(),
        until_condition: until_condition.into(),
        max_steps,
        ..Default::default()
    };

    let mut counts = Vec::new();
    for request in [trace("i == 2", 0), trace("", 3), trace("", 0)] {
        let mut stream = client.execution.trace(request).await.unwrap().into_inner();
        let mut records = 0;
        while let Some(item) = stream.message().await.unwrap() {
            match item.item.unwrap() {
                trace_response::Item::Record(_) => records += 1,
                trace_response::Item::Outcome(outcome) => counts.push((records, outcome.state())),
            }
        }
    }

    assert_eq!(counts[1], (3, SessionState::Stopped));
    assert!(5 < counts[0].0 && counts[0].1 == SessionState::Stopped, "{counts:?}");
    assert_eq!(counts[2].1, SessionState::Exited);
}

#[tokio::test]
async fn tracepoints_stream_rows_and_leave_the_program_running() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(WORK);
    let session = client.stop_at(&program, "start").await;
    let request =
        RemoveBreakpointsRequest { session_id: session.clone(), all: true, ..Default::default() };
    client.breakpoints.remove_breakpoints(request).await.unwrap();
    let request = CollectRequest {
        session_id: session.clone(),
        locations: vec![BreakpointSpec {
            condition: "x > 0".into(),
            ..program.breakpoint("adding")
        }],
        expressions: vec!["x + y".into(), "nowhere".into()],
        changes: true,
        max_frames: 2,
        ..Default::default()
    };

    let mut stream = client.execution.collect(request).await.unwrap().into_inner();
    let (mut rows, mut last) = (Vec::new(), None);
    while let Some(item) = stream.message().await.unwrap() {
        match item.item.unwrap() {
            collect_response::Item::Row(row) => rows.push(row),
            collect_response::Item::Outcome(outcome) => last = Some(outcome),
        }
    }

    let sums: Vec<_> = rows.iter().map(|row| row.expressions[0].value.as_str()).collect();
    assert_eq!(sums, ["6", "12", "20"]);
    assert!(rows[0].expressions[1].error.contains("NameError"), "{rows:?}");
    let frames: Vec<_> = rows[0].frames.iter().map(|frame| frame.name.as_str()).collect();
    assert_eq!(frames, ["add", "work"]);
    assert!(
        rows[1].changes.iter().any(|change| change.name == "y" && change.after == "6"),
        "{rows:?}"
    );
    let last = last.unwrap();
    assert_eq!((last.state(), last.exit_code), (SessionState::Exited, Some(0)));
}

#[tokio::test]
async fn enough_rows_end_the_stream_and_the_program_runs_on_untouched() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::named("endless.py");
    let session = client.stop_at(&program, "tick").await;
    let request =
        RemoveBreakpointsRequest { session_id: session.clone(), all: true, ..Default::default() };
    client.breakpoints.remove_breakpoints(request).await.unwrap();
    let request = CollectRequest {
        session_id: session.clone(),
        locations: vec![program.breakpoint("tick")],
        max_hits: 5,
        ..Default::default()
    };

    let mut stream = client.execution.collect(request).await.unwrap().into_inner();
    let mut rows = 0;
    let mut state = SessionState::Unspecified;
    while let Some(item) = stream.message().await.unwrap() {
        match item.item.unwrap() {
            collect_response::Item::Row(_) => rows += 1,
            collect_response::Item::Outcome(outcome) => state = outcome.state(),
        }
    }

    assert_eq!((rows, state), (5, SessionState::Running));
}

#[tokio::test]
async fn a_program_that_cannot_be_paused_says_why() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let waits = Program::of("import time\nprint('begun')  # @begun\ntime.sleep(600)  # @sleep\n");
    let busy = Program::of("print('begun')  # @begun\nsum(range(10 ** 11))\n");
    for (program, words) in [(&waits, "waits in calls"), (&busy, "holds the interpreter")] {
        let session = client.stop_at(program, "begun").await;
        let wait = Some(WaitOptions { timeout: Some(Default::default()), snapshot: None });
        let request = ContinueRequest { session_id: session.clone(), wait, ..Default::default() };
        client.execution.r#continue(request).await.unwrap();
        crate::support::eventually("it has begun", async || {
            client.text(&session).await.contains("begun").then_some(())
        })
        .await;

        let timeout = Some(prost_types::Duration { seconds: 1, nanos: 0 });
        let wait = Some(WaitOptions { timeout, snapshot: None });
        let request = PauseRequest { session_id: session.clone(), wait, ..Default::default() };
        let outcome = client.execution.pause(request).await.unwrap().into_inner().outcome.unwrap();

        assert!(outcome.timed_out && outcome.hint.contains(words), "{outcome:?}");
        let request = TerminateSessionRequest { session_id: session, force: true, grace: None };
        let ended = client.sessions.terminate_session(request).await.unwrap().into_inner();
        assert_eq!(ended.session.unwrap().state(), SessionState::Terminated);
    }
}

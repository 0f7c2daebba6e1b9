//! A Python program debugged end to end: one call tells the whole story.

use debug_relay::proto::*;

use crate::support::{Program, Server, values};

#[tokio::test]
async fn one_call_creates_launches_and_answers_with_the_first_stop() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::named("loop.py");

    let created = client.debug(&program, &["add"]).await;

    let outcome = created.outcome.unwrap();
    let stop = outcome.stop.unwrap();
    assert_eq!(outcome.state, i32::from(SessionState::Stopped));
    assert_eq!((stop.stop_number, stop.reason()), (1, StopReason::Breakpoint));
    assert_eq!(stop.breakpoint_ids, [created.breakpoints[0].id]);
    let place = stop.location.unwrap();
    let expected = (program.file(), program.line("add"), "add");
    assert_eq!((place.file, place.line, place.function.as_str()), expected);
    assert!(created.breakpoints[0].verified);
    let snapshot = outcome.snapshot.unwrap();
    let frames: Vec<_> = snapshot.frames.iter().map(|frame| frame.name.as_str()).collect();
    assert_eq!(frames, ["add", "main", "<module>"]);
    assert_eq!(values(&snapshot), [("item", "0"), ("total", "0")]);
    let source = snapshot.source.unwrap().text;
    assert!(
        source.contains(&format!(">{}     result = total + item", program.line("add"))),
        "{source}"
    );
}

#[tokio::test]
async fn a_step_tells_where_it_is_what_changed_and_what_was_printed() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::named("loop.py");
    let session = client.stop_at(&program, "add").await;

    let stepped = client.step_over(&session).await;

    assert_eq!(stepped.stop.as_ref().unwrap().reason(), StopReason::Step);
    assert_eq!(stepped.stop.unwrap().location.unwrap().line, program.line("return"));
    let change = &stepped.snapshot.unwrap().changes[0];
    assert_eq!((change.name.as_str(), change.after.as_str()), ("result", "0"));
    assert_eq!(change.kind(), ChangeKind::New);

    let at_print = client.step_over(&session).await;
    assert_eq!(at_print.output, None);
    let printed = client.step_over(&session).await;
    assert_eq!(printed.output.unwrap().text, "total 0\n");
}

#[tokio::test]
async fn into_a_call_and_out_of_it() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::named("loop.py");
    let session = client.stop_at(&program, "loop").await;

    let request = StepIntoRequest { session_id: session.clone(), ..Default::default() };
    let inside = client.execution.step_into(request).await.unwrap().into_inner().outcome.unwrap();
    let request = StepOutRequest { session_id: session, ..Default::default() };
    let outside = client.execution.step_out(request).await.unwrap().into_inner().outcome.unwrap();

    assert_eq!(inside.stop.unwrap().location.unwrap().function, "add");
    let place = outside.stop.unwrap().location.unwrap();
    assert_eq!((place.function.as_str(), place.line), ("main", program.line("loop")));
}

#[tokio::test]
async fn many_steps_in_one_call_end_early_at_a_breakpoint() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::named("loop.py");
    let session = client.debug(&program, &["loop", "done"]).await.session.unwrap().id;
    let request = RemoveBreakpointsRequest {
        session_id: session.clone(),
        ids: vec![1],
        ..Default::default()
    };
    client.breakpoints.remove_breakpoints(request).await.unwrap();

    let request = StepOverRequest { session_id: session.clone(), count: 3, ..Default::default() };
    let three =
        client.execution.step_over(request.clone()).await.unwrap().into_inner().outcome.unwrap();
    let request = StepOverRequest { count: 1000, ..request };
    let early = client.execution.step_over(request).await.unwrap().into_inner().outcome.unwrap();

    assert_eq!(three.stop.unwrap().stop_number, 4);
    let stop = early.stop.unwrap();
    assert_eq!(
        (stop.reason(), stop.location.unwrap().line),
        (StopReason::Breakpoint, program.line("done"))
    );
    assert_eq!(early.output.unwrap().text, "total 1\ntotal 3\ntotal 6\ntotal 10\n");
}

#[tokio::test]
async fn an_uncaught_exception_stops_where_it_was_raised() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::named("raises.py");

    let outcome = client.debug(&program, &[]).await.outcome.unwrap();

    let stop = outcome.stop.unwrap();
    assert_eq!(stop.reason(), StopReason::Exception);
    assert_eq!(stop.location.unwrap().line, program.line("divide"));
    let exception = stop.exception.unwrap();
    assert_eq!(
        (exception.r#type.as_str(), exception.message.as_str()),
        ("ZeroDivisionError", "division by zero")
    );
    assert!(exception.traceback.contains("in average"));
    assert_eq!(values(&outcome.snapshot.unwrap()), [("denominator", "0"), ("numerator", "0")]);
}

#[tokio::test]
async fn a_program_in_a_tight_loop_is_paused_and_goes_on() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::named("endless.py");
    let wait =
        Some(WaitOptions { timeout: Some(prost_types::Duration::default()), snapshot: None });
    let start = Some(create_session_request::Start::Launch(program.launch()));
    let request = CreateSessionRequest { start, wait, ..Default::default() };
    let session =
        client.sessions.create_session(request).await.unwrap().into_inner().session.unwrap().id;
    let request = GetOutputRequest {
        session_id: session.clone(),
        wait: Some(prost_types::Duration { seconds: 30, nanos: 0 }),
        ..Default::default()
    };
    let begun = client.output.get_output(request).await.unwrap().into_inner();
    assert!(begun.chunks[0].text.starts_with("begun"));

    let pause = PauseRequest { session_id: session.clone(), ..Default::default() };
    let first = client.execution.pause(pause.clone()).await.unwrap().into_inner().outcome.unwrap();
    let again = client.execution.pause(pause.clone()).await.unwrap().into_inner().outcome.unwrap();

    assert_eq!(first.stop.as_ref().unwrap().reason(), StopReason::Pause);
    assert_eq!(again.stop, first.stop);
    let wait =
        Some(WaitOptions { timeout: Some(prost_types::Duration::default()), snapshot: None });
    let request = ContinueRequest { session_id: session, wait, ..Default::default() };
    client.execution.r#continue(request).await.unwrap();
    let second = client.execution.pause(pause).await.unwrap().into_inner().outcome.unwrap();
    let count =
        |outcome: &Outcome| values(outcome.snapshot.as_ref().unwrap())[0].1.parse::<u64>().unwrap();
    assert!(count(&first) < count(&second));
}

#[tokio::test]
async fn a_thread_that_has_ended_cannot_be_stepped() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "import threading\n\ndef work():\n    x = 1  # @worker\n\nworker = threading.Thread(target=work)\nworker.start()\nworker.join()\nprint('joined')  # @joined\n",
    );
    let created = client.debug(&program, &["worker", "joined"]).await;
    let session = created.session.unwrap().id;
    let worker = created.outcome.unwrap().stop.unwrap().thread_id;
    assert_eq!(
        client.resume(&session).await.stop.unwrap().location.unwrap().line,
        program.line("joined")
    );

    let request =
        StepOverRequest { session_id: session.clone(), thread_id: worker, ..Default::default() };
    let status = client.execution.step_over(request).await.unwrap_err();

    assert_eq!(crate::support::reason(&status), ErrorReason::ThreadNotFound);
    assert_eq!(client.session(&session).await.unwrap().state(), SessionState::Stopped);
}

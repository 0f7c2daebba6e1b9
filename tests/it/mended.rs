//! Stories that once went wrong.

use std::time::Duration;

use debug_relay::proto::*;

use crate::support::{Client, Process, Program, Server, eventually, is_alive, reason, values};

fn no_wait() -> Option<WaitOptions> {
    Some(WaitOptions { timeout: Some(Default::default()), snapshot: None })
}

fn data(expression: &str) -> BreakpointSpec {
    let data = DataLocation { expression: expression.into(), ..Default::default() };
    let location = Some(breakpoint_spec::Location::Data(data));
    BreakpointSpec { location, ..Default::default() }
}

async fn instead(
    client: &mut Client,
    session: &str,
    specs: Vec<BreakpointSpec>,
) -> Vec<Breakpoint> {
    let request =
        RemoveBreakpointsRequest { session_id: session.into(), all: true, ..Default::default() };
    client.breakpoints.remove_breakpoints(request).await.unwrap();
    let request = SetBreakpointsRequest {
        session_id: session.into(),
        breakpoints: specs,
        replace_file: false,
    };
    client.breakpoints.set_breakpoints(request).await.unwrap().into_inner().breakpoints
}

#[tokio::test]
async fn no_stop_passes_unseen_when_several_processes_stand() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "import os\n\ndef work(number):\n    seen = number  # @work\n    return seen\n\nchildren = []\nfor number in range(4):\n    child = os.fork()\n    if child == 0:\n        work(number)\n        os._exit(0)\n    children.append(child)\nfor child in children:\n    os.waitpid(child, 0)\nprint('end')\n",
    );
    let created = client.debug(&program, &["work"]).await;
    let session = created.session.unwrap().id;

    let mut outcome = created.outcome.unwrap();
    let mut seen = Vec::new();
    while outcome.state() == SessionState::Stopped {
        assert!(!outcome.timed_out, "a stop that is there is not waited for: {outcome:?}");
        let stop = outcome.stop.as_ref().unwrap();
        let number = values(outcome.snapshot.as_ref().unwrap())[0].1.to_owned();
        assert_eq!(client.evaluate(&session, "number").await.unwrap().value, number);
        seen.push((stop.stop_number, number));
        outcome = client.resume(&session).await;
    }

    seen.sort();
    let stops: Vec<u64> = seen.iter().map(|(stop, _)| *stop).collect();
    assert_eq!(stops, [1, 2, 3, 4], "each stop is shown once");
    assert_eq!(outcome.exit_code, Some(0));
}

#[tokio::test]
async fn a_pause_right_after_the_start_is_not_lost() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let start = Some(create_session_request::Start::Launch(Program::named("endless.py").launch()));
    let request = CreateSessionRequest { start, wait: no_wait(), ..Default::default() };
    let session =
        client.sessions.create_session(request).await.unwrap().into_inner().session.unwrap().id;

    let request = PauseRequest { session_id: session, ..Default::default() };
    let outcome = client.execution.pause(request).await.unwrap().into_inner().outcome.unwrap();

    assert_eq!(outcome.stop.unwrap().reason(), StopReason::Pause);
}

#[tokio::test]
async fn a_thread_that_waits_in_a_foreign_call_is_shown_and_not_stepped() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "import os, threading\n\nreading, writing = os.pipe()\n\ndef is_read():\n    with open(f'/proc/self/task/{os.getpid()}/syscall') as call:\n        return call.read().split()[1:2] == [hex(reading)]\n\ndef work():\n    while not is_read():\n        pass\n    here = 1  # @here\n    return here\n\nthread = threading.Thread(target=work)\nthread.start()\nos.read(reading, 1)  # @read\n",
    );
    let session = client.stop_at(&program, "here").await;
    let request = ListThreadsRequest { session_id: session.clone() };
    let threads = client.inspection.list_threads(request).await.unwrap().into_inner().threads;
    let main = threads.iter().find(|thread| thread.name == "MainThread").unwrap().thread_id;
    let look = GetSnapshotRequest { session_id: session.clone(), thread_id: main, options: None };
    let snapshot = eventually("the first thread waits", async || {
        let shown = client.inspection.get_snapshot(look.clone()).await.unwrap().into_inner();
        let snapshot = shown.snapshot.unwrap();
        snapshot.omitted.iter().any(|one| one.contains("could not be read")).then_some(snapshot)
    })
    .await;

    let request =
        StepOverRequest { session_id: session.clone(), thread_id: main, ..Default::default() };
    let status = client.execution.step_over(request).await.unwrap_err();

    assert!(snapshot.source.unwrap().text.contains("@read"), "{:?}", snapshot.frames);
    assert_eq!(reason(&status), ErrorReason::ThreadInCall);
    assert_eq!(client.step_over(&session).await.stop.unwrap().reason(), StopReason::Step);
}

#[tokio::test]
async fn changes_of_a_watched_value_are_what_is_counted_and_two_watches_are_two() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "def work():\n    x = 0\n    y = 0  # @begin\n    y += 1\n    x = 1\n    y += 1\n    x = 3\n    y += 1\n    return x  # @end\n\nwork()\nwork()\n",
    );
    let session = client.stop_at(&program, "begin").await;
    let second = BreakpointSpec { hit_condition: "2".into(), ..data("x") };
    let big = BreakpointSpec { condition: "x > 1".into(), ..data("x") };
    let set = instead(&mut client, &session, vec![second, big, data("nowhere")]).await;

    let stop = client.resume(&session).await.stop.unwrap();
    let end = client.resume(&session).await;

    assert!(set[2].message.contains("cannot be watched"), "{set:?}");
    assert_eq!(stop.breakpoint_ids, [set[0].id, set[1].id]);
    assert_eq!(stop.description, "x: 1 became 3");
    assert_eq!(end.state(), SessionState::Exited, "another call is not watched: {end:?}");
}

#[tokio::test]
async fn a_global_is_set_as_a_global_and_an_unknown_name_is_refused() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "limit = 1\n\ndef work():\n    here = 2  # @here\n    return limit + here\n\nprint(work())\n",
    );
    let session = client.stop_at(&program, "here").await;
    let set = |expression: &str| SetExpressionRequest {
        session_id: session.clone(),
        expression: expression.into(),
        value: "100".into(),
        frame_id: 0,
    };

    client.inspection.set_expression(set("limit")).await.unwrap();
    let unknown = client.inspection.set_expression(set("limmit")).await.unwrap_err();

    assert_eq!(reason(&unknown), ErrorReason::InvalidArgument);
    assert_eq!(client.resume(&session).await.output.unwrap().text, "102\n");
}

#[tokio::test]
async fn a_value_that_was_shown_is_not_evaluated_again() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "from collections import deque\n\ncalls = []\n\ndef make():\n    calls.append(1)\n    return [{'deep': {'er': [len(calls)]}}] * 200\n\nqueue = deque(range(5))\nhere = 1  # @here\n",
    );
    let session = client.stop_at(&program, "here").await;

    let made = client.evaluate(&session, "make()").await.unwrap();
    let request = GetVariablesRequest {
        session_id: session.clone(),
        variables_reference: made.variables_reference,
        start: 150,
        count: 2,
        ..Default::default()
    };
    let members = client.inspection.get_variables(request.clone()).await.unwrap().into_inner();
    let queue = client.evaluate(&session, "queue").await.unwrap().variables_reference;
    let request =
        GetVariablesRequest { variables_reference: queue, start: 0, count: 10, ..request };
    let items = client.inspection.get_variables(request).await.unwrap().into_inner().variables;

    assert!(made.value.starts_with("[{'deep': {'er': [1]}}"), "{}", made.value);
    assert_eq!(members.variables[0].evaluate_name, "(make())[150]");
    assert_eq!(client.evaluate(&session, "len(calls)").await.unwrap().value, "1");
    let shown: Vec<_> = items.iter().take(5).map(|item| item.value.as_str()).collect();
    assert_eq!(shown, ["0", "1", "2", "3", "4"], "{items:?}");
}

#[tokio::test]
async fn a_long_evaluation_keeps_others_waiting_and_is_not_interrupted_by_them() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;
    let long = EvaluateRequest {
        session_id: session.clone(),
        expression: "__import__('time').sleep(3) or 'slept'".into(),
        ..Default::default()
    };
    let mut other = client.clone();

    let (slept, looked) = tokio::join!(client.inspection.evaluate(long), async {
        let short = EvaluateRequest {
            session_id: session.clone(),
            expression: "total".into(),
            timeout: Some(prost_types::Duration { seconds: 0, nanos: 500_000_000 }),
            ..Default::default()
        };
        tokio::time::timeout(Duration::from_secs(60), async {
            loop {
                // Whoever comes first has the turn; the other one waits.
                match other.inspection.evaluate(short.clone()).await {
                    Err(status) => break status,
                    Ok(_) => continue,
                }
            }
        })
        .await
        .unwrap()
    });

    assert_eq!(slept.unwrap().into_inner().value, "'slept'");
    assert_eq!(reason(&looked), ErrorReason::Busy);
}

#[tokio::test]
async fn statements_that_would_exit_are_answered() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;
    let run = |expression: &str| EvaluateRequest {
        session_id: session.clone(),
        expression: expression.into(),
        context: EvaluateContext::Statement.into(),
        ..Default::default()
    };

    let exit =
        client.inspection.evaluate(run("import sys; sys.exit(3)")).await.unwrap().into_inner();
    let many = run("extra = [total + n for n in range(2)]\ntotal = 50");
    client.inspection.evaluate(many).await.unwrap();

    assert!(exit.error.contains("SystemExit: 3"), "{exit:?}");
    assert_eq!(client.evaluate(&session, "(extra, total)").await.unwrap().value, "([0, 1], 50)");
}

#[tokio::test]
async fn a_condition_of_an_exception_that_does_not_parse_is_refused() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;
    let filter = ExceptionFilter { filter: "raised".into(), condition: "1 +".into() };
    let exception_breakpoints = Some(ExceptionBreakpoints { filters: vec![filter] });

    let request = SetExceptionBreakpointsRequest { session_id: session, exception_breakpoints };
    let status = client.breakpoints.set_exception_breakpoints(request).await.unwrap_err();

    assert_eq!(reason(&status), ErrorReason::InvalidArgument);
    assert!(status.message().contains("does not parse"), "{status:?}");
}

#[tokio::test]
async fn what_was_detached_from_outlives_a_restart_and_the_end_of_the_session() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::named("endless.py");
    let created = client.debug(&program, &["tick"]).await;
    let session = created.session.unwrap().id;
    let first = Process::of(created.outcome.unwrap().stop.unwrap().process_id);

    let request = DetachRequest { session_id: session.clone() };
    client.sessions.detach(request).await.unwrap();
    let request = RestartRequest { session_id: session.clone(), wait: None };
    let again = client.sessions.restart(request).await.unwrap().into_inner().outcome.unwrap();
    let second = Process::of(again.stop.unwrap().process_id);
    client.delete(&session).await;

    crate::support::wait_until_gone(&[second]).await;
    assert!(is_alive(first));
    first.kill();
}

#[tokio::test]
async fn a_session_that_nobody_dialled_is_ended_at_once() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let listen = Endpoint { host: String::new(), port: port.into() };
    let target = Some(attach_config::Target::Listen(listen));
    let start =
        Some(create_session_request::Start::Attach(AttachConfig { target, ..Default::default() }));
    let request = CreateSessionRequest { project_root: "/".into(), start, ..Default::default() };
    let created = client.sessions.create_session(request).await.unwrap().into_inner();
    assert_eq!(created.outcome.unwrap().state(), SessionState::Starting);

    let request =
        TerminateSessionRequest { session_id: created.session.unwrap().id, ..Default::default() };
    let ended = client.sessions.terminate_session(request).await.unwrap().into_inner();

    assert_eq!(ended.session.unwrap().state(), SessionState::Terminated);
}

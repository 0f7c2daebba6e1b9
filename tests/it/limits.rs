//! Limits: what is over one is refused, and the error names the limit, its value and how to raise it.

use std::collections::HashMap;

use debug_relay::proto::*;
use rustix::process::Signal;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::support::{
    Client, Program, Server, ServerOptions, children_of, eventually, reason, wait_until_gone,
};

async fn with(limits: &[&str]) -> Server {
    let arguments = limits.iter().map(|word| word.to_string()).collect();
    Server::with(ServerOptions { arguments, ..Default::default() }).await
}

/// The facts of a call that is over a limit.
fn over(status: Status) -> HashMap<String, String> {
    assert_eq!(
        (status.code(), reason(&status)),
        (Code::ResourceExhausted, ErrorReason::LimitExceeded),
        "{status:?}"
    );
    let details = status.get_error_details();
    let facts = details.error_info().unwrap().metadata.clone();
    assert!(facts["hint"].contains("--limits-"), "{facts:?}");
    assert!(facts["hint"].contains("config.toml"), "{facts:?}");
    facts
}

async fn empty_session(client: &mut Client) -> Result<String, Status> {
    let request = CreateSessionRequest { project_root: "/tmp".into(), ..Default::default() };
    let created = client.sessions.create_session(request).await?;
    Ok(created.into_inner().session.unwrap().id)
}

#[tokio::test]
async fn more_sessions_than_allowed_are_refused_until_one_is_deleted() {
    let server = with(&["--limits-sessions", "2"]).await;
    let mut client = server.client().await;
    let first = empty_session(&mut client).await.unwrap();
    empty_session(&mut client).await.unwrap();

    let facts = over(empty_session(&mut client).await.unwrap_err());

    assert_eq!((facts["limit"].as_str(), facts["value"].as_str()), ("limits.sessions", "2"));
    client.delete(&first).await;
    empty_session(&mut client).await.unwrap();
}

#[tokio::test]
async fn many_at_once_are_let_in_up_to_the_limit_and_no_further() {
    let server = with(&["--limits-sessions", "3"]).await;
    let client = server.client().await;

    let asked = (0..12).map(|_| {
        let mut client = client.clone();
        async move { empty_session(&mut client).await }
    });
    let answers = futures_util::future::join_all(asked).await;

    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 3);
    answers.into_iter().filter_map(Result::err).for_each(|status| drop(over(status)));
}

#[tokio::test]
async fn a_session_that_is_over_gives_way_and_can_still_be_read() {
    let server = with(&["--limits-sessions", "1"]).await;
    let mut client = server.client().await;
    let program = Program::of("print('read me')\n");
    let first = client.debug(&program, &[]).await.session.unwrap().id;

    let second = client.debug(&program, &[]).await;

    assert_eq!(second.outcome.unwrap().exit_code, Some(0));
    assert_eq!(client.text(&first).await, "read me\n");
    assert_eq!(client.session(&first).await.unwrap().state(), SessionState::Exited);
}

#[tokio::test]
async fn an_owner_has_a_limit_of_its_own() {
    let server = with(&["--limits-sessions-per-owner", "1"]).await;
    let mut client = server.client().await;
    empty_session(&mut client).await.unwrap();

    let facts = over(empty_session(&mut client).await.unwrap_err());

    assert_eq!(facts["limit"], "limits.sessions_per_owner");
}

#[tokio::test]
async fn waits_evaluations_idle_times_breakpoints_and_requests_have_limits() {
    let server = with(&[
        "--limits-wait=5s",
        "--limits-evaluate=3s",
        "--limits-max-idle-timeout=2h",
        "--limits-breakpoints=2",
        "--limits-request-bytes=64KiB",
    ])
    .await;
    let mut client = server.client().await;
    let program = Program::named("loop.py");
    let session = client.stop_at(&program, "add").await;
    let seconds = |seconds| Some(prost_types::Duration { seconds, nanos: 0 });
    let limit = |status: Status| over(status)["limit"].clone();

    let wait = Some(WaitOptions { timeout: seconds(6), snapshot: None });
    let request = WaitForStopRequest { session_id: session.clone(), wait, ..Default::default() };
    assert_eq!(limit(client.execution.wait_for_stop(request).await.unwrap_err()), "limits.wait");
    let request =
        ListEventsRequest { session_id: session.clone(), wait: seconds(6), ..Default::default() };
    assert_eq!(limit(client.events.list_events(request).await.unwrap_err()), "limits.wait");
    let request = EvaluateRequest {
        session_id: session.clone(),
        expression: "1".into(),
        timeout: seconds(4),
        ..Default::default()
    };
    assert_eq!(limit(client.inspection.evaluate(request).await.unwrap_err()), "limits.evaluate");
    let request = CreateSessionRequest {
        project_root: "/tmp".into(),
        idle_timeout: seconds(3 * 3600),
        ..Default::default()
    };
    assert_eq!(
        limit(client.sessions.create_session(request).await.unwrap_err()),
        "limits.max_idle_timeout"
    );
    let request = SetBreakpointsRequest {
        session_id: session.clone(),
        breakpoints: vec![program.breakpoint_on(1), program.breakpoint_on(2)],
        replace_file: false,
    };
    assert_eq!(
        limit(client.breakpoints.set_breakpoints(request).await.unwrap_err()),
        "limits.breakpoints"
    );
    let status = client.evaluate(&session, &" ".repeat(70_000)).await.unwrap_err();
    assert_eq!(limit(status), "limits.request_bytes");
    // Without a time, the limit is the time.
    assert_eq!(client.evaluate(&session, "1 + 1").await.unwrap().value, "2");
}

#[tokio::test]
async fn events_are_kept_up_to_their_limit_and_the_rest_is_a_gap() {
    let server = with(&["--limits-events", "100"]).await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;
    for _ in 0..60 {
        let wait = Some(WaitOptions { timeout: None, snapshot: None });
        let request = StepOverRequest { session_id: session.clone(), wait, ..Default::default() };
        if client.execution.step_over(request).await.unwrap().into_inner().outcome.unwrap().state()
            != SessionState::Stopped
        {
            break;
        }
        let set = SetBreakpointsRequest {
            session_id: session.clone(),
            breakpoints: vec![Program::named("loop.py").breakpoint("done")],
            replace_file: false,
        };
        client.breakpoints.set_breakpoints(set).await.unwrap();
    }

    let request =
        ListEventsRequest { session_id: session.clone(), limit: 10_000, ..Default::default() };
    let page = client.events.list_events(request).await.unwrap().into_inner();

    let Some(event::Payload::Gap(gap)) = &page.events[0].payload else { panic!("no gap") };
    assert_eq!((gap.from_sequence, page.events.len()), (1, 101));
    assert_eq!(page.events[1].sequence, gap.to_sequence + 1);
}

#[tokio::test]
async fn a_program_that_starts_too_many_processes_is_ended_and_says_why() {
    let server = with(&["--limits-processes", "5"]).await;
    let mut client = server.client().await;
    let program = Program::of(
        "import subprocess, sys, time\nchildren = [subprocess.Popen(['sleep', '1000']) for _ in range(8)]\nprint(len(children), flush=True)\ntime.sleep(1000)\n",
    );
    let launch = LaunchConfig { children: ChildPolicy::RunFree.into(), ..program.launch() };

    let created = client.launch(launch, vec![]).await;

    let session = created.session.unwrap();
    assert_eq!(created.outcome.unwrap().state(), SessionState::Terminated);
    let ended = client.session(&session.id).await.unwrap();
    assert!(ended.failure.contains("limits.processes"), "{}", ended.failure);
    let host = server.host(&session.id);
    // The guard stays until the session is deleted.
    eventually("they are gone", async || (children_of(host).len() <= 1).then_some(())).await;
}

#[tokio::test]
async fn a_program_that_wants_too_much_memory_gets_none() {
    let server = with(&["--limits-memory-bytes", "1GiB"]).await;
    let mut client = server.client().await;
    let program = Program::of(
        "try:\n    block = bytearray(2 << 30)\nexcept MemoryError:\n    print('no room')\nprint('still here')\n",
    );

    let created = client.debug(&program, &[]).await;

    assert_eq!(created.outcome.unwrap().output.unwrap().text, "no room\nstill here\n");
}

#[tokio::test]
async fn a_program_whose_owner_is_gone_runs_on_or_is_ended_as_was_asked() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::named("loop.py");
    let mut create = async |policy: OwnerLossPolicy| {
        let request = CreateSessionRequest {
            on_owner_loss: policy.into(),
            lease: Some(prost_types::Duration { seconds: 1, nanos: 0 }),
            breakpoints: vec![program.breakpoint("add")],
            start: Some(create_session_request::Start::Launch(program.launch())),
            ..Default::default()
        };
        client.sessions.create_session(request).await.unwrap().into_inner().session.unwrap().id
    };
    let (resumed, ended) =
        (create(OwnerLossPolicy::Resume).await, create(OwnerLossPolicy::Terminate).await);

    // Lists do not count as calls to the sessions.
    let states = eventually("nobody calls", async || {
        let listed = client.sessions.list_sessions(ListSessionsRequest::default()).await.unwrap();
        let sessions = listed.into_inner().sessions;
        let state = |id: &str| sessions.iter().find(|session| session.id == id).unwrap().state();
        let states = (state(&resumed), state(&ended));
        (states.0 != SessionState::Stopped
            && states.0 != SessionState::Running
            && states.1 == SessionState::Terminated)
            .then_some(states)
    })
    .await;

    assert_eq!(states, (SessionState::Exited, SessionState::Terminated));
    assert!(client.text(&resumed).await.ends_with("done 10\n"));
    assert!(client.session(&ended).await.unwrap().failure.contains("lease"));
}

#[tokio::test]
async fn output_that_did_not_stay_on_disk_is_announced_as_a_gap() {
    let server = with(&["--limits-output-bytes", "1MiB"]).await;
    let mut client = server.client().await;
    let program =
        Program::of("import sys\nfor _ in range(40):\n    sys.stdout.write('x' * 99999 + '\\n')\n");
    let session = client.debug(&program, &[]).await.session.unwrap().id;
    let host = server.host(&session);
    host.send(Signal::TERM);
    wait_until_gone(&[host]).await;

    let request =
        StreamOutputRequest { session_id: session.clone(), data_only: true, ..Default::default() };
    let mut stream = client.output.stream_output(request).await.unwrap().into_inner();
    let (mut next, mut missing) = (0, 0);
    while let Some(message) = stream.message().await.unwrap() {
        let (from, to) = match message.item.unwrap() {
            stream_output_response::Item::Chunk(chunk) => {
                (chunk.offset, chunk.offset + chunk.data.len() as u64)
            }
            stream_output_response::Item::Gap(gap) => {
                missing += gap.to_offset - gap.from_offset;
                (gap.from_offset, gap.to_offset)
            }
        };
        assert_eq!(from, next);
        next = to;
    }

    assert_eq!(next, 4_000_000);
    assert!(2_000_000 < missing, "only {missing} bytes are missing");
    let bytes: u64 = std::fs::read_dir(server.archive(&session))
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .sum();
    assert!(bytes < 2_000_000, "{bytes} bytes are kept on disk");
}

#[tokio::test]
async fn sessions_that_are_over_are_forgotten_after_their_time() {
    let mut server = with(&["--limits-retention", "1ms"]).await;
    let mut client = server.client().await;
    let session = client.debug(&Program::of("print('x')\n"), &[]).await.session.unwrap().id;
    let host = server.host(&session);
    host.send(Signal::TERM);
    wait_until_gone(&[host]).await;

    server.kill();
    server.start_again();
    let mut client = server.client().await;

    eventually("the session is forgotten", async || client.session(&session).await.err()).await;
    assert!(!server.archive(&session).exists());
}

//! Bad input of every kind: a canonical code, a reason, a sentence with what to do, and nothing broken.

use debug_relay::proto::*;
use tonic::{Code, Status};

use crate::support::{Client, Program, Server, reason};

fn launch_of(launch: LaunchConfig) -> CreateSessionRequest {
    CreateSessionRequest {
        start: Some(create_session_request::Start::Launch(launch)),
        ..Default::default()
    }
}

/// CreateSession is refused, and no session remains.
async fn refused(client: &mut Client, request: CreateSessionRequest) -> Status {
    let status = client.sessions.create_session(request).await.unwrap_err();
    let list =
        client.sessions.list_sessions(ListSessionsRequest::default()).await.unwrap().into_inner();
    assert_eq!(list.sessions, [], "{status:?}");
    status
}

#[tokio::test]
async fn what_cannot_be_started_is_refused_with_its_reason_and_leaves_nothing() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::named("loop.py");
    let missing = LaunchConfig {
        target: Some(launch_config::Target::Program("/nope.py".into())),
        ..Default::default()
    };
    let python = |python: &str| LaunchConfig { python: python.into(), ..program.launch() };
    let cwd = LaunchConfig { cwd: "/no/such/folder".into(), ..program.launch() };
    let root = CreateSessionRequest {
        project_root: "/no/such/root".into(),
        ..launch_of(program.launch())
    };
    let adapter = CreateSessionRequest { adapter: "gdb".into(), ..launch_of(program.launch()) };
    let cases = [
        (launch_of(missing), Code::FailedPrecondition, ErrorReason::ProgramNotFound),
        (
            launch_of(python("/nope/python")),
            Code::FailedPrecondition,
            ErrorReason::InterpreterNotFound,
        ),
        (launch_of(python("/tmp")), Code::FailedPrecondition, ErrorReason::InterpreterNotFound),
        (launch_of(python("/bin/false")), Code::FailedPrecondition, ErrorReason::LaunchFailed),
        (launch_of(cwd), Code::FailedPrecondition, ErrorReason::WorkingDirectoryNotFound),
        (root, Code::FailedPrecondition, ErrorReason::ProjectRootNotFound),
        (adapter, Code::InvalidArgument, ErrorReason::UnknownAdapter),
        (launch_of(LaunchConfig::default()), Code::InvalidArgument, ErrorReason::MissingField),
        (CreateSessionRequest::default(), Code::InvalidArgument, ErrorReason::MissingField),
    ];
    for (request, code, expected) in cases {
        let status = refused(&mut client, request).await;

        assert_eq!((status.code(), reason(&status)), (code, expected), "{status:?}");
    }
}

#[tokio::test]
async fn a_refused_request_that_is_repeated_all_the_while_is_refused_again_or_told_to_come_later() {
    let server = Server::start().await;
    let launch = LaunchConfig { python: "/bin/false".into(), ..Program::named("loop.py").launch() };
    let request = CreateSessionRequest {
        session_id: "again".into(),
        request_id: "once".into(),
        ..launch_of(launch)
    };
    let callers = (0..3).map(async |_| {
        let mut client = server.client().await;
        let mut refusals = Vec::new();
        for _ in 0..20 {
            refusals.push(client.sessions.create_session(request.clone()).await.unwrap_err());
        }
        refusals
    });

    let refusals = futures_util::future::join_all(callers).await.concat();

    let (mut failed, mut later) = (0, 0);
    for status in refusals {
        match reason(&status) {
            ErrorReason::LaunchFailed => failed += 1,
            // Those who come while the last try is cleared away.
            ErrorReason::HostUnavailable => later += 1,
            _ => panic!("{status:?}\n{}", server.log()),
        }
    }
    assert!(0 < failed, "{later} were told to come later");
    let mut client = server.client().await;
    let list = client.sessions.list_sessions(ListSessionsRequest::default()).await.unwrap();
    assert_eq!(list.into_inner().sessions, []);
}

#[tokio::test]
async fn an_interpreter_that_is_too_old_is_named_with_its_version() {
    let server = Server::start().await;
    let mut client = server.client().await;
    // A stand-in that behaves as an old interpreter does: it runs our launcher, which refuses.
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("python3.6");
    let real = debug_relay::adapters::locate::on_path("python3").unwrap();
    let text = format!(
        "#!/bin/sh\nexec {} -c 'import sys\nsys.argv = sys.argv[-2:]\nsys.version_info = (3, 6, 15)\n\
         exec(compile(open(sys.argv[0]).read(), sys.argv[0], \"exec\"))' \"$@\"\n",
        real.display()
    );
    std::fs::write(&old, text).unwrap();
    std::fs::set_permissions(&old, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let launch = LaunchConfig {
        python: old.to_string_lossy().into_owned(),
        ..Program::named("loop.py").launch()
    };

    let status = refused(&mut client, launch_of(launch)).await;

    assert_eq!(reason(&status), ErrorReason::InterpreterUnsupported);
    assert!(status.message().contains("3.6.15"), "{}", status.message());
}

#[tokio::test]
async fn sessions_that_are_not_there_or_are_there_already() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::named("loop.py");

    let missing = client.session("nobody").await.unwrap_err();
    let unnamed = client.session("").await.unwrap_err();
    assert_eq!((missing.code(), reason(&missing)), (Code::NotFound, ErrorReason::SessionNotFound));
    assert_eq!(
        (unnamed.code(), reason(&unnamed)),
        (Code::InvalidArgument, ErrorReason::MissingField)
    );

    let chosen = CreateSessionRequest { session_id: "mine".into(), ..launch_of(program.launch()) };
    client.sessions.create_session(chosen.clone()).await.unwrap();
    let taken = client.sessions.create_session(chosen).await.unwrap_err();
    assert_eq!((taken.code(), reason(&taken)), (Code::AlreadyExists, ErrorReason::SessionExists));
    assert_eq!(client.session("mine").await.unwrap().id, "mine");

    let long = "x".repeat(41);
    for name in ["../escape", "UPPER", "a b", long.as_str()] {
        let request =
            CreateSessionRequest { session_id: name.into(), ..launch_of(program.launch()) };
        let status = client.sessions.create_session(request).await.unwrap_err();
        assert_eq!(
            (status.code(), reason(&status)),
            (Code::InvalidArgument, ErrorReason::InvalidArgument),
            "{name}"
        );
    }
}

#[tokio::test]
async fn a_call_in_the_wrong_state_says_the_state_and_what_to_do() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::named("loop.py");
    let root = program.path.parent().unwrap().to_string_lossy().into_owned();
    let request = CreateSessionRequest { project_root: root, ..Default::default() };
    let session =
        client.sessions.create_session(request).await.unwrap().into_inner().session.unwrap().id;
    let resume = ContinueRequest { session_id: session.clone(), ..Default::default() };

    let early = client.execution.r#continue(resume.clone()).await.unwrap_err();
    let waiting = WaitForStopRequest { session_id: session.clone(), ..Default::default() };
    let nothing = client.execution.wait_for_stop(waiting).await.unwrap_err();
    assert_eq!(reason(&early), ErrorReason::NotStarted);
    assert_eq!(reason(&nothing), ErrorReason::NotStarted);

    let launch =
        LaunchRequest { session_id: session.clone(), launch: Some(program.launch()), wait: None };
    client.sessions.launch(launch.clone()).await.unwrap();
    let again = client.sessions.launch(launch).await.unwrap_err();
    assert_eq!(reason(&again), ErrorReason::AlreadyStarted);
    let late = client.execution.r#continue(resume).await.unwrap_err();
    assert_eq!((late.code(), reason(&late)), (Code::FailedPrecondition, ErrorReason::WrongState));
    assert!(late.message().contains("EXITED") && late.message().contains("Restart"));
}

#[tokio::test]
async fn a_running_program_is_not_inspected() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let wait =
        Some(WaitOptions { timeout: Some(prost_types::Duration::default()), snapshot: None });
    let request = CreateSessionRequest { wait, ..launch_of(Program::named("endless.py").launch()) };
    let session =
        client.sessions.create_session(request).await.unwrap().into_inner().session.unwrap().id;

    let status = client.evaluate(&session, "number").await.unwrap_err();
    let request = GetSnapshotRequest { session_id: session.clone(), ..Default::default() };
    let snapshot = client.inspection.get_snapshot(request).await.unwrap_err();

    assert_eq!(
        (status.code(), reason(&status)),
        (Code::FailedPrecondition, ErrorReason::NotStopped)
    );
    assert!(status.message().contains("Pause"), "{}", status.message());
    assert_eq!(reason(&snapshot), ErrorReason::NotStopped);
    assert_eq!(client.session(&session).await.unwrap().state(), SessionState::Running);
}

#[tokio::test]
async fn breakpoints_that_cannot_bind_say_why_and_the_program_runs_all_the_same() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of("x = 1\nprint(x)\n");
    let file = |file: &str| {
        let location = LineLocation { file: file.into(), line: 1, column: 0 };
        BreakpointSpec {
            location: Some(breakpoint_spec::Location::Line(location)),
            ..Default::default()
        }
    };
    let condition = BreakpointSpec { condition: "x ==".into(), ..program.breakpoint_on(2) };
    let breakpoints = vec![file("/nope.py"), program.breakpoint_on(99), condition, file("/tmp")];
    let request = CreateSessionRequest { breakpoints, ..launch_of(program.launch()) };

    let created = client.sessions.create_session(request).await.unwrap().into_inner();

    let messages: Vec<_> =
        created.breakpoints.iter().map(|breakpoint| breakpoint.message.as_str()).collect();
    assert!(created.breakpoints.iter().all(|breakpoint| !breakpoint.verified));
    assert!(messages[0].contains("there is no file /nope.py"), "{messages:?}");
    assert!(messages[1].contains("has 2 lines, so there is no line 99"), "{messages:?}");
    assert!(messages[2].contains("`x ==` does not parse: invalid syntax"), "{messages:?}");
    assert!(messages[3].contains("is no file"), "{messages:?}");
    let outcome = created.outcome.unwrap();
    assert_eq!((outcome.state(), outcome.unhit_breakpoints.len()), (SessionState::Exited, 4));
}

#[tokio::test]
async fn handles_of_an_earlier_stop_are_stale_and_made_up_ones_unknown() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let created = client.debug(&Program::named("loop.py"), &["add"]).await;
    let session = created.session.unwrap().id;
    let snapshot = created.outcome.unwrap().snapshot.unwrap();
    let (frame, locals) = (snapshot.frames[0].frame_id, snapshot.scopes[0].variables_reference);
    client.step_over(&session).await;

    let request = GetScopesRequest { session_id: session.clone(), frame_id: frame };
    let scopes = client.inspection.get_scopes(request).await.unwrap_err();
    let variables = |reference| GetVariablesRequest {
        session_id: session.clone(),
        variables_reference: reference,
        ..Default::default()
    };
    let stale = client.inspection.get_variables(variables(locals)).await.unwrap_err();
    let unknown = client.inspection.get_variables(variables(2_000_999)).await.unwrap_err();
    let future = client.inspection.get_variables(variables(u64::MAX)).await.unwrap_err();
    let none = client.inspection.get_variables(variables(0)).await.unwrap_err();

    assert_eq!(
        (scopes.code(), reason(&scopes)),
        (Code::FailedPrecondition, ErrorReason::StaleHandle)
    );
    assert!(scopes.message().contains("belongs to stop 1"), "{}", scopes.message());
    assert_eq!(reason(&stale), ErrorReason::StaleHandle);
    assert_eq!(
        (unknown.code(), reason(&unknown)),
        (Code::InvalidArgument, ErrorReason::UnknownHandle)
    );
    assert_eq!(reason(&future), ErrorReason::UnknownHandle);
    assert_eq!(reason(&none), ErrorReason::MissingField);
}

#[tokio::test]
async fn numbers_out_of_range_name_their_field() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::named("loop.py");
    let session = client.stop_at(&program, "add").await;
    let wait = |seconds| {
        Some(WaitOptions {
            timeout: Some(prost_types::Duration { seconds, nanos: 0 }),
            snapshot: None,
        })
    };
    let field = |status: Status| {
        assert_eq!(
            (status.code(), reason(&status)),
            (Code::InvalidArgument, ErrorReason::InvalidArgument)
        );
        let details = tonic_types::StatusExt::get_error_details(&status);
        details.bad_request().unwrap().field_violations[0].field.clone()
    };

    let negative =
        ContinueRequest { session_id: session.clone(), wait: wait(-5), ..Default::default() };
    assert_eq!(field(client.execution.r#continue(negative).await.unwrap_err()), "wait.timeout");
    let steps =
        StepOverRequest { session_id: session.clone(), count: 99_999, ..Default::default() };
    assert_eq!(field(client.execution.step_over(steps).await.unwrap_err()), "count");
    for line in [0, -3, i32::MIN] {
        let breakpoints = vec![program.breakpoint_on(line)];
        let request =
            SetBreakpointsRequest { session_id: session.clone(), breakpoints, replace_file: false };
        assert_eq!(
            field(client.breakpoints.set_breakpoints(request).await.unwrap_err()),
            "breakpoints[0].line.line"
        );
    }
    let start = u32::MAX;
    let beyond = GetStackTraceRequest { session_id: session.clone(), start, ..Default::default() };
    let beyond = client.inspection.get_stack_trace(beyond).await.unwrap().into_inner();
    assert_eq!(beyond.frames, []);
    let after_sequence = u64::MAX;
    let never =
        ListEventsRequest { session_id: session.clone(), after_sequence, ..Default::default() };
    assert_eq!(client.events.list_events(never).await.unwrap().into_inner().events, []);
    let events =
        ListEventsRequest { session_id: session.clone(), types: vec![77], ..Default::default() };
    assert_eq!(field(client.events.list_events(events).await.unwrap_err()), "types");
    let list = ListSessionsRequest { page_size: -1, ..Default::default() };
    assert_eq!(field(client.sessions.list_sessions(list).await.unwrap_err()), "page_size");
    let thread =
        StepOverRequest { session_id: session.clone(), thread_id: 99, ..Default::default() };
    let status = client.execution.step_over(thread).await.unwrap_err();
    assert_eq!((status.code(), reason(&status)), (Code::NotFound, ErrorReason::ThreadNotFound));
    let request = RemoveBreakpointsRequest {
        session_id: session.clone(),
        ids: vec![1, 42],
        ..Default::default()
    };
    let status = client.breakpoints.remove_breakpoints(request).await.unwrap_err();
    assert_eq!((status.code(), reason(&status)), (Code::NotFound, ErrorReason::BreakpointNotFound));
    let listed = ListBreakpointsRequest { session_id: session, ..Default::default() };
    assert_eq!(
        client.breakpoints.list_breakpoints(listed).await.unwrap().into_inner().breakpoints.len(),
        1
    );
}

#[tokio::test]
async fn an_expression_of_five_megabytes_and_one_of_two_are_refused() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;

    for (size, expected) in [
        (5_000_000, (Code::ResourceExhausted, ErrorReason::LimitExceeded)),
        (2_000_000, (Code::InvalidArgument, ErrorReason::RequestTooLarge)),
    ] {
        let status = client.evaluate(&session, &"1+".repeat(size / 2)).await.unwrap_err();
        assert_eq!((status.code(), reason(&status)), expected);
    }
    assert_eq!(client.evaluate(&session, "1+1").await.unwrap().value, "2");
}

#[tokio::test]
async fn a_very_long_name_is_refused_with_its_own_reason() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let path = format!("/nope/{}.py", "x".repeat(20_000));
    let target = Some(launch_config::Target::Program(path));

    let status =
        refused(&mut client, launch_of(LaunchConfig { target, ..Default::default() })).await;

    assert_eq!(reason(&status), ErrorReason::ProgramNotFound);
    assert!(status.message().len() < 2000);
}

#[tokio::test]
async fn an_expression_that_takes_too_long_is_cut_off_at_its_limit() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;

    let request = EvaluateRequest {
        session_id: session,
        expression: "__import__('time').sleep(60)".into(),
        timeout: Some(prost_types::Duration { seconds: 0, nanos: 200_000_000 }),
        ..Default::default()
    };
    let status = client.inspection.evaluate(request).await.unwrap_err();

    assert_eq!(
        (status.code(), reason(&status)),
        (Code::DeadlineExceeded, ErrorReason::EvaluationInterrupted)
    );
}

#[tokio::test]
async fn an_evaluation_that_ends_the_program_is_aborted_and_the_end_is_seen() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;

    let status = client.evaluate(&session, "__import__('os')._exit(5)").await.unwrap_err();

    assert_eq!((status.code(), reason(&status)), (Code::Aborted, ErrorReason::AdapterGone));
    let request = WaitForStopRequest { session_id: session, ..Default::default() };
    let end = client.execution.wait_for_stop(request).await.unwrap().into_inner().outcome.unwrap();
    assert_eq!((end.state(), end.exit_code), (SessionState::Exited, Some(5)));
}

#[tokio::test]
async fn what_is_not_built_or_not_in_the_debugger_says_so() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;

    let request = OpenBridgeRequest { session_id: session.clone(), ..Default::default() };
    let later = client.bridge.open_bridge(request).await.unwrap_err();
    let request = StepOverRequest {
        session_id: session.clone(),
        granularity: SteppingGranularity::Instruction.into(),
        ..Default::default()
    };
    assert_eq!(
        reason(&client.execution.step_over(request).await.unwrap_err()),
        ErrorReason::NotSupportedByAdapter
    );
    let launch =
        LaunchConfig { console: Console::Adapter.into(), ..Program::named("loop.py").launch() };
    let request = LaunchRequest { session_id: session.clone(), launch: Some(launch), wait: None };
    assert_eq!(
        reason(&client.sessions.launch(request).await.unwrap_err()),
        ErrorReason::NotSupportedByAdapter
    );
    let request = ReadMemoryRequest { session_id: session.clone(), ..Default::default() };
    let never = client.inspection.read_memory(request).await.unwrap_err();
    let request = WriteMemoryRequest { session_id: session.clone(), ..Default::default() };
    assert_eq!(
        reason(&client.inspection.write_memory(request).await.unwrap_err()),
        ErrorReason::NotSupportedByAdapter
    );
    let request = DisassembleRequest { session_id: session.clone(), ..Default::default() };
    assert_eq!(
        reason(&client.inspection.disassemble(request).await.unwrap_err()),
        ErrorReason::NotSupportedByAdapter
    );
    let request = RestartFrameRequest { session_id: session, ..Default::default() };
    assert_eq!(
        reason(&client.execution.restart_frame(request).await.unwrap_err()),
        ErrorReason::NotSupportedByAdapter
    );

    assert_eq!((later.code(), reason(&later)), (Code::Unimplemented, ErrorReason::NotImplemented));
    assert_eq!(
        (never.code(), reason(&never)),
        (Code::Unimplemented, ErrorReason::NotSupportedByAdapter)
    );
    assert!(never.message().contains("debugpy"));
}

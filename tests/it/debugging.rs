//! A Python program debugged end to end: one call tells the whole story.

use debug_relay::proto::*;

use crate::support::{Program, Server, eventually, tools};

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
async fn a_condition_holds_and_the_end_tells_exit_code_output_and_unhit_breakpoints() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::named("loop.py");
    let conditional = BreakpointSpec { condition: "item == 3".into(), ..program.breakpoint("add") };
    let never = BreakpointSpec { condition: "total < 0".into(), ..program.breakpoint("printed") };
    let request = CreateSessionRequest {
        breakpoints: vec![conditional, never],
        start: Some(create_session_request::Start::Launch(program.launch())),
        ..Default::default()
    };

    let created = client.sessions.create_session(request).await.unwrap().into_inner();
    let session = created.session.unwrap().id;
    let end = client.resume(&session).await;

    assert_eq!(
        values(&created.outcome.unwrap().snapshot.unwrap()),
        [("item", "3"), ("total", "3")]
    );
    assert_eq!((end.state(), end.exit_code, end.exit_signal), (SessionState::Exited, Some(0), 0));
    assert_eq!(end.output.unwrap().text, "total 6\ntotal 10\ndone 10\n");
    assert_eq!(end.unhit_breakpoints.len(), 1);
    assert_eq!(end.unhit_breakpoints[0].reason(), UnhitReason::ConditionNeverTrue);
    assert_eq!(
        client.text(&session).await,
        "total 0\ntotal 1\ntotal 3\ntotal 6\ntotal 10\ndone 10\n"
    );
}

#[tokio::test]
async fn breakpoints_are_set_before_launch_while_running_and_while_stopped() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::named("endless.py");
    let root = program.path.parent().unwrap().to_string_lossy().into_owned();
    let request = CreateSessionRequest { project_root: root, ..Default::default() };
    let session =
        client.sessions.create_session(request).await.unwrap().into_inner().session.unwrap();
    assert_eq!(session.state(), SessionState::Created);
    let session = session.id;

    let set = |line: i32| {
        let location = LineLocation { file: "endless.py".into(), line, column: 0 };
        let location = Some(breakpoint_spec::Location::Line(location));
        let breakpoints = vec![BreakpointSpec { location, ..Default::default() }];
        SetBreakpointsRequest { session_id: session.clone(), breakpoints, replace_file: false }
    };
    let begun = program.line("tick") - 2;
    let before = client.breakpoints.set_breakpoints(set(begun)).await.unwrap().into_inner();
    assert!(!before.breakpoints[0].verified);
    let launch = Some(program.launch());
    let request = LaunchRequest { session_id: session.clone(), launch, wait: None };
    let first = client.sessions.launch(request).await.unwrap().into_inner().outcome.unwrap();
    assert_eq!(first.stop.unwrap().location.unwrap().line, begun);

    let wait =
        Some(WaitOptions { timeout: Some(prost_types::Duration::default()), snapshot: None });
    let request = ContinueRequest { session_id: session.clone(), wait, ..Default::default() };
    let running = client.execution.r#continue(request).await.unwrap().into_inner().outcome.unwrap();
    assert_eq!((running.state(), running.timed_out), (SessionState::Running, false));
    let set =
        client.breakpoints.set_breakpoints(set(program.line("tick"))).await.unwrap().into_inner();
    assert!(set.breakpoints[0].verified);
    let request = WaitForStopRequest { session_id: session.clone(), after_stop: 1, wait: None };
    let hit = client.execution.wait_for_stop(request).await.unwrap().into_inner().outcome.unwrap();
    assert_eq!(hit.stop.unwrap().breakpoint_ids, [2]);

    let request =
        RemoveBreakpointsRequest { session_id: session.clone(), all: true, ..Default::default() };
    let removed = client.breakpoints.remove_breakpoints(request).await.unwrap().into_inner();
    assert_eq!(removed.breakpoints.iter().map(|removed| removed.id).collect::<Vec<_>>(), [1, 2]);
    let request = ListBreakpointsRequest { session_id: session, ..Default::default() };
    let listed = client.breakpoints.list_breakpoints(request).await.unwrap().into_inner();
    assert_eq!(listed.breakpoints, []);
}

#[tokio::test]
async fn replace_file_leaves_only_the_given_breakpoints() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::named("loop.py");
    let session = client.debug(&program, &["add", "printed"]).await.session.unwrap().id;

    let breakpoints = vec![program.breakpoint("done"), program.breakpoint("printed")];
    let request =
        SetBreakpointsRequest { session_id: session.clone(), breakpoints, replace_file: true };
    client.breakpoints.set_breakpoints(request).await.unwrap();

    let request = ListBreakpointsRequest { session_id: session.clone(), file: program.file() };
    let listed =
        client.breakpoints.list_breakpoints(request).await.unwrap().into_inner().breakpoints;
    assert_eq!(listed.iter().map(|breakpoint| breakpoint.id).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(client.resume(&session).await.stop.unwrap().breakpoint_ids, [2]);
}

#[tokio::test]
async fn a_disabled_breakpoint_and_one_on_a_comment_do_as_they_say() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of("x = 1\n# a comment\n\ny = 2  # @next\nz = 3  # @off\n");
    let off = BreakpointSpec { enabled: Some(false), ..program.breakpoint("off") };
    let breakpoints = vec![program.breakpoint_on(2), off];
    let start = Some(create_session_request::Start::Launch(program.launch()));
    let request = CreateSessionRequest { breakpoints, start, ..Default::default() };

    let created = client.sessions.create_session(request).await.unwrap().into_inner();

    assert_eq!(created.outcome.unwrap().stop.unwrap().location.unwrap().line, program.line("next"));
    assert!(created.breakpoints[0].message.contains("line 2 has no code; it stops at line 4"));
    let end = client.resume(&created.session.unwrap().id).await;
    assert_eq!(end.state(), SessionState::Exited);
    assert_eq!(end.unhit_breakpoints[0].reason(), UnhitReason::Disabled);
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
async fn a_stopped_program_is_looked_into_page_by_page() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let text = "def dig(depth, things):\n    if depth:\n        return dig(depth - 1, things)\n    \
                return things  # @bottom\n\ndig(30, {'one': [1, 2], 'text': 'x' * 5000})\n";
    let program = Program::of(text);
    let session = client.stop_at(&program, "bottom").await;

    let request = GetStackTraceRequest {
        session_id: session.clone(),
        start: 28,
        count: 10,
        ..Default::default()
    };
    let page = client.inspection.get_stack_trace(request).await.unwrap().into_inner();
    assert_eq!((page.frames.len(), page.total_frames), (4, 32));
    assert_eq!(page.frames[3].name, "<module>");

    let request =
        GetScopesRequest { session_id: session.clone(), frame_id: page.frames[0].frame_id };
    let scopes = client.inspection.get_scopes(request).await.unwrap().into_inner().scopes;
    assert_eq!(scopes[0].name, "Locals");
    let reference = scopes[0].variables_reference;
    let request = GetVariablesRequest {
        session_id: session.clone(),
        variables_reference: reference,
        max_depth: 2,
        max_value_length: 20,
        ..Default::default()
    };
    let variables = client.inspection.get_variables(request.clone()).await.unwrap().into_inner();
    let things = &variables.variables[1];
    assert_eq!((things.name.as_str(), things.r#type.as_str()), ("things", "dict"));
    assert_eq!(things.children[0].value, "[1, 2]");
    let long = &things.children[1];
    assert_eq!((long.value.chars().count(), long.value_length), (21, 5002));
    let request = GetVariablesRequest { start: 1, count: 1, ..request };
    let second = client.inspection.get_variables(request).await.unwrap().into_inner();
    assert_eq!((second.variables.len(), second.total_variables), (1, 2));

    let threads =
        client.inspection.list_threads(ListThreadsRequest { session_id: session.clone() }).await;
    let threads = threads.unwrap().into_inner().threads;
    assert!(
        threads
            .iter()
            .any(|thread| thread.is_current && thread.stopped && thread.name == "MainThread")
    );
}

#[tokio::test]
async fn an_expression_has_a_value_or_an_error_and_what_it_changes_is_seen() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;

    let value = client.evaluate(&session, "item + 40").await.unwrap();
    let raised = client.evaluate(&session, "1 / 0").await.unwrap();
    let wrong = client.evaluate(&session, "1 +").await.unwrap();
    let request = EvaluateRequest {
        session_id: session.clone(),
        expression: "total = 7".into(),
        context: EvaluateContext::Statement.into(),
        ..Default::default()
    };
    let statement = client.inspection.evaluate(request).await.unwrap().into_inner();

    assert_eq!((value.value.as_str(), value.r#type.as_str()), ("40", "int"));
    assert_eq!(raised.error, "ZeroDivisionError: division by zero");
    assert!(wrong.error.contains("SyntaxError"), "{}", wrong.error);
    assert_eq!(statement.error, "");
    let options = SnapshotOptions {
        expressions: vec!["total * 2".into(), "nope".into()],
        ..Default::default()
    };
    let request =
        GetSnapshotRequest { session_id: session.clone(), options: Some(options), thread_id: 0 };
    let snapshot =
        client.inspection.get_snapshot(request).await.unwrap().into_inner().snapshot.unwrap();
    assert_eq!(values(&snapshot), [("item", "0"), ("total", "7")]);
    assert_eq!(snapshot.expressions[0].value, "14");
    assert!(snapshot.expressions[1].error.contains("NameError"));
    assert_eq!(client.step_over(&session).await.snapshot.unwrap().changes[0].after, "7");
}

#[tokio::test]
async fn a_snapshot_stays_within_its_size_and_tells_what_it_left_out() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let text = "def wide():\n    for name in range(300):\n        locals()\n    \
                exec('\\n'.join(f'v{n} = \"x\" * 500' for n in range(300)), globals())\n\nwide()\nprint()  # @here\n";
    let program = Program::of(text);
    let session = client.stop_at(&program, "here").await;

    for max_bytes in [512, 2000, 8192] {
        let options = SnapshotOptions {
            max_bytes: Some(max_bytes),
            max_variables: Some(1000),
            ..Default::default()
        };
        let request = GetSnapshotRequest {
            session_id: session.clone(),
            options: Some(options),
            thread_id: 0,
        };
        let snapshot =
            client.inspection.get_snapshot(request).await.unwrap().into_inner().snapshot.unwrap();

        let size = prost::Message::encoded_len(&snapshot);
        assert!(size < max_bytes as usize, "{size} of {max_bytes}");
        if 1000 < max_bytes {
            assert!(
                snapshot.omitted.iter().any(|text| text.contains("variables of Locals")),
                "{:?}",
                snapshot.omitted
            );
        }
    }
}

#[tokio::test]
async fn a_step_with_changes_only_is_small() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;

    let snapshot = SnapshotOptions { changes_only: true, ..Default::default() };
    let wait = Some(WaitOptions { timeout: None, snapshot: Some(snapshot) });
    let request = StepOverRequest { session_id: session, wait, ..Default::default() };
    let outcome = client.execution.step_over(request).await.unwrap().into_inner().outcome.unwrap();

    let snapshot = outcome.snapshot.as_ref().unwrap();
    assert_eq!((snapshot.frames.len(), snapshot.scopes.len(), snapshot.changes.len()), (0, 0, 1));
    assert!(snapshot.source.as_ref().unwrap().text.starts_with('>'));
    assert!(prost::Message::encoded_len(&outcome) < 300);
}

#[tokio::test]
async fn modules_code_arguments_environment_and_folder_reach_the_program() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let folder = tempfile::tempdir().unwrap();
    let body = "import os, sys\nprint(sys.argv[1:], os.environ['GREETING'], os.getcwd() == os.path.realpath(os.environ['FOLDER']), sys.flags.optimize)\n";
    std::fs::write(folder.path().join("hello.py"), body).unwrap();
    let root = folder.path().to_string_lossy().into_owned();
    let targets = [
        launch_config::Target::Program("hello.py".into()),
        launch_config::Target::Module("hello".into()),
        launch_config::Target::Code(body.into()),
    ];
    for target in targets {
        let launch = LaunchConfig {
            target: Some(target),
            args: vec!["a b".into(), "ü".into()],
            env: [("GREETING".into(), "hi".into()), ("FOLDER".into(), root.clone())].into(),
            python_args: vec!["-O".into()],
            ..Default::default()
        };
        let start = Some(create_session_request::Start::Launch(launch));
        let request =
            CreateSessionRequest { project_root: root.clone(), start, ..Default::default() };

        let created = client.sessions.create_session(request).await.unwrap().into_inner();

        let outcome = created.outcome.unwrap();
        assert_eq!(
            (outcome.state(), outcome.exit_code),
            (SessionState::Exited, Some(0)),
            "{outcome:?}"
        );
        assert_eq!(outcome.output.unwrap().text, "['a b', 'ü'] hi True 1\n");
    }
}

#[tokio::test]
async fn an_interpreter_without_debugpy_is_taken_by_path_by_folder_and_from_the_project() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let bare = tools().join("bare-venv");
    let program = Program::of("import sys\nprint(sys.prefix)  # @here\n");
    let project = program.path.parent().unwrap();
    let by_path = bare.join("bin/python").to_string_lossy().into_owned();
    let by_folder = bare.to_string_lossy().into_owned();
    let link = project.join(".venv");

    for python in [by_path, by_folder, String::new()] {
        if python.is_empty() {
            std::os::unix::fs::symlink(&bare, &link).unwrap();
        }
        let launch = LaunchConfig { python, ..program.launch() };
        let start = Some(create_session_request::Start::Launch(launch));
        let breakpoints = vec![program.breakpoint("here")];
        let request = CreateSessionRequest { start, breakpoints, ..Default::default() };
        let session =
            client.sessions.create_session(request).await.unwrap().into_inner().session.unwrap();

        let end = client.resume(&session.id).await;

        let prefix = end.output.unwrap().text;
        assert!(prefix.contains("bare-venv") || prefix.contains(".venv"), "{prefix}");
    }
}

#[tokio::test]
async fn children_are_followed_and_stop_at_breakpoints_of_their_own() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let text = "import subprocess, sys\nif len(sys.argv) == 1:\n    \
                subprocess.run([sys.executable, __file__, 'child'])\n    print('parent done')\n\
                else:\n    mine = 'child'  # @child\n";
    let program = Program::of(text);

    let created = client.debug(&program, &["child"]).await;

    let session = created.session.unwrap();
    let outcome = created.outcome.unwrap();
    let stop = outcome.stop.unwrap();
    assert_eq!(session.processes.len(), 2);
    let parent = &session.processes[0];
    assert_eq!(session.processes[1].parent_process_id, parent.process_id);
    assert_eq!(stop.process_id, session.processes[1].process_id);
    let end = client.resume(&session.id).await;
    assert_eq!(
        (end.state(), end.output.unwrap().text.as_str()),
        (SessionState::Exited, "parent done\n")
    );
}

#[tokio::test]
async fn with_two_processes_stopped_a_step_tells_of_the_one_that_was_moved() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let text = "import subprocess, sys\nif len(sys.argv) == 1:\n    \
                two = [subprocess.Popen([sys.executable, __file__, n]) for n in 'ab']\n    \
                print([child.wait() for child in two])\n\
                else:\n    first = 1  # @child\n    second = 2\n    third = 3\n";
    let program = Program::of(text);
    let session = client.debug(&program, &["child"]).await.session.unwrap().id;
    let request = WaitForStopRequest { session_id: session.clone(), after_stop: 1, wait: None };
    let second = client.execution.wait_for_stop(request).await.unwrap().into_inner();
    let second = second.outcome.unwrap().stop.unwrap();
    assert_eq!(second.stop_number, 2);

    let request = StepOverRequest { session_id: session.clone(), count: 2, ..Default::default() };
    let stepped = client.execution.step_over(request).await.unwrap().into_inner().outcome.unwrap();

    let stop = stepped.stop.unwrap();
    assert_eq!((stop.process_id, stop.stop_number), (second.process_id, 4));
    assert_eq!(stop.location.unwrap().line, program.line("child") + 2);
    let other = client.resume(&session).await.stop.unwrap();
    assert_eq!(other.stop_number, 1, "the one that still stands is shown when the other is gone");
    let end = client.resume(&session).await;
    assert_eq!(
        (end.state(), end.output.unwrap().text.as_str()),
        (SessionState::Exited, "[0, 0]\n")
    );
}

#[tokio::test]
async fn a_child_that_outlives_the_program_is_not_held_by_its_breakpoints() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let text = "import os, subprocess, sys, time\nif len(sys.argv) == 2:\n    \
                subprocess.Popen([sys.executable, __file__, sys.argv[1], 'child'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n    \
                os._exit(0)\nelse:\n    done = open(sys.argv[1], 'w')  # @child\n    done.write('ran')\n    done.close()\n";
    let program = Program::of(text);
    let folder = tempfile::tempdir().unwrap();
    let flag = folder.path().join("flag");
    let launch =
        LaunchConfig { args: vec![flag.to_string_lossy().into_owned()], ..program.launch() };
    let breakpoints = vec![program.breakpoint("child")];
    let start = Some(create_session_request::Start::Launch(launch));
    let request = CreateSessionRequest { breakpoints, start, ..Default::default() };

    client.sessions.create_session(request).await.unwrap();

    eventually("the child has run", async || {
        std::fs::read_to_string(&flag).ok().filter(|text| text == "ran")
    })
    .await;
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

#[tokio::test]
async fn a_recursive_structure_is_shown_within_bounds() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of("a = []\na.extend([a] * 50)\nprint()  # @here\n");
    let session = client.stop_at(&program, "here").await;

    let options = SnapshotOptions { max_depth: Some(5), ..Default::default() };
    let request =
        GetSnapshotRequest { session_id: session.clone(), options: Some(options), thread_id: 0 };
    let snapshot = client.inspection.get_snapshot(request).await.unwrap().into_inner().snapshot;

    assert!(prost::Message::encoded_len(&snapshot.unwrap()) < 8192);
}

#[tokio::test]
async fn names_narrow_the_changes_without_inventing_any() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;

    let snapshot = SnapshotOptions { names: vec!["item".into()], ..Default::default() };
    let wait = Some(WaitOptions { timeout: None, snapshot: Some(snapshot) });
    let request = StepOverRequest { session_id: session.clone(), wait, ..Default::default() };
    let narrow = client.execution.step_over(request).await.unwrap().into_inner().outcome.unwrap();

    let snapshot = narrow.snapshot.unwrap();
    assert_eq!((snapshot.changes.len(), values(&snapshot)), (0, vec![("item", "0")]));
}

#[tokio::test]
async fn whatever_the_environment_says_the_program_starts() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of("print('started')\n");
    let env = [
        ("LD_DEBUG".into(), "all".into()),
        ("LC_ALL".into(), "C".into()),
        ("PYTHONUTF8".into(), "0".into()),
        ("PYTHONCOERCECLOCALE".into(), "0".into()),
    ];
    let launch = LaunchConfig { env: env.into(), args: vec!["é".into()], ..program.launch() };
    let start = Some(create_session_request::Start::Launch(launch));

    let created =
        client.sessions.create_session(CreateSessionRequest { start, ..Default::default() }).await;

    let outcome = created.unwrap().into_inner().outcome.unwrap();
    assert_eq!((outcome.state(), outcome.exit_code), (SessionState::Exited, Some(0)));
}

#[tokio::test]
async fn a_script_with_a_syntax_error_is_an_outcome_with_the_error_in_its_output() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of("def broken(:\n    pass\n");

    let outcome = client.debug(&program, &[]).await.outcome.unwrap();

    assert_eq!((outcome.state(), outcome.exit_code), (SessionState::Exited, Some(1)));
    assert!(outcome.output.unwrap().text.contains("SyntaxError: invalid syntax"));
}

#[tokio::test]
async fn exits_of_every_kind_tell_code_or_signal() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let ends = [
        ("import os; os._exit(3)", Some(3), 0),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", None, 9),
        ("import os; os.abort()", None, 6),
    ];
    for (text, exit_code, exit_signal) in ends {
        let outcome = client.debug(&Program::of(text), &[]).await.outcome.unwrap();

        let seen = (outcome.state(), outcome.exit_code, outcome.exit_signal);
        assert_eq!(seen, (SessionState::Exited, exit_code, exit_signal), "{text}");
    }
}

/// The variables of the first scope; debugpy sorts them by name.
fn values(snapshot: &Snapshot) -> Vec<(&str, &str)> {
    let variables = &snapshot.scopes[0].variables;
    variables.iter().map(|variable| (variable.name.as_str(), variable.value.as_str())).collect()
}

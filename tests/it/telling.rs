//! What the events of a session tell, and what it says of itself.

use debug_relay::proto::event::Payload;
use debug_relay::proto::*;

use crate::support::{Client, Program, Server, reason};

async fn payloads(client: &mut Client, session: &str) -> Vec<Payload> {
    let request = ListEventsRequest { session_id: session.into(), ..Default::default() };
    let events = client.events.list_events(request).await.unwrap().into_inner().events;
    events.into_iter().filter_map(|event| event.payload).collect()
}

#[tokio::test]
async fn events_tell_of_processes_threads_breakpoints_moves_and_the_end() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "import os, threading\n\ndef beside():\n    return 1\n\nthread = threading.Thread(target=beside)\nthread.start()\nthread.join()\nchild = os.fork()\nif child == 0:\n    os._exit(0)\nos.waitpid(child, 0)\nhere = 1  # @here\nprint(here)\n",
    );
    let session = client.stop_at(&program, "here").await;
    client.step_over(&session).await;
    client.debugged_to_the_end(&session).await;

    let told = payloads(&mut client, &session).await;

    let has = |fits: &dyn Fn(&Payload) -> bool| told.iter().any(fits);
    for started in [true, false] {
        assert!(has(&|one| matches!(one, Payload::Process(it) if it.started == started)));
        assert!(has(&|one| matches!(one, Payload::Thread(it) if it.started == started)));
    }
    assert!(has(&|one| matches!(one, Payload::Process(it) if it.name == program.file())));
    use BreakpointChangeKind::{Bound, Removed, Set};
    for kind in [Set, Bound, Removed] {
        assert!(has(&|one| matches!(one, Payload::BreakpointChanged(it) if it.kind() == kind)));
    }
    let moves: Vec<_> = told
        .iter()
        .filter_map(|one| match one {
            Payload::Continued(it) => Some(it.by.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(moves, ["StepOver", "Continue"]);
    assert!(has(&|one| matches!(one, Payload::Exited(it) if it.exit_code == Some(0))));
    assert!(matches!(told.last(), Some(Payload::Terminated(_))), "{told:?}");
}

#[tokio::test]
async fn modules_and_the_debuggers_own_words_are_told() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program =
        Program::of("def work():\n    return [1]\n\nresult = work()  # @here\nprint(result)\n");
    let session = client.stop_at(&program, "here").await;
    // With its own code only, the debugger says that it steps over a library.
    let request = StepIntoRequest { session_id: session.clone(), ..Default::default() };
    client.execution.step_into(request).await.unwrap();

    let told = payloads(&mut client, &session).await;

    let module = told.iter().find_map(|one| match one {
        Payload::Module(it) => Some(it.file.clone()),
        _ => None,
    });
    assert_eq!(module.as_deref(), Some(program.file().as_str()), "{told:?}");
}

#[tokio::test]
async fn capabilities_are_what_the_session_can_do() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;

    let able = client.session(&session).await.unwrap().capabilities.unwrap();

    assert!(able.conditional_breakpoints && able.hit_conditions && able.log_points);
    assert!(able.function_breakpoints && able.data_breakpoints && able.set_variable);
    assert!(able.goto && able.step_in_targets && able.completions && able.loaded_sources);
    assert!(!able.read_memory && !able.disassemble && !able.restart_frame);
    assert!(!able.instruction_breakpoints);
}

#[tokio::test]
async fn places_that_the_debugger_cannot_stop_at_are_refused() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::named("loop.py");
    let session = client.stop_at(&program, "add").await;
    use breakpoint_spec::Location;
    let instruction = InstructionLocation { reference: "0x1".into(), offset: 0 };
    let column = LineLocation { file: program.file(), line: 1, column: 3 };
    let read = DataLocation {
        expression: "total".into(),
        access: DataAccess::Read.into(),
        ..Default::default()
    };

    for location in
        [Location::Instruction(instruction), Location::Line(column), Location::Data(read)]
    {
        let spec = BreakpointSpec { location: Some(location), ..Default::default() };
        let request = SetBreakpointsRequest {
            session_id: session.clone(),
            breakpoints: vec![spec],
            replace_file: false,
        };
        let status = client.breakpoints.set_breakpoints(request).await.unwrap_err();
        assert_eq!(reason(&status), ErrorReason::NotSupportedByAdapter);
    }
}

#[tokio::test]
async fn a_running_program_shows_its_threads_and_where_they_are() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "import threading\n\nlock = threading.Lock()\n\ndef stuck():\n    lock.acquire()  # @stuck\n\nlock.acquire()\nworker = threading.Thread(target=stuck, name='worker')\nworker.start()\nprint('begun', flush=True)\nworker.join()\n",
    );
    let wait = Some(WaitOptions { timeout: Some(Default::default()), snapshot: None });
    let start = Some(create_session_request::Start::Launch(program.launch()));
    let request = CreateSessionRequest { start, wait, ..Default::default() };
    let session =
        client.sessions.create_session(request).await.unwrap().into_inner().session.unwrap().id;
    crate::support::eventually("it has begun", async || {
        client.text(&session).await.contains("begun").then_some(())
    })
    .await;

    let request = ListThreadsRequest { session_id: session.clone() };
    let threads = client.inspection.list_threads(request).await.unwrap().into_inner().threads;
    let worker = threads.iter().find(|thread| thread.name == "worker").unwrap();
    let request = GetStackTraceRequest {
        session_id: session,
        thread_id: worker.thread_id,
        ..Default::default()
    };
    let stack = client.inspection.get_stack_trace(request).await.unwrap().into_inner();

    assert!(!worker.stopped);
    assert_eq!((stack.stop_number, stack.frames[0].frame_id), (0, 0));
    assert_eq!(
        (stack.frames[0].name.as_str(), stack.frames[0].line),
        ("stuck", program.line("stuck"))
    );
}

#[tokio::test]
async fn source_text_that_was_launched_is_shown_like_a_file() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let code = "def half(x):\n    return x / 0\n\nhalf(4)\n";
    let target = Some(launch_config::Target::Code(code.into()));
    let launch = LaunchConfig { target, cwd: "/".into(), ..Default::default() };

    let created = client.launch(launch, vec![]).await;

    let session = created.session.unwrap().id;
    let outcome = created.outcome.unwrap();
    assert_eq!(outcome.stop.unwrap().exception.unwrap().r#type, "ZeroDivisionError");
    assert!(outcome.snapshot.unwrap().source.unwrap().text.contains(">2     return x / 0"));
    let request =
        GetSourceRequest { session_id: session, file: "<string>".into(), ..Default::default() };
    let source = client.inspection.get_source(request).await.unwrap().into_inner();
    assert_eq!(source.text, code);
}

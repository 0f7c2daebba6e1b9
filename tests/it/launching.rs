//! The ways to start a program, what it is given to read, and starting it again.

use debug_relay::proto::*;

use crate::support::{Client, Program, Server, reason};

async fn write(client: &mut Client, session: &str, data: &str, close: bool) -> u64 {
    let request =
        WriteInputRequest { session_id: session.into(), data: data.to_owned().into(), close };
    client.output.write_input(request).await.unwrap().into_inner().bytes_written
}

#[tokio::test]
async fn stop_on_entry_stops_at_the_first_line() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of("first = 1\nsecond = 2\n");

    let launch = LaunchConfig { stop_on_entry: true, ..program.launch() };
    let stop = client.launch(launch, vec![]).await.outcome.unwrap().stop.unwrap();

    assert_eq!((stop.reason(), stop.location.unwrap().line), (StopReason::Entry, 1));
}

#[tokio::test]
async fn input_given_at_once_is_read_to_its_end() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of("import sys\nprint(len(sys.stdin.read()))\n");

    let launch = LaunchConfig { stdin: Some(vec![b'x'; 1_000_000].into()), ..program.launch() };
    let outcome = client.launch(launch, vec![]).await.outcome.unwrap();

    assert_eq!(outcome.output.unwrap().text, "1000000\n");
}

#[tokio::test]
async fn input_that_is_given_empty_ends_at_once() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of("import sys\nprint(len(sys.stdin.read()))\n");

    let launch = LaunchConfig { stdin: Some(Default::default()), ..program.launch() };
    let outcome = client.launch(launch, Vec::new()).await.outcome.unwrap();

    assert_eq!(outcome.state(), SessionState::Exited);
    assert_eq!(outcome.output.unwrap().text, "0\n");
}

#[tokio::test]
async fn a_program_that_asks_five_times_is_debugged_to_its_end() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "names = []\nfor number in range(5):\n    names.append(input())\n    seen = len(names)  # @read\nprint(','.join(names))\n",
    );
    let breakpoints = vec![program.breakpoint("read")];
    let start = Some(create_session_request::Start::Launch(program.launch()));
    let wait = Some(WaitOptions { timeout: Some(Default::default()), snapshot: None });
    let request = CreateSessionRequest { breakpoints, start, wait, ..Default::default() };
    let created = client.sessions.create_session(request).await.unwrap().into_inner();
    let session = created.session.unwrap().id;
    let look = WaitForStopRequest {
        session_id: session.clone(),
        wait: Some(WaitOptions { timeout: Some(Default::default()), snapshot: None }),
        ..Default::default()
    };
    crate::support::eventually("it says what it waits for", async || {
        let told = client.execution.wait_for_stop(look.clone()).await.unwrap().into_inner();
        told.outcome.unwrap().hint.contains("WriteInput").then_some(())
    })
    .await;

    for (number, name) in ["ann", "bob", "cid", "dan", "eve"].into_iter().enumerate() {
        assert_eq!(write(&mut client, &session, &format!("{name}\n"), false).await, 4);
        let request = WaitForStopRequest {
            session_id: session.clone(),
            after_stop: number as u64,
            wait: None,
        };
        let outcome = client.execution.wait_for_stop(request).await.unwrap().into_inner();
        assert_eq!(outcome.outcome.unwrap().stop.unwrap().stop_number, number as u64 + 1);
        if number < 4 {
            let wait = Some(WaitOptions { timeout: Some(Default::default()), snapshot: None });
            let request =
                ContinueRequest { session_id: session.clone(), wait, ..Default::default() };
            client.execution.r#continue(request).await.unwrap();
        }
    }
    let ended = client.resume(&session).await;

    assert_eq!(
        (ended.exit_code, ended.output.unwrap().text.as_str()),
        (Some(0), "ann,bob,cid,dan,eve\n")
    );
}

#[tokio::test]
async fn closed_input_is_the_end_of_it_and_no_more_is_taken() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "import sys\nfirst = sys.stdin.readline()  # @first\nrest = sys.stdin.read()\nprint(repr(rest))  # @rest\n",
    );
    let created = client.debug(&program, &["first", "rest"]).await;
    let session = created.session.unwrap().id;

    write(&mut client, &session, "one\ntwo\n", true).await;
    let request =
        WriteInputRequest { session_id: session.clone(), data: "three".into(), close: false };
    let refused = client.output.write_input(request).await.unwrap_err();
    let at_rest = client.resume(&session).await;

    assert_eq!(reason(&refused), ErrorReason::InputClosed);
    assert_eq!(client.evaluate(&session, "rest").await.unwrap().value, "'two\\n'");
    assert_eq!(at_rest.state(), SessionState::Stopped);
}

#[tokio::test]
async fn a_program_on_a_terminal_believes_that_a_person_is_there() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "import os, sys\nprint([stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)])\nprint(os.get_terminal_size().columns, os.tcgetpgrp(0) == os.getpgrp())  # @asked\nname = input('name? ')\nrest = sys.stdin.read()\nprint('hello', name, repr(rest))\n",
    );
    let launch = LaunchConfig { console: Console::Pty.into(), ..program.launch() };
    let session =
        client.launch(launch, vec![program.breakpoint("asked")]).await.session.unwrap().id;

    write(&mut client, &session, "ann\n", true).await;
    let ended = client.resume(&session).await;

    assert_eq!(ended.exit_code, Some(0), "{ended:?}");
    let text = client.text(&session).await;
    assert!(text.contains("[True, True, True]") && text.contains("80 True"), "{text}");
    assert!(text.contains("hello ann ''"), "{text}");
}

#[tokio::test]
async fn the_same_program_again_keeps_breakpoints_and_goes_on_counting_stops() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::named("loop.py");
    let session = client.stop_at(&program, "add").await;
    let first = client.session(&session).await.unwrap();

    let request = RestartRequest { session_id: session.clone(), wait: None };
    let again = client.sessions.restart(request.clone()).await.unwrap().into_inner();

    let stop = again.outcome.unwrap().stop.unwrap();
    assert_eq!((stop.stop_number, stop.breakpoint_ids.as_slice()), (2, &[1][..]));
    assert_ne!(stop.process_id, first.stop.unwrap().process_id);
    let ended = client.debugged_to_the_end(&session).await;
    assert_eq!(ended.exit_code, Some(0));
    let after_the_end = client.sessions.restart(request).await.unwrap().into_inner();
    let outcome = after_the_end.outcome.unwrap();
    assert_eq!((outcome.state(), outcome.exit_code), (SessionState::Exited, Some(0)));
    assert_eq!(client.text(&session).await.matches("total 10").count(), 2);
    assert!(first.last_sequence < client.session(&session).await.unwrap().last_sequence);
}

#[tokio::test]
async fn what_was_never_started_cannot_be_started_again() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let request = CreateSessionRequest { project_root: "/".into(), ..Default::default() };
    let session =
        client.sessions.create_session(request).await.unwrap().into_inner().session.unwrap().id;

    let request = RestartRequest { session_id: session, wait: None };
    let status = client.sessions.restart(request).await.unwrap_err();

    assert_eq!(reason(&status), ErrorReason::NotStarted);
}

#[tokio::test]
async fn children_stop_at_their_first_line_when_asked_to() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "import subprocess, sys\nif len(sys.argv) == 1:\n    code = subprocess.run([sys.executable, __file__, 'child']).returncode\n    print('child ended with', code)\nelse:\n    sys.exit(7)\n",
    );
    let launch = LaunchConfig { children: ChildPolicy::StopAtStart.into(), ..program.launch() };

    let created = client.launch(launch, vec![]).await;

    let session = created.session.unwrap();
    let stop = created.outcome.unwrap().stop.unwrap();
    assert_eq!((stop.reason(), stop.location.unwrap().line), (StopReason::Entry, 1));
    let shown = client.session(&session.id).await.unwrap();
    let child =
        shown.processes.iter().find(|process| process.process_id == stop.process_id).unwrap();
    assert_eq!(child.parent_process_id, shown.processes[0].process_id);
    let ended = client.resume(&session.id).await;
    assert_eq!(
        (ended.exit_code, ended.output.unwrap().text.as_str()),
        (Some(0), "child ended with 7\n")
    );
}

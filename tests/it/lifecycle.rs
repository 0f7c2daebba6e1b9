//! The end of things: whatever is killed, in whatever order, no process of a session is left.

use std::time::Duration;

use debug_relay::proto::*;
use rustix::process::Signal;

use crate::support::{
    Client, Process, Program, Server, children_of, eventually, is_alive, wait_until_gone,
};

/// A session whose program has started a family: a child, a grandchild and one that left its
/// session. Returns the session and every process under its host.
async fn family(server: &Server, client: &mut Client) -> (String, Vec<Process>) {
    let session = client.stop_at(&Program::named("family.py"), "complete").await;
    let host = server.host(&session);
    let processes = eventually("the family is complete", async || {
        // The guard, the program, three children, two grandchildren.
        Some(children_of(host)).filter(|processes| 7 <= processes.len())
    })
    .await;
    (session, processes)
}

/// The program's own process, which is the guard's child.
async fn program_of(client: &mut Client, session: &str) -> Process {
    Process::of(client.session(session).await.unwrap().processes[0].process_id)
}

fn guard_of(processes: &[Process], host: Process) -> Process {
    let guards = processes.iter().copied().find(|process| {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.0)).unwrap_or_default();
        let parent = stat
            .rsplit_once(')')
            .and_then(|(_, rest)| rest.split_whitespace().nth(1)?.parse().ok());
        parent == Some(host.0)
    });
    guards.expect("a guard")
}

#[tokio::test]
async fn delete_leaves_no_process_and_no_file() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let (session, processes) = family(&server, &mut client).await;
    let host = server.host(&session);

    client.delete(&session).await;

    let left: Vec<_> =
        processes.iter().chain([&host]).filter(|process| is_alive(**process)).collect();
    assert_eq!(left, Vec::<&Process>::new());
    assert!(!server.run_dir().join("sessions").join(&session).exists());
    assert!(client.session(&session).await.is_err());
}

#[tokio::test]
async fn terminate_ends_the_program_and_its_family_and_the_story_can_still_be_read() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let (session, processes) = family(&server, &mut client).await;
    let host = server.host(&session);
    let guard = guard_of(&processes, host);

    let request = TerminateSessionRequest { session_id: session.clone(), ..Default::default() };
    let ended = client
        .sessions
        .terminate_session(request.clone())
        .await
        .unwrap()
        .into_inner()
        .session
        .unwrap();
    let again =
        client.sessions.terminate_session(request).await.unwrap().into_inner().session.unwrap();

    assert_eq!(
        (ended.state(), ended.exit_signal),
        (SessionState::Terminated, Signal::TERM.as_raw())
    );
    assert_eq!(again.state(), SessionState::Terminated);
    let family: Vec<_> = processes.iter().copied().filter(|process| *process != guard).collect();
    wait_until_gone(&family).await;
    // It was stopped before its print and has not run on.
    assert_eq!(client.text(&session).await, "");
    client.delete(&session).await;
    wait_until_gone(&[guard, host]).await;
}

#[tokio::test]
async fn a_program_that_ignores_sigterm_is_killed_after_its_grace() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "import signal, time\nsignal.signal(signal.SIGTERM, lambda *_: print('no', flush=True))\ntime.sleep(0)  # @armed\nwhile True:\n    time.sleep(0.01)\n",
    );
    let session = client.stop_at(&program, "armed").await;
    let wait =
        Some(WaitOptions { timeout: Some(prost_types::Duration::default()), snapshot: None });
    let request = ContinueRequest { session_id: session.clone(), wait, ..Default::default() };
    client.execution.r#continue(request).await.unwrap();

    let grace = Some(prost_types::Duration { seconds: 0, nanos: 500_000_000 });
    let request = TerminateSessionRequest { session_id: session.clone(), grace, force: false };
    let ended =
        client.sessions.terminate_session(request).await.unwrap().into_inner().session.unwrap();

    assert_eq!(
        (ended.state(), ended.exit_signal),
        (SessionState::Terminated, Signal::KILL.as_raw())
    );
    assert_eq!(client.text(&session).await, "no\n");
}

#[tokio::test]
async fn a_program_that_hangs_in_c_or_is_stopped_by_the_system_is_ended_all_the_same() {
    let server = Server::start().await;
    let mut client = server.client().await;
    // A call into C that never gives the interpreter back.
    let program = Program::of(
        "import ctypes\nlibc = ctypes.PyDLL(None)\nprint('in', flush=True)  # @before\nlibc.sleep(1000)\n",
    );
    let session = client.stop_at(&program, "before").await;
    let process = program_of(&mut client, &session).await;
    let wait =
        Some(WaitOptions { timeout: Some(prost_types::Duration::default()), snapshot: None });
    let request = ContinueRequest { session_id: session.clone(), wait, ..Default::default() };
    client.execution.r#continue(request).await.unwrap();

    client.delete(&session).await;
    assert!(!is_alive(process));

    let session = client.stop_at(&Program::named("loop.py"), "add").await;
    let process = program_of(&mut client, &session).await;
    process.send(Signal::STOP);
    client.delete(&session).await;
    assert!(!is_alive(process));
}

#[tokio::test]
async fn a_killed_host_takes_the_whole_family_with_it() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let (session, processes) = family(&server, &mut client).await;

    server.host(&session).kill();

    wait_until_gone(&processes).await;
}

#[tokio::test]
async fn with_gateway_and_host_killed_nothing_is_left() {
    let mut server = Server::start().await;
    let mut client = server.client().await;
    let (session, processes) = family(&server, &mut client).await;
    let host = server.host(&session);

    server.kill();
    host.kill();

    wait_until_gone(&processes).await;
    wait_until_gone(&[host]).await;
}

#[tokio::test]
async fn a_killed_guard_takes_the_program_and_the_host_clears_up_the_rest() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let (session, processes) = family(&server, &mut client).await;
    let host = server.host(&session);

    guard_of(&processes, host).kill();

    wait_until_gone(&processes).await;
    let request = WaitForStopRequest { session_id: session.clone(), after_stop: 1, wait: None };
    let end = client.execution.wait_for_stop(request).await.unwrap().into_inner().outcome.unwrap();
    assert_eq!((end.state(), end.exit_signal), (SessionState::Exited, Signal::KILL.as_raw()));
    client.delete(&session).await;
    wait_until_gone(&[host]).await;
}

#[tokio::test]
async fn a_killed_program_is_an_exit_by_signal_and_delete_clears_up() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let (session, processes) = family(&server, &mut client).await;
    let host = server.host(&session);

    program_of(&mut client, &session).await.kill();
    let request = WaitForStopRequest { session_id: session.clone(), after_stop: 1, wait: None };
    let end = client.execution.wait_for_stop(request).await.unwrap().into_inner().outcome.unwrap();

    assert_eq!((end.state(), end.exit_signal), (SessionState::Exited, Signal::KILL.as_raw()));
    client.delete(&session).await;
    let left: Vec<_> =
        processes.iter().chain([&host]).filter(|process| is_alive(**process)).collect();
    assert_eq!(left, Vec::<&Process>::new());
}

#[tokio::test]
async fn a_host_that_hangs_is_killed_by_delete() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let (session, processes) = family(&server, &mut client).await;
    let host = server.host(&session);
    host.send(Signal::STOP);

    client.delete(&session).await;

    wait_until_gone(&processes).await;
    wait_until_gone(&[host]).await;
}

#[tokio::test]
async fn a_guard_that_its_own_program_has_stopped_is_cleared_up() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)\nprint('stopped it')  # @here\n",
    );
    let session = client.stop_at(&program, "here").await;
    let host = server.host(&session);
    let processes = children_of(host);

    client.delete(&session).await;

    let left: Vec<_> =
        processes.iter().chain([&host]).filter(|process| is_alive(**process)).collect();
    assert_eq!(left, Vec::<&Process>::new());
}

#[tokio::test]
async fn a_call_under_way_keeps_its_session_alive() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.short_lived().await;

    let slept = client.evaluate(&session, "__import__('time').sleep(3)").await.unwrap();

    assert_eq!(slept.value, "None");
}

#[tokio::test]
async fn a_session_that_nobody_calls_ends_by_itself() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.short_lived().await;
    let host = server.host(&session);
    let processes = children_of(host);

    wait_until_gone(&[host]).await;

    wait_until_gone(&processes).await;
    let ended = eventually("the session is over", async || {
        let session = client.session(&session).await.ok()?;
        (session.state() == SessionState::Terminated).then_some(session)
    })
    .await;
    assert!(ended.failure.contains("idle_timeout"), "{}", ended.failure);
}

#[tokio::test]
async fn a_session_that_somebody_watches_is_not_idle() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.short_lived().await;

    let request = ListEventsRequest {
        session_id: session.clone(),
        after_sequence: 1_000_000,
        wait: Some(prost_types::Duration { seconds: 3, nanos: 0 }),
        ..Default::default()
    };
    let watched = client.events.list_events(request).await;

    assert!(watched.is_ok(), "{watched:?}");
    assert_eq!(client.session(&session).await.unwrap().state(), SessionState::Stopped);
}

#[tokio::test]
async fn the_secret_of_a_program_is_in_no_command_line_and_strangers_are_turned_away() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;
    let host = server.host(&session);

    let lines: Vec<String> = children_of(host)
        .iter()
        .map(|process| std::fs::read_to_string(format!("/proc/{}/cmdline", process.0)).unwrap())
        .collect();
    assert!(lines.iter().all(|line| !line.contains("access-token")), "{lines:?}");
    let folder = server.run_dir().join("sessions").join(&session);
    assert!(!folder.join("launch.json").exists());

    let tables = std::fs::read_to_string(format!("/proc/{}/net/tcp", host.0)).unwrap();
    let ports = tables.lines().skip(1).filter_map(|line| {
        let fields: Vec<_> = line.split_whitespace().collect();
        let port = u16::from_str_radix(fields[1].split(':').nth(1)?, 16).ok()?;
        (fields[3] == "0A").then_some(port)
    });
    for port in ports {
        // Whoever does not prove itself is hung up on, or is no host of ours at all.
        if let Ok(mut stream) = std::net::TcpStream::connect(("127.0.0.1", port)) {
            use std::io::Write;
            let _ = stream.set_write_timeout(Some(Duration::from_secs(1)));
            let _ = stream.write_all(b"Content-Length: 2\r\n\r\n{}garbage");
        }
    }
    assert_eq!(client.session(&session).await.unwrap().processes.len(), 1);
    assert_eq!(client.evaluate(&session, "1 + 1").await.unwrap().value, "2");
}

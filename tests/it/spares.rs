//! Interpreters that wait for their programs: sessions get them, no program can tell, and none
//! outlives its server.

use debug_relay::proto::*;

use crate::support::{
    Client, Process, Program, Server, ServerOptions, children_of, eventually, is_alive,
    processes_that, wait_until_gone,
};

/// Tells all that a program can see of how it was started.
const MIRROR: &str = "\
import json, os, sys, threading
main = sys.modules['__main__']
print(json.dumps({
    'argv': sys.argv, 'cwd': os.getcwd(), 'path': sys.path, 'flags': str(sys.flags),
    'modules': sorted(name for name in sys.modules),
    'environment': {name: os.environ[name] for name in sorted(os.environ) if not name.startswith('DEBUG_RELAY')},
    'main': sorted(vars(main)), 'name': __name__, 'file': main.__dict__.get('__file__'),
    'leader': os.getpgrp() == os.getpid(), 'session': os.getsid(0) == os.getppid(),
    'stdin': sys.stdin.read(), 'ttys': [os.isatty(number) for number in range(3)],
    'descriptors': len(os.listdir('/proc/self/fd')),
    'threads': sorted(thread.name for thread in threading.enumerate()),
    'buffering': [sys.stdout.line_buffering, sys.stdout.write_through, sys.stdout.encoding],
    'umask': os.umask(0o22), 'executable': sys.executable, 'interval': sys.getswitchinterval(),
    'hooks': [sys.excepthook is sys.__excepthook__, sys.displayhook is sys.__displayhook__],
}))
";

fn with_spares(count: u32) -> ServerOptions {
    let environment = vec![("DEBUG_RELAY_LIMITS_SPARES".to_owned(), count.to_string())];
    ServerOptions { environment, ..Default::default() }
}

async fn spares(client: &mut Client) -> Spares {
    let info = client.server.get_info(GetInfoRequest {}).await.unwrap().into_inner();
    info.spares.unwrap()
}

async fn wait_for_spares(client: &mut Client, count: u32) {
    eventually("the spares are ready", async || {
        (spares(client).await.ready == count).then_some(())
    })
    .await;
}

fn processes_of(server: &Server) -> Vec<Process> {
    let folder = server.run_dir().join("spares").to_string_lossy().into_owned();
    processes_that(|words| words.contains(&folder))
}

fn mirror(program: &Program, target: Option<launch_config::Target>) -> LaunchConfig {
    let plain = program.launch();
    let cwd = program.path.parent().unwrap().to_string_lossy().into_owned();
    LaunchConfig {
        target: target.or(plain.target),
        args: vec!["--one".into(), "two words".into()],
        env: [("MIRROR".to_owned(), "ä \"quoted\"".to_owned())].into(),
        stdin: Some("typed".into()),
        cwd,
        ..Default::default()
    }
}

async fn printed(client: &mut Client, launch: LaunchConfig) -> serde_json::Value {
    let created = client.launch(launch, Vec::new()).await;
    let outcome = created.outcome.unwrap();
    assert_eq!(
        (outcome.state(), outcome.exit_code),
        (SessionState::Exited, Some(0)),
        "{outcome:?}"
    );
    let session_id = created.session.unwrap().id;
    let request = GetOutputRequest { session_id, max_bytes: 1 << 20, ..Default::default() };
    let page = client.output.get_output(request).await.unwrap().into_inner();
    let text: String = page.chunks.into_iter().map(|chunk| chunk.text).collect();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[tokio::test]
async fn a_program_cannot_tell_whether_its_interpreter_waited_for_it() {
    let cold = Server::start().await;
    let warm = Server::with(with_spares(1)).await;
    let (mut cold, mut warmed) = (cold.client().await, warm.client().await);
    let program = Program::of(MIRROR);
    let module = program.path.file_stem().unwrap().to_string_lossy().into_owned();
    let targets = [
        None,
        Some(launch_config::Target::Module(module)),
        Some(launch_config::Target::Code(MIRROR.into())),
    ];

    for (index, target) in targets.into_iter().enumerate() {
        wait_for_spares(&mut warmed, 1).await;
        let expected = printed(&mut cold, mirror(&program, target.clone())).await;
        let seen = printed(&mut warmed, mirror(&program, target)).await;

        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(&seen[name], value, "{name} of target {index}");
        }
        assert_eq!(spares(&mut warmed).await.taken, index as u64 + 1);
    }
}

#[tokio::test]
async fn a_session_with_a_spare_is_debugged_like_any_other() {
    let server = Server::with(with_spares(1)).await;
    let mut client = server.client().await;
    wait_for_spares(&mut client, 1).await;
    let program = Program::named("loop.py");

    let session = client.stop_at(&program, "add").await;

    assert_eq!(spares(&mut client).await.taken, 1);
    let folder = server.run_dir().join("sessions").join(&session);
    assert!(!folder.join("launch-1.json").exists(), "the secret is on disk");
    let shown = client.session(&session).await.unwrap();
    assert!(shown.processes[0].name.ends_with("loop.py"), "{shown:?}");
    let children = children_of(server.host(&session));
    assert_eq!(client.step_over(&session).await.state(), SessionState::Stopped);
    // The same program again needs no spare.
    let request = RestartRequest { session_id: session.clone(), ..Default::default() };
    let again = client.sessions.restart(request).await.unwrap().into_inner().outcome.unwrap();
    assert_eq!(again.state(), SessionState::Stopped);
    client.delete(&session).await;
    wait_until_gone(&children).await;
    // Another one waits by then, or will.
    wait_for_spares(&mut client, 1).await;
}

#[tokio::test]
async fn a_crash_of_a_program_with_a_spare_stops_it() {
    let server = Server::with(with_spares(1)).await;
    let mut client = server.client().await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("broken.py"), "def f(x):\n    return 1 / x\n\nf(0)\n")
        .unwrap();
    let targets = [
        launch_config::Target::Program(
            folder.path().join("broken.py").to_string_lossy().into_owned(),
        ),
        launch_config::Target::Module("broken".into()),
        launch_config::Target::Code("def f(x):\n    return 1 / x\n\nf(0)\n".into()),
    ];
    for (index, target) in targets.into_iter().enumerate() {
        wait_for_spares(&mut client, 1).await;
        let cwd = folder.path().to_string_lossy().into_owned();
        let launch = LaunchConfig { target: Some(target.clone()), cwd, ..Default::default() };

        let outcome = client.launch(launch, Vec::new()).await.outcome.unwrap();

        let stop = outcome.stop.unwrap_or_else(|| panic!("{target:?} did not stop"));
        assert_eq!(stop.exception.unwrap().r#type, "ZeroDivisionError", "{target:?}");
        assert_eq!(stop.location.unwrap().function, "f", "{target:?}");
        assert_eq!(spares(&mut client).await.taken, index as u64 + 1);
    }
}

#[tokio::test]
async fn what_a_spare_cannot_do_is_started_anew() {
    let server = Server::with(with_spares(1)).await;
    let mut client = server.client().await;
    let program = Program::of(
        "import os, sys\nprint(sys.flags.optimize, os.environ.get('PYTHONHASHSEED'))\n",
    );
    let optimized = LaunchConfig { python_args: vec!["-O".into()], ..program.launch() };
    let seeded = LaunchConfig {
        env: [("PYTHONHASHSEED".to_owned(), "7".to_owned())].into(),
        ..program.launch()
    };

    for (launch, text) in [(optimized, "1 None\n"), (seeded, "0 7\n")] {
        wait_for_spares(&mut client, 1).await;
        let outcome = client.launch(launch, Vec::new()).await.outcome.unwrap();

        assert_eq!(outcome.exit_code, Some(0));
        assert_eq!(outcome.output.unwrap().text, text);
    }
}

#[tokio::test]
async fn a_spare_that_was_killed_is_passed_over_and_replaced() {
    let server = Server::with(with_spares(1)).await;
    let mut client = server.client().await;
    wait_for_spares(&mut client, 1).await;
    let spare = processes_of(&server);
    assert!(!spare.is_empty());
    spare.iter().for_each(|process| process.kill());
    wait_until_gone(&spare).await;

    let session = client.stop_at(&Program::named("loop.py"), "add").await;

    wait_for_spares(&mut client, 1).await;
    client.delete(&session).await;
}

#[tokio::test]
async fn a_spare_whose_interpreter_died_ends_and_is_replaced() {
    let server = Server::with(with_spares(1)).await;
    let mut client = server.client().await;
    wait_for_spares(&mut client, 1).await;
    let before = children_of(Process::of(server.pid()));
    // A host, its guard and the interpreter.
    assert_eq!(before.len(), 3);

    before[2].kill();

    let after = eventually("another waits", async || {
        let now = children_of(Process::of(server.pid()));
        (now.len() == 3 && !now.contains(&before[0])).then_some(now)
    })
    .await;
    assert!(!before.iter().any(|process| after.contains(process) || is_alive(*process)));
}

#[tokio::test]
async fn spares_end_with_their_server_however_it_ends() {
    for is_killed in [true, false] {
        let mut server = Server::with(with_spares(2)).await;
        let mut client = server.client().await;
        wait_for_spares(&mut client, 2).await;
        let spares = processes_of(&server);
        assert!(4 <= spares.len() && spares.iter().all(|process| is_alive(*process)), "{spares:?}");

        match is_killed {
            true => server.kill(),
            false => drop(server.end_by(rustix::process::Signal::TERM)),
        }

        wait_until_gone(&spares).await;
        server.start_again();
    }
}

#[tokio::test]
async fn spares_that_nobody_needs_for_a_while_go() {
    let mut options = with_spares(1);
    options.environment.push(("DEBUG_RELAY_LIMITS_SPARE_IDLE".into(), "1s".into()));
    let server = Server::with(options).await;
    let mut client = server.client().await;

    eventually("there is no spare", async || {
        let is_idle = spares(&mut client).await.ready == 0 && processes_of(&server).is_empty();
        is_idle.then_some(())
    })
    .await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;
    assert_eq!(spares(&mut client).await.missed, 1);
    client.delete(&session).await;
}

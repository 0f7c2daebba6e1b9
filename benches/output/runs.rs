//! One turn of each kind: the program runs from its start to its end.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use debug_relay::proto::*;

use crate::support::direct::{DirectProgram, Start};
use crate::support::server::Server;
use crate::support::{self, Tools, processes};
use crate::{Kind, LINE, LINES, Manner, Options, Run, name, reader};

/// No program writes for longer.
const LIMIT: prost_types::Duration = prost_types::Duration { seconds: 600, nanos: 0 };

pub fn run(tools: &Tools, options: &Options, kind: Kind, manner: Manner) -> Run {
    // On the disk, where the figures of files are those that people see.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let report = folder.path().join("report");
    let arguments =
        [name(manner), options.blocks().to_string(), report.to_string_lossy().into_owned()];
    match kind {
        Kind::File | Kind::FileBuffered => {
            let is_unbuffered = kind == Kind::File;
            to_file(tools, options, folder.path(), &arguments, is_unbuffered)
        }
        Kind::Pipe => to_pipe(tools, &arguments, &report),
        Kind::Relay | Kind::RelayReader | Kind::RelayStalled => {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let through = through_relay(tools, options, (kind, manner), &arguments, &report);
            runtime.expect("a runtime").block_on(through)
        }
    }
}

fn program() -> PathBuf {
    support::folder("output").join("program.py")
}

fn writing(report: &Path) -> Duration {
    let text = std::fs::read_to_string(report).expect("the program's own report");
    Duration::from_secs_f64(text.parse().expect("seconds"))
}

fn to_file(
    tools: &Tools,
    options: &Options,
    folder: &Path,
    arguments: &[String],
    is_unbuffered: bool,
) -> Run {
    let path = folder.join("output");
    let stdout = Stdio::from(std::fs::File::create(&path).expect("a file"));
    let run = directly(tools, arguments, stdout, is_unbuffered, &folder.join("report"));

    let length = std::fs::metadata(&path).expect("a file").len();
    assert_eq!(length, (options.blocks() * LINES * LINE) as u64, "the file");
    run
}

fn to_pipe(tools: &Tools, arguments: &[String], report: &Path) -> Run {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    let mut sink = Command::new("cat").stdin(reader).stdout(Stdio::null()).spawn().expect("cat");

    let run = directly(tools, arguments, writer.into(), true, report);

    sink.wait().expect("its end");
    run
}

/// Under debugpy, and without any relay.
fn directly(
    tools: &Tools,
    arguments: &[String],
    stdout: Stdio,
    is_unbuffered: bool,
    report: &Path,
) -> Run {
    let program = program();

    let begun = Instant::now();
    let start = Start { program: &program, arguments, stdout, is_unbuffered };
    let mut running = DirectProgram::start(tools, start);
    running.client.run();
    let ended = running.process.wait().expect("its end");
    let whole = begun.elapsed();

    assert!(ended.success(), "{ended}");
    Run { writing: writing(report), whole, reading: None, missed: None, peaks: None }
}

async fn through_relay(
    tools: &Tools,
    options: &Options,
    (kind, manner): (Kind, Manner),
    arguments: &[String],
    report: &Path,
) -> Run {
    // A server for this turn alone, so that its peak is that of this turn.
    let server = Server::start(tools, &options.server, 10);
    let caller = server.caller().await;
    let total = (options.blocks() * LINES * LINE) as u64;
    let program = program();
    let root = support::folder("output").to_string_lossy().into_owned();
    let request = CreateSessionRequest { project_root: root, ..Default::default() };
    let created = caller.sessions().create_session(caller.request(request)).await;
    let session = created.expect("a session").into_inner().session.expect("a session").id;
    let mut stalled = Vec::new();
    if kind == Kind::RelayStalled {
        for _ in 0..options.stalled {
            // A connection each, as callers have who know nothing of one another.
            let caller = server.caller().await;
            stalled.push((reader::begin(&caller, &session).await, caller));
        }
    }
    let stream = match kind {
        Kind::RelayReader => Some(reader::begin(&server.caller().await, &session).await),
        _ => None,
    };
    let target = Some(launch_config::Target::Program(program.to_string_lossy().into_owned()));
    let launch = LaunchConfig { target, args: arguments.to_vec(), ..Default::default() };
    let request = caller.request(LaunchRequest {
        session_id: session.clone(),
        launch: Some(launch),
        wait: Some(WaitOptions { timeout: Some(LIMIT), snapshot: None }),
    });
    let mut sessions = caller.sessions();

    let begun = Instant::now();
    let reading = async {
        match stream {
            Some(stream) => Some(reader::read_all(stream, total, begun).await),
            None => None,
        }
    };
    let launching = async { (sessions.launch(request).await, begun.elapsed()) };
    let (reading, (launched, whole)) = tokio::join!(reading, launching);

    let outcome = launched.expect("a program").into_inner().outcome.expect("an outcome");
    assert_eq!(outcome.state(), SessionState::Exited, "{outcome:?}");
    reader::check_end(&caller, &session, total).await;
    if kind == Kind::RelayReader && manner == Manner::Lines {
        assert_eq!(reading.map(|(_, missed)| missed), Some(0), "what a reader missed who keeps up");
    }
    let peaks = [processes::peak(server.host(&session)), processes::peak(server.pid())];
    drop(stalled);
    let (reading, missed) = reading.unzip();
    Run { writing: writing(report), whole, reading, missed, peaks: Some(peaks) }
}

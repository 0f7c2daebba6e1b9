//! Programs that were started by somebody else: the debugger is put into them, or dialled, or waited
//! for.

use std::process::Stdio;
use std::time::Duration;

use rustix::process::Pid;
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;

use super::dialler::Family;
use super::{dial, os};
use crate::adapters::{debugpy, inject, locate};
use crate::error::{Error, Result};
use crate::session::{Entrance, ProgramCommand};

/// Any program tells its version within this.
const VERSION_LIMIT: Duration = Duration::from_secs(5);
/// Putting the debugger into a process takes gdb some seconds.
const INJECT_LIMIT: Duration = Duration::from_secs(60);
/// An endpoint that is there answers within this.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);
/// A process that has closed its connection at its end is gone within this.
const LAST_BREATH: Duration = Duration::from_secs(2);
/// Lines of a failed injection that tell something, and how long such a line is at most.
const TELLING: [&str; 4] = ["ptrace", "not permitted", "No such process", "Could not attach"];
const MAX_WORDS: usize = 200;

/// Runs the command that puts the debugger into process `pid`; says what went wrong.
pub async fn inject(pid: u32, command: ProgramCommand) -> std::result::Result<(), String> {
    let number = i32::try_from(pid).ok().and_then(Pid::from_raw);
    match number.map(rustix::process::test_kill_process) {
        Some(Ok(())) => {}
        Some(Err(rustix::io::Errno::PERM)) => {
            return Err(format!("process {pid} belongs to another user"));
        }
        Some(Err(_)) | None => return Err(format!("there is no process {pid}")),
    }
    let injector = tools().await.choose();
    let injector = injector.map_err(|(problem, remedy)| {
        format!("{problem}; {remedy}, or start the program with `debugpy --listen`")
    })?;
    let Some((python, arguments)) = command.words.split_first() else {
        return Err("there is no interpreter".into());
    };
    let launcher = Command::new(python)
        .args(arguments)
        .arg(injector.kind)
        .arg(&injector.path)
        .current_dir(&command.cwd)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| error.to_string())?;
    let ended = tokio::time::timeout(INJECT_LIMIT, launcher.wait_with_output()).await;
    let output = ended
        .map_err(|_| format!("the debugger was not put into process {pid} in {INJECT_LIMIT:?}"))?
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    // What was to be run in the process is among the words, and the secret in it.
    let words = said.lines().map(str::trim).filter(|line| line.len() < MAX_WORDS);
    let words = words.filter(|line| !line.contains(['[', '{']));
    let mut told = words.filter(|line| TELLING.iter().any(|word| line.contains(word)));
    let told = told.next_back();
    let kind = injector.kind;
    let told = told.map(str::to_owned).unwrap_or_else(|| {
        format!("{kind} could not do it; is it a Python, and may it be traced?")
    });
    Err(format!("the debugger could not be put into process {pid}: {told}"))
}

/// What there is to do it with.
async fn tools() -> inject::Tools {
    let mut tools = inject::Tools {
        gdb: locate::on_path("gdb"),
        gdb_says: String::new(),
        lldb: locate::on_path("lldb"),
        processors: std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default(),
    };
    if let Some(gdb) = &tools.gdb {
        let asked = Command::new(gdb)
            .arg("--version")
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .output();
        if let Ok(Ok(output)) = tokio::time::timeout(VERSION_LIMIT, asked).await {
            tools.gdb_says = String::from_utf8_lossy(&output.stdout).into_owned();
        }
    }
    tools
}

/// Takes a process for one session alone, until the file is dropped: a process has one debugger, and
/// a second one would take it from the first.
pub fn claim(pid: u32, command: &ProgramCommand) -> std::result::Result<std::fs::File, String> {
    let process = i32::try_from(pid).ok().and_then(Pid::from_raw);
    if process.is_some_and(|pid| os::command_line(pid).contains(debugpy::LAUNCHER_NAME)) {
        return Err(format!("process {pid} is the program of another session"));
    }
    // The sessions' folders stand beside each other.
    let sessions = command.cwd.parent().ok_or("the session has no folder")?;
    let folder = sessions.with_file_name("attached");
    let taken = std::fs::create_dir_all(&folder).and_then(|()| {
        let file = std::fs::File::create(folder.join(pid.to_string()))?;
        let alone = rustix::fs::FlockOperation::NonBlockingLockExclusive;
        rustix::fs::flock(&file, alone)?;
        Ok(file)
    });
    taken.map_err(|error| match error.kind() {
        std::io::ErrorKind::WouldBlock => format!("another session is attached to process {pid}"),
        _ => format!("process {pid} cannot be claimed: {error}"),
    })
}

/// Dials a debugger that listens.
pub async fn reach(entrance: Entrance, host: String, port: u16) -> Result<()> {
    let dialled = TcpStream::connect((host.as_str(), port));
    let stream = match tokio::time::timeout(CONNECT_LIMIT, dialled).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => {
            return Err(Error::AttachFailed {
                problem: format!("nobody answers at {host}:{port}: {error}"),
            });
        }
        Err(_) => {
            let problem = format!("nobody answered at {host}:{port} within {CONNECT_LIMIT:?}");
            return Err(Error::AttachFailed { problem });
        }
    };
    dial::join(stream, entrance).map_err(Error::internal)
}

/// Waits for programs that dial this address.
pub async fn welcome(entrance: Entrance, host: String, port: u16, family: Family) -> Result<()> {
    let listener = TcpListener::bind((host.as_str(), port)).await.map_err(|error| {
        Error::AttachFailed { problem: format!("cannot listen on {host}:{port}: {error}") }
    })?;
    tokio::spawn(dial::welcome(listener, None, entrance, family));
    Ok(())
}

/// Whether a process that closed its connection lives on without us.
pub async fn outlives(pid: u32) -> bool {
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return false };
    tokio::time::timeout(LAST_BREATH, os::wait_for_process(pid)).await.is_err()
}

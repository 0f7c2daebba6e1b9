//! How the process of a host is started, and what is written down before.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStdout, Command};

use super::hosts::Asker;
use crate::archive::Archive;
use crate::host::{self, HostOptions};
use crate::id::SessionId;
use crate::store::{self, RECORD_VERSION, SessionRecord};

const READY_LIMIT: Duration = Duration::from_secs(20);

/// This very program. What a service manager has told the server is nobody else's business.
pub fn host_command() -> Command {
    let mut command = Command::new(host::own_executable());
    command.arg0("debug-relay");
    for name in ["NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES", "WATCHDOG_USEC"] {
        command.env_remove(name);
    }
    command
}

/// Starts a host for a session, and returns when it answers.
pub async fn start_cold(
    options: &HostOptions,
    log: &Path,
) -> std::io::Result<(Child, BufReader<ChildStdout>)> {
    let mut child = host_command()
        .args(["host", "--session-id", &options.session_id, "--owner", &options.owner])
        .arg("--folder")
        .arg(&options.folder)
        .arg("--archive")
        .arg(&options.archive)
        .arg("--state-dir")
        .arg(&options.state_dir)
        .arg("--debugpy")
        .arg(&options.debugpy)
        .arg("--python")
        .arg(&options.python)
        .args(options.rules.arguments()?)
        .args(options.logs.arguments())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(locked_log(log)?)
        .spawn()?;
    let Some(stdout) = child.stdout.take() else {
        return Err(std::io::ErrorKind::BrokenPipe.into());
    };
    let mut words = BufReader::new(stdout);
    let mut line = String::new();
    let ready = tokio::time::timeout(READY_LIMIT, words.read_line(&mut line)).await;
    if ready.is_err() || line.trim() != host::READY {
        let _ = child.kill().await;
        let log = std::fs::read_to_string(log).unwrap_or_default();
        return Err(std::io::Error::other(format!("it did not come up: {}", log.trim())));
    }
    Ok((child, words))
}

/// The log of a host, which has it as its standard error, and nobody else: while it lives, the file is
/// locked.
pub fn locked_log(path: &Path) -> std::io::Result<std::fs::File> {
    let log = std::fs::File::create(path)?;
    rustix::fs::flock(&log, rustix::fs::FlockOperation::NonBlockingLockExclusive)?;
    Ok(log)
}

/// Writes down that there is to be a session.
pub fn note_beginning(archive: &Archive, id: &SessionId, asker: &Asker) -> std::io::Result<()> {
    std::fs::create_dir_all(archive.folder())?;
    let record = SessionRecord {
        version: RECORD_VERSION,
        id: id.to_string(),
        owner: asker.owner.clone(),
        request_id: asker.request_id.clone(),
        created_unix_ms: store::unix_ms(SystemTime::now()),
        ..Default::default()
    };
    record.write(archive.folder())
}

//! A server in the background, for whoever just wants to debug: started when none runs, and ended on
//! demand. It is a plain `debug-relay serve` with the same settings.

use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use super::failure::{Failure, NO_SERVER, Result};
use crate::config::{self, Config};
use crate::store::ServerFile;

/// A server that adopts many sessions takes its time.
const START_LIMIT: Duration = Duration::from_secs(30);
/// It waits for calls under way, and ends its spares.
const END_LIMIT: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(10);

/// Whether the server that left this word runs. One that was killed may be a zombie for a while, and
/// another process may have its number.
pub fn is_alive(file: &ServerFile) -> bool {
    let Some(pid) = pid(file) else { return false };
    if !Path::new("/proc/self").exists() {
        return rustix::process::test_kill_process(pid).is_ok();
    }
    // Not somebody else's who has waited for the number.
    let users = [0, rustix::process::geteuid().as_raw()];
    let facts = std::fs::metadata(format!("/proc/{}", file.pid));
    if !facts.is_ok_and(|facts| users.contains(&facts.uid())) {
        return false;
    }
    // A zombie has no command line.
    let words = std::fs::read(format!("/proc/{}/cmdline", file.pid)).unwrap_or_default();
    words.split(|byte| *byte == 0).any(|word| word == b"serve")
}

fn pid(file: &ServerFile) -> Option<Pid> {
    Pid::from_raw(i32::try_from(file.pid).ok()?)
}

/// A server that was started here.
pub struct Started {
    pub file: ServerFile,
    pub log: PathBuf,
}

/// Starts a server that outlives this command, and returns when it answers.
pub async fn start(config: &Config) -> Result<Started> {
    let failed = |problem: String| {
        Failure::new(
            NO_SERVER,
            format!("no server runs, and none could be started: {problem}"),
            "debug-relay doctor tells what is wrong",
        )
    };
    config::make_private(&config.state_dir).map_err(&failed)?;
    let log = config.state_dir.join("server.log");
    let output = std::fs::File::create(&log)
        .map_err(|error| failed(format!("{}: {error}", log.display())))?;
    let mut child = spawn(output).map_err(|error| failed(error.to_string()))?;
    let deadline = Instant::now() + START_LIMIT;
    loop {
        // Another command may have started one at the same moment; then that is the one.
        if let Ok(file) = ServerFile::read(&config.run_dir)
            && is_alive(&file)
        {
            return Ok(Started { file, log });
        }
        let has_ended = !matches!(child.try_wait(), Ok(None));
        if has_ended || deadline <= Instant::now() {
            let said = std::fs::read_to_string(&log).unwrap_or_default();
            let said = said.trim().lines().last().unwrap_or("it says nothing");
            let said = said.strip_prefix("debug-relay: ").unwrap_or(said);
            return Err(failed(format!("{said} (its log is {})", log.display())));
        }
        tokio::time::sleep(PAUSE).await;
    }
}

fn spawn(output: std::fs::File) -> std::io::Result<Child> {
    let errors = output.try_clone()?;
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("serve").stdin(Stdio::null()).stdout(output).stderr(errors);
    // A group of its own: Ctrl-C at this terminal is not for the server.
    command.process_group(0).spawn()
}

/// Ends the server of this run folder; false if there is none.
pub async fn end(config: &Config) -> Result<bool> {
    let file = ServerFile::read(&config.run_dir).ok().filter(is_alive);
    let Some((file, pid)) =
        file.and_then(|file| Some((pid(&file)?, file))).map(|(pid, file)| (file, pid))
    else {
        return Ok(false);
    };
    let failed =
        |problem: String| Failure::new(NO_SERVER, problem, format!("run: kill {}", file.pid));
    rustix::process::kill_process(pid, Signal::TERM)
        .map_err(|error| failed(format!("the server cannot be told to end: {error}")))?;
    let deadline = Instant::now() + END_LIMIT;
    while is_alive(&file) {
        if deadline <= Instant::now() {
            return Err(failed("the server was told to end, and still runs".into()));
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(true)
}

//! The life of a host process: come up, say so, serve the one session, leave nothing behind.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::net::UnixListener;

use super::processes::GuardedPrograms;
use super::spare::Spare;
use super::{dial, door, lifetime, os};
use crate::api;
use crate::id::{self, SessionId};
use crate::limits::{self, Limits};
use crate::session::{Room, Settings};

/// What the host prints when its socket answers.
pub const READY: &str = "ready";

/// Calls that are under way when the session is deleted have this long to end.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, clap::Args, Serialize, Deserialize)]
pub struct HostOptions {
    /// The session's id.
    #[arg(long)]
    pub session_id: String,
    /// The session's folder; the socket is made in it.
    #[arg(long)]
    pub folder: PathBuf,
    /// The folder in which the story of the session is kept.
    #[arg(long)]
    pub archive: PathBuf,
    /// Whose session it is.
    #[arg(long)]
    pub owner: String,
    /// Where the breakpoints of projects are kept.
    #[arg(long)]
    pub state_dir: PathBuf,
    /// The folder that holds the debugpy package.
    #[arg(long)]
    pub debugpy: PathBuf,
    /// The interpreter for launches that name none.
    #[arg(long)]
    pub python: PathBuf,
    /// What the server allows, as JSON.
    #[arg(long, value_parser = read_limits)]
    pub limits: Limits,
}

pub fn read_limits(text: &str) -> serde_json::Result<Limits> {
    serde_json::from_str(text)
}

/// Runs until the session is over and forgotten. `spare` is an interpreter for its first program.
pub async fn run(options: HostOptions, spare: Option<Spare>) -> std::io::Result<()> {
    limits::set(options.limits);
    os::name_process();
    os::adopt_orphans()?;
    let id = SessionId::parse(&options.session_id).map_err(std::io::Error::other)?;
    let listener = UnixListener::bind(options.folder.join("host.sock"))?;
    let (dial_listener, dial_port) = dial::listen().await?;
    let dial_secret = id::random_secret().map_err(std::io::Error::other)?;
    let room = Arc::new(Room::new(
        Settings {
            id,
            folder: options.folder.clone(),
            archive: options.archive,
            owner: options.owner,
            state_dir: options.state_dir,
            debugpy: options.debugpy,
            default_python: options.python,
            dial_port,
            dial_secret: dial_secret.clone(),
        },
        Arc::new(GuardedPrograms::new(spare)),
    ));

    tokio::spawn({
        let room = Arc::clone(&room);
        async move {
            if let Some(occupant) = room.occupied().await {
                dial::welcome(dial_listener, Some(dial_secret), occupant.session.entrance()).await;
            }
        }
    });
    tokio::spawn(lifetime::watch(Arc::clone(&room)));
    tokio::spawn(lifetime::count_processes(Arc::clone(&room)));
    tokio::spawn(lifetime::end_when_told(Arc::clone(&room)));
    announce();

    let closing = {
        let room = Arc::clone(&room);
        async move { room.closing().await }
    };
    let serving = door::serve(listener, api::services(Arc::clone(&room)), closing);
    tokio::select! {
        () = serving => {}
        // A stream that somebody still reads must not keep a deleted session alive.
        () = async { room.closing().await; tokio::time::sleep(LAST_ANSWERS).await } => {}
    }
    // A guard that was stopped by its own program cannot clear up; whatever is left is ours, unless
    // it was let go.
    if !room.let_go() {
        let _ = tokio::task::spawn_blocking(os::kill_descendants).await;
    }
    room.leave().await;
    std::fs::remove_dir_all(&options.folder)
}

/// The gateway waits for this line; it may be gone already.
pub fn announce() {
    use std::io::Write;
    let mut out = std::io::stdout();
    let _ = writeln!(out, "{READY}").and_then(|()| out.flush());
}

//! The life of a host process: come up, say so, serve the one session, leave nothing behind.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::net::UnixListener;

use super::dialler::Family;
use super::processes::GuardedPrograms;
use super::spare::Spare;
use super::{dial, door, lifetime, os};
use crate::api;
use crate::confines::{self, Confines};
use crate::id::{self, SessionId};
use crate::limits::{self, Limits};
use crate::session::{Room, Settings};
use crate::telemetry::{self, LogOptions};

/// What the host prints when its socket answers.
pub const READY: &str = "ready";

/// Calls that are under way when the session is deleted have this long to end.
const LAST_ANSWERS: Duration = Duration::from_secs(2);
/// Processes that a program started just before it was left have this long to come by.
const LATE_LIMIT: Duration = Duration::from_secs(2);

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
    #[command(flatten)]
    pub rules: Rules,
    #[command(flatten)]
    #[serde(default)]
    pub logs: LogOptions,
}

/// What the server's settings say to every host.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize)]
pub struct Rules {
    /// What the server allows, as JSON.
    #[arg(long, value_parser = read_json::<Limits>)]
    pub limits: Limits,
    /// Where programs may be and what may run them, as JSON.
    #[arg(long, value_parser = read_json::<Confines>)]
    #[serde(default)]
    pub confines: Confines,
}

impl Rules {
    /// Those of this process, for hosts that it starts.
    pub fn own() -> Self {
        Self { limits: limits::get().clone(), confines: confines::get().clone() }
    }

    /// Makes them those of this process.
    pub fn hold(&self) {
        limits::set(self.limits.clone());
        confines::set(self.confines.clone());
    }

    /// As the arguments of a host.
    pub fn arguments(&self) -> serde_json::Result<[String; 4]> {
        let (limits, confines) =
            (serde_json::to_string(&self.limits)?, serde_json::to_string(&self.confines)?);
        Ok(["--limits".into(), limits, "--confines".into(), confines])
    }
}

fn read_json<T: serde::de::DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    serde_json::from_str(text)
}

/// Runs until the session is over and forgotten. `spare` is an interpreter for its first program.
pub async fn run(options: HostOptions, spare: Option<Spare>) -> std::io::Result<()> {
    options.rules.hold();
    // One that has waited may log by older words.
    if let Some(filter) = &options.logs.log {
        let _ = telemetry::set_filter(filter);
    }
    // Held for the whole life of the only thread, so that every line of the log names the session.
    let _named = tracing::error_span!("session", id = options.session_id).entered();
    os::name_process();
    os::adopt_orphans()?;
    let id = SessionId::parse(&options.session_id).map_err(std::io::Error::other)?;
    let listener = UnixListener::bind(options.folder.join("host.sock"))?;
    let (dial_listener, dial_port) = dial::listen().await?;
    let dial_secret = id::random_secret().map_err(std::io::Error::other)?;
    let family = Family::default();
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
        Arc::new(GuardedPrograms::new(spare, family.clone())),
    ));

    tokio::spawn({
        let (room, family) = (Arc::clone(&room), family.clone());
        async move {
            if let Some(occupant) = room.occupied().await {
                let entrance = occupant.session.entrance();
                dial::welcome(dial_listener, Some(dial_secret), entrance, family).await;
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
    let late = async {
        family.nobody_comes().await;
        room.calmed().await;
    };
    let _ = tokio::time::timeout(LATE_LIMIT, late).await;
    room.leave().await;
    std::fs::remove_dir_all(&options.folder)
}

/// The gateway waits for this line; it may be gone already.
pub fn announce() {
    use std::io::Write;
    let mut out = std::io::stdout();
    let _ = writeln!(out, "{READY}").and_then(|()| out.flush());
}

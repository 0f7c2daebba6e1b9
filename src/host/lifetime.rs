//! When a host ends by itself: nobody made the session, nobody calls it any more, its program grows
//! beyond its limits, or a signal says so.

use std::sync::Arc;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};

use super::os;
use crate::limits;
use crate::proto::SessionState;
use crate::session::{Closed, Occupant, OwnerLoss, Room};

/// A gateway that starts a host calls it at once; one that dies in between never does.
const CREATION_LIMIT: Duration = Duration::from_secs(60);
/// How soon a program without an owner is let run on when it stops.
const UNOWNED_INTERVAL: Duration = Duration::from_millis(200);
/// How often the processes of a program that runs are counted.
const COUNT_INTERVAL: Duration = Duration::from_secs(1);
/// The same while they are few: the whole process table is read for it.
const CALM_INTERVAL: Duration = Duration::from_secs(5);

/// Ends the session when it has been idle for its time, and does what it says when its owner is gone.
pub async fn watch(room: Arc<Room>) {
    let Ok(Some(occupant)) = tokio::time::timeout(CREATION_LIMIT, room.occupied()).await else {
        tracing::warn!("no session was made here in time");
        return room.close(Closed::Forgotten);
    };
    let why = until_given_up(&occupant).await;
    occupant.session.end_because(why).await;
    room.close(Closed::Kept);
}

/// Returns when nobody wants the session any more, with why it is to end.
async fn until_given_up(occupant: &Occupant) -> String {
    let Occupant { session, idle_timeout, lease, .. } = occupant;
    loop {
        if session.is_watched() {
            session.touch();
        }
        let idle = session.idle();
        if *idle_timeout <= idle {
            return format!("nobody called for its idle_timeout of {idle_timeout:?}");
        }
        let mut pause = *idle_timeout - idle;
        match lease {
            Some(lease) if idle < lease.time => pause = pause.min(lease.time - idle),
            Some(lease) => match lease.then {
                OwnerLoss::Terminate => {
                    return format!("nobody called for its lease of {:?}", lease.time);
                }
                OwnerLoss::Resume => {
                    pause = pause.min(UNOWNED_INTERVAL);
                    if session.state() == SessionState::Stopped {
                        session.run_on().await;
                    }
                }
            },
            None => {}
        }
        tokio::time::sleep(pause).await;
    }
}

/// Ends a program that has started too many processes. Counted while it runs, so that sessions that
/// stand cost nothing.
pub async fn count_processes(room: Arc<Room>) {
    let limit = limits::get().processes;
    if limit == 0 {
        return;
    }
    let Some(Occupant { session, .. }) = room.occupied().await else { return };
    let mut pause = COUNT_INTERVAL;
    loop {
        session.running().await;
        tokio::time::sleep(pause).await;
        let counted = tokio::task::spawn_blocking(|| os::descendants_of(rustix::process::getpid()));
        // The guard is ours.
        let count = counted.await.map_or(0, |found| found.len().saturating_sub(1));
        pause = if count * 4 < limit { CALM_INTERVAL } else { COUNT_INTERVAL };
        if limit < count {
            let why = format!(
                "its program had {count} processes, and the limit `limits.processes` is {limit}"
            );
            session.end_program_because(why).await;
        }
    }
}

/// SIGTERM ends the session; what happened in it can still be read.
pub async fn end_when_told(room: Arc<Room>) {
    let Ok(mut terminate) = signal(SignalKind::terminate()) else { return };
    terminate.recv().await;
    let session = room.peek(room.settings().id.as_str());
    if let Ok(session) = session {
        session.end_because("the server ended it (SIGTERM to its host)".into()).await;
    }
    room.close(Closed::Kept);
}

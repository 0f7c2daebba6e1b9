//! When a host ends by itself: nobody made the session, nobody calls it any more, or a signal says so.

use std::sync::Arc;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};

use crate::session::Room;

/// A gateway that starts a host calls it at once; one that dies in between never does.
const CREATION_LIMIT: Duration = Duration::from_secs(60);

/// Ends the session when it has been idle for its time.
pub async fn watch(room: Arc<Room>) {
    let Ok(Some(occupant)) = tokio::time::timeout(CREATION_LIMIT, room.occupied()).await else {
        tracing::warn!("no session was made here in time");
        return room.close();
    };
    loop {
        if occupant.session.is_watched() {
            occupant.session.touch();
        }
        let idle = occupant.session.idle();
        let Some(left) = occupant.idle_timeout.checked_sub(idle).filter(|left| !left.is_zero())
        else {
            break;
        };
        tokio::time::sleep(left).await;
    }
    tracing::info!(idle_timeout = ?occupant.idle_timeout, "nobody has called: the session ends");
    occupant.session.shut_down().await;
    room.close();
}

/// SIGTERM ends the session as DeleteSession does.
pub async fn end_when_told(room: Arc<Room>) {
    let Ok(mut terminate) = signal(SignalKind::terminate()) else { return };
    terminate.recv().await;
    tracing::info!("told to end by SIGTERM");
    let session = room.session(room.settings().id.as_str());
    if let Ok(session) = session {
        session.shut_down().await;
    }
    room.close();
}

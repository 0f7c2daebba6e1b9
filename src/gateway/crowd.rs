//! All connections, counted. When there are as many as there may be, one that nobody has proved
//! themselves on makes room for the next: whoever only connects keeps nobody out.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio_util::sync::CancellationToken;

use crate::auth::Peer;

/// Calls without a token that a stranger may have at once on one connection.
pub const MAX_OPEN_CALLS: usize = 16;

/// The connections of a server.
#[derive(Clone)]
pub struct Crowd(Arc<Inner>);

struct Inner {
    limit: usize,
    state: Mutex<State>,
    refused: AtomicU64,
    displaced: AtomicU64,
}

#[derive(Default)]
struct State {
    count: usize,
    /// Oldest first; some have proved themselves since, or are gone.
    unproved: VecDeque<Weak<Place>>,
}

/// A connection's place in the crowd.
pub struct Place {
    is_proved: AtomicBool,
    /// It must make room.
    pub leave: CancellationToken,
    crowd: Arc<Inner>,
}

/// What every call knows of the connection that it came on.
pub struct Arrival {
    pub peer: Peer,
    place: Arc<Place>,
    /// Calls under way that need no token.
    open_calls: Arc<AtomicUsize>,
}

/// A call that needs no token, while it is under way.
pub struct OpenCall(Arc<AtomicUsize>);

impl Drop for OpenCall {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Arrival {
    pub fn new(peer: Peer, place: Arc<Place>) -> Self {
        Self { peer, place, open_calls: Arc::default() }
    }

    /// Begins a call that needs no token. A stranger may have only a few at once.
    pub fn begin_open_call(&self) -> Option<OpenCall> {
        let before = self.open_calls.fetch_add(1, Ordering::Relaxed);
        let call = OpenCall(Arc::clone(&self.open_calls));
        (self.place.is_proved() || before < MAX_OPEN_CALLS).then_some(call)
    }

    /// Somebody who may call is at the other end.
    pub fn prove(&self) {
        self.place.is_proved.store(true, Ordering::Relaxed);
    }
}

/// How many connections there are and were.
pub struct Counts {
    pub open: usize,
    pub refused: u64,
    pub displaced: u64,
}

impl Crowd {
    pub fn new(limit: usize) -> Self {
        Self(Arc::new(Inner {
            limit,
            state: Mutex::default(),
            refused: AtomicU64::default(),
            displaced: AtomicU64::default(),
        }))
    }

    /// A place for one more connection, if there is one or somebody can make room.
    pub fn enter(&self) -> Option<Arc<Place>> {
        let mut state = self.0.state();
        if self.0.limit <= state.count {
            let Some(oldest) = state.oldest_unproved() else {
                self.0.refused.fetch_add(1, Ordering::Relaxed);
                return None;
            };
            self.0.displaced.fetch_add(1, Ordering::Relaxed);
            oldest.leave.cancel();
        }
        if 2 * self.0.limit <= state.unproved.len() {
            state.unproved.retain(|place| place.upgrade().is_some_and(|place| !place.is_proved()));
        }
        let place = Arc::new(Place {
            is_proved: AtomicBool::default(),
            leave: CancellationToken::new(),
            crowd: Arc::clone(&self.0),
        });
        state.count += 1;
        state.unproved.push_back(Arc::downgrade(&place));
        Some(place)
    }

    pub fn counts(&self) -> Counts {
        Counts {
            open: self.0.state().count,
            refused: self.0.refused.load(Ordering::Relaxed),
            displaced: self.0.displaced.load(Ordering::Relaxed),
        }
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn oldest_unproved(&mut self) -> Option<Arc<Place>> {
        while let Some(place) = self.unproved.pop_front() {
            if let Some(place) = place.upgrade().filter(|place| !place.is_proved()) {
                return Some(place);
            }
        }
        None
    }
}

impl Place {
    fn is_proved(&self) -> bool {
        self.is_proved.load(Ordering::Relaxed)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.crowd.state().count -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::PeerIdentity;

    fn prove(place: &Arc<Place>) {
        let peer = Peer { address: "".into(), identity: PeerIdentity::Unknown };
        Arrival::new(peer, Arc::clone(place)).prove();
    }

    #[test]
    fn those_who_only_connect_make_room_and_those_who_have_proved_themselves_stay() {
        let crowd = Crowd::new(2);
        let (known, stranger) = (crowd.enter().unwrap(), crowd.enter().unwrap());
        prove(&known);

        let next = crowd.enter().unwrap();

        assert!(stranger.leave.is_cancelled() && !known.leave.is_cancelled());
        drop(stranger);
        prove(&next);
        assert!(crowd.enter().is_none());
        let Counts { open, refused, displaced } = crowd.counts();
        assert_eq!((open, refused, displaced), (2, 1, 1));
        drop(known);
        assert!(crowd.enter().is_some());
    }

    #[test]
    fn places_that_are_gone_are_not_remembered_for_ever() {
        let crowd = Crowd::new(4);
        for _ in 0..1000 {
            prove(&crowd.enter().unwrap());
        }

        assert!(crowd.0.state().unproved.len() <= 8);
        assert_eq!(crowd.counts().open, 0);
    }
}

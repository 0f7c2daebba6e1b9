//! How a stream comes: calm, fast, or in a great many small pieces. Counts, and reads nothing.

use std::time::{Duration, Instant};

/// Reads are counted over so long.
const WINDOW: Duration = Duration::from_millis(10);
/// So many reads in a window are many, and so many are a flood.
const MANY: u32 = 32;
const FLOOD: u32 = 200;
/// Reads of less than this, on average, are small.
const SMALL: usize = 16 * 1024;
/// Fewer bytes than this after a rest, and there are no longer many pieces.
const FEW: usize = 4 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    Calm,
    Fast,
    /// So many small pieces that to be woken for each is a burden to both sides.
    Hasty,
    /// So many more that already to write each by itself is one.
    Flooding,
}

/// The reads of the current window.
pub struct Reads {
    began: Instant,
    count: u32,
    bytes: usize,
}

impl Reads {
    pub fn new(now: Instant) -> Self {
        Self { began: now, count: 0, bytes: 0 }
    }

    /// Takes note of a read, and tells at the end of a window how it went.
    pub fn note(&mut self, now: Instant, length: usize) -> Pace {
        self.count += 1;
        self.bytes += length;
        if now - self.began < WINDOW {
            return Pace::Calm;
        }
        let window = std::mem::replace(self, Self::new(now));
        let is_recent = now - window.began < 2 * WINDOW;
        let are_small = window.bytes < SMALL * window.count as usize;
        match window.count {
            FLOOD.. if is_recent && are_small => Pace::Flooding,
            MANY.. if is_recent && are_small => Pace::Hasty,
            MANY.. if is_recent => Pace::Fast,
            _ => Pace::Calm,
        }
    }
}

/// Whether a pipe with so much room can be left alone for another rest, after one that brought
/// `length` bytes: neither is the haste over, nor may the pipe be full before the rest is.
pub fn may_rest(length: usize, room: usize) -> bool {
    (FEW..room / 8 * 5).contains(&length)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paces that are told when a read of `length` bytes comes every `interval`.
    fn told(length: usize, interval: Duration) -> Vec<Pace> {
        let begun = Instant::now();
        let mut reads = Reads::new(begun);
        let mut told: Vec<_> =
            (1..2000).map(|number| reads.note(begun + interval * number, length)).collect();
        told.dedup();
        told.retain(|pace| *pace != Pace::Calm);
        told.dedup();
        told
    }

    #[test]
    fn the_pace_is_told_by_number_and_size_of_reads() {
        assert_eq!(told(100, Duration::from_micros(10)), [Pace::Flooding]);
        assert_eq!(told(100, Duration::from_micros(100)), [Pace::Hasty]);
        assert_eq!(told(64 * 1024, Duration::from_micros(60)), [Pace::Fast]);
        assert_eq!(told(100, Duration::from_millis(1)), []);
        assert_eq!(told(64 * 1024, Duration::from_millis(20)), []);
    }

    #[test]
    fn a_rest_ends_when_little_comes_or_the_pipe_fills() {
        let room = 1024 * 1024;
        assert!(may_rest(100_000, room));
        assert!(!may_rest(100, room));
        assert!(!may_rest(700_000, room));
    }
}

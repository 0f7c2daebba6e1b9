//! What happened in a session: a ring of numbered events that any number of readers follow at
//! their own pace. A reader never slows a writer; what it missed is announced as a gap.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use prost::Message;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::clock;
use crate::proto::event::Payload;
use crate::proto::{Event, EventGap, EventType};
use crate::store::Journal;

/// Bytes of all events that are kept, in memory and on disk alike: conditions and words of the
/// debugger may be long.
pub const EVENT_BYTES: usize = 16 * 1024 * 1024;

/// The events of one session.
pub struct EventLog {
    ring: Mutex<Ring>,
    changed: watch::Sender<Progress>,
    /// How often a reader was told of a gap, here or in the output.
    gaps: AtomicU64,
}

struct Ring {
    kept: VecDeque<Event>,
    limit: usize,
    bytes: usize,
    /// Written before any reader sees the event, so that none has seen what is nowhere else.
    journal: Option<Journal>,
}

/// How far the log has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    pub last_sequence: u64,
    /// Nothing more will come.
    pub is_over: bool,
}

/// Some events of the log.
#[derive(Debug, Default, PartialEq)]
pub struct EventPage {
    pub events: Vec<Event>,
    /// Where to read on: past events that were filtered out, too.
    pub next_sequence: u64,
}

impl EventPage {
    /// Announces that what is missing up to this number is missing.
    pub fn skip_to(&mut self, sequence: u64) {
        if self.next_sequence < sequence {
            self.events.push(gap(self.next_sequence + 1, sequence));
            self.next_sequence = sequence;
        }
    }
}

impl EventLog {
    pub fn new(limit: usize, journal: Option<Journal>) -> Self {
        let ring = Ring { kept: VecDeque::new(), limit: limit.max(1), bytes: 0, journal };
        Self {
            ring: Mutex::new(ring),
            changed: watch::Sender::default(),
            gaps: AtomicU64::default(),
        }
    }

    /// Adds an event and returns its number.
    pub fn append(&self, payload: Payload) -> u64 {
        let mut ring = self.ring();
        let sequence = self.changed.borrow().last_sequence + 1;
        ring.append(Event { sequence, time: Some(clock::now()), payload: Some(payload) });
        // Under the lock, so that numbers are given out in order.
        self.changed.send_modify(|progress| progress.last_sequence = sequence);
        sequence
    }

    /// More will come after all.
    pub fn reopen(&self) {
        self.changed.send_modify(|progress| progress.is_over = false);
    }

    /// Says that nothing more will come; readers that have read everything then end.
    pub fn close(&self) {
        self.changed.send_modify(|progress| progress.is_over = true);
    }

    /// A reader is told of a gap.
    pub fn count_gap(&self) {
        self.gaps.fetch_add(1, Ordering::Relaxed);
    }

    pub fn gaps(&self) -> u64 {
        self.gaps.load(Ordering::Relaxed)
    }

    /// How many events are no longer kept.
    pub fn dropped(&self) -> u64 {
        let ring = self.ring();
        let last = self.changed.borrow().last_sequence;
        ring.kept.front().map_or(last, |oldest| oldest.sequence - 1)
    }

    pub fn progress(&self) -> Progress {
        *self.changed.borrow()
    }

    /// Returns when there is something after `sequence`, or nothing will come any more.
    pub async fn wait_past(&self, sequence: u64) -> Progress {
        let mut progress = self.changed.subscribe();
        let reached = progress
            .wait_for(|progress| sequence < progress.last_sequence || progress.is_over)
            .await;
        reached.map(|progress| *progress).unwrap_or_default()
    }

    /// Returns when there is something after `sequence`, however long that takes: a session that is
    /// over may be started again.
    pub async fn wait_beyond(&self, sequence: u64) {
        let mut progress = self.changed.subscribe();
        let _ = progress.wait_for(|progress| sequence < progress.last_sequence).await;
    }

    /// Up to `limit` events after `sequence`, of the given types or of all. When the oldest of them
    /// are no longer kept, the first is a gap.
    pub fn events_after(&self, sequence: u64, types: &[EventType], limit: usize) -> EventPage {
        let ring = self.ring();
        let oldest = ring.kept.front().map_or(1, |event| event.sequence);
        let mut page = EventPage { events: Vec::new(), next_sequence: sequence };
        page.skip_to(oldest - 1);
        if !page.events.is_empty() {
            self.count_gap();
        }
        let skipped = (page.next_sequence - (oldest - 1)) as usize;
        for event in ring.kept.iter().skip(skipped) {
            if page.events.len() == limit {
                break;
            }
            page.next_sequence = event.sequence;
            if types.is_empty() || type_of(event).is_some_and(|kind| types.contains(&kind)) {
                page.events.push(event.clone());
            }
        }
        page
    }

    /// As [`Self::events_after`], waiting up to `wait` for the first.
    pub async fn poll(
        &self,
        sequence: u64,
        types: &[EventType],
        limit: usize,
        wait: Duration,
    ) -> EventPage {
        let deadline = Instant::now() + wait;
        let mut page = self.events_after(sequence, types, limit);
        while page.events.is_empty() && !self.progress().is_over {
            let seen = page.next_sequence;
            if tokio::time::timeout_at(deadline, self.wait_past(seen)).await.is_err() {
                break;
            }
            page = self.events_after(seen, types, limit);
        }
        page
    }

    fn ring(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ring {
    fn append(&mut self, event: Event) {
        let encoded = event.encode_to_vec();
        if let Some(journal) = &mut self.journal
            && let Err(error) = journal.append(event.sequence, [encoded.as_slice()])
        {
            tracing::warn!(%error, "events cannot be written to disk, and are kept in memory only");
            self.journal = None;
        }
        self.bytes += encoded.len();
        self.kept.push_back(event);
        while self.limit < self.kept.len() || (EVENT_BYTES < self.bytes && 1 < self.kept.len()) {
            if let Some(oldest) = self.kept.pop_front() {
                self.bytes -= oldest.encoded_len();
            }
        }
    }
}

/// The word that these are no longer kept.
fn gap(from_sequence: u64, to_sequence: u64) -> Event {
    let payload = Payload::Gap(EventGap { from_sequence, to_sequence });
    Event { sequence: to_sequence, time: Some(clock::now()), payload: Some(payload) }
}

/// What kind of event it is.
pub fn type_of(event: &Event) -> Option<EventType> {
    Some(match event.payload.as_ref()? {
        Payload::StateChanged(_) => EventType::StateChanged,
        Payload::Stopped(_) => EventType::Stopped,
        Payload::Continued(_) => EventType::Continued,
        Payload::Output(_) => EventType::Output,
        Payload::BreakpointChanged(_) => EventType::BreakpointChanged,
        Payload::Thread(_) => EventType::Thread,
        Payload::Process(_) => EventType::Process,
        Payload::Module(_) => EventType::Module,
        Payload::Exited(_) => EventType::Exited,
        Payload::Terminated(_) => EventType::Terminated,
        Payload::AdapterMessage(_) => EventType::AdapterMessage,
        Payload::Gap(_) => EventType::Gap,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::{AdapterMessage, Exited, Terminated};
    use crate::store::JournalReader;

    fn log_of(count: usize, limit: usize) -> EventLog {
        let log = EventLog::new(limit, None);
        for number in 0..count {
            let exited = Payload::Exited(Exited::default());
            let terminated = Payload::Terminated(Terminated::default());
            log.append(if number % 2 == 0 { exited } else { terminated });
        }
        log
    }

    fn numbers(page: &EventPage) -> Vec<u64> {
        page.events.iter().map(|event| event.sequence).collect()
    }

    #[test]
    fn pages_follow_one_another_without_a_hole() {
        let log = log_of(5, 10);

        let first = log.events_after(0, &[], 3);
        let second = log.events_after(first.next_sequence, &[], 3);

        assert_eq!(numbers(&first), [1, 2, 3]);
        assert_eq!(numbers(&second), [4, 5]);
        assert_eq!(log.events_after(5, &[], 3), EventPage { events: vec![], next_sequence: 5 });
    }

    #[test]
    fn what_is_no_longer_kept_is_a_gap_with_its_numbers() {
        let log = log_of(10, 4);

        let page = log.events_after(2, &[], 100);

        let missing = EventGap { from_sequence: 3, to_sequence: 6 };
        assert_eq!(page.events[0].payload, Some(Payload::Gap(missing)));
        assert_eq!(numbers(&page), [6, 7, 8, 9, 10]);
    }

    #[test]
    fn a_filter_leaves_out_events_and_the_reader_still_moves_past_them() {
        let log = log_of(5, 10);

        let page = log.events_after(0, &[EventType::Terminated], 100);

        assert_eq!(numbers(&page), [2, 4]);
        assert_eq!(page.next_sequence, 5);
    }

    #[test]
    fn long_events_are_kept_within_bytes() {
        let log = EventLog::new(10_000, None);
        for _ in 0..20 {
            let text = "x".repeat(EVENT_BYTES / 10);
            log.append(Payload::AdapterMessage(AdapterMessage { text, category: String::new() }));
        }

        let page = log.events_after(0, &[], 100);

        assert!(matches!(page.events[0].payload, Some(Payload::Gap(_))));
        assert_eq!((page.events.len(), page.next_sequence), (10, 20));
    }

    #[test]
    fn an_event_is_on_disk_before_anybody_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        let log = EventLog::new(10, Some(Journal::new(folder.path(), "events", 1 << 20)));

        log.append(Payload::Exited(Exited::default()));

        let reader = JournalReader::open(folder.path(), "events").unwrap();
        let records: Vec<_> = reader.records_from(1).collect();
        let event = Event::decode(records[0].as_slice()).unwrap();
        assert_eq!(log.events_after(0, &[], 10).events, [event]);
    }

    #[test]
    fn a_number_from_the_future_reads_nothing() {
        assert_eq!(log_of(3, 10).events_after(u64::MAX, &[], 10).events, []);
        assert_eq!(
            log_of(3, 10).events_after(99, &[], 10),
            EventPage { events: vec![], next_sequence: 99 }
        );
    }

    #[tokio::test]
    async fn a_reader_that_waits_wakes_at_the_next_event_and_at_the_end() {
        let log = log_of(1, 10);
        let (woken, ()) = tokio::join!(log.wait_past(1), async {
            log.append(Payload::Exited(Exited::default()));
        });
        assert_eq!(woken.last_sequence, 2);

        let (woken, ()) = tokio::join!(log.wait_past(2), async { log.close() });
        assert!(woken.is_over);
    }
}

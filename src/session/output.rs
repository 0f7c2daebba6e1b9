//! What the program wrote: a ring of bytes with absolute offsets. Readers never slow the program,
//! and the program never grows our memory; what a reader missed is announced as a gap.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::BufMut;
use tokio::sync::watch;
use tokio::time::Instant;

use super::events::EventLog;
use super::portion::{OutputFilter, cut_at_character, shown};
use super::ring::{RawChunk, Ring, Space};
use crate::proto::event::Payload;
use crate::proto::{OutputCategory, OutputChunk, OutputExcerpt, OutputGap, OutputWritten};

/// Writes within this time share one event.
const EVENT_INTERVAL: Duration = Duration::from_millis(50);
const PREVIEW: usize = 200;

/// The output of one session.
pub struct OutputLog {
    kept: Mutex<Kept>,
    changed: watch::Sender<Extent>,
    events: Arc<EventLog>,
}

struct Kept {
    ring: Ring,
    /// Written, and not yet told of in an event.
    untold: Option<Untold>,
}

struct Untold {
    category: OutputCategory,
    offset: u64,
}

/// How far the output reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent {
    pub end: u64,
    /// Nothing more will come.
    pub is_over: bool,
}

impl Extent {
    /// A reader at `offset` has read everything that will ever come.
    pub fn is_at_end(self, offset: u64) -> bool {
        self.is_over && self.end <= offset
    }
}

/// Some of the output.
#[derive(Debug, Default, PartialEq)]
pub struct OutputPage {
    pub chunks: Vec<OutputChunk>,
    pub gap: Option<OutputGap>,
    pub next_offset: u64,
}

impl OutputPage {
    /// Up to about `max_bytes` and `max_chunks` of these, which begin at `offset` or later: where one does not
    /// begin at the end of the one before, something is missing.
    pub fn of(
        offset: u64,
        chunks: impl Iterator<Item = RawChunk>,
        filter: &OutputFilter,
        max_bytes: usize,
        max_chunks: usize,
    ) -> Self {
        let mut page = Self { next_offset: offset, ..Default::default() };
        let mut left = max_bytes;
        for mut chunk in chunks {
            if left == 0 {
                break;
            }
            if page.next_offset < chunk.offset {
                if !page.chunks.is_empty() || page.gap.is_some() {
                    break;
                }
                let (from_offset, to_offset) = (page.next_offset, chunk.offset);
                page.gap = Some(OutputGap { from_offset, to_offset });
                page.next_offset = chunk.offset;
            }
            let end = chunk.end();
            if !filter.categories.is_empty() && !filter.categories.contains(&chunk.category) {
                page.next_offset = end;
                continue;
            }
            if left < chunk.data.len() {
                chunk.data.truncate(cut_at_character(&chunk.data, left).len());
            }
            page.next_offset = chunk.end();
            left = left.saturating_sub(chunk.data.len());
            page.chunks.push(shown(chunk, filter.data));
            if page.next_offset < end || page.chunks.len() == max_chunks {
                break;
            }
        }
        page
    }
}

/// One stream of one process, on its way into the log.
pub struct OutputWriter {
    log: Arc<OutputLog>,
    category: OutputCategory,
    pid: u32,
}

impl OutputWriter {
    /// Adds what `read` puts into the space that it is given; see [`OutputLog::append_with`].
    pub fn write_with<E>(
        &self,
        read: impl FnOnce(&mut Space) -> Result<usize, E>,
    ) -> Result<usize, E> {
        self.log.append_with(self.category, self.pid, read)
    }
}

impl OutputLog {
    pub fn new(limit: usize, events: Arc<EventLog>) -> Self {
        let kept = Kept { ring: Ring::new(limit), untold: None };
        Self { kept: Mutex::new(kept), changed: watch::Sender::default(), events }
    }

    pub fn writer(self: &Arc<Self>, category: OutputCategory, pid: u32) -> OutputWriter {
        OutputWriter { log: Arc::clone(self), category, pid }
    }

    /// How many bytes are no longer kept.
    pub fn dropped(&self) -> u64 {
        let kept = self.kept();
        let oldest = kept.ring.chunks_from(0).next();
        oldest.map_or(self.changed.borrow().end, |chunk| chunk.offset)
    }

    pub fn extent(&self) -> Extent {
        *self.changed.borrow()
    }

    /// Says that nothing more will come.
    pub fn close(&self) {
        self.tell();
        self.changed.send_modify(|extent| extent.is_over = true);
    }

    /// More will come after all.
    pub fn reopen(&self) {
        self.changed.send_modify(|extent| extent.is_over = false);
    }

    /// Returns when there is output past `offset`, or nothing will come any more.
    pub async fn wait_past(&self, offset: u64) -> Extent {
        let mut extent = self.changed.subscribe();
        let reached = extent.wait_for(|extent| offset < extent.end || extent.is_over).await;
        reached.map(|extent| *extent).unwrap_or_default()
    }

    /// Returns when there is output past `offset`, however long that takes.
    pub async fn wait_beyond(&self, offset: u64) {
        let mut extent = self.changed.subscribe();
        let _ = extent.wait_for(|extent| offset < extent.end).await;
    }

    /// Makes the event for what was written since the last one. Called before events that must
    /// come after it, such as a stop.
    pub fn tell(&self) {
        let told = {
            let mut kept = self.kept();
            let Some(untold) = kept.untold.take() else { return };
            let chunk = kept.ring.chunks_from(untold.offset).next();
            let chunk = chunk.filter(|chunk| chunk.offset == untold.offset);
            let text = chunk.map(|chunk| {
                let end = chunk.data.len().min(PREVIEW);
                String::from_utf8_lossy(&chunk.data[..end]).into_owned()
            });
            OutputWritten {
                category: untold.category.into(),
                offset: untold.offset,
                next_offset: self.extent().end,
                text: text.unwrap_or_default(),
            }
        };
        self.events.append(Payload::Output(told));
    }

    /// Up to about `max_bytes` from `offset` on.
    pub fn read(&self, offset: u64, filter: &OutputFilter, max_bytes: usize) -> OutputPage {
        self.page(offset, filter, max_bytes, usize::MAX)
    }

    /// As [`Self::read`], a chunk at most: who sends one at a time need not hold the others.
    pub fn read_one(&self, offset: u64, filter: &OutputFilter, max_bytes: usize) -> OutputPage {
        self.page(offset, filter, max_bytes, 1)
    }

    fn page(
        &self,
        offset: u64,
        filter: &OutputFilter,
        max_bytes: usize,
        max_chunks: usize,
    ) -> OutputPage {
        let kept = self.kept();
        let chunks = kept.ring.chunks_from(offset);
        let page = OutputPage::of(offset, chunks, filter, max_bytes, max_chunks);
        if page.gap.is_some() {
            self.events.count_gap();
        }
        page
    }

    /// The chunks from `offset` on, or from the oldest that is kept, as they were written: up to
    /// `max_bytes` of them. They share their bytes with the log.
    pub fn raw_after(&self, offset: u64, max_bytes: usize) -> Vec<RawChunk> {
        let mut left = max_bytes;
        let kept = self.kept();
        let chunks = kept.ring.chunks_from(offset).map_while(|mut chunk| {
            chunk.data.truncate(left);
            left -= chunk.data.len();
            (!chunk.data.is_empty()).then_some(chunk)
        });
        chunks.collect()
    }

    /// As [`Self::read`], waiting up to `wait` for the first byte.
    pub async fn poll(
        &self,
        offset: u64,
        filter: &OutputFilter,
        max_bytes: usize,
        wait: Duration,
    ) -> OutputPage {
        let deadline = Instant::now() + wait;
        let mut page = self.read(offset, filter, max_bytes);
        while page.chunks.is_empty() && page.gap.is_none() && !self.extent().is_over {
            let seen = page.next_offset;
            if tokio::time::timeout_at(deadline, self.wait_past(seen)).await.is_err() {
                break;
            }
            page = self.read(seen, filter, max_bytes);
        }
        page
    }

    /// The end of what was written from `offset` on, as one text.
    pub fn excerpt(&self, offset: u64, max_bytes: usize) -> Option<OutputExcerpt> {
        let end = self.extent().end;
        if end <= offset {
            return None;
        }
        let start = end.saturating_sub(max_bytes as u64).max(offset);
        let page = self.read(start, &OutputFilter::default(), max_bytes);
        let text = page.chunks.into_iter().map(|chunk| chunk.text).collect();
        let omitted_bytes = start - offset;
        Some(OutputExcerpt { text, next_offset: end, truncated: 0 < omitted_bytes, omitted_bytes })
    }

    pub fn append(self: &Arc<Self>, category: OutputCategory, pid: u32, data: &[u8]) {
        let mut left = data;
        while !left.is_empty() {
            let copied = self.append_with(category, pid, |space| {
                let (part, rest) = left.split_at(left.len().min(space.remaining_mut()));
                space.put_slice(part);
                left = rest;
                Ok::<_, Infallible>(part.len())
            });
            let Ok(_) = copied;
        }
    }

    /// Adds what `read` puts into the space that it is given, and answers as it does. It must not wait.
    pub fn append_with<E>(
        self: &Arc<Self>,
        category: OutputCategory,
        pid: u32,
        read: impl FnOnce(&mut Space) -> Result<usize, E>,
    ) -> Result<usize, E> {
        let mut kept = self.kept();
        if kept.untold.as_ref().is_some_and(|untold| untold.category != category) {
            drop(kept);
            self.tell();
            kept = self.kept();
        }
        let offset = self.extent().end;
        let length = kept.ring.append(offset, category, pid, read)?;
        if length == 0 {
            return Ok(0);
        }
        let is_first = kept.untold.is_none();
        if is_first {
            kept.untold = Some(Untold { category, offset });
        }
        // Under the lock, so that offsets are given out in order.
        self.changed.send_modify(|extent| extent.end += length as u64);
        drop(kept);
        if is_first {
            let log = Arc::clone(self);
            tokio::spawn(async move {
                tokio::time::sleep(EVENT_INTERVAL).await;
                log.tell();
            });
        }
        Ok(length)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use OutputCategory::{Stderr, Stdout};

    fn log(limit: usize) -> Arc<OutputLog> {
        Arc::new(OutputLog::new(limit, Arc::new(EventLog::new(100, None))))
    }

    fn text(page: &OutputPage) -> String {
        page.chunks.iter().map(|chunk| chunk.text.as_str()).collect()
    }

    #[tokio::test]
    async fn pages_give_back_every_byte_once() {
        let log = log(1 << 20);
        for line in 0..100 {
            log.append(
                if line % 3 == 0 { Stderr } else { Stdout },
                1,
                format!("line {line} ä\n").as_bytes(),
            );
        }
        let whole = text(&log.read(0, &OutputFilter::default(), 1 << 20));

        let (mut read, mut offset) = (String::new(), 0);
        loop {
            let page = log.read(offset, &OutputFilter::default(), 7);
            if page.chunks.is_empty() {
                break;
            }
            read += &text(&page);
            offset = page.next_offset;
        }

        assert_eq!(read, whole);
        assert_eq!(offset, log.extent().end);
    }

    #[tokio::test]
    async fn raw_chunks_are_those_that_were_written_up_to_the_size_asked_for() {
        let log = log(1 << 20);
        log.append(Stdout, 1, b"out ");
        log.append(Stderr, 2, b"err \xff");
        let raw = |offset, max_bytes| -> Vec<_> {
            let chunks = log.raw_after(offset, max_bytes).into_iter();
            chunks.map(|chunk| (chunk.offset, chunk.category, chunk.pid, chunk.data)).collect()
        };

        assert_eq!(
            raw(1, 100),
            [(1, Stdout, 1, "ut ".into()), (4, Stderr, 2, b"err \xff"[..].into())]
        );
        assert_eq!(raw(0, 5), [(0, Stdout, 1, "out ".into()), (4, Stderr, 2, "e".into())]);
        assert_eq!(raw(9, 100), []);
    }

    #[tokio::test]
    async fn what_was_dropped_is_a_gap_and_memory_stays_within_the_limit() {
        let log = log(10_000);
        for _ in 0..100 {
            log.append(Stdout, 1, &[b'x'; 1000]);
            log.append(Stderr, 1, b"e");
        }

        let page = log.read(5, &OutputFilter::default(), 1 << 20);

        let gap = page.gap.unwrap();
        assert_eq!(gap.from_offset, 5);
        assert_eq!(gap.to_offset, page.chunks[0].offset);
        assert_eq!(page.next_offset, 100_100);
        assert!(log.kept().ring.cost() <= 10_000);
    }

    #[tokio::test]
    async fn categories_are_told_apart_and_the_reader_moves_past_the_others() {
        let log = log(1000);
        log.append(Stdout, 1, b"out");
        log.append(Stderr, 1, b"err");
        let filter = OutputFilter { categories: vec![Stderr], ..Default::default() };

        let page = log.read(0, &filter, 100);

        assert_eq!((text(&page).as_str(), page.next_offset), ("err", 6));
    }

    #[tokio::test]
    async fn an_excerpt_keeps_the_end_and_counts_what_it_left_out() {
        let log = log(1000);
        log.append(Stdout, 1, b"0123456789");

        let excerpt = log.excerpt(2, 4).unwrap();

        assert_eq!(
            (excerpt.text.as_str(), excerpt.omitted_bytes, excerpt.truncated),
            ("6789", 4, true)
        );
        assert_eq!(log.excerpt(10, 4), None);
    }

    #[tokio::test(start_paused = true)]
    async fn writes_close_together_are_one_event_and_are_told_before_a_stop() {
        let events = Arc::new(EventLog::new(100, None));
        let log = Arc::new(OutputLog::new(1000, Arc::clone(&events)));
        log.append(Stdout, 1, b"a");
        log.append(Stdout, 1, b"b");
        assert_eq!(events.progress().last_sequence, 0);

        log.tell();
        log.append(Stdout, 1, b"c");
        tokio::time::sleep(EVENT_INTERVAL * 2).await;

        let page = events.events_after(0, &[], 10);
        let texts = page.events.iter().filter_map(|event| match &event.payload {
            Some(Payload::Output(output)) => Some(output.text.as_str()),
            _ => None,
        });
        let texts: Vec<_> = texts.collect();
        assert_eq!(texts, ["ab", "c"]);
    }
}

//! What the program wrote: a ring of bytes with absolute offsets. Readers never slow the program,
//! and the program never grows our memory; what a reader missed is announced as a gap.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::sync::watch;
use tokio::time::Instant;

use super::events::EventLog;
use crate::clock;
use crate::proto::event::Payload;
use crate::proto::{OutputCategory, OutputChunk, OutputExcerpt, OutputGap, OutputWritten};

/// Small writes of one stream that follow close on one another share a chunk up to this size.
const SHARED_CHUNK: usize = 4 * 1024;
/// What a chunk costs beside its bytes, so that single bytes do not cost us the memory of chunks.
const CHUNK_COST: usize = 128;
/// Writes within this time share one event.
const EVENT_INTERVAL: Duration = Duration::from_millis(50);
const PREVIEW: usize = 200;

/// The output of one session.
pub struct OutputLog {
    ring: Mutex<Ring>,
    changed: watch::Sender<Extent>,
    events: Arc<EventLog>,
}

struct Ring {
    chunks: VecDeque<Chunk>,
    cost: usize,
    limit: usize,
    /// Written, and not yet told of in an event.
    untold: Option<Untold>,
}

struct Chunk {
    offset: u64,
    category: OutputCategory,
    pid: u32,
    data: Vec<u8>,
    time: SystemTime,
    began: Instant,
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

/// What a reader wants.
#[derive(Debug, Clone, Default)]
pub struct OutputFilter {
    pub categories: Vec<OutputCategory>,
    pub include_data: bool,
}

/// One stream of one process, on its way into the log.
pub struct OutputWriter {
    log: Arc<OutputLog>,
    category: OutputCategory,
    /// Known a moment after the stream is.
    pid: Arc<AtomicU32>,
}

impl OutputWriter {
    pub fn write(&self, data: &[u8]) {
        self.log.append(self.category, self.pid.load(Ordering::Relaxed), data);
    }
}

impl OutputLog {
    pub fn new(limit: usize, events: Arc<EventLog>) -> Self {
        let ring = Ring { chunks: VecDeque::new(), cost: 0, limit, untold: None };
        Self { ring: Mutex::new(ring), changed: watch::Sender::default(), events }
    }

    pub fn writer(self: &Arc<Self>, category: OutputCategory, pid: Arc<AtomicU32>) -> OutputWriter {
        OutputWriter { log: Arc::clone(self), category, pid }
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

    /// Somebody waits for more.
    pub fn is_watched(&self) -> bool {
        0 < self.changed.receiver_count()
    }

    /// Returns when there is output past `offset`, or nothing will come any more.
    pub async fn wait_past(&self, offset: u64) -> Extent {
        let mut extent = self.changed.subscribe();
        let reached = extent.wait_for(|extent| offset < extent.end || extent.is_over).await;
        reached.map(|extent| *extent).unwrap_or_default()
    }

    /// Makes the event for what was written since the last one. Called before events that must
    /// come after it, such as a stop.
    pub fn tell(&self) {
        let told = {
            let mut ring = self.ring();
            let Some(untold) = ring.untold.take() else { return };
            let chunk = ring.chunks.iter().rev().find(|chunk| chunk.offset <= untold.offset);
            let text = chunk.map(|chunk| {
                let start = (untold.offset - chunk.offset) as usize;
                let end = chunk.data.len().min(start + PREVIEW);
                String::from_utf8_lossy(chunk.data.get(start..end).unwrap_or_default()).into_owned()
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
        let ring = self.ring();
        let end = self.extent().end;
        let oldest = ring.chunks.front().map_or(end, |chunk| chunk.offset);
        let gap = (offset < oldest).then_some(OutputGap { from_offset: offset, to_offset: oldest });
        let mut page = OutputPage { chunks: Vec::new(), gap, next_offset: offset.max(oldest) };
        let first = ring.chunks.partition_point(|chunk| chunk.end() <= page.next_offset);
        let mut left = max_bytes;
        for chunk in ring.chunks.iter().skip(first) {
            if left == 0 {
                break;
            }
            let start = (page.next_offset - chunk.offset) as usize;
            if !filter.categories.is_empty() && !filter.categories.contains(&chunk.category) {
                page.next_offset = chunk.end();
                continue;
            }
            let part = &chunk.data[start..];
            let part = if left < part.len() { cut_at_character(part, left) } else { part };
            page.chunks.push(chunk.part(start, part, filter.include_data));
            page.next_offset += part.len() as u64;
            left = left.saturating_sub(part.len());
            if page.next_offset < chunk.end() {
                break;
            }
        }
        page
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
        if data.is_empty() {
            return;
        }
        let mut ring = self.ring();
        if ring.untold.as_ref().is_some_and(|untold| untold.category != category) {
            drop(ring);
            self.tell();
            ring = self.ring();
        }
        let offset = self.extent().end;
        ring.append(offset, category, pid, data);
        let is_first = ring.untold.is_none();
        if is_first {
            ring.untold = Some(Untold { category, offset });
        }
        // Under the lock, so that offsets are given out in order.
        self.changed.send_modify(|extent| extent.end += data.len() as u64);
        drop(ring);
        if is_first {
            let log = Arc::clone(self);
            tokio::spawn(async move {
                tokio::time::sleep(EVENT_INTERVAL).await;
                log.tell();
            });
        }
    }

    fn ring(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ring {
    fn append(&mut self, offset: u64, category: OutputCategory, pid: u32, data: &[u8]) {
        let now = Instant::now();
        match self.chunks.back_mut() {
            Some(last)
                if last.category == category
                    && last.pid == pid
                    && last.data.len() + data.len() <= SHARED_CHUNK
                    && now - last.began < EVENT_INTERVAL =>
            {
                last.data.extend_from_slice(data);
                self.cost += data.len();
            }
            _ => {
                self.cost += CHUNK_COST + data.len();
                let data = data.to_vec();
                self.chunks.push_back(Chunk {
                    offset,
                    category,
                    pid,
                    data,
                    time: SystemTime::now(),
                    began: now,
                });
            }
        }
        while self.limit < self.cost && 1 < self.chunks.len() {
            if let Some(oldest) = self.chunks.pop_front() {
                self.cost -= CHUNK_COST + oldest.data.len();
            }
        }
    }
}

impl Chunk {
    fn end(&self) -> u64 {
        self.offset + self.data.len() as u64
    }

    fn part(&self, start: usize, part: &[u8], include_data: bool) -> OutputChunk {
        let text = String::from_utf8_lossy(part);
        let is_lossy = matches!(text, std::borrow::Cow::Owned(_));
        OutputChunk {
            offset: self.offset + start as u64,
            category: self.category.into(),
            data: if include_data || is_lossy { part.to_vec().into() } else { Default::default() },
            text: text.into_owned(),
            time: Some(clock::timestamp(self.time)),
            process_id: self.pid.into(),
        }
    }
}

/// At most `limit` bytes, and not the half of a character if that can be helped.
fn cut_at_character(bytes: &[u8], limit: usize) -> &[u8] {
    let starts = |index: &usize| bytes[*index] & 0b1100_0000 != 0b1000_0000;
    let end = (limit.saturating_sub(3)..=limit).rev().find(starts).filter(|end| 0 < *end);
    &bytes[..end.unwrap_or(limit)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use OutputCategory::{Stderr, Stdout};

    fn log(limit: usize) -> Arc<OutputLog> {
        Arc::new(OutputLog::new(limit, Arc::new(EventLog::new(100))))
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
        assert!(log.ring().cost <= 10_000);
    }

    #[tokio::test]
    async fn bytes_that_are_no_text_are_kept_as_bytes() {
        let log = log(1000);
        log.append(Stdout, 1, b"ok \xff\xfe");

        let chunk = &log.read(0, &OutputFilter::default(), 100).chunks[0];

        assert_eq!(&chunk.data[..], b"ok \xff\xfe");
        assert_eq!(chunk.text, "ok \u{fffd}\u{fffd}");
    }

    #[tokio::test]
    async fn categories_are_told_apart_and_the_reader_moves_past_the_others() {
        let log = log(1000);
        log.append(Stdout, 1, b"out");
        log.append(Stderr, 1, b"err");
        let filter = OutputFilter { categories: vec![Stderr], include_data: false };

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
        let events = Arc::new(EventLog::new(100));
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

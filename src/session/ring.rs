//! The bytes that an output log keeps: chunks in large slabs, the newest up to a limit. Knows
//! neither readers nor events.

use std::collections::VecDeque;
use std::time::{Duration, SystemTime};

use bytes::buf::Limit;
use bytes::{BufMut, Bytes, BytesMut};
use tokio::time::Instant;

use crate::proto::OutputCategory;

/// Small writes of one stream that follow close on one another share a chunk up to this size.
const SHARED_CHUNK: usize = 4 * 1024;
/// How long a chunk is open for them.
const SHARED_TIME: Duration = Duration::from_millis(50);
/// What a chunk costs beside its bytes, so that single bytes do not cost us the memory of chunks.
const CHUNK_COST: usize = 128;
/// Chunks are parts of slabs that are all alike, and one that is free is used for the next: memory
/// that goes back to the system and comes again costs more than what is written to it.
const SLAB: usize = 1024 * 1024;

const MAX_CHUNK: usize = 64 * 1024;

/// Where output is put when it is read.
pub type Space<'a> = Limit<&'a mut BytesMut>;

/// A piece of output as it was written. A copy of it shares its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawChunk {
    pub offset: u64,
    pub category: OutputCategory,
    pub pid: u32,
    /// When its first byte came.
    pub time: SystemTime,
    pub data: Bytes,
}

impl RawChunk {
    pub fn end(&self) -> u64 {
        self.offset.saturating_add(self.data.len() as u64)
    }

    /// The chunk without what is before `offset`.
    pub fn from(mut self, offset: u64) -> Self {
        let passed = usize::try_from(offset.saturating_sub(self.offset)).unwrap_or(usize::MAX);
        let passed = passed.min(self.data.len());
        self.data = self.data.slice(passed..);
        self.offset += passed as u64;
        self
    }
}

pub struct Ring {
    chunks: VecDeque<RawChunk>,
    /// The newest chunk while it may grow. Its bytes are those of the slab.
    open: Option<OpenChunk>,
    /// What is written next goes here; what is closed has been split off.
    slab: BytesMut,
    /// A slab of which nothing is kept any more.
    spare: Option<BytesMut>,
    cost: usize,
    limit: usize,
}

struct OpenChunk {
    offset: u64,
    category: OutputCategory,
    pid: u32,
    time: SystemTime,
    began: Instant,
}

impl Ring {
    pub fn new(limit: usize) -> Self {
        Self {
            chunks: VecDeque::new(),
            open: None,
            slab: BytesMut::new(),
            spare: None,
            cost: 0,
            limit,
        }
    }

    /// Adds what `read` puts into the space that it is given: what was written at `offset`, the end
    /// of what is there. Answers as `read` does.
    pub fn append<E>(
        &mut self,
        offset: u64,
        category: OutputCategory,
        pid: u32,
        read: impl FnOnce(&mut Space) -> Result<usize, E>,
    ) -> Result<usize, E> {
        let began = Instant::now();
        let may_share = self.open.as_ref().is_some_and(|open| {
            open.category == category && open.pid == pid && began - open.began < SHARED_TIME
        });
        if !may_share {
            self.close(self.slab.len());
        }
        // What is small is not parted.
        if self.slab.capacity() - self.slab.len() < SHARED_CHUNK {
            self.close(self.slab.len());
            let spare = self.spare.take();
            self.slab = spare.unwrap_or_else(|| BytesMut::with_capacity(SLAB));
        }
        let shared = self.slab.len();
        let room = (self.slab.capacity() - shared).min(MAX_CHUNK);
        let length = read(&mut (&mut self.slab).limit(room))?;
        if length == 0 {
            return Ok(0);
        }
        if SHARED_CHUNK < shared + length {
            self.close(shared);
        }
        if self.open.is_none() {
            let time = SystemTime::now();
            self.open = Some(OpenChunk { offset, category, pid, time, began });
            self.cost += CHUNK_COST;
        }
        self.cost += length;
        if SHARED_CHUNK <= self.slab.len() {
            self.close(self.slab.len());
        }
        self.forget_oldest();
        Ok(length)
    }

    /// What is kept from `offset` on; the first chunk begins there.
    pub fn chunks_from(&self, offset: u64) -> impl Iterator<Item = RawChunk> {
        let first = self.chunks.partition_point(|chunk| chunk.end() <= offset);
        let open = self.open.iter().map(|open| RawChunk {
            offset: open.offset,
            category: open.category,
            pid: open.pid,
            time: open.time,
            data: Bytes::copy_from_slice(&self.slab),
        });
        let chunks = self.chunks.iter().skip(first).cloned().chain(open);
        chunks.map(move |chunk| chunk.from(offset)).filter(|chunk| !chunk.data.is_empty())
    }

    #[cfg(test)]
    pub fn cost(&self) -> usize {
        self.cost
    }

    /// The open chunk has its first `length` bytes of the slab, and no more will come.
    fn close(&mut self, length: usize) {
        if let Some(OpenChunk { offset, category, pid, time, .. }) = self.open.take() {
            let data = self.slab.split_to(length).freeze();
            self.chunks.push_back(RawChunk { offset, category, pid, time, data });
        }
    }

    fn forget_oldest(&mut self) {
        while self.limit < self.cost && 1 < self.chunks.len() + usize::from(self.open.is_some()) {
            let Some(oldest) = self.chunks.pop_front() else { return };
            self.cost -= CHUNK_COST + oldest.data.len();
            // Only the last chunk of a slab is alone with it, and only if nobody reads another.
            if let Ok(mut slab) = oldest.data.try_into_mut() {
                slab.clear();
                if slab.try_reclaim(SLAB) {
                    self.spare = Some(slab);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use OutputCategory::{Stderr, Stdout};

    /// Writes as the log does.
    fn write(ring: &mut Ring, mut offset: u64, category: OutputCategory, pid: u32, data: &[u8]) {
        let mut left = data;
        while !left.is_empty() {
            let read = |space: &mut Space| {
                let (part, rest) = left.split_at(left.len().min(space.remaining_mut()));
                space.put_slice(part);
                left = rest;
                Ok::<_, ()>(part.len())
            };
            offset += ring.append(offset, category, pid, read).unwrap() as u64;
        }
    }

    fn contents(ring: &Ring, offset: u64) -> Vec<(u64, usize)> {
        ring.chunks_from(offset).map(|chunk| (chunk.offset, chunk.data.len())).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn small_writes_share_a_chunk_for_a_while() {
        let mut ring = Ring::new(1 << 20);
        write(&mut ring, 0, Stdout, 1, b"one");
        write(&mut ring, 3, Stdout, 1, b"two");
        write(&mut ring, 6, Stderr, 1, b"other stream");
        write(&mut ring, 18, Stderr, 2, b"other process");
        tokio::time::sleep(SHARED_TIME).await;
        write(&mut ring, 31, Stderr, 2, b"later");

        assert_eq!(contents(&ring, 0), [(0, 6), (6, 12), (18, 13), (31, 5)]);
        assert_eq!(contents(&ring, 2), [(2, 4), (6, 12), (18, 13), (31, 5)]);
        assert_eq!(contents(&ring, 36), []);
    }

    #[tokio::test]
    async fn what_does_not_fit_into_a_slab_goes_on_in_the_next() {
        let mut ring = Ring::new(10 * SLAB);
        let piece: Vec<u8> = (0..100_000u32).map(|number| (number % 251) as u8).collect();
        let mut written = Vec::new();
        for _ in 0..30 {
            write(&mut ring, written.len() as u64, Stdout, 1, &piece);
            written.extend_from_slice(&piece);
        }

        let read: Vec<u8> = ring.chunks_from(0).flat_map(|chunk| chunk.data).collect();
        assert!(read == written);
        let next = ring.chunks_from(0).try_fold(0, |next, chunk| {
            (chunk.offset == next && chunk.data.len() <= piece.len()).then(|| chunk.end())
        });
        assert_eq!(next, Some(written.len() as u64));
    }

    #[tokio::test]
    async fn a_slab_is_used_again_unless_somebody_still_reads_it() {
        let mut ring = Ring::new(SLAB);
        let (mut offset, mut slabs) = (0, std::collections::BTreeSet::new());
        let mut fill = |ring: &mut Ring, with: u8| {
            let piece = vec![with; MAX_CHUNK];
            for _ in 0..10 * SLAB / MAX_CHUNK {
                write(ring, offset, Stdout, 1, &piece);
                offset += piece.len() as u64;
                let newest = ring.chunks_from(offset - 1).next().unwrap();
                slabs.insert(newest.data.as_ptr() as usize / SLAB);
            }
            slabs.len()
        };

        let used = fill(&mut ring, b'x');
        let held: Vec<RawChunk> = ring.chunks_from(0).collect();
        fill(&mut ring, b'y');

        assert!(used <= 6, "{used}");
        assert!(held.iter().all(|chunk| chunk.data.iter().all(|byte| *byte == b'x')));
    }

    #[tokio::test]
    async fn the_oldest_are_forgotten_and_the_newest_never() {
        let mut ring = Ring::new(1000);
        write(&mut ring, 0, Stdout, 1, b"old");
        write(&mut ring, 3, Stdout, 1, &[b'x'; 5000]);

        assert_eq!(ring.chunks_from(0).next().map(|chunk| chunk.offset), Some(3));
        assert_eq!(contents(&ring, 0), [(3, 5000)]);
    }
}

//! The output of a session whose host is gone.

use std::time::SystemTime;

use prost::Message;

use super::Archive;
use crate::proto::{OutputChunk, OutputGap};
use crate::session::keeping::OUTPUT;
use crate::session::{OutputFilter, OutputPage, RawChunk};
use crate::store::JournalReader;

impl Archive {
    /// Up to about `max_bytes` from `offset` on, as the living session would have answered. What was
    /// written and is not on disk is announced by a gap.
    pub fn output(&self, offset: u64, filter: &OutputFilter, max_bytes: usize) -> OutputPage {
        let reader = JournalReader::open(self.folder(), OUTPUT).unwrap_or_default();
        let mut page =
            OutputPage::of(offset, chunks_from(&reader, offset), filter, max_bytes, usize::MAX);
        let end = self.output_end();
        let is_last = page.chunks.is_empty() && page.gap.is_none();
        if is_last && page.next_offset < end {
            page.gap = Some(OutputGap { from_offset: page.next_offset, to_offset: end });
            page.next_offset = end;
        }
        page
    }

    /// How much the program is known to have written.
    pub fn output_end(&self) -> u64 {
        self.record().map_or(0, |record| record.output_bytes)
    }
}

/// What is on disk from `offset` on.
pub fn chunks_from(reader: &JournalReader, offset: u64) -> impl Iterator<Item = RawChunk> {
    let records = reader.records_from(offset);
    let chunks = records.filter_map(|record| OutputChunk::decode(record.as_slice()).ok());
    let chunks = chunks.map(|chunk| RawChunk {
        offset: chunk.offset,
        category: chunk.category(),
        pid: u32::try_from(chunk.process_id).unwrap_or_default(),
        time: chunk
            .time
            .and_then(|time| SystemTime::try_from(time).ok())
            .unwrap_or(SystemTime::UNIX_EPOCH),
        data: chunk.data,
    });
    chunks.filter(move |chunk| offset < chunk.end()).map(move |chunk| chunk.from(offset))
}

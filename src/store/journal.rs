//! Numbered records in files that only grow at their end. A file has a share of the whole; the
//! oldest goes when there is too much. What a process has written is there when the process is
//! killed; after a loss of power the end may be missing.
//!
//! A record is its length, as protobuf writes it, and its bytes. A file's name has the number of its
//! first record. Numbers inside are the reader's affair.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Files that a journal is made of, about.
const SHARES: u64 = 8;
/// Whoever finds a longer record reads garbage.
const MAX_RECORD: u64 = 64 * 1024 * 1024;

/// The writing side.
pub struct Journal {
    folder: PathBuf,
    name: &'static str,
    limit: u64,
    /// Oldest first; the last one is open.
    segments: VecDeque<Segment>,
    open: Option<File>,
    buffer: Vec<u8>,
}

struct Segment {
    path: PathBuf,
    bytes: u64,
}

impl Journal {
    /// A journal in `folder` of at most about `limit` bytes. Nothing is there of it yet.
    pub fn new(folder: &Path, name: &'static str, limit: u64) -> Self {
        Self {
            folder: folder.to_owned(),
            name,
            limit,
            segments: VecDeque::new(),
            open: None,
            buffer: Vec::new(),
        }
    }

    /// Adds records, of which the first has this number, in one write.
    pub fn append<'a>(
        &mut self,
        first: u64,
        records: impl IntoIterator<Item = &'a [u8]>,
    ) -> std::io::Result<()> {
        self.buffer.clear();
        for record in records {
            put_length(record.len() as u64, &mut self.buffer);
            self.buffer.extend_from_slice(record);
        }
        let is_full = self.segments.back().is_none_or(|last| self.limit / SHARES < last.bytes);
        if is_full {
            self.begin_segment(first)?;
        }
        if let (Some(file), Some(last)) = (&mut self.open, self.segments.back_mut()) {
            file.write_all(&self.buffer)?;
            last.bytes += self.buffer.len() as u64;
        }
        self.drop_oldest();
        // One very long record must not cost us its memory for ever.
        self.buffer.shrink_to(1024 * 1024);
        Ok(())
    }

    fn begin_segment(&mut self, first: u64) -> std::io::Result<()> {
        let path = segment_path(&self.folder, self.name, first);
        self.open = Some(File::options().create(true).append(true).open(&path)?);
        self.segments.push_back(Segment { path, bytes: 0 });
        Ok(())
    }

    fn drop_oldest(&mut self) {
        let mut total: u64 = self.segments.iter().map(|segment| segment.bytes).sum();
        while self.limit < total && 1 < self.segments.len() {
            if let Some(oldest) = self.segments.pop_front() {
                total -= oldest.bytes;
                let _ = std::fs::remove_file(oldest.path);
            }
        }
    }
}

/// The reading side: the files as they are at this moment.
#[derive(Default)]
pub struct JournalReader {
    /// By the number of their first record.
    segments: Vec<(u64, PathBuf)>,
}

impl JournalReader {
    /// A folder that is not there has nothing to read.
    pub fn open(folder: &Path, name: &str) -> std::io::Result<Self> {
        let entries = match std::fs::read_dir(folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            entries => entries?.flatten(),
        };
        let mut segments: Vec<(u64, PathBuf)> = entries
            .filter_map(|entry| {
                let file = entry.file_name();
                let rest = file.to_str()?.strip_prefix(name)?.strip_prefix('-')?;
                Some((rest.strip_suffix(".log")?.parse().ok()?, entry.path()))
            })
            .collect();
        segments.sort();
        Ok(Self { segments })
    }

    /// The number of the oldest record.
    pub fn first(&self) -> Option<u64> {
        self.segments.first().map(|(first, _)| *first)
    }

    /// The records from the file on that holds `number`; earlier ones of that file come first.
    pub fn records_from(&self, number: u64) -> impl Iterator<Item = Vec<u8>> + '_ {
        let holder = self.segments.partition_point(|(first, _)| *first <= number);
        let segments = &self.segments[holder.saturating_sub(1)..];
        segments.iter().flat_map(|(_, path)| Records::open(path))
    }

    /// The newest record.
    pub fn last(&self) -> Option<Vec<u8>> {
        let newest_first = self.segments.iter().rev();
        newest_first.filter_map(|(_, path)| Records::open(path).last()).next()
    }

    /// Adds records after the last one, when their writer is gone. `path` is for the first of all.
    pub fn extend(&self, path: &Path, records: &[Vec<u8>]) -> std::io::Result<()> {
        let path = self.segments.last().map_or(path, |(_, path)| path);
        let mut file = File::options().read(true).append(true).create(true).open(path)?;
        // The last write may have been cut off.
        let mut whole = Records { file: Some(BufReader::new(file.try_clone()?)), read: 0 };
        while whole.next().is_some() {}
        file.set_len(whole.read)?;
        let mut buffer = Vec::new();
        for record in records {
            put_length(record.len() as u64, &mut buffer);
            buffer.extend_from_slice(record);
        }
        file.seek(SeekFrom::End(0))?;
        file.write_all(&buffer)
    }
}

/// The file whose first record has this number.
pub fn segment_path(folder: &Path, name: &str, first: u64) -> PathBuf {
    folder.join(format!("{name}-{first:020}.log"))
}

/// The records of one file, up to its end or to the first that is not whole.
struct Records {
    file: Option<BufReader<File>>,
    /// Bytes of whole records so far.
    read: u64,
}

impl Records {
    fn open(path: &Path) -> Self {
        Self { file: File::open(path).ok().map(BufReader::new), read: 0 }
    }
}

impl Iterator for Records {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let file = self.file.as_mut()?;
        let mut head = 0;
        let length = take_length(file, &mut head).ok().filter(|length| *length <= MAX_RECORD)?;
        let mut record = Vec::new();
        // Only as much memory as there are bytes, whatever the length says.
        let got = file.take(length).read_to_end(&mut record).ok()?;
        if got as u64 != length {
            self.file = None;
            return None;
        }
        self.read += head + length;
        Some(record)
    }
}

fn put_length(mut length: u64, buffer: &mut Vec<u8>) {
    while 0x7f < length {
        buffer.push((length as u8 & 0x7f) | 0x80);
        length >>= 7;
    }
    buffer.push(length as u8);
}

fn take_length(source: &mut impl Read, taken: &mut u64) -> std::io::Result<u64> {
    let mut length = 0;
    for shift in (0..63).step_by(7) {
        let mut byte = [0];
        source.read_exact(&mut byte)?;
        *taken += 1;
        length |= u64::from(byte[0] & 0x7f) << shift;
        if byte[0] & 0x80 == 0 {
            return Ok(length);
        }
    }
    Err(ErrorKind::InvalidData.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(reader: &JournalReader, number: u64) -> Vec<String> {
        let records = reader.records_from(number);
        records.map(|record| String::from_utf8(record).unwrap()).collect()
    }

    #[test]
    fn what_is_written_is_read_in_order_and_the_oldest_files_go() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::new(folder.path(), "events", 8 * 1000);
        for number in 1..=100u64 {
            let text = format!("{number} {}", "x".repeat(300));
            journal.append(number, [text.as_bytes()]).unwrap();
        }

        let reader = JournalReader::open(folder.path(), "events").unwrap();
        let read = texts(&reader, 0);

        assert!(1 < reader.first().unwrap());
        assert!(read[0].starts_with(&format!("{} ", reader.first().unwrap())));
        assert!(read.last().unwrap().starts_with("100 "));
        assert!(read.len() < 40, "{}", read.len());
        assert!(texts(&reader, 100).iter().any(|text| text.starts_with("100 ")));
        assert!(texts(&reader, 100).len() < 10);
    }

    #[test]
    fn a_journal_cut_at_any_byte_gives_whole_records_and_can_be_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::new(folder.path(), "events", 1 << 20);
        journal.append(1, ["one".as_bytes(), &[b'2'; 200], b""]).unwrap();
        let path = JournalReader::open(folder.path(), "events").unwrap().segments[0].1.clone();
        let whole = std::fs::read(&path).unwrap();

        for end in 0..=whole.len() {
            std::fs::write(&path, &whole[..end]).unwrap();
            let reader = JournalReader::open(folder.path(), "events").unwrap();
            let before = texts(&reader, 0);
            reader.extend(&path, &[b"added".to_vec()]).unwrap();

            let after = texts(&reader, 0);

            assert_eq!(after.last().unwrap(), "added");
            assert_eq!(after[..after.len() - 1], before[..]);
            assert_eq!(
                before.len(),
                usize::from(3 < end) + usize::from(205 < end) + usize::from(206 < end)
            );
        }
    }

    #[test]
    fn garbage_is_the_end_and_costs_no_memory() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events-00000000000000000001.log");
        for garbage in [&[0xff; 40][..], &[0xff, 0xff, 0xff, 0x1f, 1, 2], &[]] {
            std::fs::write(&path, garbage).unwrap();

            let reader = JournalReader::open(folder.path(), "events").unwrap();

            assert_eq!(texts(&reader, 0), Vec::<String>::new());
            assert_eq!(reader.last(), None);
        }
    }
}

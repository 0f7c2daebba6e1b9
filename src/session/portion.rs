//! What a reader of output wants of it, and a chunk as that reader is to have it.

use std::borrow::Cow;

use bytes::Bytes;

use super::ring::RawChunk;
use crate::clock;
use crate::proto::{OutputCategory, OutputChunk};

/// What a reader wants.
#[derive(Debug, Clone, Default)]
pub struct OutputFilter {
    pub categories: Vec<OutputCategory>,
    pub data: DataWish,
}

/// Whether a reader wants bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DataWish {
    /// Where text does not tell them.
    #[default]
    WhenNeeded,
    /// Beside the text.
    Always,
    /// In place of the text.
    Only,
}

/// The chunk as this reader is to have it.
pub fn shown(chunk: RawChunk, wish: DataWish) -> OutputChunk {
    let text = match wish {
        DataWish::Only => Cow::Borrowed(""),
        DataWish::Always | DataWish::WhenNeeded => String::from_utf8_lossy(&chunk.data),
    };
    let is_lossy = matches!(text, Cow::Owned(_));
    let text = text.into_owned();
    OutputChunk {
        offset: chunk.offset,
        category: chunk.category.into(),
        data: if is_lossy || wish != DataWish::WhenNeeded { chunk.data } else { Bytes::new() },
        text,
        time: Some(clock::timestamp(chunk.time)),
        process_id: chunk.pid.into(),
    }
}

/// At most `limit` bytes, and not the half of a character if that can be helped.
pub fn cut_at_character(bytes: &[u8], limit: usize) -> &[u8] {
    let starts = |index: &usize| bytes[*index] & 0b1100_0000 != 0b1000_0000;
    let end = (limit.saturating_sub(3)..=limit).rev().find(starts).filter(|end| 0 < *end);
    &bytes[..end.unwrap_or(limit)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(data: &'static [u8], wish: DataWish) -> (String, Bytes) {
        let chunk = RawChunk {
            offset: 0,
            category: OutputCategory::Stdout,
            pid: 1,
            time: std::time::SystemTime::now(),
            data: Bytes::from_static(data),
        };
        let chunk = shown(chunk, wish);
        (chunk.text, chunk.data)
    }

    #[test]
    fn who_wants_bytes_gets_them_with_the_text_or_without() {
        assert_eq!(read(b"ok", DataWish::WhenNeeded), ("ok".into(), "".into()));
        assert_eq!(read(b"ok", DataWish::Always), ("ok".into(), "ok".into()));
        assert_eq!(read(b"ok", DataWish::Only), ("".into(), "ok".into()));
    }

    #[test]
    fn bytes_that_are_no_text_are_kept_as_bytes() {
        let (text, data) = read(b"ok \xff\xfe", DataWish::WhenNeeded);

        assert_eq!(&data[..], b"ok \xff\xfe");
        assert_eq!(text, "ok \u{fffd}\u{fffd}");
    }
}

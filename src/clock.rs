//! Times as callers see them: whole milliseconds, which is what a debugger's clock is good for, and
//! shorter to read.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use prost_types::Timestamp;

/// This moment.
pub fn now() -> Timestamp {
    timestamp(SystemTime::now())
}

/// A moment, cut to milliseconds.
pub fn timestamp(time: SystemTime) -> Timestamp {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let whole = Duration::new(since.as_secs(), since.subsec_millis() * 1_000_000);
    Timestamp::from(UNIX_EPOCH + whole)
}

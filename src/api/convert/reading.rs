//! What readers of events and output ask for.

use std::time::Duration;

use super::{count, limited_duration, longest_wait};
use crate::error::{Error, Result};
use crate::proto::{EventType, OutputCategory};
use crate::session::{DataWish, OutputFilter};

const DEFAULT_EVENTS: u32 = 100;
const MAX_EVENTS: u32 = 10_000;
const DEFAULT_BYTES: u32 = 64 * 1024;
const MAX_BYTES: u32 = 1024 * 1024;

/// How long to wait for the first event or byte; not at all, if nothing is said.
pub fn poll(given: Option<prost_types::Duration>) -> Result<Duration> {
    limited_duration("wait", given, Duration::ZERO, longest_wait())
}

/// Events of one answer.
pub fn event_limit(given: u32) -> Result<usize> {
    Ok(count("limit", given, DEFAULT_EVENTS, MAX_EVENTS)? as usize)
}

pub fn event_types(given: &[i32]) -> Result<Vec<EventType>> {
    let known = |number: &i32| {
        let kind = EventType::try_from(*number).ok().filter(|kind| *kind != EventType::Unspecified);
        kind.ok_or_else(|| Error::invalid("types", format!("there is no event type {number}")))
    };
    given.iter().map(known).collect()
}

/// Bytes of one answer.
pub fn output_bytes(given: u32) -> Result<usize> {
    Ok(count("max_bytes", given, DEFAULT_BYTES, MAX_BYTES)? as usize)
}

pub fn output_filter(
    categories: &[i32],
    include_data: bool,
    data_only: bool,
) -> Result<OutputFilter> {
    let known = |number: &i32| {
        let category = OutputCategory::try_from(*number)
            .ok()
            .filter(|found| *found != OutputCategory::Unspecified);
        category.ok_or_else(|| {
            Error::invalid("categories", format!("there is no output category {number}"))
        })
    };
    let data = match (data_only, include_data) {
        (true, _) => DataWish::Only,
        (false, true) => DataWish::Always,
        (false, false) => DataWish::WhenNeeded,
    };
    Ok(OutputFilter { categories: categories.iter().map(known).collect::<Result<_>>()?, data })
}

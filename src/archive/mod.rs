//! What is left of a session when its host is gone: its record, events and output, read from disk.
//! Also closes the story of a session whose host died. Knows no processes.

mod output;
mod settle;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use prost::Message;

use crate::clock;
use crate::proto::{Breakpoint, Event, EventType, Session, SessionCounters, SessionState};
use crate::session::keeping::EVENTS;
use crate::session::{EventPage, kept, type_of};
use crate::store::{self, JournalReader, SessionRecord};

/// What a session counts for at least: many small ones are much to keep, too.
const LEAST: u64 = 64 * 1024;

/// The folder in which one session is kept.
#[derive(Debug, Clone)]
pub struct Archive {
    folder: PathBuf,
}

impl Archive {
    pub fn of(folder: PathBuf) -> Self {
        Self { folder }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn record(&self) -> std::io::Result<SessionRecord> {
        SessionRecord::read(&self.folder)
    }

    /// When the session was last known to live.
    pub fn time(&self) -> SystemTime {
        let of_folder = || self.folder.metadata().and_then(|facts| facts.modified()).ok();
        store::record_time(&self.folder).or_else(of_folder).unwrap_or(SystemTime::UNIX_EPOCH)
    }

    /// What it takes on disk.
    pub fn bytes(&self) -> u64 {
        let files = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let bytes: u64 =
            files.filter_map(|file| file.metadata().ok()).map(|facts| facts.len()).sum();
        bytes.max(LEAST)
    }

    pub fn remove(&self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }

    /// The session as callers saw it last. Without a record, only the state is known.
    pub fn session(&self) -> Session {
        let Ok(record) = self.record() else {
            return Session { state: SessionState::Lost.into(), ..Default::default() };
        };
        Session {
            state: state_of(&record).into(),
            created_time: Some(clock::timestamp(record.created())),
            last_active_time: Some(clock::timestamp(record.last_active())),
            project_root: record.project_root.to_string_lossy().into_owned(),
            counters: Some(SessionCounters {
                stops: record.stops,
                events: record.events,
                output_bytes: record.output_bytes,
                breakpoints: u32::try_from(record.breakpoints.len()).unwrap_or(u32::MAX),
                ..Default::default()
            }),
            last_sequence: record.events,
            id: record.id,
            name: record.name,
            adapter: record.adapter,
            exit_code: record.exit_code,
            exit_signal: record.exit_signal,
            failure: record.failure,
            labels: record.labels.into_iter().collect(),
            python: record.python,
            ..Default::default()
        }
    }

    /// The breakpoints as they were at the end, those in `file` or all.
    pub fn breakpoints(&self, file: &str) -> Vec<Breakpoint> {
        let Ok(record) = self.record() else { return Vec::new() };
        let root = &record.project_root;
        let file = root.join(file);
        let wanted = record.breakpoints.iter().filter(|breakpoint| {
            file == root.join("") || root.join(&breakpoint.place.file) == file
        });
        wanted.map(|breakpoint| kept::recorded(breakpoint, root)).collect()
    }

    /// Up to `limit` events after `sequence`, of the given types or of all. What is not there is
    /// announced by a gap.
    pub fn events_after(&self, sequence: u64, types: &[EventType], limit: usize) -> EventPage {
        let reader = JournalReader::open(&self.folder, EVENTS).unwrap_or_default();
        let mut page = EventPage { events: Vec::new(), next_sequence: sequence };
        for event in events_from(&reader, sequence.saturating_add(1)) {
            if event.sequence <= page.next_sequence {
                continue;
            }
            if page.events.len() < limit {
                page.skip_to(event.sequence - 1);
            }
            if limit <= page.events.len() {
                break;
            }
            page.next_sequence = event.sequence;
            if types.is_empty() || type_of(&event).is_some_and(|kind| types.contains(&kind)) {
                page.events.push(event);
            }
        }
        if page.events.len() < limit {
            // What could not be written.
            page.skip_to(self.record().map_or(0, |record| record.events));
        }
        page
    }
}

/// The events from about this number on: some before it may come, too.
fn events_from(reader: &JournalReader, sequence: u64) -> impl Iterator<Item = Event> {
    reader.records_from(sequence).filter_map(|record| Event::decode(record.as_slice()).ok())
}

/// The state of a record; empty is that of a session that was never made.
pub fn state_of(record: &SessionRecord) -> SessionState {
    SessionState::from_str_name(&format!("SESSION_STATE_{}", record.state)).unwrap_or_default()
}

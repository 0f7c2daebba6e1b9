//! The audit log: who called what of which session, and how it came out. One line of JSON a call,
//! written before its answer goes out. Says nothing of what was in the call.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde::Serialize;

/// So many refusals of strangers are written in a span; those beyond are counted in the next line.
const REFUSALS: u32 = 100;
const SPAN: Duration = Duration::from_secs(1);

#[derive(Debug, Default, Serialize)]
pub struct Entry<'a> {
    pub method: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub session: &'a str,
    /// By what the caller was known; empty for a stranger.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub caller: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub owner: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub peer: &'a str,
    pub code: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub reason: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub trace_id: &'a str,
}

#[derive(Serialize)]
struct Line<'a> {
    time: String,
    #[serde(flatten)]
    entry: &'a Entry<'a>,
    #[serde(skip_serializing_if = "is_zero")]
    unwritten_refusals: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

pub struct Audit {
    path: PathBuf,
    state: Mutex<State>,
}

struct State {
    file: File,
    span_begun: Instant,
    refusals: u32,
    unwritten: u64,
}

impl Audit {
    pub fn open(path: &Path) -> std::io::Result<Self> {
        let state =
            State { file: open(path)?, span_begun: Instant::now(), refusals: 0, unwritten: 0 };
        Ok(Self { path: path.to_owned(), state: Mutex::new(state) })
    }

    /// Begins a new file, when somebody has moved the old one away.
    pub fn reopen(&self) {
        match open(&self.path) {
            Ok(file) => self.state.lock().unwrap_or_else(PoisonError::into_inner).file = file,
            Err(error) => tracing::error!(%error, "the audit log cannot be opened again"),
        }
    }

    pub fn write(&self, entry: &Entry) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // A flood of strangers must not fill the disk.
        if entry.caller.is_empty() && !state.has_room_for_refusal(Instant::now()) {
            state.unwritten += 1;
            return;
        }
        let time = humantime::format_rfc3339_micros(SystemTime::now()).to_string();
        let line = Line { time, entry, unwritten_refusals: std::mem::take(&mut state.unwritten) };
        let written = serde_json::to_vec(&line).map_err(Into::into).and_then(|mut line| {
            line.push(b'\n');
            // In one piece, so that lines never mix.
            state.file.write_all(&line)
        });
        if let Err(error) = written {
            tracing::error!(%error, "the audit log cannot be written");
        }
    }
}

impl State {
    fn has_room_for_refusal(&mut self, now: Instant) -> bool {
        if SPAN <= now.duration_since(self.span_begun) {
            (self.span_begun, self.refusals) = (now, 0);
        }
        self.refusals += 1;
        self.refusals <= REFUSALS
    }
}

fn open(path: &Path) -> std::io::Result<File> {
    std::fs::OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_strangers_is_counted_and_callers_are_always_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.log");
        let audit = Audit::open(&path).unwrap();

        for _ in 0..10_000 {
            audit.write(&Entry { method: "m", code: "UNAUTHENTICATED", ..Default::default() });
        }
        audit.write(&Entry { method: "m", caller: "token ci", code: "OK", ..Default::default() });

        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(lines.len() < 1000, "{}", lines.len());
        let counted: u64 =
            lines.iter().filter_map(|line| line["unwritten_refusals"].as_u64()).sum();
        assert_eq!(counted + lines.len() as u64, 10_001);
        assert_eq!(lines.last().unwrap()["caller"], "token ci");
    }

    #[test]
    fn after_a_rotation_the_new_file_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.log");
        let audit = Audit::open(&path).unwrap();
        let entry = Entry { method: "m", caller: "c", code: "OK", ..Default::default() };
        audit.write(&entry);
        std::fs::rename(&path, folder.path().join("old")).unwrap();

        audit.reopen();
        audit.write(&entry);

        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 1);
    }
}

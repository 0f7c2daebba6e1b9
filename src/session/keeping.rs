//! Keeps on disk what others may read when this process is gone: output as it comes, and the record
//! of the session when it has changed. Events are written by their log.

use std::sync::Arc;
use std::time::Duration;

use prost::Message;
use tokio::sync::watch;

use super::output::OutputLog;
use super::ring::RawChunk;
use super::{Facts, Session, kept, state};
use crate::clock;
use crate::proto::OutputChunk;
use crate::store::{self, Journal, RECORD_VERSION, SessionRecord};

/// The names of the journals in a session's folder.
pub const EVENTS: &str = "events";
pub const OUTPUT: &str = "output";

/// Output that is written at once, and the rest after it: a program that floods us is not to share its
/// processors with the disk.
const BATCH: usize = 2 * 1024 * 1024;
const REST: Duration = Duration::from_millis(12);
/// Changes within this time share one record.
const RECORD_INTERVAL: Duration = Duration::from_millis(250);
/// The disk has this long for what is left at the end.
const LAST_WRITES: Duration = Duration::from_secs(3);

/// How far the output is on disk; closed when it cannot be written.
pub type KeptOutput = watch::Receiver<u64>;

/// Begins to write the output into `journal`. Never slows the program: when the disk does not keep
/// up, what left the ring meanwhile is missing on disk.
pub fn keep_output(log: Arc<OutputLog>, journal: Journal) -> KeptOutput {
    let (tell, kept) = watch::channel(0);
    tokio::spawn(async move {
        let mut journal = Some(journal);
        let mut offset = 0;
        while let Some(mut writing) = journal.take() {
            log.wait_beyond(offset).await;
            let batch = log.raw_after(offset, BATCH);
            offset = batch.last().map_or(offset, RawChunk::end);
            let written = tokio::task::spawn_blocking(move || {
                write_batch(&mut writing, &batch).map(|()| writing)
            });
            match written.await {
                Ok(Ok(written)) => journal = Some(written),
                Ok(Err(error)) => {
                    tracing::warn!(%error, "output cannot be written to disk, and is kept in memory only");
                }
                Err(error) => tracing::error!(%error, "writing output failed"),
            }
            tell.send_replace(offset);
            tokio::time::sleep(REST).await;
        }
    });
    kept
}

/// One by one: together they would be in memory once more.
fn write_batch(journal: &mut Journal, batch: &[RawChunk]) -> std::io::Result<()> {
    for chunk in batch {
        journal.append(chunk.offset, [encode(chunk).encode_to_vec().as_slice()])?;
    }
    Ok(())
}

fn encode(chunk: &RawChunk) -> OutputChunk {
    OutputChunk {
        offset: chunk.offset,
        category: chunk.category.into(),
        data: chunk.data.clone(),
        text: String::new(),
        time: Some(clock::timestamp(chunk.time)),
        process_id: chunk.pid.into(),
    }
}

impl Session {
    /// Begins to keep the record of the session up to date, as long as there is a session.
    pub fn keep_record(&self) {
        let mut shown = self.0.shown.clone();
        let session = Arc::downgrade(&self.0);
        tokio::spawn(async move {
            while shown.changed().await.is_ok() {
                tokio::time::sleep(RECORD_INTERVAL).await;
                shown.mark_unchanged();
                let Some(session) = session.upgrade() else { return };
                Session(session).write_record().await;
            }
        });
    }

    /// The session is as it will be: returns when the disk has all of it, or has had its time.
    pub async fn keep_last(&self) {
        let mut kept = self.0.kept_output.clone();
        let end = self.0.output.extent().end;
        let _ = tokio::time::timeout(LAST_WRITES, kept.wait_for(|kept| end <= *kept)).await;
        self.write_record().await;
    }

    /// Writes the record as the session is now. A failure is logged: the session goes on.
    pub async fn write_record(&self) {
        let _one_at_a_time = self.0.recording.lock().await;
        // First: breakpoints may be newer than the number, not older.
        let shown = self.show();
        let breakpoints = self.breakpoints_quietly().await;
        let facts = self.facts();
        let record = SessionRecord {
            state: state::name(shown.state()).into(),
            failure: shown.failure,
            exit_code: shown.exit_code,
            exit_signal: shown.exit_signal,
            python: shown.python,
            stops: shown.counters.map_or(0, |counters| counters.stops),
            events: shown.last_sequence,
            output_bytes: self.0.output.extent().end,
            last_active_unix_ms: store::unix_ms(self.last_active()),
            breakpoints: breakpoints
                .iter()
                .map(|breakpoint| kept::record_of(breakpoint, &facts.project_root))
                .collect(),
            ..beginning(facts)
        };
        let folder = facts.archive.clone();
        let written = tokio::task::spawn_blocking(move || record.write(&folder)).await;
        if let Ok(Err(error)) = written {
            tracing::warn!(%error, "the record of the session could not be written");
        }
    }
}

/// What is known of a session from its beginning.
fn beginning(facts: &Facts) -> SessionRecord {
    SessionRecord {
        version: RECORD_VERSION,
        id: facts.id.to_string(),
        owner: facts.owner.clone(),
        name: facts.name.clone(),
        project_root: facts.project_root.clone(),
        adapter: facts.profile.name.into(),
        labels: facts.labels.clone().into_iter().collect(),
        request_id: facts.request_id.clone(),
        created_unix_ms: store::unix_ms(facts.created),
        ..Default::default()
    }
}

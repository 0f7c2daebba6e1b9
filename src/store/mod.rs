//! What survives a process: JSON files that are written whole or not at all, and journals. Knows
//! nothing of why they are stored.

mod journal;
mod json;
mod names;
mod project;
mod record;
mod server;

pub use journal::{Journal, JournalReader, segment_path};
pub use json::{read_json, write_json};
pub use names::{from_unix_ms, stable_hash, unix_ms};
pub use project::{KeptBreakpoint, KeptPlace, KeptTerms, Loaded, ProjectStore, Surroundings};
pub use record::{BreakpointRecord, RECORD_VERSION, SessionRecord, record_time};
pub use server::ServerFile;

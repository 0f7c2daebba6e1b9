//! What survives a process: small JSON files, each written whole or not at all. Knows nothing of
//! why they are stored.

mod json;
mod record;

pub use json::{read_json, write_json};
pub use record::{SessionRecord, unix_ms};

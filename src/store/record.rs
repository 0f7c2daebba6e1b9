//! What is known of a session when its host is gone: `session.json` in its folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::json::{read_json, write_json};

/// The lasting facts of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionRecord {
    pub version: u32,
    pub id: String,
    pub name: String,
    pub project_root: PathBuf,
    pub adapter: String,
    pub labels: BTreeMap<String, String>,
    pub request_id: String,
    pub created_unix_ms: u64,
}

impl SessionRecord {
    pub fn write(&self, folder: &Path) -> std::io::Result<()> {
        write_json(&path(folder), self)
    }

    pub fn read(folder: &Path) -> std::io::Result<Self> {
        read_json(&path(folder))
    }

    pub fn created(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(self.created_unix_ms)
    }
}

/// Whole milliseconds since 1970.
pub fn unix_ms(time: SystemTime) -> u64 {
    let span = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

fn path(folder: &Path) -> PathBuf {
    folder.join("session.json")
}

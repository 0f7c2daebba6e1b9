//! What is known of a session when its host is gone: `session.json` in its folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::json::{read_json, write_json};
use super::names::from_unix_ms;

/// The form of the file. A reader takes this and older ones.
pub const RECORD_VERSION: u32 = 2;

/// A session as it was when the record was last written.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionRecord {
    pub version: u32,
    pub id: String,
    pub owner: String,
    pub name: String,
    pub project_root: PathBuf,
    pub adapter: String,
    pub labels: BTreeMap<String, String>,
    pub request_id: String,
    pub created_unix_ms: u64,
    pub last_active_unix_ms: u64,
    /// Its state's name; empty while its host has only been started.
    pub state: String,
    pub failure: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(skip_serializing_if = "is_zero")]
    pub exit_signal: i32,
    pub python: String,
    pub stops: u64,
    pub events: u64,
    pub output_bytes: u64,
    pub breakpoints: Vec<BreakpointRecord>,
}

/// A breakpoint of a session, as it was shown.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BreakpointRecord {
    pub id: u64,
    pub verified: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    pub actual_line: i32,
    pub hit_count: u64,
    #[serde(flatten)]
    pub place: super::KeptPlace,
    #[serde(flatten)]
    pub terms: super::KeptTerms,
}

impl SessionRecord {
    pub fn write(&self, folder: &Path) -> std::io::Result<()> {
        write_json(&path(folder), self)
    }

    pub fn read(folder: &Path) -> std::io::Result<Self> {
        read_json(&path(folder))
    }

    pub fn created(&self) -> SystemTime {
        from_unix_ms(self.created_unix_ms)
    }

    pub fn last_active(&self) -> SystemTime {
        from_unix_ms(self.last_active_unix_ms)
    }
}

/// When the record was last written: for a session that is over, about when it ended.
pub fn record_time(folder: &Path) -> Option<SystemTime> {
    std::fs::metadata(path(folder)).and_then(|facts| facts.modified()).ok()
}

fn path(folder: &Path) -> PathBuf {
    folder.join("session.json")
}

fn is_zero(number: &i32) -> bool {
    *number == 0
}

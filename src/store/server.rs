//! The word of a server for others on this machine: where it is.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::json::{read_json, write_json};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ServerFile {
    /// `HOST:PORT` or `unix:PATH`.
    pub address: String,
    pub pid: u32,
    pub version: String,
    /// It speaks TLS.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tls: bool,
    /// Where its metrics are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metrics_address: Option<String>,
}

impl ServerFile {
    pub fn path(run_dir: &Path) -> PathBuf {
        run_dir.join("server.json")
    }

    /// The word of the last server on this run folder; it may be gone.
    pub fn read(run_dir: &Path) -> std::io::Result<Self> {
        read_json(&Self::path(run_dir))
    }

    pub fn write(&self, run_dir: &Path) -> std::io::Result<()> {
        write_json(&Self::path(run_dir), self)
    }
}

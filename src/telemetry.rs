//! Logs: text for people, JSON for machines, always on standard error.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

/// How logs are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// Lines for people, coloured on a terminal.
    Text,
    /// One JSON object a line.
    Json,
}

/// Begins to log; `RUST_LOG` chooses what.
pub fn start(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let started = match format {
        LogFormat::Text => logs.with_ansi(std::io::stderr().is_terminal()).try_init(),
        LogFormat::Json => logs.json().try_init(),
    };
    // A second call in one process changes nothing.
    let _ = started;
}

//! What the server allows, in one place. The gateway reads it from its settings and hands it to its
//! hosts; in a process it is set once, at the start, and is the same ever after.

use std::sync::OnceLock;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The longest text that is evaluated.
pub const MAX_EXPRESSION: usize = 1024 * 1024;

/// The longest condition of a breakpoint; every event about the breakpoint holds it.
pub const MAX_CONDITION: usize = 4 * 1024;

/// Each field is a key of `[limits]` in the settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Sessions whose program is not over. Those that are over give way to new ones.
    pub sessions: usize,
    /// The same, of one owner. 0 means no limit of its own.
    pub sessions_per_owner: usize,
    /// Interpreters that wait for their programs. 0 means that every program is started anew.
    pub spares: usize,
    /// How long they wait when no session is made.
    pub spare_idle: Duration,
    /// Events that are kept of a session.
    pub events: usize,
    /// Bytes of output that are kept of a session.
    pub output_bytes: usize,
    /// Bytes of one request.
    pub request_bytes: usize,
    /// Bytes of the metadata of one call.
    pub header_bytes: usize,
    /// Connections at once.
    pub connections: usize,
    /// Calls at once on one connection.
    pub streams: usize,
    /// Breakpoints of a session.
    pub breakpoints: usize,
    /// The longest that a call may wait for the program.
    pub wait: Duration,
    /// The longest that an expression may take.
    pub evaluate: Duration,
    /// The longest that the debugger may take for a request that no caller gave a time.
    pub answer: Duration,
    /// How long a session lives without a call, unless it says otherwise.
    pub idle_timeout: Duration,
    /// The longest that a session may say.
    pub max_idle_timeout: Duration,
    /// How long a session that is over can be read.
    pub retention: Duration,
    /// Bytes on disk of all sessions that are over.
    pub archive_bytes: u64,
    /// Processes of one program, its children included. 0 means no limit.
    pub processes: usize,
    /// Bytes of address space of each process of a program. 0 means no limit.
    pub memory_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        const MIB: usize = 1024 * 1024;
        const HOUR: Duration = Duration::from_secs(3600);
        Self {
            sessions: 10,
            sessions_per_owner: 0,
            spares: 2,
            spare_idle: Duration::from_secs(600),
            events: 10_000,
            output_bytes: 50 * MIB,
            // A 1 MiB expression and a thousand breakpoints fit.
            request_bytes: 4 * MIB,
            header_bytes: 32 * 1024,
            connections: 1000,
            streams: 1000,
            breakpoints: 1000,
            wait: HOUR,
            evaluate: Duration::from_secs(600),
            answer: Duration::from_secs(30),
            idle_timeout: HOUR,
            max_idle_timeout: 30 * 24 * HOUR,
            retention: 24 * HOUR,
            archive_bytes: 2 * 1024 * MIB as u64,
            processes: 1000,
            memory_bytes: 0,
        }
    }
}

static LIMITS: OnceLock<Limits> = OnceLock::new();

/// Sets the limits of this process, at its start. Later calls change nothing.
pub fn set(limits: Limits) {
    let _ = LIMITS.set(limits);
}

/// The limits of this process.
pub fn get() -> &'static Limits {
    LIMITS.get_or_init(Limits::default)
}

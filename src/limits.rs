//! What the server allows, in one place.

use std::time::Duration;

/// The largest request that is taken. A 1 MiB expression and a thousand breakpoints fit.
pub const MAX_REQUEST: usize = 4 * 1024 * 1024;

/// The longest text that is evaluated.
pub const MAX_EXPRESSION: usize = 1024 * 1024;

/// The longest condition of a breakpoint; every event about the breakpoint holds it.
pub const MAX_CONDITION: usize = 4 * 1024;

/// The longest that a call may wait for the program.
pub const MAX_WAIT: Duration = Duration::from_secs(3600);

/// How long a session lives without a call, unless it says otherwise.
pub const DEFAULT_IDLE: Duration = Duration::from_secs(3600);

/// Events that are kept of a session.
pub const KEPT_EVENTS: usize = 10_000;

/// Bytes of output that are kept of a session.
pub const KEPT_BYTES: usize = 50 * 1024 * 1024;

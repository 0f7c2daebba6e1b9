//! What this build is: version, commit, machine and profile.

pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Empty when it was not built from a checkout.
pub const COMMIT: &str = env!("DEBUG_RELAY_COMMIT");
/// For example "x86_64-unknown-linux-gnu".
pub const TARGET: &str = env!("DEBUG_RELAY_TARGET");
/// "release" or "debug".
pub const PROFILE: &str = env!("DEBUG_RELAY_PROFILE");

/// All of it in a line.
pub fn line() -> String {
    let commit = if COMMIT.is_empty() { String::new() } else { format!("{COMMIT}, ") };
    format!("{VERSION} ({commit}{TARGET}, {PROFILE})")
}

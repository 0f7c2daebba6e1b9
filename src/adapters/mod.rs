//! What is peculiar to each debugger, as data: how its program is started, what it is told at the
//! beginning. Runs nothing.

pub mod debugpy;
pub mod inject;
pub mod locate;
mod points;
pub mod probe;

pub use points::{HitCondition, LogPart, Point, Row, parse_log};

/// What one debugger is called and what it serves.
pub struct Profile {
    pub name: &'static str,
    pub languages: &'static [&'static str],
    pub install_hint: &'static str,
    /// The kinds of exceptions that it can stop at.
    pub exception_filters: &'static [ExceptionKind],
}

/// A kind of exceptions that a debugger can stop at.
pub struct ExceptionKind {
    pub name: &'static str,
    pub label: &'static str,
    pub description: &'static str,
    /// It is on unless the caller says otherwise.
    pub is_default: bool,
}

/// Every debugger that this version drives; the first is the default.
pub const PROFILES: &[Profile] = &[debugpy::PROFILE];

/// The profile that a caller asked for; an empty name asks for the default.
pub fn find(name: &str) -> Option<&'static Profile> {
    PROFILES.iter().find(|profile| name.is_empty() || profile.name == name)
}

/// All names, for messages.
pub fn names() -> String {
    PROFILES.iter().map(|profile| profile.name).collect::<Vec<_>>().join(", ")
}

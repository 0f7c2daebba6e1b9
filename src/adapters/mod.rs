//! What is peculiar to each debugger, as data: how its program is started, what it is told at the
//! beginning. Runs nothing.

pub mod debugpy;
pub mod locate;

/// What one debugger is called and what it serves.
pub struct Profile {
    pub name: &'static str,
    pub languages: &'static [&'static str],
    pub install_hint: &'static str,
    /// Exception filters that are on unless the caller says otherwise.
    pub default_exception_filters: &'static [&'static str],
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

//! Answers as people read them: coloured on a terminal, plain in a pipe. Knows messages, and nothing
//! of where they came from.

mod events;
mod outcome;
mod points;
mod sessions;
mod table;
mod tokens;
mod values;

use std::path::Path;

use anstyle::{AnsiColor, Style};

pub use events::event;
pub use outcome::{Detail, frames, outcome, snapshot, stop_line};
pub use points::{breakpoint, breakpoints, exceptions};
pub use sessions::{adapters, server, session, sessions, threads};
pub use tokens::tokens;
pub use values::{changes, found, record, value, variables};

pub const STRONG: Style = Style::new().bold();
pub const QUIET: Style = Style::new().dimmed();
pub const GOOD: Style = AnsiColor::Green.on_default();
pub const WARN: Style = AnsiColor::Yellow.on_default();
pub const BAD: Style = AnsiColor::Red.on_default();
pub const NAME: Style = AnsiColor::Cyan.on_default();

/// A file as it is called here: relative to this folder when it is beneath it.
pub fn path(file: &str) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let short = Path::new(file).strip_prefix(&here).ok();
    short.map_or_else(|| file.into(), |short| short.display().to_string())
}

/// An enum's name without its prefix, in small letters.
fn word(name: &str, prefix: &str) -> String {
    name.strip_prefix(prefix).unwrap_or(name).to_lowercase().replace('_', " ")
}

/// A value on one line.
fn one_line(value: &str) -> String {
    value.replace('\n', "\\n").replace('\r', "\\r")
}

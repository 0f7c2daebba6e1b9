//! What to read, to write and to trace.

use std::time::Duration;

use clap::Args;

use super::values::span;
use crate::cli::places::Place;

#[derive(Debug, Clone, Args)]
pub struct Output {
    /// Go on as more is written, to the end.
    #[arg(short, long)]
    pub follow: bool,
    /// From this byte on.
    #[arg(long, value_name = "OFFSET", default_value_t = 0, hide_default_value = true)]
    pub after: u64,
}

#[derive(Debug, Clone, Args)]
pub struct Input {
    /// The text, to which a line end is added; without any, standard input is passed on to its end.
    pub words: Vec<String>,
    /// Add no line end.
    #[arg(short = 'n', long)]
    pub no_newline: bool,
    /// Close standard input after it.
    #[arg(long)]
    pub eof: bool,
}

#[derive(Debug, Clone, Args)]
pub struct Events {
    /// Go on as more happens, to the end of the session.
    #[arg(short, long)]
    pub follow: bool,
    /// Those after this number.
    #[arg(long, value_name = "NUMBER", default_value_t = 0, hide_default_value = true)]
    pub after: u64,
    /// Those of all sessions, as they happen.
    #[arg(long, conflicts_with = "after")]
    pub all_sessions: bool,
}

#[derive(Debug, Clone, Args)]
pub struct Trace {
    /// At most this many steps.
    #[arg(default_value_t = 1000)]
    pub steps: u64,
    /// Into calls, not over them.
    #[arg(short, long)]
    pub into: bool,
    /// End at this line: FILE:LINE or LINE, perhaps with ` if CONDITION`.
    #[arg(short, long, value_name = "PLACE")]
    pub until: Option<Place>,
    /// End when this is true.
    #[arg(long = "until-true", value_name = "EXPRESSION")]
    pub condition: Option<String>,
    /// Also show the value of this expression at each step.
    #[arg(short, long = "eval", value_name = "EXPRESSION")]
    pub expressions: Vec<String>,
    /// End after this time.
    #[arg(short, long, value_name = "TIME", default_value = "60s", value_parser = span)]
    pub timeout: Duration,
}

//! What to look at, and how closely.

use std::time::Duration;

use clap::Args;

use super::values::span;

/// Which frame.
#[derive(Debug, Clone, Args)]
pub struct FrameChoice {
    /// The frame, by its number in the backtrace.
    #[arg(short, long, value_name = "N", default_value_t = 0)]
    pub frame: u32,
}

#[derive(Debug, Clone, Args)]
pub struct Backtrace {
    /// The thread; else the one that stopped last.
    #[arg(long, value_name = "ID", default_value_t = 0, hide_default_value = true)]
    pub thread: u64,
    /// At most this many frames.
    #[arg(short = 'n', long, default_value_t = 50)]
    pub count: u32,
}

#[derive(Debug, Clone, Args)]
pub struct Locals {
    /// Only these.
    pub names: Vec<String>,
    #[command(flatten)]
    pub at: FrameChoice,
    /// How deep to look into values.
    #[arg(short, long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=5))]
    pub depth: u32,
    /// The globals instead.
    #[arg(short, long)]
    pub globals: bool,
    /// Show values that look like secrets.
    #[arg(long)]
    pub reveal: bool,
}

#[derive(Debug, Clone, Args)]
pub struct Print {
    /// The expression.
    #[arg(required = true, value_name = "EXPRESSION", allow_negative_numbers = true)]
    pub words: Vec<String>,
    #[command(flatten)]
    pub at: FrameChoice,
    /// Run a statement, such as an assignment.
    #[arg(long)]
    pub statement: bool,
    /// How long it may take.
    #[arg(short, long, value_name = "TIME", value_parser = span)]
    pub timeout: Option<Duration>,
}

#[derive(Debug, Clone, Args)]
pub struct Set {
    /// What to change, `=`, and the new value as an expression.
    #[arg(
        required = true,
        value_name = "NAME = VALUE",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub words: Vec<String>,
    #[command(flatten)]
    pub at: FrameChoice,
}

#[derive(Debug, Clone, Args)]
pub struct Find {
    /// Text to find in names or values.
    pub query: String,
    #[command(flatten)]
    pub at: FrameChoice,
    /// How deep to look.
    #[arg(short, long, default_value_t = 6)]
    pub depth: u32,
}

#[derive(Debug, Clone, Args)]
pub struct Snapshot {
    /// Also show the value of this expression.
    #[arg(short, long = "eval", value_name = "EXPRESSION")]
    pub expressions: Vec<String>,
    /// How deep to look into values.
    #[arg(short, long, value_parser = clap::value_parser!(u32).range(1..=5))]
    pub depth: Option<u32>,
    /// Only variables with these names.
    #[arg(long = "only", value_name = "NAME")]
    pub names: Vec<String>,
    /// At most about this many bytes.
    #[arg(long, value_name = "BYTES")]
    pub max_bytes: Option<u32>,
    /// Lines of source before and after.
    #[arg(long, value_name = "LINES")]
    pub context: Option<u32>,
    /// Show values that look like secrets.
    #[arg(long)]
    pub reveal: bool,
    /// The thread; else the one that stopped last.
    #[arg(long, value_name = "ID", default_value_t = 0, hide_default_value = true)]
    pub thread: u64,
}

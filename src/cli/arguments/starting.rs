//! What to run or to take, and the session that is made for it.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::values::{pair, span};
use crate::cli::places::Place;

/// What to run, and how.
#[derive(Debug, Clone, Args)]
pub struct Program {
    /// The program, then its arguments; those that begin with a dash go after `--`.
    #[arg(value_name = "PROGRAM", allow_negative_numbers = true)]
    pub words: Vec<String>,
    /// Run a module, as `python -m` does; all words are its arguments.
    #[arg(short, long, value_name = "MODULE", conflicts_with = "code")]
    pub module: Option<String>,
    /// Run this source text; all words are its arguments.
    #[arg(long, value_name = "TEXT")]
    pub code: Option<String>,
    /// Set a breakpoint: FILE:LINE, FUNCTION, either with ` if CONDITION` or ` log MESSAGE`.
    #[arg(short, long = "break", value_name = "PLACE")]
    pub breakpoints: Vec<Place>,
    /// Stop at exceptions where they are raised, caught or not; only at these classes if any are named.
    #[arg(long, value_name = "CLASSES", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub raised: Option<String>,
    /// Do not stop at exceptions that nothing catches.
    #[arg(long)]
    pub no_uncaught: bool,
    /// The working directory of the program.
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    /// A variable for the program.
    #[arg(long = "env", value_name = "NAME=VALUE", value_parser = pair)]
    pub environment: Vec<(String, String)>,
    /// The interpreter: a path, a venv folder or a command.
    #[arg(long, value_name = "PYTHON")]
    pub python: Option<String>,
    /// Standard input for the program: a file, or - for that of this command.
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,
    /// Stop and step in libraries, too.
    #[arg(long)]
    pub all_code: bool,
    /// Give the program a terminal.
    #[arg(long)]
    pub tty: bool,
    /// What happens to processes that the program starts.
    #[arg(long, value_name = "HOW", default_value = "follow")]
    pub children: Children,
    #[command(flatten)]
    pub session: NewSession,
}

/// The session that is made.
#[derive(Debug, Clone, Args)]
pub struct NewSession {
    /// The id for the session; else one is made.
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,
    /// A name for people.
    #[arg(long)]
    pub name: Option<String>,
    /// A label to find the session by.
    #[arg(long = "label", value_name = "NAME=VALUE", value_parser = pair)]
    pub labels: Vec<(String, String)>,
    /// The project's folder; else this one.
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// Leave the breakpoints of earlier sessions of this project alone.
    #[arg(long)]
    pub fresh: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Children {
    /// They are debugged, too.
    Follow,
    /// They run without the debugger.
    Free,
    /// They stop at their first line.
    Stop,
}

#[derive(Debug, Clone, Args)]
pub struct Start {
    #[command(flatten)]
    pub program: Program,
    /// Stop at the first line, also when breakpoints are given.
    #[arg(long)]
    pub stop_on_entry: bool,
    #[command(flatten)]
    pub how: Waiting,
}

#[derive(Debug, Clone, Args)]
pub struct Run {
    #[command(flatten)]
    pub program: Program,
    /// Give up waiting after this time; else it is waited for as long as it takes.
    #[arg(short, long, value_name = "TIME", value_parser = span)]
    pub timeout: Option<Duration>,
}

#[derive(Debug, Clone, Args)]
pub struct Waiting {
    /// How long to wait for the first stop: 5s, 2m; 0 means not at all.
    #[arg(short, long, value_name = "TIME", value_parser = span)]
    pub timeout: Option<Duration>,
    /// Also show the value of this expression.
    #[arg(short, long = "eval", value_name = "EXPRESSION")]
    pub expressions: Vec<String>,
}

#[derive(Debug, Clone, Args)]
#[group(required = true, multiple = false, id = "target")]
pub struct AttachTarget {
    /// A process of the server's machine.
    #[arg(value_name = "PID", group = "target")]
    pub pid: Option<i64>,
    /// A debugger that listens, as after `python -m debugpy --listen 5678`.
    #[arg(long, value_name = "[HOST:]PORT", group = "target")]
    pub connect: Option<String>,
    /// Wait here for a program that calls `debugpy.connect`.
    #[arg(long, value_name = "[HOST:]PORT", group = "target")]
    pub listen: Option<String>,
}

#[derive(Debug, Clone, Args)]
pub struct Attach {
    #[command(flatten)]
    pub target: AttachTarget,
    /// Set a breakpoint: FILE:LINE, FUNCTION, either with ` if CONDITION` or ` log MESSAGE`.
    #[arg(short, long = "break", value_name = "PLACE")]
    pub breakpoints: Vec<Place>,
    /// Stop and step in libraries, too.
    #[arg(long)]
    pub all_code: bool,
    #[command(flatten)]
    pub session: NewSession,
    #[command(flatten)]
    pub how: Waiting,
}

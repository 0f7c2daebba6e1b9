//! What the commands are called with. Only words: nothing is done here.

mod looking;
mod points;
mod sharing;
mod starting;
mod streams;
mod values;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

pub use looking::{Backtrace, Find, FrameChoice, Locals, Print, Set, Snapshot};
pub use points::{Break, BreakAction, NewPoint};
pub use sharing::{Share, ShareAction};
pub use starting::{Attach, Children, NewSession, Program, Run, Start, Waiting};
pub use streams::{Events, Input, Output, Trace};
use values::{pair, span};

use crate::cli::places::Place;

/// What every command takes.
#[derive(Debug, Clone, Args)]
pub struct Globals {
    /// The session; else the one that was started last in this folder or one above it.
    #[arg(short, long, global = true, value_name = "ID")]
    pub session: Option<String>,
    /// Print JSON, the same as grpcurl does; streams print one object a line.
    #[arg(long, global = true)]
    pub json: bool,
    /// The server; else that of the run folder [env: DEBUG_RELAY_ADDRESS].
    #[arg(long, global = true, value_name = "[https://]HOST:PORT|unix:PATH")]
    pub address: Option<String>,
    /// Speak TLS, with a server whose certificate these sign [env: DEBUG_RELAY_CA].
    #[arg(long, global = true, value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// The certificate to show to the server [env: DEBUG_RELAY_CERT].
    #[arg(long, global = true, value_name = "FILE")]
    pub cert: Option<PathBuf>,
    /// The key of that certificate [env: DEBUG_RELAY_KEY].
    #[arg(long, global = true, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// When to use colours.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Start a program and stop at its first line, or at the first breakpoint that is given.
    Start(Box<Start>),
    /// Run a program under the debugger, showing its output, to its end, an exception or a breakpoint.
    ///
    /// Without a program, the one of the session is run again. The exit code is the program's, or 7 when
    /// it has stopped before its end.
    Run(Box<Run>),
    /// Take a program that runs already under the debugger.
    Attach(Attach),
    /// List the sessions.
    Sessions(Sessions),
    /// Show the session: its state, where it stands, its processes.
    Status,
    /// Set, list and remove breakpoints.
    ///
    /// `break app.py:12 if x > 3` sets one; so do `break 12` in the file of the stop and
    /// `break Class.method`.
    #[command(args_conflicts_with_subcommands = true)]
    Break(Break),
    /// Run on until the next stop or the end.
    #[command(visible_alias = "c")]
    Continue(Move),
    /// Run to the next line of this function.
    #[command(visible_alias = "n")]
    Next(Steps),
    /// Run to the next line, into a function if one is called.
    #[command(visible_alias = "s")]
    Step(Steps),
    /// Run until the function has returned.
    #[command(visible_alias = "out")]
    Finish(Move),
    /// Start the program of the session again, from its beginning.
    Restart(Move),
    /// Run until a line is reached, or any other stop.
    Until(Until),
    /// Set the line that runs next, without running what lies between.
    Goto(Goto),
    /// Stop a program that runs.
    Pause(Move),
    /// Wait for the next stop or the end.
    Await(Await),
    /// Show the stack.
    #[command(visible_alias = "bt")]
    Backtrace(Backtrace),
    /// Show the variables of a frame.
    Locals(Locals),
    /// Evaluate an expression, or run a statement with --statement.
    #[command(visible_alias = "p")]
    Print(Print),
    /// Give a variable another value: `set x = 3`.
    Set(Set),
    /// Search the names and values that can be reached from here.
    Find(Find),
    /// List the threads.
    Threads,
    /// Show stack, source, variables and expressions at the present stop, within a size.
    Snapshot(Snapshot),
    /// Print what the program wrote.
    Output(Output),
    /// Write to the program's standard input.
    Input(Input),
    /// Show what happened.
    Events(Events),
    /// Step many times, showing each step in a line.
    Trace(Trace),
    /// Leave the program running without the debugger.
    Detach,
    /// End the program.
    Stop(Stop),
    /// Hand out a token for the session, list those there are, take them back.
    ///
    /// `share --read-only --for 1h` prints a token for somebody who is to look over your shoulder.
    #[command(args_conflicts_with_subcommands = true)]
    Share(Share),
    /// Choose what the server and its hosts log from now on.
    LogFilter {
        /// For example warn, debug, or info,debug_relay::gateway=debug; none means as at its start.
        #[arg(default_value = "", hide_default_value = true)]
        filter: String,
    },
    /// Show the debuggers.
    Adapters,
    /// Show the server: its address, version and sessions.
    Info,
    /// End the server on this machine; its sessions wait for the next one.
    Shutdown,
    /// Print the completions for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write those of all commands into a folder.
    Man {
        /// The folder to write into.
        folder: Option<PathBuf>,
    },
}

/// How long to wait, and what to show then.
#[derive(Debug, Clone, Args)]
pub struct Move {
    /// How long to wait for the program: 5s, 2m; 0 means not at all.
    #[arg(short, long, value_name = "TIME", default_value = "30s", value_parser = span)]
    pub timeout: Duration,
    /// Also show the value of this expression.
    #[arg(short, long = "eval", value_name = "EXPRESSION")]
    pub expressions: Vec<String>,
    /// Only what changed, in JSON too.
    #[arg(long)]
    pub brief: bool,
    /// The thread; else the one that stopped last.
    #[arg(long, value_name = "ID", default_value_t = 0, hide_default_value = true)]
    pub thread: u64,
}

#[derive(Debug, Clone, Args)]
pub struct Steps {
    /// How many steps; fewer if a breakpoint, an exception or the end comes first.
    #[arg(default_value_t = 1)]
    pub count: u32,
    #[command(flatten)]
    pub how: Move,
}

#[derive(Debug, Clone, Args)]
pub struct Until {
    /// The line: FILE:LINE, or LINE in the file of the stop.
    pub place: Place,
    #[command(flatten)]
    pub how: Move,
}

#[derive(Debug, Clone, Args)]
pub struct Goto {
    /// The line in this function.
    pub line: i32,
    #[command(flatten)]
    pub how: Move,
}

#[derive(Debug, Clone, Args)]
pub struct Await {
    /// A stop after this one; else the present one will do.
    #[arg(long, value_name = "STOP", default_value_t = 0, hide_default_value = true)]
    pub after: u64,
    #[command(flatten)]
    pub how: Move,
}

#[derive(Debug, Clone, Args)]
pub struct Sessions {
    /// Those that are over, too.
    #[arg(short, long)]
    pub all: bool,
    /// Only those with this label.
    #[arg(long = "label", value_name = "NAME=VALUE", value_parser = pair)]
    pub labels: Vec<(String, String)>,
}

#[derive(Debug, Clone, Args)]
pub struct Stop {
    /// At once, without asking the program.
    #[arg(long)]
    pub force: bool,
    /// Forget the session, too: its output and events can no longer be read.
    #[arg(long)]
    pub forget: bool,
    /// All sessions.
    #[arg(long)]
    pub all: bool,
}

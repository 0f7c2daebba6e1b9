//! What the commands are called with. Only words: nothing is done here.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::places::Place;

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
    #[arg(long, global = true, value_name = "HOST:PORT|unix:PATH")]
    pub address: Option<String>,
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
    /// Without a program, the one of the session is run again. The exit code is the program's.
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
    /// Show the debuggers.
    Adapters,
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
    /// Set a breakpoint: FILE:LINE, FUNCTION, either with ` if CONDITION`.
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
    /// Set a breakpoint: FILE:LINE, FUNCTION, either with ` if CONDITION`.
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
pub struct Break {
    #[command(subcommand)]
    pub action: Option<BreakAction>,
    #[command(flatten)]
    pub point: NewPoint,
}

#[derive(Debug, Clone, Args)]
pub struct NewPoint {
    /// FILE:LINE, LINE or FUNCTION, then perhaps `if CONDITION`. None lists the breakpoints.
    #[arg(value_name = "PLACE")]
    pub words: Vec<String>,
    /// Stop only at certain passes: 5, >=5, %2.
    #[arg(long, value_name = "COUNT")]
    pub hits: Option<String>,
    /// Write this instead of stopping; parts in {braces} are evaluated.
    #[arg(long, value_name = "MESSAGE")]
    pub log: Option<String>,
    /// Remove it after its first stop.
    #[arg(long)]
    pub once: bool,
    /// Stop where this value changes; set at a stop, in place of PLACE.
    #[arg(long, value_name = "EXPRESSION", conflicts_with = "words")]
    pub watch: Option<String>,
}

#[derive(Debug, Clone, Subcommand)]
pub enum BreakAction {
    /// Set a breakpoint.
    Add(NewPoint),
    /// List the breakpoints.
    List,
    /// Remove breakpoints by their ids.
    Remove {
        #[arg(required = true)]
        ids: Vec<u64>,
    },
    /// Remove all breakpoints, or those of a file.
    Clear { file: Option<PathBuf> },
    /// Let breakpoints stop the program again.
    Enable {
        #[arg(required = true)]
        ids: Vec<u64>,
    },
    /// Keep breakpoints without letting them stop the program.
    Disable {
        #[arg(required = true)]
        ids: Vec<u64>,
    },
    /// Choose the exceptions that stop the program: raised, uncaught, userUnhandled; none for none.
    Exceptions {
        /// The filters; without any, those that hold are shown.
        filters: Vec<String>,
        /// Only these classes, or only when this is true.
        #[arg(long = "if", value_name = "CONDITION")]
        condition: Option<String>,
    },
}

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

/// `5s`, `2m`; a plain number is seconds.
fn span(text: &str) -> Result<Duration, String> {
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string());
    }
    humantime::parse_duration(text).map_err(|error| format!("{error}; for example 5s or 2m"))
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("it has the form NAME=VALUE")?;
    Ok((name.into(), value.into()))
}

//! How fast the relay is, in every way in which it is used: against raw DAP by way of debugpy's
//! adapter, as everybody else does it, and against raw DAP on debugpy itself, the floor. All in one
//! run and in turns, so that noise hits all alike. docs/benchmarks.md has the figures.

// A benchmark that cannot go on has failed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod bare;
mod client;
mod groups;
mod python;
mod raw;
#[path = "../support/mod.rs"]
mod support;

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use support::Tools;
use support::course::Program;
use support::report::Report;

/// Which medians are compared: what, the one divided, the one that divides.
const RATIOS: [[&str; 3]; 23] = [
    ["start", "relay_cold", "adapter"],
    ["start", "relay_warm", "adapter"],
    ["step", "adapter", "relay"],
    ["step", "relay", "direct"],
    ["step", "relay_changes_only", "direct"],
    ["step", "relay_python", "direct"],
    ["bare step", "adapter", "relay"],
    ["bare step", "relay", "direct"],
    ["continue", "adapter", "relay"],
    ["continue", "relay", "direct"],
    ["evaluate", "adapter", "relay"],
    ["evaluate", "relay", "direct"],
    ["members of 100", "relay", "direct"],
    ["members of 10,000", "relay", "direct"],
    ["members of 1,000,000", "relay", "direct"],
    ["status", "relay", "bare"],
    ["status after a rest", "relay", "bare"],
    ["trace, a step", "direct", "relay"],
    ["finish", "relay", "adapter"],
    ["output of 50 MB", "relay", "adapter"],
    ["step of many", "10 sessions", "1 sessions"],
    ["step of many", "50 sessions", "1 sessions"],
    ["step of many", "100 sessions", "1 sessions"],
];

/// Status calls are short, and have their turn so many times more often.
const STATUS_ROUNDS: usize = 4;

/// Compares the relay with raw DAP.
#[derive(Parser)]
struct Options {
    /// How often each kind has its turn.
    #[arg(long, default_value_t = 20)]
    rounds: usize,
    /// How often each kind starts a program, and runs one to its end.
    #[arg(long, default_value_t = 5)]
    starts: usize,
    /// Rest before every call, in milliseconds, as a caller who thinks does.
    #[arg(long, default_value_t = 0)]
    pause: u64,
    /// Only these groups.
    #[arg(long, value_enum, value_delimiter = ',')]
    groups: Vec<Group>,
    /// With so many sessions a step is measured among them.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 10, 50, 100])]
    many: Vec<usize>,
    /// The server to measure, if not the one that cargo built for this run.
    #[arg(long, default_value = env!("CARGO_BIN_EXE_debug-relay"), hide_default_value = true)]
    server: PathBuf,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// Be the bare server that answers with this file (started by this benchmark).
    #[arg(long, hide = true)]
    bare_server: Option<PathBuf>,
    /// Passed by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Group {
    /// From nothing to the first stop.
    Start,
    /// Steps, continues, evaluations, members of lists.
    Calls,
    /// Status calls.
    Status,
    /// Many steps in one call.
    Trace,
    /// From a stop to the end, and output on the way.
    Finish,
    /// A step among many sessions.
    Many,
}

/// What all groups share.
pub struct Setup {
    pub tools: Tools,
    pub program: Program,
    pub binary: PathBuf,
}

fn main() {
    let options = Options::parse();
    if let Some(answer) = &options.bare_server {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        return runtime.expect("a runtime").block_on(bare::serve(answer));
    }
    let setup =
        Setup { tools: Tools::find(), program: Program::find(), binary: options.server.clone() };
    let has = |group| options.groups.is_empty() || options.groups.contains(&group);

    let mut measured = Vec::new();
    if has(Group::Start) {
        measured.extend(groups::starts(&setup, options.starts));
    }
    if has(Group::Calls) {
        measured.extend(groups::calls(&setup, options.rounds, options.pause));
    }
    if has(Group::Status) {
        measured.extend(groups::status(&setup, STATUS_ROUNDS * options.rounds));
    }
    if has(Group::Trace) {
        measured.extend(groups::traces(&setup, options.starts));
    }
    if has(Group::Finish) {
        measured.extend(groups::finishes(&setup, options.starts));
    }
    if has(Group::Many) {
        measured.extend(groups::many(&setup, &options.many, options.rounds));
    }

    let setting = format!(
        "{}; {} rounds, {} starts, a pause of {} ms before every call",
        setup.tools.setting(),
        options.rounds,
        options.starts,
        options.pause
    );
    let ratios = RATIOS.map(|ratio| ratio.map(str::to_owned)).into();
    Report { setting, measured, ratios }.print(options.json);
}

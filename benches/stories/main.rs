//! What six bugs cost a caller: calls, bytes to write and bytes to read. Each story of
//! examples/stories is played on the real debugger until the answers show the bug: through the relay,
//! in raw DAP, and with the tools of two MCP servers. docs/benchmarks.md has the figures.

// A benchmark that cannot go on has failed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod cost;
mod dap_mcp;
mod dap_mcp_view;
mod mcp_debugger;
mod raw;
mod relay;
mod story;
#[path = "../support/mod.rs"]
mod support;

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use cost::{Cost, Report};
use story::{Stage, Story};
use support::Tools;

/// Compares what callers spend on six bugs.
#[derive(Parser)]
struct Options {
    /// Only these stories.
    #[arg(long, value_enum, value_delimiter = ',')]
    stories: Vec<Story>,
    /// Only these ways.
    #[arg(long, value_enum, value_delimiter = ',')]
    ways: Vec<Way>,
    /// The server to measure, if not the one that cargo built for this run.
    #[arg(long, default_value = env!("CARGO_BIN_EXE_debug-relay"), hide_default_value = true)]
    server: PathBuf,
    /// Print every call and its answer on standard error, but those of raw DAP.
    #[arg(long)]
    show: bool,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// Passed by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

/// How a bug is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Way {
    /// The relay, by grpcurl, with the snapshots that it makes unasked.
    Relay,
    /// The same, asked for no more than is needed.
    RelayLeast,
    /// Raw DAP on debugpy's adapter, a call a request.
    Dap,
    /// The tools of mcp-debugger.
    McpDebugger,
    /// The tools of dap-mcp.
    DapMcp,
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Self::Relay => "relay",
            Self::RelayLeast => "relay_least",
            Self::Dap => "dap",
            Self::McpDebugger => "mcp-debugger",
            Self::DapMcp => "dap-mcp",
        }
    }

    fn play(self, story: Story, stage: &Stage) -> Cost {
        match self {
            Self::Relay => relay::play(story, stage, relay::Ask::Nothing),
            Self::RelayLeast => relay::play(story, stage, relay::Ask::Least),
            Self::Dap => raw::play(story, stage),
            Self::McpDebugger => mcp_debugger::play(story, stage),
            Self::DapMcp => dap_mcp::play(story, stage),
        }
    }
}

fn main() {
    let options = Options::parse();
    let tools = Tools::find();
    let mut report = Report::new(tools.setting());
    for story in chosen(&options.stories) {
        let stage = Stage {
            tools: &tools,
            binary: &options.server,
            program: story.program(),
            is_shown: options.show,
        };
        for way in chosen(&options.ways) {
            report.add(story.name(), way.name(), way.play(story, &stage));
        }
    }
    report.print(options.json);
}

/// All, unless some were chosen.
fn chosen<T: ValueEnum>(some: &[T]) -> Vec<T> {
    match some {
        [] => T::value_variants().to_vec(),
        some => some.to_vec(),
    }
}

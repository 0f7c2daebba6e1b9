//! How fast a program writes through the relay, against the same program with its output in a file,
//! and what memory that takes; with readers who keep up and readers who do not. All in one run and
//! in turns, so that noise hits all alike. docs/benchmarks.md has the figures.

// A benchmark that cannot go on has failed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod reader;
mod runs;
#[path = "../support/mod.rs"]
mod support;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use support::Tools;
use support::report::{Measured, Report};

/// What the program writes at a time: lines of 100 bytes, 655 of them a block.
pub const LINE: usize = 100;
pub const LINES: usize = 655;

/// Compares the time of writing through the relay with that of writing to a file.
#[derive(Parser)]
pub struct Options {
    /// How much the program writes, in megabytes.
    #[arg(long, default_value_t = 200)]
    megabytes: usize,
    /// How often each kind has its turn.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// How many readers stop reading, for the kind that has such.
    #[arg(long, default_value_t = 4)]
    stalled: usize,
    /// Only these kinds.
    #[arg(long, value_enum, value_delimiter = ',')]
    kinds: Vec<Kind>,
    /// Only these manners of writing.
    #[arg(long, value_enum, value_delimiter = ',')]
    manners: Vec<Manner>,
    /// The server to measure, if not the one that cargo built for this run.
    #[arg(long, default_value = env!("CARGO_BIN_EXE_debug-relay"), hide_default_value = true)]
    server: PathBuf,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// Passed by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

impl Options {
    /// How many blocks make that many megabytes.
    fn blocks(&self) -> usize {
        (self.megabytes * 1_000_000).div_ceil(LINE * LINES)
    }
}

/// Where the output goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// A file, under debugpy as hosts start it, without any relay.
    File,
    /// The same without Python's -u.
    FileBuffered,
    /// A pipe to a process that throws it away, without any relay.
    Pipe,
    /// The relay, and nobody reads.
    Relay,
    /// The relay, and one reads from the beginning to the end.
    RelayReader,
    /// The relay, and some who began to read do not go on.
    RelayStalled,
}

/// How the program writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Manner {
    /// print() of lines of 100 bytes.
    Lines,
    /// write() of blocks of 64 KiB.
    Blocks,
}

/// All, unless some were named.
fn chosen<T: ValueEnum>(some: &[T]) -> Vec<T> {
    if some.is_empty() { T::value_variants().to_vec() } else { some.to_vec() }
}

fn name(value: impl ValueEnum) -> String {
    value.to_possible_value().expect("a name").get_name().to_owned()
}

/// What one turn showed.
pub struct Run {
    /// As the program itself measured it.
    pub writing: Duration,
    /// From the start of the program to its end.
    pub whole: Duration,
    /// From the start of the program until the reader had everything.
    pub reading: Option<Duration>,
    /// Bytes that were gone before the reader came to them.
    pub missed: Option<u64>,
    /// The most memory of host and gateway, in KiB.
    pub peaks: Option<[u64; 2]>,
}

/// The figures of one kind of output and one manner of writing.
struct Figures {
    kind: Kind,
    manner: Manner,
    times: [Measured; 3],
    sizes: [Measured; 3],
}

impl Figures {
    fn new(kind: Kind, manner: Manner) -> Self {
        let of = |what: &str| format!("{} {what}", name(manner));
        let kind_name = name(kind);
        Self {
            kind,
            manner,
            times: ["writing", "whole", "reading"]
                .map(|what| Measured::times(&of(what), &kind_name)),
            sizes: ["host", "gateway", "missed"].map(|what| Measured::sizes(&of(what), &kind_name)),
        }
    }

    fn add(&mut self, run: &Run) {
        let times = [Some(run.writing), Some(run.whole), run.reading];
        for (measured, time) in self.times.iter_mut().zip(times) {
            time.into_iter().for_each(|time| measured.add(time));
        }
        let [host, gateway] = run.peaks.map_or([None; 2], |peaks| peaks.map(Some));
        let sizes = [host, gateway, run.missed.map(|bytes| bytes / 1024)];
        for (measured, size) in self.sizes.iter_mut().zip(sizes) {
            size.into_iter().for_each(|kib| measured.add_kib(kib));
        }
    }
}

fn main() {
    let options = Options::parse();
    let tools = Tools::find();
    let kinds = chosen(&options.kinds);
    let manners = chosen(&options.manners);
    let pairs = manners.iter().flat_map(|manner| kinds.iter().map(move |kind| (*kind, *manner)));
    let mut figures: Vec<Figures> =
        pairs.map(|(kind, manner)| Figures::new(kind, manner)).collect();

    for round in 0..options.rounds {
        for turn in order(figures.len(), round) {
            let one = &mut figures[turn];
            let run = runs::run(&tools, &options, one.kind, one.manner);
            if !options.json {
                eprintln!("{} {}: {:?}", name(one.manner), name(one.kind), run.writing);
            }
            one.add(&run);
        }
    }

    let setting = format!(
        "{}; {} MB, {} rounds, {} stalled readers",
        tools.setting(),
        options.megabytes,
        options.rounds,
        options.stalled
    );
    let ratios = ratios(&manners);
    let measured = figures.into_iter().flat_map(|one| one.times.into_iter().chain(one.sizes));
    Report { setting, measured: measured.collect(), ratios }.print(options.json);
}

/// The turns of one round, in another order every time and with other neighbours: what one leaves
/// behind, such as pages to be written to the disk, is not to fall on the same one always.
fn order(count: usize, round: usize) -> impl Iterator<Item = usize> {
    let is_fit = |stride: &usize| (1..count).all(|turn| !(turn * stride).is_multiple_of(count));
    let strides: Vec<usize> = (1..=count).filter(is_fit).collect();
    let stride = strides.get(round % strides.len().max(1)).copied().unwrap_or(1);
    (0..count).map(move |turn| (round + turn * stride) % count)
}

/// Everything against the file.
fn ratios(manners: &[Manner]) -> Vec<[String; 3]> {
    let mut ratios = Vec::new();
    for manner in manners {
        for what in ["writing", "whole"] {
            for under in [Kind::File, Kind::FileBuffered, Kind::Pipe] {
                for over in [Kind::Relay, Kind::RelayReader, Kind::RelayStalled] {
                    ratios.push([format!("{} {what}", name(*manner)), name(over), name(under)]);
                }
            }
        }
    }
    ratios
}

//! The random course of tests/it/faults.rs for as long as one likes: sessions are made, driven, read
//! and ended while everything is killed at random. Ends with a report, and badly when anything was
//! lost unannounced or left behind.
//!
//! `cargo bench --bench soak -- --seconds 3600 --seed 7`

// A course that cannot go on has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, dead_code, unused_imports)]

#[path = "../../tests/it/chaos/mod.rs"]
mod chaos;
#[path = "../../tests/it/support/mod.rs"]
mod support;

use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use chaos::Course;
use clap::Parser;

/// Kills everything at random for a given time and tells what that came to.
#[derive(Parser)]
struct Options {
    /// How long.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Which course; another one every time if it is not given.
    #[arg(long)]
    seed: Option<u64>,
    /// Passed by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let seed = options.seed.unwrap_or(now.as_secs());
    let course = Course { seed, time: Duration::from_secs(options.seconds) };
    println!("seed {seed}, {} s", options.seconds);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let report = runtime.block_on(chaos::run(&course));
    println!("{report}");
    for problem in &report.problems {
        println!("PROBLEM {problem}");
    }
    match report.problems.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

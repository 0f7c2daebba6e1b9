//! How long a step takes: through debugpy's adapter, as everybody does it; on debugpy directly,
//! the floor; and through the whole relay. All in one run and in turns, so that noise hits all
//! alike. docs/benchmarks.md has the figures.

// A benchmark that cannot go on has failed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod adapter;
mod course;
mod direct;
mod raw_dap;
mod relay;
mod report;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;

use adapter::AdapterSession;
use clap::Parser;
use course::{Course, Program, Seen};
use direct::DirectSession;
use relay::{RelaySession, Server};
use report::{Measured, Report};

/// Steps of the adapter in a round; each is some 140 ms.
const SLOW_STEPS: usize = 4;
/// Steps of everyone else in a round.
const STEPS: usize = 16;

/// Compares the time of a step through debugpy's adapter, directly, and through the relay.
#[derive(Parser)]
struct Options {
    /// How often each kind has its turn at stepping.
    #[arg(long, default_value_t = 20)]
    rounds: usize,
    /// How often each kind starts the program anew.
    #[arg(long, default_value_t = 5)]
    starts: usize,
    /// Rest before every step, in milliseconds, as a caller who thinks does.
    #[arg(long, default_value_t = 0)]
    pause: u64,
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

/// What all kinds share.
pub struct Setup {
    pub program: Program,
    pub python: PathBuf,
    /// The folder that holds the debugpy package.
    pub debugpy: PathBuf,
    versions: String,
}

impl Setup {
    fn find() -> Self {
        let tools = std::env::var_os("DEBUG_RELAY_TOOLS").map(PathBuf::from);
        let tools = tools.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(".tools"));
        let debugpy = tools.join("debugpy");
        assert!(debugpy.is_dir(), "run scripts/setup-tools first: no {}", debugpy.display());
        // The interpreter itself, not a shim that starts it.
        let question = "import sys, platform, debugpy; print(sys.executable, \
                        platform.python_version(), debugpy.__version__, sep='\\n')";
        let asked =
            Command::new("python3").args(["-c", question]).env("PYTHONPATH", &debugpy).output();
        let answer = String::from_utf8(asked.expect("python3 on the PATH").stdout).expect("text");
        let [python, version, debugpy_version] =
            answer.lines().collect::<Vec<_>>().try_into().expect("three lines of python3");
        let versions = format!("Python {version}, debugpy {debugpy_version}");
        Self { program: Program::find(), python: python.into(), debugpy, versions }
    }

    pub fn folder(&self) -> &Path {
        self.program.path.parent().expect("a folder")
    }
}

/// One kind that has its turn in every round.
struct Subject {
    measured: Measured,
    turns: usize,
    run: Box<dyn FnMut() -> Duration>,
}

fn main() {
    let options = Options::parse();
    let setup = Setup::find();
    let server = Server::start(&setup, &options.server);

    let mut measured = measure_starts(&setup, &server, options.starts);
    measured.extend(measure_steps(&setup, &server, &options));

    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let setting = format!(
        "{}, {cpus} CPUs; {} rounds, {} starts, a pause of {} ms before every step",
        setup.versions, options.rounds, options.starts, options.pause
    );
    let report = Report { setting, measured };
    if options.json {
        println!("{:#}", report.json());
    } else {
        print!("{}", report.table());
    }
}

/// From nothing to the first stop. Each session is over before the next begins.
fn measure_starts(setup: &Setup, server: &Rc<Server>, starts: usize) -> Vec<Measured> {
    let mut measured = ["adapter", "direct", "relay"].map(|kind| Measured::new("start", kind));
    for round in 0..starts {
        for turn in 0..measured.len() {
            let one = &mut measured[(round + turn) % 3];
            let (took, seen) = match one.kind {
                "adapter" => {
                    let (took, seen, _session) = AdapterSession::start(setup);
                    (took, seen)
                }
                "direct" => {
                    let (took, seen, _session) = DirectSession::start(setup);
                    (took, seen)
                }
                _ => {
                    let (took, seen, _session) = RelaySession::start(setup, server, false);
                    (took, seen)
                }
            };
            assert_eq!(seen.line, setup.program.start, "{}: the first stop", one.kind);
            one.add(took);
        }
    }
    measured.into()
}

/// Steps, in rounds whose order rotates.
fn measure_steps(setup: &Setup, server: &Rc<Server>, options: &Options) -> Vec<Measured> {
    let (_, _, mut adapter) = AdapterSession::start(setup);
    let (_, _, mut direct) = DirectSession::start(setup);
    let (_, _, mut relay) = RelaySession::start(setup, server, false);
    let (_, _, mut changes_only) = RelaySession::start(setup, server, true);
    let (_, _, mut looked_at) = RelaySession::start(setup, server, false);
    let mut subjects = [
        stepping(setup, "adapter", SLOW_STEPS, move || adapter.step()),
        stepping(setup, "direct", STEPS, move || direct.step()),
        stepping(setup, "relay", STEPS, move || relay.step()),
        stepping(setup, "relay_changes_only", STEPS, move || changes_only.step()),
        Subject {
            measured: Measured::new("call", "get_session"),
            turns: STEPS,
            run: Box::new(move || looked_at.get_session()),
        },
    ];
    for round in 0..options.rounds {
        for turn in 0..subjects.len() {
            let count = subjects.len();
            let subject = &mut subjects[(round + turn) % count];
            // The first is not counted: it finds the caches full of another kind's things.
            (subject.run)();
            for _ in 0..subject.turns {
                std::thread::sleep(Duration::from_millis(options.pause));
                let took = (subject.run)();
                subject.measured.add(took);
            }
        }
    }
    subjects.map(|subject| subject.measured).into()
}

/// A kind that steps, each step checked.
fn stepping(
    setup: &Setup,
    kind: &'static str,
    turns: usize,
    mut step: impl FnMut() -> (Duration, Seen) + 'static,
) -> Subject {
    let mut course = Course::new(&setup.program);
    let run = move || {
        let (took, seen) = step();
        course.expect(kind, &seen);
        took
    };
    Subject { measured: Measured::new("step", kind), turns, run: Box::new(run) }
}

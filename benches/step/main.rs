//! How long a step takes: through debugpy's adapter, as everybody does it; on debugpy directly,
//! the floor; and through the whole relay. All in one run and in turns, so that noise hits all
//! alike. docs/benchmarks.md has the figures.

// A benchmark that cannot go on has failed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod adapter;
#[path = "../support/mod.rs"]
mod support;

use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use adapter::AdapterSession;
use clap::Parser;
use support::Tools;
use support::course::{Course, Program, Seen};
use support::direct::DirectSession;
use support::relay::RelaySession;
use support::report::{Measured, Report};
use support::server::{Caller, Server};
use tokio::runtime::Runtime;

/// Steps of the adapter in a round; each is some 140 ms.
const SLOW_STEPS: usize = 4;
/// Steps of everyone else in a round.
const STEPS: usize = 16;

/// Which medians are compared.
const RATIOS: [[&str; 3]; 5] = [
    ["step", "adapter", "relay"],
    ["step", "relay", "direct"],
    ["step", "relay_changes_only", "direct"],
    ["start", "adapter", "relay"],
    ["start", "relay", "direct"],
];

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
    pub tools: Tools,
    pub program: Program,
}

/// The server that runs all the while, and who calls it.
struct Relay {
    runtime: Runtime,
    caller: Caller,
    _server: Server,
}

impl Relay {
    fn start(setup: &Setup, binary: &std::path::Path) -> Rc<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("a runtime");
        let server = Server::start(&setup.tools, binary, 10);
        let caller = runtime.block_on(server.caller());
        Rc::new(Self { runtime, caller, _server: server })
    }
}

/// A session of the relay, and the steps that it has taken. Dropping it deletes it.
struct Steps {
    relay: Rc<Relay>,
    session: RelaySession,
    stop: u64,
}

impl Steps {
    fn start(setup: &Setup, relay: &Rc<Relay>, changes_only: bool) -> (Duration, Seen, Self) {
        let relay = Rc::clone(relay);
        let created = RelaySession::create(&relay.caller, &setup.program, changes_only);
        let (took, seen, session) = relay.runtime.block_on(created);
        (took, seen, Self { relay, session, stop: 1 })
    }

    fn step(&mut self) -> (Duration, Seen) {
        self.stop += 1;
        self.relay.runtime.block_on(self.session.step(&self.relay.caller, self.stop))
    }

    fn get_session(&self) -> Duration {
        self.relay.runtime.block_on(self.session.get(&self.relay.caller))
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        // What is left after a failure is ended with the server.
        if !std::thread::panicking() {
            self.relay.runtime.block_on(self.session.delete(&self.relay.caller));
        }
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
    let setup = Setup { tools: Tools::find(), program: Program::find() };
    let relay = Relay::start(&setup, &options.server);

    let mut measured = measure_starts(&setup, &relay, options.starts);
    measured.extend(measure_steps(&setup, &relay, &options));

    let setting = format!(
        "{}; {} rounds, {} starts, a pause of {} ms before every step",
        setup.tools.setting(),
        options.rounds,
        options.starts,
        options.pause
    );
    let ratios = RATIOS.map(|ratio| ratio.map(str::to_owned)).into();
    Report { setting, measured, ratios }.print(options.json);
}

/// From nothing to the first stop. Each session is over before the next begins.
fn measure_starts(setup: &Setup, relay: &Rc<Relay>, starts: usize) -> Vec<Measured> {
    let mut measured = ["adapter", "direct", "relay"].map(|kind| Measured::times("start", kind));
    for round in 0..starts {
        for turn in 0..measured.len() {
            let one = &mut measured[(round + turn) % 3];
            let (took, seen) = match one.kind.as_str() {
                "adapter" => {
                    let (took, seen, _session) = AdapterSession::start(setup);
                    (took, seen)
                }
                "direct" => {
                    let (took, seen, _session) = DirectSession::start(&setup.tools, &setup.program);
                    (took, seen)
                }
                _ => {
                    let (took, seen, _session) = Steps::start(setup, relay, false);
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
fn measure_steps(setup: &Setup, relay: &Rc<Relay>, options: &Options) -> Vec<Measured> {
    let (_, _, mut adapter) = AdapterSession::start(setup);
    let (_, _, mut direct) = DirectSession::start(&setup.tools, &setup.program);
    let (_, _, mut plain) = Steps::start(setup, relay, false);
    let (_, _, mut changes_only) = Steps::start(setup, relay, true);
    let (_, _, looked_at) = Steps::start(setup, relay, false);
    let mut subjects = [
        stepping(setup, "adapter", SLOW_STEPS, move || adapter.step()),
        stepping(setup, "direct", STEPS, move || direct.step()),
        stepping(setup, "relay", STEPS, move || plain.step()),
        stepping(setup, "relay_changes_only", STEPS, move || changes_only.step()),
        Subject {
            measured: Measured::times("call", "get_session"),
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
    Subject { measured: Measured::times("step", kind), turns, run: Box::new(run) }
}

//! The groups of what is measured, each in rounds whose order rotates.

use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use crate::Setup;
use crate::bare::Bare;
use crate::client::{Relay, Session};
use crate::python;
use crate::raw::{Raw, Way};
use crate::support::course::{Course, Seen, line_of};
use crate::support::folder;
use crate::support::report::Measured;

/// Calls of the adapter in a round; each is some 40 to 180 ms.
const SLOW_TURNS: usize = 3;
/// Calls of everyone else in a round.
const TURNS: usize = 12;
/// Status calls in a round.
const STATUS_TURNS: usize = 50;
/// What a caller does in between.
const REST: Duration = Duration::from_millis(5);
const TRACED: u64 = 10_000;
/// Steps of raw DAP that are measured against them.
const RAW_TRACED: u64 = 1_000;
const OUTPUT: usize = 50_000_000;

/// One kind that has its turn in every round.
struct Subject {
    measured: Measured,
    turns: usize,
    run: Box<dyn FnMut() -> Duration>,
}

fn subject(
    group: &str,
    kind: &str,
    turns: usize,
    run: impl FnMut() -> Duration + 'static,
) -> Subject {
    Subject { measured: Measured::times(group, kind), turns, run: Box::new(run) }
}

/// A kind that steps, each step checked.
fn stepping(
    setup: &Setup,
    kind: &'static str,
    turns: usize,
    mut step: impl FnMut() -> (Duration, Seen) + 'static,
) -> Subject {
    let mut course = Course::new(&setup.program);
    subject("step", kind, turns, move || {
        let (took, seen) = step();
        course.expect(kind, &seen);
        took
    })
}

fn measure(mut subjects: Vec<Subject>, rounds: usize, pause: u64) -> Vec<Measured> {
    let count = subjects.len();
    for round in 0..rounds {
        for turn in 0..count {
            let subject = &mut subjects[(round + turn) % count];
            // The first is not counted: it finds the caches full of another kind's things.
            (subject.run)();
            for _ in 0..subject.turns {
                std::thread::sleep(Duration::from_millis(pause));
                let took = (subject.run)();
                subject.measured.add(took);
            }
        }
    }
    subjects.into_iter().map(|subject| subject.measured).collect()
}

/// From nothing to the first stop. Each session is over before the next begins.
pub fn starts(setup: &Setup, starts: usize) -> Vec<Measured> {
    let cold = Relay::start(&setup.tools, &setup.binary, 10, 0);
    let warm = Relay::start(&setup.tools, &setup.binary, 10, 1);
    let kinds = ["adapter", "direct", "relay_cold", "relay_warm"];
    let mut measured = kinds.map(|kind| Measured::times("start", kind));
    let (path, line) = (&setup.program.path, setup.program.start);
    for round in 0..starts {
        for turn in 0..measured.len() {
            let one = &mut measured[(round + turn) % kinds.len()];
            // Nobody makes a spare while another is measured.
            warm.wait_for_spares(1);
            let (took, seen) = match one.kind.as_str() {
                "adapter" => {
                    let (took, seen, _held) = Raw::start(&setup.tools, Way::Adapter, path, line);
                    (took, seen)
                }
                "direct" => {
                    let (took, seen, _held) = Raw::start(&setup.tools, Way::Direct, path, line);
                    (took, seen)
                }
                "relay_cold" => {
                    let (took, seen, _held) = Session::start(&cold, path, line, false);
                    (took, seen)
                }
                _ => {
                    let (took, seen, _held) = Session::start(&warm, path, line, false);
                    (took, seen)
                }
            };
            assert_eq!(seen.line, line, "{}: the first stop", one.kind);
            one.add(took);
        }
    }
    measured.into()
}

/// Steps, continues, evaluations and members of lists.
pub fn calls(setup: &Setup, rounds: usize, pause: u64) -> Vec<Measured> {
    let relay = Relay::start(&setup.tools, &setup.binary, 40, 0);
    let (walk, start) = (&setup.program.path, setup.program.start);
    let (values, again) = marked("values.py", "# @again");
    let raw = |way, path: &PathBuf, line| Raw::start(&setup.tools, way, path, line).2;
    let session = |path: &PathBuf, line| Session::start(&relay, path, line, false).2;

    let [mut adapter, mut direct] = [Way::Adapter, Way::Direct].map(|way| raw(way, walk, start));
    let mut plain = session(walk, start);
    let mut short = Session::start(&relay, walk, start, true).2;
    let mut subjects = vec![
        stepping(setup, "adapter", SLOW_TURNS, move || adapter.step()),
        stepping(setup, "direct", TURNS, move || direct.step()),
        stepping(setup, "relay", TURNS, move || plain.step()),
        stepping(setup, "relay_changes_only", TURNS, move || short.step()),
    ];
    for (way, kind, turns) in
        [(Way::Adapter, "adapter", SLOW_TURNS), (Way::Direct, "direct", TURNS)]
    {
        let (mut stepped, mut resumed) = (raw(way, walk, start), raw(way, &values, again));
        let mut asked = raw(way, walk, start);
        subjects.push(subject("bare step", kind, turns, move || stepped.bare_step()));
        subjects.push(subject("continue", kind, turns, move || resumed.resume()));
        subjects.push(subject("evaluate", kind, turns, move || asked.evaluate("count + 1")));
        for (group, name) in LISTS {
            let mut held = raw(way, &values, again);
            subjects.push(subject(group, kind, turns, move || held.members(name)));
        }
    }
    let (mut stepped, mut resumed) = (session(walk, start), session(&values, again));
    let asked = session(walk, start);
    subjects.push(subject("bare step", "relay", TURNS, move || stepped.bare_step()));
    subjects.push(subject("continue", "relay", TURNS, move || resumed.resume()));
    subjects.push(subject("evaluate", "relay", TURNS, move || asked.evaluate("count + 1")));
    for (group, name) in LISTS {
        let held = session(&values, again);
        subjects.push(subject(group, "relay", TURNS, move || held.members(name)));
    }

    let mut measured = measure(subjects, rounds, pause);
    measured.extend(python::measure(&setup.tools, &relay.server, &setup.program, rounds * TURNS));
    measured
}

const LISTS: [(&str, &str); 3] = [
    ("members of 100", "hundred"),
    ("members of 10,000", "ten_thousand"),
    ("members of 1,000,000", "million"),
];

/// Status calls, one after the other and as those call who do something in between: then every
/// process on the way was asleep.
pub fn status(setup: &Setup, rounds: usize) -> Vec<Measured> {
    let relay = Relay::start(&setup.tools, &setup.binary, 10, 0);
    let mut subjects = Vec::new();
    for (group, rest) in [("status", Duration::ZERO), ("status after a rest", REST)] {
        let (bare_relay, looked_at) = (
            Rc::clone(&relay),
            Session::start(&relay, &setup.program.path, setup.program.start, false).2,
        );
        let answer = looked_at.shown();
        let mut bare = relay.runtime.block_on(Bare::start(&answer, &relay.caller));
        subjects.push(subject(group, "bare", STATUS_TURNS, move || {
            std::thread::sleep(rest);
            bare_relay.runtime.block_on(bare.call())
        }));
        subjects.push(subject(group, "relay", STATUS_TURNS, move || {
            std::thread::sleep(rest);
            looked_at.status()
        }));
    }
    measure(subjects, rounds, 0)
}

/// Many steps, the time of each.
pub fn traces(setup: &Setup, rounds: usize) -> Vec<Measured> {
    let relay = Relay::start(&setup.tools, &setup.binary, 10, 0);
    let (path, line) = (&setup.program.path, setup.program.start);
    let mut direct = Raw::start(&setup.tools, Way::Direct, path, line).2;
    let mut traced = Session::start(&relay, path, line, false).2;
    let mut measured = ["direct", "relay"].map(|kind| Measured::times("trace, a step", kind));
    for _ in 0..rounds {
        let took: Duration = (0..RAW_TRACED).map(|_| direct.step().0).sum();
        measured[0].add(took / RAW_TRACED as u32);
        measured[1].add(traced.trace(TRACED) / TRACED as u32);
    }
    measured.into()
}

/// From a stop to the end, and output on the way.
pub fn finishes(setup: &Setup, starts: usize) -> Vec<Measured> {
    let relay = Relay::start(&setup.tools, &setup.binary, 10, 0);
    let (short, here) = marked("short.py", "# @here");
    let (flood, begun) = marked("flood.py", "# @here");
    let raw = |way, path: &PathBuf, line| Raw::start(&setup.tools, way, path, line).2;
    let session = |path: &PathBuf, line| Session::start(&relay, path, line, false).2;
    let mut finish = ["adapter", "direct", "relay"].map(|kind| Measured::times("finish", kind));
    let mut output = ["adapter", "relay"].map(|kind| Measured::times("output of 50 MB", kind));
    for round in 0..starts {
        finish[0].add(raw(Way::Adapter, &short, here).finish());
        finish[1].add(raw(Way::Direct, &short, here).finish());
        finish[2].add(session(&short, here).finish());
        output[1].add(session(&flood, begun).read_output(OUTPUT));
        if round == 0 {
            // Once is enough to see it.
            output[0].add(raw(Way::Adapter, &flood, begun).read_output(OUTPUT));
        }
    }
    finish.into_iter().chain(output).collect()
}

/// A step of one session while others stand.
pub fn many(setup: &Setup, counts: &[usize], rounds: usize) -> Vec<Measured> {
    let most = counts.iter().copied().max().unwrap_or_default();
    let relay = Relay::start(&setup.tools, &setup.binary, most + 1, 0);
    let (path, line) = (&setup.program.path, setup.program.start);
    let mut sessions: Vec<Session> = Vec::new();
    let mut measured = Vec::new();
    for count in counts {
        while sessions.len() < *count {
            sessions.push(Session::start(&relay, path, line, false).2);
        }
        let mut steps = Measured::times("step of many", &format!("{count} sessions"));
        let mut status = Measured::times("status of many", &format!("{count} sessions"));
        for turn in 0..rounds * TURNS {
            // Another one each time: all are in use.
            let session = &mut sessions[turn % *count];
            steps.add(session.step().0);
            status.add(session.status());
        }
        measured.extend([steps, status]);
    }
    measured
}

fn marked(name: &str, marker: &str) -> (PathBuf, i64) {
    let path = folder("relay").join(name);
    let line = line_of(&path, marker);
    (path, line)
}

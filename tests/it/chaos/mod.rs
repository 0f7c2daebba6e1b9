//! A random course of callers and faults over one server, and what it came to.

mod caller;
mod fault;
mod ground;
mod notes;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::support::Random;
use ground::Ground;

/// Callers that are at work at the same time.
const CALLERS: u64 = 3;

/// How long, and which way.
#[derive(Debug, Clone)]
pub struct Course {
    pub seed: u64,
    pub time: Duration,
}

impl Course {
    /// `seconds` unless the environment says otherwise.
    pub fn from_environment(seconds: u64) -> Self {
        let number = |name: &str, default: u64| {
            std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
        };
        Self {
            seed: number("DEBUG_RELAY_SEED", 20_261_118),
            time: Duration::from_secs(number("DEBUG_RELAY_FAULT_SECONDS", seconds)),
        }
    }
}

/// What happened.
#[derive(Debug, Default)]
pub struct Counts {
    pub sessions: AtomicU64,
    pub calls: AtomicU64,
    pub cut_calls: AtomicU64,
    pub events: AtomicU64,
    pub output_bytes: AtomicU64,
    pub gaps: AtomicU64,
    pub resumed_streams: AtomicU64,
    pub lost_sessions: AtomicU64,
    pub killed_gateways: AtomicU64,
    pub killed_hosts: AtomicU64,
    pub killed_programs: AtomicU64,
    pub killed_guards: AtomicU64,
    pub stopped_processes: AtomicU64,
}

pub fn count(counter: &AtomicU64, amount: u64) {
    counter.fetch_add(amount, Ordering::Relaxed);
}

/// How a course came out.
#[derive(Debug)]
pub struct Report {
    pub problems: Vec<String>,
    pub counts: Arc<Counts>,
    pub took: Duration,
}

impl Report {
    /// Every kind of fault has happened, and something was there to be lost.
    pub fn has_seen_everything(&self) -> bool {
        let counts = &self.counts;
        let all = [
            &counts.sessions,
            &counts.events,
            &counts.output_bytes,
            &counts.resumed_streams,
            &counts.lost_sessions,
            &counts.killed_gateways,
            &counts.killed_hosts,
            &counts.killed_programs,
            &counts.killed_guards,
        ];
        all.iter().all(|counter| 0 < counter.load(Ordering::Relaxed))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        writeln!(out, "took {:?}", self.took)?;
        write!(out, "{:#?}", self.counts)
    }
}

/// Runs the course and checks what is left.
pub async fn run(course: &Course) -> Report {
    let begun = Instant::now();
    let ground = Arc::new(Ground::new().await);
    let end = begun + course.time;
    let faults = tokio::spawn(fault::strike(Arc::clone(&ground), Random::new(course.seed), end));
    let callers = (1..=CALLERS).map(|number| {
        let random = Random::new(course.seed.wrapping_add(number));
        tokio::spawn(caller::work(Arc::clone(&ground), random, end, number))
    });
    let callers: Vec<_> = callers.collect();

    let mut stories = Vec::new();
    for caller in callers {
        stories.extend(caller.await.expect("a caller that does not panic"));
    }
    faults.await.expect("faults that do not panic");
    ground.calm().await;
    let mut problems = Vec::new();
    for story in stories {
        problems.extend(story.close(&ground).await);
    }
    problems.extend(ground.traces_left().await);
    problems.extend(ground.take_problems());
    Report { problems, counts: Arc::clone(&ground.counts), took: begun.elapsed() }
}

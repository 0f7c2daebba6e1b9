//! Many sessions on one machine: what each takes of memory, how soon the next server has them all
//! when theirs is killed, and that each then steps as if nothing had been. docs/benchmarks.md has
//! the figures.

// A benchmark that cannot go on has failed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../support/mod.rs"]
mod support;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Parser;
use debug_relay::proto::{ListSessionsRequest, SessionState};
use futures_util::StreamExt;
use futures_util::stream;
use support::Tools;
use support::course::{Course, Program};
use support::processes;
use support::relay::RelaySession;
use support::report::{Measured, Report};
use support::server::{Caller, Server};

/// No server takes longer to find its sessions again.
const LIMIT: Duration = Duration::from_secs(60);

/// Measures many sessions that are stopped at once, and a server that takes them over.
#[derive(Parser)]
struct Options {
    /// How many sessions.
    #[arg(long, default_value_t = 100)]
    sessions: usize,
    /// How many are made, stepped or deleted at a time.
    #[arg(long, default_value_t = 2)]
    parallel: usize,
    /// How often the server is killed and started again.
    #[arg(long, default_value_t = 3)]
    restarts: usize,
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

/// One session, where it stands, and how many stops it has seen.
struct Stepped {
    session: RelaySession,
    course: Course,
    stop: u64,
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let options = Options::parse();
    let tools = Tools::find();
    let program = Program::find();
    let mut server = Server::start(&tools, &options.server, options.sessions);
    let mut caller = server.caller().await;

    let (mut measured, mut sessions) = create(&caller, &program, &options).await;
    measured.extend(measure_memory(&server, &sessions));
    let mut answers = Measured::times("restart", "first answer");
    let mut adopted = Measured::times("restart", "all adopted");
    let mut steps = Measured::times("step", "each session");
    let mut all_steps = Measured::times("step", "all together");
    for _ in 0..options.restarts {
        server.kill();
        let begun = Instant::now();
        server.start_again();
        caller = server.caller().await;
        let listed = stopped(&caller).await;
        answers.add(begun.elapsed());
        wait_for_all(&caller, listed, &sessions).await;
        adopted.add(begun.elapsed());

        let begun = Instant::now();
        for took in step_all(&caller, &mut sessions, options.parallel).await {
            steps.add(took);
        }
        all_steps.add(begun.elapsed());
    }
    measured.extend([answers, adopted, steps, all_steps]);
    measured.extend(delete(&caller, &sessions, options.parallel).await);

    let setting = format!(
        "{}; {} sessions, {} at a time, {} restarts",
        tools.setting(),
        options.sessions,
        options.parallel,
        options.restarts
    );
    Report { setting, measured, ratios: Vec::new() }.print(options.json);
}

/// Makes the sessions, each stopped at the same line.
async fn create(
    caller: &Caller,
    program: &Program,
    options: &Options,
) -> (Vec<Measured>, Vec<Stepped>) {
    let mut each = Measured::times("create", "each session");
    let mut all = Measured::times("create", "all together");
    let begun = Instant::now();
    let made = (0..options.sessions).map(|_| RelaySession::create(caller, program, false));
    let made: Vec<_> = stream::iter(made).buffer_unordered(options.parallel).collect().await;
    all.add(begun.elapsed());
    let sessions = made.into_iter().map(|(took, seen, session)| {
        assert_eq!(seen.line, program.start, "the first stop of {}", session.id);
        each.add(took);
        Stepped { session, course: Course::new(program), stop: 1 }
    });
    let sessions = sessions.collect();
    (vec![each, all], sessions)
}

fn measure_memory(server: &Server, sessions: &[Stepped]) -> Vec<Measured> {
    let kinds = ["resident", "proportional", "private"];
    let of = |group: &str| kinds.map(|kind| Measured::sizes(group, kind));
    let (mut hosts, mut guards, mut programs) = (of("host"), of("guard"), of("program"));
    let mut gateway = of("gateway");
    let parents = processes::parents();
    let add = |to: &mut [Measured; 3], pid: i32| {
        let memory = processes::memory(pid);
        to[0].add_kib(memory.resident);
        to[1].add_kib(memory.proportional);
        to[2].add_kib(memory.private);
    };
    for one in sessions {
        let host = server.host(&one.session.id);
        let guard = processes::child_of(host, &parents);
        add(&mut hosts, host);
        add(&mut guards, guard);
        add(&mut programs, processes::child_of(guard, &parents));
    }
    add(&mut gateway, server.pid());
    hosts.into_iter().chain(guards).chain(programs).chain(gateway).collect()
}

/// The ids of the sessions that the server lists as stopped.
async fn stopped(caller: &Caller) -> Vec<String> {
    let request = ListSessionsRequest {
        page_size: 1000,
        states: vec![SessionState::Stopped.into()],
        ..Default::default()
    };
    let listed = caller.sessions().list_sessions(caller.request(request)).await;
    let listed = listed.expect("a list").into_inner();
    listed.sessions.into_iter().map(|session| session.id).collect()
}

async fn wait_for_all(caller: &Caller, mut listed: Vec<String>, sessions: &[Stepped]) {
    let begun = Instant::now();
    let is_listed = |listed: &[String], one: &Stepped| listed.contains(&one.session.id);
    while !sessions.iter().all(|one| is_listed(&listed, one)) {
        assert!(begun.elapsed() < LIMIT, "{} of {} are back", listed.len(), sessions.len());
        listed = stopped(caller).await;
    }
    assert_eq!(listed.len(), sessions.len(), "nothing but what was there");
}

/// Each takes one step, which must lead to its next line.
async fn step_all(caller: &Caller, sessions: &mut [Stepped], parallel: usize) -> Vec<Duration> {
    let stepping = sessions.iter_mut().map(async |one: &mut Stepped| {
        one.stop += 1;
        let (took, seen) = one.session.step(caller, one.stop).await;
        one.course.expect(&one.session.id, &seen);
        took
    });
    stream::iter(stepping).buffer_unordered(parallel).collect().await
}

async fn delete(caller: &Caller, sessions: &[Stepped], parallel: usize) -> [Measured; 2] {
    let mut each = Measured::times("delete", "each session");
    let mut all = Measured::times("delete", "all together");
    let begun = Instant::now();
    let deleting = sessions.iter().map(async |one: &Stepped| {
        let begun = Instant::now();
        one.session.delete(caller).await;
        begun.elapsed()
    });
    let times: Vec<_> = stream::iter(deleting).buffer_unordered(parallel).collect().await;
    all.add(begun.elapsed());
    times.into_iter().for_each(|took| each.add(took));
    assert_eq!(stopped(caller).await, Vec::<String>::new(), "nothing is left");
    [each, all]
}

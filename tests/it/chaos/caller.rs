//! A caller: makes sessions, drives them at random, reads them all the while, and ends them or not.

use std::sync::Arc;
use std::time::{Duration, Instant};

use debug_relay::proto::*;
use tonic::{Code, Status};

use super::count;
use super::ground::{CALL_LIMIT, Ground};
use super::notes::{OutputNotes, Story, read_events, read_output};
use crate::support::{Client, Program, Random};

const PROGRAM: &str = "\
import os, sys, time


def work(number):
    double = number * 2  # @step
    return double


for number in range(int(sys.argv[1])):
    os.write(1, b'%d\\n' % number)
    work(number)
    if number % 20 == 0:
        time.sleep(0.001)
";

/// Works until the end, and gives the stories of all its sessions.
pub async fn work(
    ground: Arc<Ground>,
    mut random: Random,
    end: Instant,
    number: u64,
) -> Vec<Story> {
    let program = Program::of(PROGRAM);
    let mut stories = Vec::new();
    while Instant::now() < end {
        let id = format!("c{number}-{}", stories.len());
        if !create(&ground, &mut random, &program, &id).await {
            continue;
        }
        count(&ground.counts.sessions, 1);
        let mut story = Story {
            id: id.clone(),
            is_deleted: false,
            events: Arc::default(),
            output: Arc::new(tokio::sync::Mutex::new(OutputNotes::new())),
        };
        let readers = [
            tokio::spawn(read_events(
                Arc::clone(&ground),
                id.clone(),
                Arc::clone(&story.events),
                Random::new(random.next()),
            )),
            tokio::spawn(read_output(
                Arc::clone(&ground),
                id.clone(),
                Arc::clone(&story.output),
                Random::new(random.next()),
            )),
        ];
        for _ in 0..random.between(3, 25) {
            drive(&ground, &mut random, &program, &id).await;
        }
        for reader in readers {
            reader.abort();
            let _ = reader.await;
        }
        story.is_deleted = random.chance(60) && delete(&ground, &id).await;
        stories.push(story);
    }
    stories
}

/// Makes a session, however often the call is cut: the same request leads to the same session.
async fn create(ground: &Ground, random: &mut Random, program: &Program, id: &str) -> bool {
    let breakpoints = if random.chance(70) { vec![program.breakpoint("step")] } else { vec![] };
    let launch =
        LaunchConfig { args: vec![random.between(100, 20_000).to_string()], ..program.launch() };
    let request = CreateSessionRequest {
        session_id: id.into(),
        request_id: format!("request-{id}"),
        breakpoints,
        restore_breakpoints: Some(random.chance(50)),
        start: Some(create_session_request::Start::Launch(launch)),
        wait: brief(random.between(0, 1000)),
        ..Default::default()
    };
    let begun = Instant::now();
    let mut last = String::new();
    while begun.elapsed() < CALL_LIMIT {
        let mut client = ground.client().await;
        match watched(ground, client.sessions.create_session(request.clone())).await {
            Ok(_) => return true,
            // It was made, and killed since: that is a session, too.
            Err(status) if is_reason(&status, "SESSION_LOST") => return true,
            // It was killed before it was one, or while it was refused; its name may be taken for
            // a moment.
            Err(status) => {
                last = status.message().to_owned();
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }
    ground.complain(format!("session {id} could not be made: {last}"));
    false
}

async fn drive(ground: &Ground, random: &mut Random, program: &Program, id: &str) {
    let mut client = ground.client().await;
    let session_id = id.to_owned();
    let wait = brief(random.between(0, 400));
    let Client { execution, inspection, breakpoints, .. } = &mut client;
    match random.between(0, 9) {
        0 | 1 => {
            let request = StepOverRequest { session_id, wait, ..Default::default() };
            let _ = watched(ground, execution.step_over(request)).await;
        }
        2 => {
            let request = StepIntoRequest { session_id, wait, ..Default::default() };
            let _ = watched(ground, execution.step_into(request)).await;
        }
        3 | 4 => {
            let request = ContinueRequest { session_id, wait, ..Default::default() };
            let _ = watched(ground, execution.r#continue(request)).await;
        }
        5 => {
            let request = PauseRequest { session_id, wait, ..Default::default() };
            let _ = watched(ground, execution.pause(request)).await;
        }
        6 => {
            let request =
                EvaluateRequest { session_id, expression: "number".into(), ..Default::default() };
            let _ = watched(ground, inspection.evaluate(request)).await;
        }
        7 => {
            let request = RemoveBreakpointsRequest { session_id, all: true, ..Default::default() };
            let _ = watched(ground, breakpoints.remove_breakpoints(request)).await;
        }
        _ => {
            let request = SetBreakpointsRequest {
                session_id,
                breakpoints: vec![program.breakpoint("step")],
                replace_file: true,
            };
            let _ = watched(ground, breakpoints.set_breakpoints(request)).await;
        }
    }
}

/// Deletes a session, and is sure that it is gone.
async fn delete(ground: &Ground, id: &str) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < CALL_LIMIT {
        let mut client = ground.client().await;
        let request = DeleteSessionRequest { session_id: id.into() };
        match watched(ground, client.sessions.delete_session(request)).await {
            Ok(_) => return true,
            Err(status) if status.code() == Code::NotFound => return true,
            Err(_) => {}
        }
    }
    ground.complain(format!("session {id} could not be deleted"));
    false
}

/// A call that may fail in any way but these: never ending, and a defect.
async fn watched<T>(
    ground: &Ground,
    call: impl Future<Output = Result<T, Status>>,
) -> Result<T, Status> {
    count(&ground.counts.calls, 1);
    let answer = tokio::time::timeout(CALL_LIMIT, call).await;
    let answer = answer.unwrap_or_else(|_| {
        ground.complain("a call did not end".into());
        Err(Status::deadline_exceeded("ours"))
    });
    if let Err(status) = &answer {
        count(&ground.counts.cut_calls, 1);
        if is_reason(status, "INTERNAL") {
            ground.complain(format!("a defect: {status:?}"));
        }
    }
    answer
}

fn is_reason(status: &Status, reason: &str) -> bool {
    let details = tonic_types::StatusExt::get_error_details(status);
    details.error_info().is_some_and(|info| info.reason == reason)
}

fn brief(millis: u64) -> Option<WaitOptions> {
    let timeout = Duration::from_millis(millis).try_into().unwrap();
    let snapshot = SnapshotOptions { skip: true, ..Default::default() };
    Some(WaitOptions { timeout: Some(timeout), snapshot: Some(snapshot) })
}

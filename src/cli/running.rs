//! `run`: the program as if it had been started by hand, until there is something to look at.

use std::io::Write;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::time::Instant;

use super::arguments::Run;
use super::connect::Server;
use super::context::{Context, call, quick, span};
use super::failure::{Failure, Result, STOPPED};
use super::moving::{self, Told, verdict};
use super::progress::watched;
use super::show::{self, Detail};
use super::starting::request;
use crate::proto::*;

/// One wait of many.
const WAIT: Duration = Duration::from_secs(30);
/// No program is waited for longer in one call.
const FOR_EVER: Duration = Duration::from_secs(3600);

pub async fn run(context: &Context, run: Run) -> Result<u8> {
    let program = &run.program;
    let is_again = program.words.is_empty() && program.module.is_none() && program.code.is_none();
    let server = match is_again {
        true => context.server().await?,
        false => context.server_or_new_one().await?,
    };
    if context.globals.json {
        return run_at_once(context, &server, &run, is_again).await;
    }
    let is_fed = program.stdin.is_none();
    let mut place = Place { session: String::new(), stop: 0, offset: 0 };
    if is_again {
        let before = moving::session(context, &server).await?;
        let counters = before.counters.unwrap_or_default();
        place = Place { session: before.id, stop: counters.stops, offset: counters.output_bytes };
        let request = RestartRequest { session_id: place.session.clone(), wait: Some(at_once()) };
        let answer = server.sessions().restart(quick(request)).await?.into_inner();
        refuse_failure(answer.outcome())?;
    } else {
        let mut request = request(context, program)?;
        request.wait = Some(at_once());
        let mut sessions = server.sessions();
        let asked = sessions.create_session(quick(request));
        let answer = watched("the program starts", Some(&server), asked).await?.into_inner();
        place.session = answer.session.clone().unwrap_or_default().id;
        context.remember(&place.session);
        refuse_failure(answer.outcome())?;
    }
    let deadline = run.timeout.map(|timeout| Instant::now() + timeout);
    let session = place.session.clone();
    let followed = async {
        let outcome = follow(&server, &mut place, deadline).await?;
        let stop = outcome.stop.clone().unwrap_or_default();
        // One that was started to stop there is now run.
        if !is_again || stop.reason() != StopReason::Entry {
            return Ok(outcome);
        }
        place.stop = stop.stop_number;
        let request = ContinueRequest {
            session_id: place.session.clone(),
            wait: Some(at_once()),
            ..Default::default()
        };
        server.execution().r#continue(quick(request)).await?;
        follow(&server, &mut place, deadline).await
    };
    let outcome = tokio::select! {
        outcome = followed => outcome?,
        () = feed(&server, &session), if is_fed => return Ok(0),
        Ok(()) = tokio::signal::ctrl_c() => return moving::pause(context, &server).await,
    };
    tell(context, &server, place, outcome).await
}

/// In one call, for programs that read JSON.
async fn run_at_once(context: &Context, server: &Server, run: &Run, is_again: bool) -> Result<u8> {
    let timeout = run.timeout.unwrap_or(FOR_EVER);
    let wait = Some(WaitOptions { timeout: span(timeout), snapshot: None });
    let outcome = if is_again {
        let request = RestartRequest { session_id: context.session()?, wait };
        let answer = server.sessions().restart(call(request, timeout)).await?.into_inner();
        context.print(&answer, String::new);
        answer.outcome
    } else {
        let mut request = request(context, &run.program)?;
        request.wait = wait;
        let answer = server.sessions().create_session(call(request, timeout)).await?.into_inner();
        context.remember(&answer.session.clone().unwrap_or_default().id);
        context.print(&answer, String::new);
        answer.outcome
    };
    let outcome = outcome.unwrap_or_default();
    Ok(exit_code(&outcome).unwrap_or_else(|| verdict(&outcome, timeout)))
}

fn at_once() -> WaitOptions {
    WaitOptions { timeout: span(Duration::ZERO), snapshot: None }
}

fn refuse_failure(outcome: Option<&Outcome>) -> Result<()> {
    match outcome {
        Some(outcome) if outcome.state() == SessionState::Failed => {
            Err(Failure::new(1, &outcome.failure, &outcome.hint))
        }
        _ => Ok(()),
    }
}

/// How far a program has been followed.
struct Place {
    session: String,
    stop: u64,
    offset: u64,
}

/// Passes the program's output on until it stops or ends.
async fn follow(server: &Server, place: &mut Place, deadline: Option<Instant>) -> Result<Outcome> {
    let request = StreamOutputRequest {
        session_id: place.session.clone(),
        after_offset: place.offset,
        data_only: true,
        ..Default::default()
    };
    let mut output = server.output();
    let mut stream = Some(output.stream_output(request).await?.into_inner());
    let waiting = wait(server, place.session.clone(), place.stop, deadline);
    let mut waiting = std::pin::pin!(waiting);
    loop {
        let next = async {
            match &mut stream {
                Some(stream) => stream.message().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            outcome = &mut waiting => return outcome,
            message = next => match message? {
                Some(message) => place.offset = pass_on(message).unwrap_or(place.offset),
                // All of it was read; how it ended is told in a moment.
                None => stream = None,
            },
        }
    }
}

async fn wait(
    server: &Server,
    session_id: String,
    after_stop: u64,
    deadline: Option<Instant>,
) -> Result<Outcome> {
    loop {
        let left = deadline.map_or(WAIT, |deadline| deadline - Instant::now()).min(WAIT);
        let wait = Some(WaitOptions { timeout: span(left), snapshot: None });
        let request = WaitForStopRequest { session_id: session_id.clone(), after_stop, wait };
        let answer = server.execution().wait_for_stop(call(request, left)).await?.into_inner();
        let outcome = answer.outcome.unwrap_or_default();
        if !outcome.timed_out || deadline.is_some_and(|deadline| deadline <= Instant::now()) {
            return Ok(outcome);
        }
    }
}

/// Writes what the program wrote to where it would have gone; tells how far that is.
fn pass_on(message: StreamOutputResponse) -> Option<u64> {
    match message.item? {
        stream_output_response::Item::Chunk(chunk) => {
            write(&chunk);
            Some(chunk.offset + chunk.data.len() as u64)
        }
        stream_output_response::Item::Gap(gap) => Some(gap.to_offset),
    }
}

/// Standard error stays standard error.
pub fn write(chunk: &OutputChunk) -> bool {
    let written = match chunk.category() {
        OutputCategory::Stderr => std::io::stderr().write_all(&chunk.data),
        _ => {
            let mut out = std::io::stdout().lock();
            out.write_all(&chunk.data).and_then(|()| out.flush())
        }
    };
    written.is_ok()
}

/// Gives the program what this command is given. Ends only when the call was ended from outside.
async fn feed(server: &Server, session: &str) {
    let mut input = tokio::io::stdin();
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let read = input.read(&mut buffer).await.unwrap_or_default();
        let mut data = bytes::Bytes::copy_from_slice(&buffer[..read]);
        loop {
            let request = WriteInputRequest {
                session_id: session.into(),
                data: data.clone(),
                close: read == 0,
            };
            // A program that takes no input any more needs none.
            let Ok(answer) = server.output().write_input(quick(request)).await else {
                return std::future::pending().await;
            };
            let written = usize::try_from(answer.into_inner().bytes_written).unwrap_or_default();
            data = data.slice(written.min(data.len())..);
            if data.is_empty() {
                break;
            }
        }
        if read == 0 {
            return std::future::pending().await;
        }
    }
}

/// The rest of the output, and how it came out.
async fn tell(
    context: &Context,
    server: &Server,
    mut place: Place,
    outcome: Outcome,
) -> Result<u8> {
    let end = outcome.output.as_ref().map_or(0, |output| output.next_offset);
    while place.offset < end {
        let request = GetOutputRequest {
            session_id: place.session.clone(),
            after_offset: place.offset,
            data_only: true,
            ..Default::default()
        };
        let answer = server.output().get_output(quick(request)).await?.into_inner();
        if answer.next_offset <= place.offset {
            break;
        }
        place.offset = answer.next_offset;
        for chunk in &answer.chunks {
            write(chunk);
        }
    }
    let shown = Outcome { output: None, ..outcome.clone() };
    let _ = write!(anstream::stderr(), "{}", show::outcome(&shown, Detail::Full));
    let code = exit_code(&outcome);
    if outcome.state() == SessionState::Stopped {
        context.hint(&format!(
            "session {} is kept: `debug-relay next`, `print`, `stop` …",
            place.session
        ));
    }
    Ok(code.unwrap_or_else(|| verdict(&outcome, WAIT)))
}

/// As a shell tells it: that of the program, or 128 and the signal. Success is not what a program has
/// that stands at a crash.
fn exit_code(outcome: &Outcome) -> Option<u8> {
    match outcome.state() {
        SessionState::Stopped => return Some(STOPPED),
        SessionState::Exited => {}
        _ => return None,
    }
    let code = outcome.exit_code.unwrap_or(128 + outcome.exit_signal);
    Some(u8::try_from(code & 0xff).unwrap_or(1))
}

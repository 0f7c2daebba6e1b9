//! Commands that move the program, or wait for it, and show how that came out.

use std::time::Duration;

use tonic::{Response, Status};

use super::arguments::{Await, Goto, Move, Steps, Until};
use super::connect::Server;
use super::context::{Context, call, quick, span};
use super::failure::{Failure, REFUSED, Result, TIMED_OUT};
use super::progress::watched;
use super::show::{self, Detail};
use crate::proto::*;

/// A program that was told to pause by Ctrl-C has this long.
const PAUSE_LIMIT: Duration = Duration::from_secs(2);

/// An answer with an outcome in it.
pub trait Told: prost::Name {
    fn outcome(&self) -> Option<&Outcome>;
}

macro_rules! told {
    ($($response:ident),* $(,)?) => {
        $(impl Told for $response {
            fn outcome(&self) -> Option<&Outcome> {
                self.outcome.as_ref()
            }
        })*
    };
}
told!(
    AttachResponse,
    ContinueResponse,
    CreateSessionResponse,
    GotoResponse,
    PauseResponse,
    RestartResponse,
    RunToLineResponse,
    StepIntoResponse,
    StepOutResponse,
    StepOverResponse,
    WaitForStopResponse,
);

pub enum Moved {
    Continue,
    Finish,
    Pause,
}

pub async fn go(context: &Context, what: Moved, how: Move) -> Result<u8> {
    let (server, session_id) = (context.server().await?, context.session()?);
    let (thread_id, wait) = (how.thread, Some(options(&how)));
    let mut execution = server.execution();
    let timeout = how.timeout;
    match what {
        Moved::Continue => {
            let request = ContinueRequest { session_id, thread_id, wait };
            let asked = execution.r#continue(call(request, timeout));
            tell(context, &server, Detail::Full, timeout, asked).await
        }
        Moved::Finish => {
            let request = StepOutRequest { session_id, thread_id, wait };
            let asked = execution.step_out(call(request, timeout));
            tell(context, &server, Detail::Step, timeout, asked).await
        }
        Moved::Pause => {
            let request = PauseRequest { session_id, thread_id, wait };
            let asked = execution.pause(call(request, timeout));
            tell(context, &server, Detail::Full, timeout, asked).await
        }
    }
}

pub async fn next(context: &Context, steps: Steps) -> Result<u8> {
    let (server, session_id) = (context.server().await?, context.session()?);
    let Steps { count, how } = steps;
    let request = StepOverRequest {
        session_id,
        thread_id: how.thread,
        wait: Some(options(&how)),
        count,
        ..Default::default()
    };
    let mut execution = server.execution();
    let asked = execution.step_over(call(request, how.timeout));
    tell(context, &server, Detail::Step, how.timeout, asked).await
}

pub async fn step(context: &Context, steps: Steps) -> Result<u8> {
    let (server, session_id) = (context.server().await?, context.session()?);
    let Steps { count, how } = steps;
    let request = StepIntoRequest {
        session_id,
        thread_id: how.thread,
        wait: Some(options(&how)),
        count,
        ..Default::default()
    };
    let mut execution = server.execution();
    let asked = execution.step_into(call(request, how.timeout));
    tell(context, &server, Detail::Step, how.timeout, asked).await
}

pub async fn until(context: &Context, until: Until) -> Result<u8> {
    let (server, session_id) = (context.server().await?, context.session()?);
    // The server takes the file of the stop when none is named.
    let place = until.place.line(&context.here, Some("")).map_err(Failure::usage)?;
    let request = RunToLineRequest {
        session_id,
        thread_id: until.how.thread,
        wait: Some(options(&until.how)),
        file: place.file,
        line: place.line,
    };
    let mut execution = server.execution();
    let asked = execution.run_to_line(call(request, until.how.timeout));
    tell(context, &server, Detail::Full, until.how.timeout, asked).await
}

pub async fn goto(context: &Context, goto: Goto) -> Result<u8> {
    let (server, session_id) = (context.server().await?, context.session()?);
    let request = GotoRequest {
        session_id,
        thread_id: goto.how.thread,
        wait: Some(options(&goto.how)),
        line: goto.line,
    };
    let mut execution = server.execution();
    let asked = execution.goto(call(request, goto.how.timeout));
    tell(context, &server, Detail::Step, goto.how.timeout, asked).await
}

pub async fn wait(context: &Context, wait: Await) -> Result<u8> {
    let (server, session_id) = (context.server().await?, context.session()?);
    let request =
        WaitForStopRequest { session_id, after_stop: wait.after, wait: Some(options(&wait.how)) };
    let mut execution = server.execution();
    let asked = execution.wait_for_stop(call(request, wait.how.timeout));
    tell(context, &server, Detail::Full, wait.how.timeout, asked).await
}

pub async fn restart(context: &Context, how: Move) -> Result<u8> {
    let (server, session_id) = (context.server().await?, context.session()?);
    let mut sessions = server.sessions();
    let request = RestartRequest { session_id, wait: Some(options(&how)) };
    let asked = sessions.restart(call(request, how.timeout));
    tell(context, &server, Detail::Full, how.timeout, asked).await
}

pub fn options(how: &Move) -> WaitOptions {
    let snapshot = SnapshotOptions {
        expressions: how.expressions.clone(),
        changes_only: how.brief,
        ..Default::default()
    };
    WaitOptions { timeout: span(how.timeout), snapshot: Some(snapshot) }
}

/// Waits for an answer and shows its outcome. Ctrl-C pauses the program, and shows where it is then.
pub async fn tell<R: Told>(
    context: &Context,
    server: &Server,
    detail: Detail,
    timeout: Duration,
    asked: impl Future<Output = Result<Response<R>, Status>>,
) -> Result<u8> {
    let answer = tokio::select! {
        answer = watched("the program runs; Ctrl-C pauses it", Some(server), asked) => answer,
        Ok(()) = tokio::signal::ctrl_c() => return pause(context, server).await,
    };
    let answer = answer?.into_inner();
    context.print(&answer, || {
        answer.outcome().map(|outcome| show::outcome(outcome, detail)).unwrap_or_default()
    });
    Ok(answer.outcome().map_or(0, |outcome| verdict(outcome, timeout)))
}

/// Stops a program that somebody has waited for long enough.
pub async fn pause(context: &Context, server: &Server) -> Result<u8> {
    let wait = WaitOptions { timeout: span(PAUSE_LIMIT), snapshot: None };
    let request =
        PauseRequest { session_id: context.session()?, wait: Some(wait), ..Default::default() };
    let answer = server.execution().pause(call(request, PAUSE_LIMIT)).await?.into_inner();
    context.print(&answer, || {
        answer.outcome().map(|outcome| show::outcome(outcome, Detail::Full)).unwrap_or_default()
    });
    Ok(answer.outcome().map_or(0, |outcome| verdict(outcome, PAUSE_LIMIT)))
}

/// The exit code of a command with this outcome.
pub fn verdict(outcome: &Outcome, timeout: Duration) -> u8 {
    match outcome.state() {
        SessionState::Failed => REFUSED,
        _ if outcome.timed_out && !timeout.is_zero() => TIMED_OUT,
        _ => 0,
    }
}

/// The session as it is now.
pub async fn session(context: &Context, server: &Server) -> Result<Session> {
    let request = GetSessionRequest { session_id: context.session()? };
    let answer = server.sessions().get_session(quick(request)).await?.into_inner();
    Ok(answer.session.unwrap_or_default())
}

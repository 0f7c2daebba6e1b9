//! Commands that look at a stopped program, and change values in it.

use std::time::Duration;

use super::arguments::{Backtrace, Find, FrameChoice, Locals, Print, Set, Snapshot};
use super::connect::Server;
use super::context::{Context, call, quick, span};
use super::failure::{Failure, RAISED, REFUSED, Result};
use super::progress::watched;
use super::show::{self, BAD, Detail, QUIET};
use crate::proto::*;

/// What an expression may take unless it says otherwise.
const EVALUATE: Duration = Duration::from_secs(10);
/// As many as one call gives.
const MANY: u32 = 1000;

pub async fn backtrace(context: &Context, wish: Backtrace) -> Result<u8> {
    let (server, session_id) = (context.server().await?, context.session()?);
    let request =
        GetStackTraceRequest { session_id, thread_id: wish.thread, start: 0, count: wish.count };
    let answer = server.inspection().get_stack_trace(quick(request)).await?.into_inner();
    context.print(&answer, || {
        let left =
            answer.total_frames as usize - answer.frames.len().min(answer.total_frames as usize);
        let mut text = show::frames(&answer.frames, 0);
        if 0 < left {
            text += &format!("{QUIET}{left} more; -n shows more{QUIET:#}\n");
        }
        text
    });
    Ok(0)
}

/// The handle of a frame; 0 for the top one.
async fn frame(context: &Context, server: &Server, choice: &FrameChoice) -> Result<u64> {
    if choice.frame == 0 {
        return Ok(0);
    }
    let request = GetStackTraceRequest {
        session_id: context.session()?,
        start: choice.frame,
        count: 1,
        ..Default::default()
    };
    let answer = server.inspection().get_stack_trace(quick(request)).await?.into_inner();
    let frame = answer.frames.first().map(|frame| frame.frame_id);
    frame.ok_or_else(|| {
        let problem =
            format!("there is no frame {}: the stack has {}", choice.frame, answer.total_frames);
        Failure::new(REFUSED, problem, "`debug-relay backtrace` numbers them")
    })
}

pub async fn locals(context: &Context, wish: Locals) -> Result<u8> {
    let (server, session_id) = (context.server().await?, context.session()?);
    let frame_id = frame(context, &server, &wish.at).await?;
    let request = GetScopesRequest { session_id: session_id.clone(), frame_id };
    let scopes = server.inspection().get_scopes(quick(request)).await?.into_inner().scopes;
    let name = if wish.globals { "Globals" } else { "Locals" };
    let scope = scopes.iter().find(|scope| scope.name == name).or(scopes.first());
    let request = GetVariablesRequest {
        session_id,
        variables_reference: scope.map_or(0, |scope| scope.variables_reference),
        count: MANY,
        max_depth: wish.depth,
        max_value_length: 200,
        reveal: wish.reveal,
        ..Default::default()
    };
    let mut answer = server.inspection().get_variables(quick(request)).await?.into_inner();
    if !wish.names.is_empty() {
        let missing = wish
            .names
            .iter()
            .find(|name| !answer.variables.iter().any(|variable| variable.name == **name));
        if let Some(missing) = missing {
            let hint = "`debug-relay locals` shows all; -f N looks into another frame";
            return Err(Failure::new(
                REFUSED,
                format!("there is no variable {missing} here"),
                hint,
            ));
        }
        answer.variables.retain(|variable| wish.names.contains(&variable.name));
    }
    context.print(&answer, || {
        // The debugger's groups of what Python adds have no value of their own.
        let variables = answer.variables.iter().filter(|variable| !variable.value.is_empty());
        show::variables(&variables.cloned().collect::<Vec<_>>(), 0)
    });
    Ok(0)
}

pub async fn print(context: &Context, wish: Print) -> Result<u8> {
    let (server, session_id) = (context.server().await?, context.session()?);
    let timeout = wish.timeout.unwrap_or(EVALUATE);
    let kind = match wish.statement {
        true => EvaluateContext::Statement,
        false => EvaluateContext::Expression,
    };
    let request = EvaluateRequest {
        session_id,
        expression: wish.words.join(" "),
        frame_id: frame(context, &server, &wish.at).await?,
        context: kind.into(),
        timeout: span(timeout),
        max_value_length: 0,
    };
    let mut inspection = server.inspection();
    let asked = inspection.evaluate(call(request, timeout));
    let answer = watched("it is evaluated", None, asked).await?.into_inner();
    context.print(&answer, || match answer.error.is_empty() {
        true if wish.statement && answer.value.is_empty() => String::new(),
        true => format!("{}  {QUIET}{}{QUIET:#}\n", answer.value, answer.r#type),
        false => {
            let error = answer
                .error
                .replace("set context to EVALUATE_CONTEXT_STATEMENT", "use --statement");
            format!("{BAD}{}{BAD:#}\n", error.trim_end())
        }
    });
    Ok(if answer.error.is_empty() { 0 } else { RAISED })
}

pub async fn set(context: &Context, wish: Set) -> Result<u8> {
    let (server, session_id) = (context.server().await?, context.session()?);
    let text = wish.words.join(" ");
    // Blanks around it part also what has an `=` of its own, such as a key.
    let parts = text.split_once(" = ").or_else(|| text.split_once('='));
    let (expression, value) = parts
        .ok_or_else(|| Failure::usage(format!("`{text}` has no `=`; write set NAME = VALUE")))?;
    let request = SetExpressionRequest {
        session_id,
        expression: expression.trim().into(),
        value: value.trim().into(),
        frame_id: frame(context, &server, &wish.at).await?,
    };
    let answer = server.inspection().set_expression(quick(request)).await?.into_inner();
    context.print(&answer, || {
        let variable = answer.variable.clone().unwrap_or_default();
        show::value(&ExpressionResult {
            expression: expression.trim().into(),
            value: variable.value,
            r#type: variable.r#type,
            ..Default::default()
        })
    });
    Ok(0)
}

pub async fn find(context: &Context, wish: Find) -> Result<u8> {
    let (server, session_id) = (context.server().await?, context.session()?);
    let request = FindValueRequest {
        session_id,
        frame_id: frame(context, &server, &wish.at).await?,
        query: wish.query.clone(),
        max_depth: wish.depth,
        ..Default::default()
    };
    let answer = server.inspection().find_value(quick(request)).await?.into_inner();
    context.print(&answer, || {
        let mut text = match answer.found.is_empty() {
            true => format!("nothing with {:?} can be reached from here\n", wish.query),
            false => show::found(&answer.found),
        };
        if answer.incomplete {
            text += &format!("{QUIET}not everything was looked at{QUIET:#}\n");
        }
        text
    });
    Ok(0)
}

pub async fn threads(context: &Context) -> Result<u8> {
    let (server, session_id) = (context.server().await?, context.session()?);
    let asked = server.inspection().list_threads(quick(ListThreadsRequest { session_id })).await;
    let answer = asked?.into_inner();
    context.print(&answer, || show::threads(&answer.threads));
    Ok(0)
}

pub async fn snapshot(context: &Context, wish: Snapshot) -> Result<u8> {
    let (server, session_id) = (context.server().await?, context.session()?);
    let options = SnapshotOptions {
        expressions: wish.expressions,
        max_depth: wish.depth,
        names: wish.names,
        max_bytes: wish.max_bytes,
        context_lines: wish.context,
        reveal: wish.reveal,
        ..Default::default()
    };
    let request = GetSnapshotRequest { session_id, thread_id: wish.thread, options: Some(options) };
    let answer = server.inspection().get_snapshot(quick(request)).await?.into_inner();
    context.print(&answer, || {
        let stop = answer.stop.clone().unwrap_or_default();
        let snapshot = answer.snapshot.clone().unwrap_or_default();
        show::stop_line(&stop) + &show::snapshot(&snapshot, Detail::Full)
    });
    Ok(0)
}

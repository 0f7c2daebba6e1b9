//! `break`: breakpoints, and exceptions that stop the program.

use super::arguments::{Break, BreakAction, NewPoint};
use super::connect::Server;
use super::context::{Context, quick};
use super::failure::{Failure, REFUSED, Result};
use super::places::{At, Place};
use super::{moving, show};
use crate::proto::breakpoint_spec::Location;
use crate::proto::*;

pub async fn run(context: &Context, wish: Break) -> Result<u8> {
    let (server, session_id) = (context.server().await?, context.session()?);
    let point = wish.point;
    let is_listing = point.words.is_empty() && point.watch.is_none();
    match wish.action {
        Some(BreakAction::Add(point)) => add(context, &server, session_id, point).await,
        None if !is_listing => add(context, &server, session_id, point).await,
        Some(BreakAction::List) | None => list(context, &server, session_id).await,
        Some(BreakAction::Remove { ids }) => {
            let request = RemoveBreakpointsRequest { session_id, ids, ..Default::default() };
            remove(context, &server, request).await
        }
        Some(BreakAction::Clear { file: Some(file) }) => {
            let file = context.here.join(file).to_string_lossy().into_owned();
            let request = RemoveBreakpointsRequest { session_id, file, ..Default::default() };
            remove(context, &server, request).await
        }
        Some(BreakAction::Clear { file: None }) => {
            let request = RemoveBreakpointsRequest { session_id, all: true, ..Default::default() };
            remove(context, &server, request).await
        }
        Some(BreakAction::Enable { ids }) => turn(context, &server, session_id, ids, true).await,
        Some(BreakAction::Disable { ids }) => turn(context, &server, session_id, ids, false).await,
        Some(BreakAction::Exceptions { filters, condition }) => {
            exceptions(context, &server, session_id, filters, condition).await
        }
    }
}

async fn add(
    context: &Context,
    server: &Server,
    session_id: String,
    point: NewPoint,
) -> Result<u8> {
    let mut spec = match &point.watch {
        Some(expression) => {
            let data = DataLocation { expression: expression.clone(), ..Default::default() };
            BreakpointSpec { location: Some(Location::Data(data)), ..Default::default() }
        }
        None => placed(context, server, &point.words.join(" ")).await?,
    };
    spec.hit_condition = point.hits.unwrap_or_default();
    spec.log_message = point.log.unwrap_or(spec.log_message);
    spec.temporary = point.once;
    let request =
        SetBreakpointsRequest { session_id, breakpoints: vec![spec], replace_file: false };
    let answer = server.breakpoints().set_breakpoints(quick(request)).await?.into_inner();
    context.print(&answer, || answer.breakpoints.iter().map(show::breakpoint).collect());
    Ok(0)
}

/// A line without a file is in the file of the stop.
async fn placed(context: &Context, server: &Server, text: &str) -> Result<BreakpointSpec> {
    let place: Place = text.parse().map_err(Failure::usage)?;
    let file = match &place.at {
        At::Line { file: None, .. } => {
            let stop = moving::session(context, server).await?.stop;
            stop.and_then(|stop| stop.location).map(|location| location.file)
        }
        At::Line { .. } | At::Function(_) => None,
    };
    place.spec(&context.here, file.as_deref()).map_err(Failure::usage)
}

async fn list(context: &Context, server: &Server, session_id: String) -> Result<u8> {
    let request = ListBreakpointsRequest { session_id, file: String::new() };
    let answer = server.breakpoints().list_breakpoints(quick(request)).await?.into_inner();
    context.print(&answer, || show::breakpoints(&answer.breakpoints));
    Ok(0)
}

async fn remove(
    context: &Context,
    server: &Server,
    request: RemoveBreakpointsRequest,
) -> Result<u8> {
    let answer = server.breakpoints().remove_breakpoints(quick(request)).await?.into_inner();
    context.print(&answer, || {
        let ids: Vec<String> =
            answer.breakpoints.iter().map(|point| point.id.to_string()).collect();
        match ids.is_empty() {
            true => "there was none\n".into(),
            false => format!("removed {}\n", ids.join(", ")),
        }
    });
    Ok(0)
}

async fn turn(
    context: &Context,
    server: &Server,
    session_id: String,
    ids: Vec<u64>,
    enabled: bool,
) -> Result<u8> {
    for id in ids {
        let request = UpdateBreakpointRequest {
            session_id: session_id.clone(),
            id,
            enabled: Some(enabled),
            ..Default::default()
        };
        let answer = server.breakpoints().update_breakpoint(quick(request)).await?.into_inner();
        context.print(&answer, || answer.breakpoint.iter().map(show::breakpoint).collect());
    }
    Ok(0)
}

async fn exceptions(
    context: &Context,
    server: &Server,
    session_id: String,
    filters: Vec<String>,
    condition: Option<String>,
) -> Result<u8> {
    let mut breakpoints = server.breakpoints();
    if !filters.is_empty() {
        let condition = condition.unwrap_or_default();
        let filters =
            filters.iter().flat_map(|text| text.split(',')).filter(|name| *name != "none");
        let filters = filters
            .map(|filter| ExceptionFilter { filter: filter.into(), condition: condition.clone() });
        let wanted = ExceptionBreakpoints { filters: filters.collect() };
        let request = SetExceptionBreakpointsRequest {
            session_id: session_id.clone(),
            exception_breakpoints: Some(wanted),
        };
        breakpoints.set_exception_breakpoints(quick(request)).await?;
    } else if condition.is_some() {
        return Err(Failure::new(
            REFUSED,
            "--if needs a filter",
            "break exceptions raised --if ValueError",
        ));
    }
    let request = GetExceptionBreakpointsRequest { session_id };
    let answer = breakpoints.get_exception_breakpoints(quick(request)).await?.into_inner();
    context.print(&answer, || show::exceptions(&answer));
    Ok(0)
}

//! Commands about sessions as a whole, and about the server.

use super::arguments::{Sessions, Stop};
use super::context::{Context, quick};
use super::failure::{Failure, NO_SERVER, Result};
use super::{background, show};
use crate::proto::*;

/// Those that something can be done with.
const PRESENT: [SessionState; 6] = [
    SessionState::Created,
    SessionState::Starting,
    SessionState::Running,
    SessionState::Stopped,
    SessionState::Detached,
    SessionState::Lost,
];

pub async fn list(context: &Context, wish: Sessions) -> Result<u8> {
    let labels = wish.labels.into_iter().collect();
    let sessions = all(context, if wish.all { &[] } else { &PRESENT }, labels).await?;
    let answer = ListSessionsResponse { sessions, next_page_token: String::new() };
    context.print(&answer, || show::sessions(&answer.sessions, context.current().as_deref()));
    Ok(0)
}

async fn all(
    context: &Context,
    states: &[SessionState],
    labels: std::collections::HashMap<String, String>,
) -> Result<Vec<Session>> {
    let server = context.server().await?;
    let mut request = ListSessionsRequest {
        page_size: 1000,
        states: states.iter().map(|state| (*state).into()).collect(),
        labels,
        ..Default::default()
    };
    let mut sessions = Vec::new();
    loop {
        let page = server.sessions().list_sessions(quick(request.clone())).await?.into_inner();
        sessions.extend(page.sessions);
        if page.next_page_token.is_empty() {
            return Ok(sessions);
        }
        request.page_token = page.next_page_token;
    }
}

pub async fn status(context: &Context) -> Result<u8> {
    let (server, session_id) = (context.server().await?, context.session()?);
    let answer = server.sessions().get_session(quick(GetSessionRequest { session_id })).await?;
    let answer = answer.into_inner();
    context.print(&answer, || answer.session.iter().map(show::session).collect());
    Ok(0)
}

pub async fn detach(context: &Context) -> Result<u8> {
    let (server, session_id) = (context.server().await?, context.session()?);
    let answer = server.sessions().detach(quick(DetachRequest { session_id })).await?.into_inner();
    context.print(&answer, || answer.session.iter().map(show::session).collect());
    Ok(0)
}

pub async fn stop(context: &Context, wish: Stop) -> Result<u8> {
    let server = context.server().await?;
    let ids = match wish.all {
        true => {
            let states = if wish.forget { &[][..] } else { &PRESENT };
            let sessions = all(context, states, Default::default()).await?;
            sessions.into_iter().map(|session| session.id).collect()
        }
        false => vec![context.session()?],
    };
    for session_id in ids {
        if wish.forget {
            let request = DeleteSessionRequest { session_id: session_id.clone() };
            let answer = server.sessions().delete_session(quick(request)).await?.into_inner();
            context.forget(&session_id);
            context.print(&answer, || format!("{session_id} is forgotten\n"));
        } else {
            let request = TerminateSessionRequest { session_id, force: wish.force, grace: None };
            let answer = server.sessions().terminate_session(quick(request)).await?.into_inner();
            context.print(&answer, || answer.session.iter().map(show::session).collect());
        }
    }
    Ok(0)
}

pub async fn adapters(context: &Context) -> Result<u8> {
    let server = context.server().await?;
    let answer = server.server().list_adapters(quick(ListAdaptersRequest {})).await?.into_inner();
    context.print(&answer, || show::adapters(&answer.adapters));
    Ok(0)
}

pub async fn info(context: &Context) -> Result<u8> {
    let server = context.server().await?;
    let answer = server.server().get_info(quick(GetInfoRequest {})).await?.into_inner();
    context.print(&answer, || show::server(&answer));
    Ok(0)
}

pub async fn shutdown(context: &Context) -> Result<u8> {
    if !background::end(&context.config).await? {
        let hint = "`debug-relay start PROGRAM` and `debug-relay serve` start one";
        return Err(Failure::new(NO_SERVER, "no server runs on this machine", hint));
    }
    context.remark("the server has ended; the next one takes its sessions over");
    Ok(0)
}

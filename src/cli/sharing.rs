//! `share`: tokens for one session. `log-filter`: what the server logs.

use super::arguments::{Share, ShareAction};
use super::context::{Context, quick, span};
use super::failure::Result;
use super::show;
use crate::proto::*;

pub async fn run(context: &Context, wish: Share) -> Result<u8> {
    let (server, session_id) = (context.server().await?, context.session()?);
    let mut sessions = server.sessions();
    match wish.action {
        None => {
            let request = CreateSessionTokenRequest {
                session_id: session_id.clone(),
                name: wish.name.unwrap_or_default(),
                read_only: wish.read_only,
                ttl: wish.ttl.and_then(span),
            };
            let answer = sessions.create_session_token(quick(request)).await?.into_inner();
            // Alone on standard output, so that it can be handed on.
            context.print(&answer, || format!("{}\n", answer.token));
            if let Some(info) = answer.info.filter(|_| !context.globals.json) {
                context.remark(&format!(
                    "whoever sets DEBUG_RELAY_TOKEN to it may {} -s {session_id}; \
                     `debug-relay share revoke {}` takes it back",
                    if info.read_only { "look at" } else { "drive" },
                    info.id
                ));
            }
        }
        Some(ShareAction::List) => {
            let request = ListSessionTokensRequest { session_id };
            let answer = sessions.list_session_tokens(quick(request)).await?.into_inner();
            context.print(&answer, || show::tokens(&answer.tokens));
        }
        Some(ShareAction::Revoke { id, all }) => {
            let token_id = id.unwrap_or_default();
            let request = RevokeSessionTokenRequest { session_id, token_id, all };
            let answer = sessions.revoke_session_token(quick(request)).await?.into_inner();
            context.print(&answer, || format!("{} taken back\n", answer.revoked));
        }
    }
    Ok(0)
}

pub async fn log_filter(context: &Context, filter: String) -> Result<u8> {
    let server = context.server().await?;
    let request = SetLogFilterRequest { filter };
    let answer = server.server().set_log_filter(quick(request)).await?.into_inner();
    context.print(&answer, || format!("before: {}\n", answer.previous));
    Ok(0)
}

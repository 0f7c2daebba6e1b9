//! SessionService, as far as it concerns one session; lists of sessions are the gateway's.

use tonic::{Request, Response};

use super::{Api, Reply, convert, not_of_a_host};
use crate::error::Error;
use crate::limits;
use crate::proto::create_session_request::Start;
use crate::proto::session_service_server::SessionService;
use crate::proto::*;
use crate::session::{Closed, CreatePlan, Lease, OwnerLoss, StartWish};
use std::time::Duration;

const DEFAULT_GRACE: Duration = Duration::from_secs(2);
const MAX_GRACE: Duration = Duration::from_secs(60);

/// Marks a GetSession that is part of a list: it does not keep an idle session alive.
pub const LISTING: &str = "debug-relay-listing";
/// Marks a call of somebody who may look and nothing else.
pub const READ_ONLY: &str = "debug-relay-read-only";
/// The token that a new session's creator is told.
pub const SESSION_TOKEN: &str = "debug-relay-session-token";
/// Metadata that only the gateway says: what callers say of it is not passed on.
pub const WORDS_OF_GATEWAY: &[&str] = &[LISTING, READ_ONLY, SESSION_TOKEN];

#[tonic::async_trait]
impl SessionService for Api {
    async fn create_session(
        &self,
        request: Request<CreateSessionRequest>,
    ) -> Reply<CreateSessionResponse> {
        let session_token = request.metadata().get(SESSION_TOKEN);
        let session_token = session_token.and_then(|token| token.to_str().ok()).unwrap_or_default();
        let session_token = session_token.to_owned();
        let plan = plan(request.into_inner());
        let created = self.room.create(plan).await?;
        let session = match &created.outcome {
            Some(_) => created.session.show_beside_outcome(),
            None => created.session.show(),
        };
        Ok(Response::new(CreateSessionResponse {
            session: Some(session),
            session_token,
            breakpoints: created.breakpoints,
            outcome: created.outcome,
            warnings: created.warnings,
        }))
    }

    async fn launch(&self, request: Request<LaunchRequest>) -> Reply<LaunchResponse> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let (wish, wait) = (convert::launch(request.launch)?, convert::wait(request.wait)?);
        let outcome = session.launch_and_wait(wish, &wait).await?;
        let session = Some(session.show_beside_outcome());
        Ok(Response::new(LaunchResponse { session, outcome: Some(outcome) }))
    }

    async fn attach(&self, request: Request<AttachRequest>) -> Reply<AttachResponse> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let (plan, wait) = (convert::attach(request.attach)?, convert::short_wait(request.wait)?);
        let outcome = session.attach_and_wait(plan, &wait).await?;
        let session = Some(session.show_beside_outcome());
        Ok(Response::new(AttachResponse { session, outcome: Some(outcome) }))
    }

    async fn restart(&self, request: Request<RestartRequest>) -> Reply<RestartResponse> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let outcome = session.restart(&convert::wait(request.wait)?).await?;
        let session = Some(session.show_beside_outcome());
        Ok(Response::new(RestartResponse { session, outcome: Some(outcome) }))
    }

    async fn get_session(&self, request: Request<GetSessionRequest>) -> Reply<GetSessionResponse> {
        let is_listing = request.metadata().contains_key(LISTING);
        let id = &request.get_ref().session_id;
        let session = if is_listing { self.room.peek(id)? } else { self.session(id)? };
        Ok(Response::new(GetSessionResponse { session: Some(session.show()) }))
    }

    async fn list_sessions(&self, _: Request<ListSessionsRequest>) -> Reply<ListSessionsResponse> {
        not_of_a_host("ListSessions")
    }

    async fn create_session_token(
        &self,
        _: Request<CreateSessionTokenRequest>,
    ) -> Reply<CreateSessionTokenResponse> {
        not_of_a_host("CreateSessionToken")
    }

    async fn list_session_tokens(
        &self,
        _: Request<ListSessionTokensRequest>,
    ) -> Reply<ListSessionTokensResponse> {
        not_of_a_host("ListSessionTokens")
    }

    async fn revoke_session_token(
        &self,
        _: Request<RevokeSessionTokenRequest>,
    ) -> Reply<RevokeSessionTokenResponse> {
        not_of_a_host("RevokeSessionToken")
    }

    async fn detach(&self, request: Request<DetachRequest>) -> Reply<DetachResponse> {
        let session = self.session(&request.get_ref().session_id)?;
        session.detach().await?;
        Ok(Response::new(DetachResponse { session: Some(session.show()) }))
    }

    async fn terminate_session(
        &self,
        request: Request<TerminateSessionRequest>,
    ) -> Reply<TerminateSessionResponse> {
        let request = request.into_inner();
        let session = self.session(&request.session_id)?;
        let grace = convert::duration("grace", request.grace, DEFAULT_GRACE, MAX_GRACE)?;
        session.terminate(if request.force { Duration::ZERO } else { grace }).await?;
        Ok(Response::new(TerminateSessionResponse { session: Some(session.show()) }))
    }

    async fn delete_session(
        &self,
        request: Request<DeleteSessionRequest>,
    ) -> Reply<DeleteSessionResponse> {
        let session = self.session(&request.get_ref().session_id)?;
        session.shut_down().await;
        self.room.close(Closed::Forgotten);
        Ok(Response::new(DeleteSessionResponse {}))
    }
}

fn plan(request: CreateSessionRequest) -> Result<CreatePlan, Error> {
    let lease = lease(&request)?;
    if 64 < request.labels.len() {
        return Err(Error::invalid("labels", "at most 64 can be given"));
    }
    if 128 < request.request_id.chars().count() {
        return Err(Error::invalid("request_id", "at most 128 characters are allowed"));
    }
    let idle_timeout = convert::limited_duration(
        "idle_timeout",
        request.idle_timeout,
        limits::get().idle_timeout,
        ("max_idle_timeout", limits::get().max_idle_timeout),
    )?;
    if idle_timeout < Duration::from_secs(1) {
        return Err(Error::invalid("idle_timeout", "it is less than 1s"));
    }
    let start = match request.start {
        None => None,
        Some(Start::Launch(launch)) => Some(StartWish::Launch(convert::launch(Some(launch))?)),
        Some(Start::Attach(attach)) => Some(StartWish::Attach(convert::attach(Some(attach))?)),
    };
    let wait = match &start {
        Some(StartWish::Attach(_)) => convert::short_wait(request.wait)?,
        Some(StartWish::Launch(_)) | None => convert::wait(request.wait)?,
    };
    Ok(CreatePlan {
        project_root: request.project_root,
        name: request.name,
        adapter: request.adapter,
        labels: request.labels,
        breakpoints: convert::breakpoints("breakpoints", request.breakpoints)?,
        exception_filters: convert::exception_filters(request.exception_breakpoints)?,
        start,
        wait,
        idle_timeout,
        lease,
        request_id: request.request_id,
        restores_breakpoints: request.restore_breakpoints.unwrap_or(true),
    })
}

/// What is to happen without a call for some time, if anything is.
fn lease(request: &CreateSessionRequest) -> Result<Option<Lease>, Error> {
    let then = match request.on_owner_loss() {
        OwnerLossPolicy::Unspecified | OwnerLossPolicy::Keep => {
            let problem = "on_owner_loss must say what happens at its end";
            return match request.lease {
                None => Ok(None),
                Some(_) => Err(Error::invalid("lease", problem)),
            };
        }
        OwnerLossPolicy::Resume => OwnerLoss::Resume,
        OwnerLossPolicy::Terminate => OwnerLoss::Terminate,
    };
    let longest = limits::get().max_idle_timeout;
    let time = convert::duration("lease", request.lease, Duration::ZERO, longest)?;
    if request.lease.is_none() {
        return Err(Error::MissingField { field: "lease" });
    }
    match time < Duration::from_secs(1) {
        true => Err(Error::invalid("lease", "it is less than 1s")),
        false => Ok(Some(Lease { time, then })),
    }
}

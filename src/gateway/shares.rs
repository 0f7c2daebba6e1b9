//! The tokens of one session: made, listed and taken back.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::Response;
use prost::Message;
use tonic::body::Body;

use super::door::{Gateway, undecodable};
use super::hosts::Host;
use super::reply;
use crate::auth::{self, NewToken};
use crate::clock;
use crate::error::{Error, Result};
use crate::proto::{
    CreateSessionTokenRequest, CreateSessionTokenResponse, ListSessionTokensRequest,
    ListSessionTokensResponse, RevokeSessionTokenRequest, RevokeSessionTokenResponse, SessionToken,
};

const MAX_NAME: usize = 100;
const MIN_TTL: Duration = Duration::from_secs(1);
/// Longer than any session.
const MAX_TTL: Duration = Duration::from_secs(3650 * 24 * 3600);

pub fn answer(
    gateway: &Gateway,
    method: &str,
    host: &Host,
    message: Bytes,
) -> Result<Response<Body>> {
    match method.rsplit('/').next() {
        Some("CreateSessionToken") => {
            let request = CreateSessionTokenRequest::decode(message).map_err(undecodable)?;
            Ok(reply::message(&make(host, request)?))
        }
        Some("ListSessionTokens") => {
            ListSessionTokensRequest::decode(message).map_err(undecodable)?;
            let tokens = host.tokens.list().iter().map(show).collect();
            Ok(reply::message(&ListSessionTokensResponse { tokens }))
        }
        _ => {
            let request = RevokeSessionTokenRequest::decode(message).map_err(undecodable)?;
            if request.token_id.is_empty() && !request.all {
                return Err(Error::MissingField { field: "token_id" });
            }
            let is_meant = |token: &auth::SessionToken| request.all || token.id == request.token_id;
            let revoked = host.tokens.revoke(&host.id, is_meant)?;
            if revoked == 0 && !request.all {
                return Err(Error::invalid("token_id", "the session has no such token"));
            }
            gateway.gate.changed();
            let revoked = u32::try_from(revoked).unwrap_or(u32::MAX);
            Ok(reply::message(&RevokeSessionTokenResponse { revoked }))
        }
    }
}

fn make(host: &Host, request: CreateSessionTokenRequest) -> Result<CreateSessionTokenResponse> {
    if MAX_NAME < request.name.chars().count() {
        return Err(Error::invalid("name", format!("it has more than {MAX_NAME} characters")));
    }
    let expires = match request.ttl {
        None => None,
        Some(ttl) => {
            let ttl = Duration::try_from(ttl).unwrap_or_default();
            if !(MIN_TTL..=MAX_TTL).contains(&ttl) {
                return Err(Error::invalid("ttl", "it must be between \"1s\" and 3650 days"));
            }
            Some(SystemTime::now() + ttl)
        }
    };
    let new =
        NewToken { name: request.name, read_only: request.read_only, expires, is_creators: false };
    let (token, known) = host.tokens.make(&host.id, new)?;
    Ok(CreateSessionTokenResponse { token, info: Some(show(&known)) })
}

fn show(token: &auth::SessionToken) -> SessionToken {
    SessionToken {
        id: token.id.clone(),
        name: token.name.clone(),
        read_only: token.read_only,
        create_time: Some(clock::timestamp(token.created())),
        expire_time: token.expires().map(clock::timestamp),
    }
}

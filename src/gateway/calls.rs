//! Calls to one session: passed on to its host, or answered from its archive when the host is gone.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONNECTION, CONTENT_LENGTH, HOST, HeaderValue};
use http::{Response, request};
use tonic::body::Body;

use super::door::Gateway;
use super::hosts::Host;
use super::methods::{Answers, Method};
use super::{archived, reply, shares};
use crate::api;
use crate::auth::Right;
use crate::error::{Error, Result};
use crate::hop::Call;
use crate::limits;
use crate::proto;

/// Beside the longest wait of any RPC; a host that has not answered by then hangs.
pub const ANSWER_LIMIT: Duration = Duration::from_secs(60);
/// Ending a program takes at most its grace and two kills.
const DELETE_LIMIT: Duration = Duration::from_secs(25);
/// A host that has just died is known to be dead within this.
const LAST_BREATH: Duration = Duration::from_secs(1);
pub const EXIT_LIMIT: Duration = Duration::from_secs(8);

/// One call, let in.
pub struct Admitted {
    pub head: request::Parts,
    /// Without its frame.
    pub message: Bytes,
    /// As it came.
    pub body: Bytes,
    pub is_read_only: bool,
}

impl Gateway {
    /// Answers a call to a session that the caller may see.
    pub(super) async fn call_session(
        &self,
        method: &Method,
        host: &Arc<Host>,
        call: Admitted,
    ) -> Result<Response<Body>> {
        if method.right == Right::Share && method.name.starts_with("debugrelay.v1.SessionService") {
            return shares::answer(self, method.name, host, call.message);
        }
        if host.has_ended() {
            if method.is_deletion() {
                self.hosts.remove(host, EXIT_LIMIT).await;
                return Ok(reply::message(&proto::DeleteSessionResponse {}));
            }
            return archived::answer(method.name, host, &call.message).await;
        }
        if method.is_deletion() {
            return self.delete(host, call).await;
        }
        let message = call.message.clone();
        let call = upstream(call);
        let asked = async {
            match method.answers {
                Answers::One => host.link.ask(call).await,
                Answers::Many => Ok(host.link.call(call).await?.map(Body::new)),
            }
        };
        let answered = tokio::time::timeout(limits::get().wait + ANSWER_LIMIT, asked).await;
        let answer = answered.map_err(|_| Error::HostUnavailable {
            session: host.id.clone(),
            problem: "it does not answer".into(),
        })?;
        match answer {
            // It has just ended: what can be read is in its archive in a moment.
            Err(Error::HostUnavailable { .. })
                if archived::can_answer(method.name) && host.wait_for_end(LAST_BREATH).await =>
            {
                archived::answer(method.name, host, &message).await
            }
            answer => answer,
        }
    }

    /// Answers when the host is gone, not when it says that it will go. A host that does not
    /// answer, or refuses because it hangs, is killed.
    async fn delete(&self, host: &Arc<Host>, call: Admitted) -> Result<Response<Body>> {
        let asked = tokio::time::timeout(DELETE_LIMIT, host.link.ask(upstream(call))).await;
        if !matches!(asked, Ok(Ok(_))) {
            self.hosts.kill(host, EXIT_LIMIT).await;
        }
        self.hosts.remove(host, EXIT_LIMIT).await;
        Ok(reply::message(&proto::DeleteSessionResponse {}))
    }
}

/// The same call for the host: the caller's metadata and deadline, without its token and without
/// words that only the gateway says.
pub fn upstream(call: Admitted) -> Call {
    let Admitted { mut head, body, is_read_only, .. } = call;
    for name in [AUTHORIZATION, HOST, CONTENT_LENGTH, CONNECTION] {
        head.headers.remove(name);
    }
    for name in api::WORDS_OF_GATEWAY {
        head.headers.remove(*name);
    }
    if is_read_only {
        head.headers.insert(api::READ_ONLY, HeaderValue::from_static("1"));
    }
    Call { path: head.uri.path().to_owned(), headers: head.headers, body }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    #[test]
    fn neither_the_token_nor_words_of_the_gateway_are_passed_on_and_the_deadline_is() {
        let request = Request::get("/a.B/C")
            .header("authorization", "Bearer x")
            .header("grpc-timeout", "5S")
            .header(api::SESSION_TOKEN, "drs_forged")
            .header(api::LISTING, "1");
        let (head, ()) = request.body(()).unwrap().into_parts();

        let call = upstream(Admitted {
            head,
            message: Bytes::new(),
            body: Bytes::from_static(b"body"),
            is_read_only: true,
        });

        assert_eq!((call.path.as_str(), &call.body[..]), ("/a.B/C", &b"body"[..]));
        assert_eq!(call.headers["grpc-timeout"], "5S");
        assert_eq!(call.headers[api::READ_ONLY], "1");
        assert_eq!(call.headers.len(), 2);
    }
}

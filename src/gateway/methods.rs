//! Every RPC that is served: what it needs of its caller, how it answers, whether it names a session.
//! Made from the contract and the table of rights.

use std::collections::HashMap;

use bytes::Bytes;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, Value};

use crate::auth::Right;
use crate::auth::rights::{FIELDS_OF_CONTROL, TABLE};
use crate::error::{Error, Result};
use crate::proto;

/// How an RPC answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    One,
    Many,
}

/// One RPC.
pub struct Method {
    /// `PACKAGE.SERVICE/METHOD`.
    pub name: &'static str,
    pub right: Right,
    pub answers: Answers,
    /// Its request begins with a session's id, and the session's host answers it.
    pub is_of_session: bool,
    /// None for services that are not ours.
    request: Option<MessageDescriptor>,
}

/// All RPCs, by their paths.
pub struct Methods(HashMap<String, Method>);

impl Methods {
    pub fn new() -> Result<Self> {
        let pool = DescriptorPool::decode(proto::DESCRIPTORS).map_err(Error::internal)?;
        let rows = TABLE.iter().map(|(name, right)| {
            let described = name.split_once('/').and_then(|(service, method)| {
                pool.get_service_by_name(service)?.methods().find(|found| found.name() == method)
            });
            let is_many = described.as_ref().is_some_and(|found| found.is_server_streaming());
            let request = described.map(|found| found.input());
            let first = request.as_ref().and_then(|request| request.get_field(1));
            let method = Method {
                name,
                right: *right,
                answers: if is_many { Answers::Many } else { Answers::One },
                // CreateSession has a host only afterwards.
                is_of_session: *right != Right::Make
                    && first.is_some_and(|field| field.name() == "session_id"),
                request,
            };
            (format!("/{name}"), method)
        });
        Ok(Self(rows.collect()))
    }

    pub fn get(&self, path: &str) -> Option<&Method> {
        self.0.get(path)
    }
}

impl Method {
    /// It is the one with which a session and its tokens end.
    pub fn is_deletion(&self) -> bool {
        self.name == "debugrelay.v1.SessionService/DeleteSession"
    }

    /// Refuses a request that would do more than look, by a field that it sets.
    pub fn check_looks_only(&self, message: &Bytes) -> Result<()> {
        let Some(request) = &self.request else { return Ok(()) };
        let decoded = DynamicMessage::decode(request.clone(), message.clone());
        let decoded = decoded.map_err(super::door::undecodable)?;
        match field_of_control(&decoded) {
            None => Ok(()),
            Some(field) => Err(Error::PermissionDenied {
                problem: format!(
                    "this token may look and nothing else, so `{field}` must be unset"
                ),
            }),
        }
    }
}

fn field_of_control(message: &DynamicMessage) -> Option<String> {
    message.fields().find_map(|(field, value)| {
        if FIELDS_OF_CONTROL.contains(&field.name()) {
            return Some(field.name().to_owned());
        }
        inside(value)
    })
}

fn inside(value: &Value) -> Option<String> {
    match value {
        Value::Message(message) => field_of_control(message),
        Value::List(values) => values.iter().find_map(inside),
        Value::Map(values) => values.values().find_map(inside),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::*;
    use crate::proto::{SnapshotOptions, WaitForStopRequest, WaitOptions};

    #[test]
    fn session_scoped_methods_are_found_in_the_contract() {
        let methods = Methods::new().unwrap();
        let method = |path: &str| methods.get(&format!("/debugrelay.v1.{path}")).unwrap();

        assert!(method("ExecutionService/StepOver").is_of_session);
        assert_eq!(method("ExecutionService/StepOver").answers, Answers::One);
        assert_eq!(method("EventService/StreamEvents").answers, Answers::Many);
        assert!(!method("SessionService/ListSessions").is_of_session);
        assert!(!method("SessionService/CreateSession").is_of_session);
        assert!(!method("ServerService/GetInfo").is_of_session);
        assert!(methods.get("/grpc.health.v1.Health/Check").is_some());
    }

    #[test]
    fn an_expression_is_found_however_deep_it_stands() {
        let methods = Methods::new().unwrap();
        let method = methods.get("/debugrelay.v1.ExecutionService/WaitForStop").unwrap();
        let check = |snapshot: SnapshotOptions| {
            let wait = Some(WaitOptions { snapshot: Some(snapshot), ..Default::default() });
            let request = WaitForStopRequest { wait, ..Default::default() };
            method.check_looks_only(&request.encode_to_vec().into())
        };

        let evil = vec!["launch()".to_owned()];
        assert_eq!(check(SnapshotOptions { max_frames: Some(3), ..Default::default() }), Ok(()));
        assert!(check(SnapshotOptions { expressions: evil, ..Default::default() }).is_err());
        assert!(check(SnapshotOptions { reveal: true, ..Default::default() }).is_err());
    }
}

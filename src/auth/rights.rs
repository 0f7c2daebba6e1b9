//! The one table of rights: what each RPC needs, and which kind of caller has it.

use super::caller::{Caller, Reach};
use crate::error::Error;

/// What an RPC needs of its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Right {
    /// Nothing: also strangers may call it.
    Open,
    /// To be known. The answer tells only of what the caller may see.
    Ask,
    /// To make sessions.
    Make,
    /// To look at the session that the call names.
    Look,
    /// To change it, or to run code in it.
    Control,
    /// To hand out tokens for it.
    Share,
    /// To run the server.
    Rule,
}

use Right::{Ask, Control, Look, Make, Open, Rule, Share};

/// Every RPC of every service. A method that is not here is answered to nobody.
#[rustfmt::skip]
pub const TABLE: &[(&str, Right)] = &[
    ("grpc.health.v1.Health/Check", Open),
    ("grpc.health.v1.Health/Watch", Open),
    ("grpc.reflection.v1.ServerReflection/ServerReflectionInfo", Open),
    ("grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", Open),

    ("debugrelay.v1.ServerService/GetInfo", Ask),
    ("debugrelay.v1.ServerService/ListAdapters", Ask),
    ("debugrelay.v1.ServerService/SetLogFilter", Rule),

    ("debugrelay.v1.SessionService/CreateSession", Make),
    ("debugrelay.v1.SessionService/Launch", Control),
    ("debugrelay.v1.SessionService/Attach", Control),
    ("debugrelay.v1.SessionService/Restart", Control),
    ("debugrelay.v1.SessionService/GetSession", Look),
    ("debugrelay.v1.SessionService/ListSessions", Ask),
    ("debugrelay.v1.SessionService/Detach", Control),
    ("debugrelay.v1.SessionService/TerminateSession", Control),
    ("debugrelay.v1.SessionService/DeleteSession", Control),
    ("debugrelay.v1.SessionService/CreateSessionToken", Share),
    ("debugrelay.v1.SessionService/ListSessionTokens", Share),
    ("debugrelay.v1.SessionService/RevokeSessionToken", Share),

    ("debugrelay.v1.BreakpointService/SetBreakpoints", Control),
    ("debugrelay.v1.BreakpointService/ListBreakpoints", Look),
    ("debugrelay.v1.BreakpointService/UpdateBreakpoint", Control),
    ("debugrelay.v1.BreakpointService/RemoveBreakpoints", Control),
    ("debugrelay.v1.BreakpointService/SetExceptionBreakpoints", Control),
    ("debugrelay.v1.BreakpointService/GetExceptionBreakpoints", Look),

    ("debugrelay.v1.ExecutionService/Continue", Control),
    ("debugrelay.v1.ExecutionService/Pause", Control),
    ("debugrelay.v1.ExecutionService/StepOver", Control),
    ("debugrelay.v1.ExecutionService/StepInto", Control),
    ("debugrelay.v1.ExecutionService/StepOut", Control),
    ("debugrelay.v1.ExecutionService/RunToLine", Control),
    ("debugrelay.v1.ExecutionService/Goto", Control),
    ("debugrelay.v1.ExecutionService/RestartFrame", Control),
    // It waits, and moves nothing.
    ("debugrelay.v1.ExecutionService/WaitForStop", Look),
    ("debugrelay.v1.ExecutionService/Collect", Control),
    ("debugrelay.v1.ExecutionService/Trace", Control),

    ("debugrelay.v1.InspectionService/GetSnapshot", Look),
    ("debugrelay.v1.InspectionService/FindValue", Look),
    ("debugrelay.v1.InspectionService/ListThreads", Look),
    ("debugrelay.v1.InspectionService/GetStackTrace", Look),
    ("debugrelay.v1.InspectionService/GetScopes", Look),
    ("debugrelay.v1.InspectionService/GetVariables", Look),
    ("debugrelay.v1.InspectionService/Evaluate", Control),
    ("debugrelay.v1.InspectionService/SetVariable", Control),
    ("debugrelay.v1.InspectionService/SetExpression", Control),
    ("debugrelay.v1.InspectionService/GetExceptionInfo", Look),
    ("debugrelay.v1.InspectionService/GetSource", Look),
    ("debugrelay.v1.InspectionService/ListModules", Look),
    ("debugrelay.v1.InspectionService/ListLoadedSources", Look),
    // debugpy evaluates what stands before the dot.
    ("debugrelay.v1.InspectionService/GetCompletions", Control),
    ("debugrelay.v1.InspectionService/GetStepInTargets", Look),
    ("debugrelay.v1.InspectionService/ReadMemory", Look),
    ("debugrelay.v1.InspectionService/WriteMemory", Control),
    ("debugrelay.v1.InspectionService/Disassemble", Look),

    ("debugrelay.v1.EventService/ListEvents", Look),
    ("debugrelay.v1.EventService/StreamEvents", Look),
    ("debugrelay.v1.EventService/StreamAllEvents", Ask),
    ("debugrelay.v1.OutputService/GetOutput", Look),
    ("debugrelay.v1.OutputService/StreamOutput", Look),
    ("debugrelay.v1.OutputService/WriteInput", Control),

    ("debugrelay.v1.BridgeService/OpenBridge", Share),
    ("debugrelay.v1.BridgeService/ListBridges", Look),
    ("debugrelay.v1.BridgeService/CloseBridge", Control),
];

/// Fields, wherever they stand in a request, by which a call that looks would do more: run code, or
/// show what is masked. A caller who may only look must leave them empty.
pub const FIELDS_OF_CONTROL: &[&str] = &["expressions", "reveal"];

/// Whether this kind of caller may make this kind of call at all. Which sessions it may name is
/// another question, [`Caller::may_see`].
pub fn check(right: Right, caller: &Caller) -> Result<(), Error> {
    let is_for_one = matches!(caller.reach, Reach::Session(_));
    let problem = match right {
        Open | Ask | Look => return Ok(()),
        Make | Control | Share if caller.is_read_only => "this token may look and nothing else",
        Make | Share if is_for_one => "a session's token reaches no further than its session",
        Make | Control | Share => return Ok(()),
        Rule if caller.reach != Reach::All || caller.is_read_only => {
            "this is for the server's own token, and for others that are marked `admin`"
        }
        Rule => return Ok(()),
    };
    Err(Error::PermissionDenied { problem: problem.into() })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use prost::Message;

    use super::*;
    use crate::proto;

    #[test]
    fn every_rpc_of_every_service_has_one_row_and_no_row_is_idle() {
        let sets = [
            proto::DESCRIPTORS,
            tonic_health::pb::FILE_DESCRIPTOR_SET,
            tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET,
            tonic_reflection::pb::v1alpha::FILE_DESCRIPTOR_SET,
        ];
        let mut served = BTreeSet::new();
        for set in sets {
            for file in prost_types::FileDescriptorSet::decode(set).unwrap().file {
                for service in &file.service {
                    let path = |name| format!("{}.{}/{name}", file.package(), service.name());
                    served.extend(service.method.iter().map(|method| path(method.name())));
                }
            }
        }

        let rows: Vec<String> = TABLE.iter().map(|(path, _)| (*path).to_owned()).collect();

        assert_eq!(rows.len(), rows.iter().collect::<BTreeSet<_>>().len());
        assert_eq!(rows.into_iter().collect::<BTreeSet<_>>(), served);
    }
}

//! Every RPC of every service, called by every kind of caller: each gets in where the table of rights
//! says so, and nowhere else.

use std::collections::BTreeSet;

use bytes::Bytes;
use debug_relay::auth::Right;
use debug_relay::auth::rights::TABLE;
use debug_relay::proto::*;
use futures_util::future::join_all;
use prost::Message;
use prost_types::FileDescriptorSet;
use tonic::{Code, Status};

use crate::raw_calls::{Rpc, call, first_field, rpcs};
use crate::support::{AccessFile, Client, Server, reason};

/// What becomes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    LetIn,
    /// UNAUTHENTICATED.
    Unknown,
    /// PERMISSION_DENIED.
    Denied,
    /// NOT_FOUND, as for a session that is not there.
    NotThere,
}

use Fate::{Denied, LetIn, NotThere, Unknown};

/// A kind of caller.
struct Kind {
    name: &'static str,
    token: Option<String>,
    /// For Open, Ask, Make, Look, Control, Share, Rule; the session is Ann's.
    fates: [Fate; 7],
}

const RIGHTS: [Right; 7] =
    [Right::Open, Right::Ask, Right::Make, Right::Look, Right::Control, Right::Share, Right::Rule];

/// All that a caller may do who may only look. Whoever adds to it thinks twice.
const LOOKS: &[&str] = &[
    "Check",
    "Watch",
    "ServerReflectionInfo",
    "GetInfo",
    "ListAdapters",
    "GetSession",
    "ListSessions",
    "ListBreakpoints",
    "GetExceptionBreakpoints",
    "WaitForStop",
    "GetSnapshot",
    "FindValue",
    "ListThreads",
    "GetStackTrace",
    "GetScopes",
    "GetVariables",
    "GetExceptionInfo",
    "GetSource",
    "ListModules",
    "ListLoadedSources",
    "GetStepInTargets",
    "ReadMemory",
    "Disassemble",
    "ListEvents",
    "StreamEvents",
    "StreamAllEvents",
    "GetOutput",
    "StreamOutput",
    "ListBridges",
];

/// These take the session away, so they come last, in this order.
const LAST: &[&str] = &["Detach", "TerminateSession", "DeleteSession"];
/// They wait for a session or for a change of health, which is an answer of its own.
const WAITS: &[&str] = &["Watch", "StreamAllEvents", "StreamEvents", "StreamOutput"];

/// Every RPC that the server answers, health and reflection included.
fn all_rpcs() -> Vec<(Rpc, Right)> {
    let sets = [
        debug_relay::proto::DESCRIPTORS,
        tonic_health::pb::FILE_DESCRIPTOR_SET,
        tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET,
        tonic_reflection::pb::v1alpha::FILE_DESCRIPTOR_SET,
    ];
    let files = sets.iter().flat_map(|set| FileDescriptorSet::decode(*set).unwrap().file);
    let files: Vec<_> = files.filter(|file| !file.name().starts_with("google/")).collect();
    let right_of = |rpc: &Rpc| {
        let row = TABLE.iter().find(|(path, _)| rpc.path == format!("/{path}"));
        row.unwrap_or_else(|| panic!("{} has no row", rpc.path)).1
    };
    let found = rpcs(&files).into_iter().map(|rpc| {
        let right = right_of(&rpc);
        (rpc, right)
    });
    let mut found: Vec<_> = found.collect();
    found.sort_by_key(|(rpc, _)| LAST.iter().position(|name| *name == rpc.name));
    found
}

/// A session of this caller, without a program.
async fn session(server: &Server, token: &str) -> CreateSessionResponse {
    let mut client = Client::connect(&server.address, Some(token)).await;
    let request = CreateSessionRequest { project_root: "/tmp".into(), ..Default::default() };
    client.sessions.create_session(request).await.unwrap().into_inner()
}

fn fate(answer: &Result<Option<Bytes>, Status>) -> Fate {
    match answer {
        Err(status) if status.code() == Code::Unauthenticated => Unknown,
        Err(status) if status.code() == Code::PermissionDenied => {
            assert_eq!(reason(status), ErrorReason::PermissionDenied);
            Denied
        }
        Err(status)
            if status.code() == Code::NotFound
                && reason(status) == ErrorReason::SessionNotFound =>
        {
            NotThere
        }
        Ok(_) | Err(_) => LetIn,
    }
}

/// Calls one RPC about a session. A stream that is let in and has nothing to say is let in.
async fn try_it(client: &Client, kind: &Kind, rpc: &Rpc, session: &str) -> Fate {
    let message = if rpc.is_of_session { first_field(session) } else { Bytes::new() };
    let answer = call(&client.channel, kind.token.as_deref(), rpc, message);
    let patience = std::time::Duration::from_millis(300);
    match WAITS.contains(&rpc.name.as_str()) {
        true => tokio::time::timeout(patience, answer).await.map_or(LetIn, |answer| fate(&answer)),
        false => fate(&answer.await),
    }
}

/// What somebody finds who calls everything, where it is not as it should be.
async fn walk(server: &Server, kind: &Kind, session: &str) -> Vec<String> {
    let client = server.client_without_token().await;
    let mut wrong = Vec::new();
    for (rpc, right) in all_rpcs() {
        let place = RIGHTS.iter().position(|one| *one == right).unwrap();
        // Who asks for anything without a session, or by no name, gets another answer.
        let expected = match kind.fates[place] {
            NotThere if !rpc.is_of_session => LetIn,
            fate => fate,
        };
        let found = try_it(&client, kind, &rpc, session).await;
        if found != expected {
            wrong.push(format!("{} by {}: {found:?}, not {expected:?}", rpc.name, kind.name));
        }
    }
    wrong
}

#[tokio::test]
async fn everybody_gets_in_where_the_table_says_and_nowhere_else() {
    let mut file = AccessFile::new();
    let ann = file.token("ann", "");
    let bob = file.token("bob", "");
    let ann_looks = file.token("ann_looks", "owner = 'ann'\nread_only = true");
    let admin = file.token("admin", "admin = true");
    let auditor = file.token("auditor", "admin = true\nread_only = true");
    let late = file.token("late", "owner = 'ann'\nexpires = 2020-01-01T00:00:00Z");
    let server = file.server(&["--limits-sessions", "100"]).await;
    let kind = |name, token: Option<&String>, fates| Kind { name, token: token.cloned(), fates };
    let all = [LetIn; 7];
    let but_rule = [LetIn, LetIn, LetIn, LetIn, LetIn, LetIn, Denied];
    let nothing = [LetIn, Unknown, Unknown, Unknown, Unknown, Unknown, Unknown];
    let looks = [LetIn, LetIn, Denied, LetIn, Denied, Denied, Denied];
    let a_stranger = [LetIn, LetIn, LetIn, NotThere, NotThere, NotThere, Denied];
    let of_one = [LetIn, LetIn, Denied, LetIn, LetIn, Denied, Denied];
    let of_another = [LetIn, LetIn, Denied, NotThere, NotThere, Denied, Denied];
    let junk = "0".repeat(64);

    // Each has a session of Ann's to itself, since some take it away.
    let sessions = join_all((0..12).map(|_| session(&server, &ann))).await;
    let ids: Vec<String> =
        sessions.iter().map(|made| made.session.as_ref().unwrap().id.clone()).collect();
    let mut client = Client::connect(&server.address, Some(&ann)).await;
    let read_only = CreateSessionTokenRequest {
        session_id: ids[9].clone(),
        read_only: true,
        ..Default::default()
    };
    let one_looks = client.sessions.create_session_token(read_only).await.unwrap().into_inner();
    let elsewhere = session(&server, &ann).await.session_token;
    let kinds = [
        kind("nobody", None, nothing),
        kind("a wrong token", Some(&junk), nothing),
        kind("an expired token", Some(&late), nothing),
        kind("the server's token", Some(&server.token()), all),
        kind("an admin", Some(&admin), all),
        kind("the owner", Some(&ann), but_rule),
        kind("another owner", Some(&bob), a_stranger),
        kind("the owner's eyes", Some(&ann_looks), looks),
        kind("an admin's eyes", Some(&auditor), looks),
        kind("a token to look at the session", Some(&one_looks.token), looks),
        kind("the session's token", Some(&sessions[10].session_token), of_one),
        kind("another session's token", Some(&elsewhere), of_another),
    ];

    let mut wrong = Vec::new();
    for (kind, id) in kinds.iter().zip(&ids) {
        wrong.extend(walk(&server, kind, id).await);
    }

    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn who_may_only_look_calls_nothing_that_changes_or_runs_anything() {
    let looking = all_rpcs()
        .into_iter()
        .filter(|(_, right)| matches!(right, Right::Open | Right::Ask | Right::Look));

    let looking: BTreeSet<String> = looking.map(|(rpc, _)| rpc.name).collect();

    assert_eq!(looking, LOOKS.iter().map(|name| (*name).to_owned()).collect());
}

//! The contract as a whole: its rules, and that every RPC and every reason of it is real.

use std::collections::BTreeSet;

use bytes::Bytes;
use debug_relay::proto::ErrorReason;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::proto_rules::{RULES, contract, upper_snake};
use crate::raw_calls::{Rpc, call, complaint, first_field, rpcs};
use crate::source_text::{code, name, places, sources};
use crate::support::{Program, Server, reason};

/// RPCs that answer NOT_IMPLEMENTED. Whoever builds one takes it off.
const NOT_BUILT_YET: &[&str] = &["CloseBridge", "ListBridges", "OpenBridge"];

/// These take the program away, so they are walked last, in this order.
const WALKED_LAST: &[&str] = &["Detach", "TerminateSession", "DeleteSession"];

/// Waits for the first session, if there is none.
const WAITS_FOR_A_SESSION: &str = "StreamAllEvents";

/// Reasons that no test can produce yet, and why.
const NOT_PRODUCED_YET: &[(ErrorReason, &str)] = &[
    (ErrorReason::Internal, "a defect cannot be ordered"),
    (ErrorReason::HostStartFailed, "the server starts its own binary, which is there"),
];

fn is_built(rpc: &Rpc) -> bool {
    !NOT_BUILT_YET.contains(&rpc.name.as_str())
}

fn assert_none(what: &str, offenders: &[String]) {
    assert!(offenders.is_empty(), "{what}:\n  {}", offenders.join("\n  "));
}

#[test]
fn the_contract_keeps_every_rule() {
    let files = contract();

    let mut report = String::new();
    for rule in RULES {
        let offenders = (rule.offenders)(&files);
        if !offenders.is_empty() {
            report += &format!("\n{}:\n  {}", rule.says, offenders.join("\n  "));
        }
    }

    assert!(report.is_empty(), "{report}");
    assert!(50 < rpcs(&files).len(), "not all RPCs were looked at");
}

#[test]
fn an_answer_without_message_code_or_reason_is_complained_of() {
    let bad = [
        (Ok(None), "X ends well without a message"),
        (Err(Status::internal("a")), "X answers Internal: a"),
        (Err(Status::unknown("b")), "X answers Unknown: b"),
        (Err(Status::not_found("c")), "X answers NotFound without a reason: c"),
    ];

    for (answer, expected) in bad {
        assert_eq!(complaint("X", &answer).as_deref(), Some(expected));
    }
    assert_eq!(complaint("X", &Ok(Some(Bytes::new()))), None);
}

#[tokio::test]
async fn every_rpc_with_an_empty_request_answers_with_a_code_and_a_reason() {
    let server = Server::start().await;
    let client = server.client().await;
    let token = server.token();

    let mut complaints = Vec::new();
    let rpcs = rpcs(&contract()).into_iter().filter(|rpc| rpc.name != WAITS_FOR_A_SESSION);
    for rpc in rpcs {
        let answer = call(&client.channel, Some(&token), &rpc, Bytes::new()).await;
        complaints.extend(complaint(&rpc.name, &answer));
    }

    assert_none("empty requests are not answered well", &complaints);
}

#[tokio::test]
async fn every_rpc_on_a_stopped_session_answers_and_only_those_listed_are_not_built() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let token = server.token();
    let session = client.stop_at(&Program::named("loop.py"), "add").await;
    // Past the first line of output, so that its stream has something to send.
    client.resume(&session).await;
    let mut rpcs = rpcs(&contract());
    rpcs.sort_by_key(|rpc| WALKED_LAST.iter().position(|last| *last == rpc.name));

    let mut complaints = Vec::new();
    let mut not_built = BTreeSet::new();
    for rpc in &rpcs {
        if WALKED_LAST.first() == Some(&rpc.name.as_str()) {
            let stopped = client.session(&session).await.unwrap().state();
            assert_eq!(stopped.as_str_name(), "SESSION_STATE_STOPPED", "some RPC ended the stop");
        }
        let message = if rpc.is_of_session { first_field(&session) } else { Bytes::new() };
        let answer = call(&client.channel, Some(&token), rpc, message).await;
        complaints.extend(complaint(&rpc.name, &answer));
        if let Err(status) = &answer
            && status.get_error_details().error_info().is_some()
            && reason(status) == ErrorReason::NotImplemented
        {
            assert_eq!(status.code(), Code::Unimplemented, "{}", rpc.name);
            not_built.insert(rpc.name.as_str());
        }
    }

    let listed: BTreeSet<&str> = NOT_BUILT_YET.iter().copied().collect();
    let built = listed.difference(&not_built).map(|name| format!("{name} is built: take it off"));
    let gone = not_built.difference(&listed).map(|name| format!("{name} is not built, nor listed"));
    let wrong: Vec<String> = built.chain(gone).collect();
    assert_none("NOT_BUILT_YET is not right", &wrong);
    assert_none("requests on a stopped session are not answered well", &complaints);
}

#[tokio::test]
async fn every_rpc_wants_the_token() {
    let server = Server::start().await;
    let client = server.client_without_token().await;
    let wrong = server.token().chars().rev().collect::<String>();

    let mut admitted = Vec::new();
    for rpc in rpcs(&contract()) {
        for token in [None, Some(wrong.as_str()), Some("")] {
            let answer = call(&client.channel, token, &rpc, first_field("some-session")).await;
            let is_refused = answer.as_ref().is_err_and(|status| {
                status.code() == Code::Unauthenticated
                    && complaint(&rpc.name, &answer).is_none()
                    && reason(status) == ErrorReason::Unauthenticated
            });
            if !is_refused {
                let code = answer.map_or_else(|status| status.code(), |_| Code::Ok);
                admitted.push(format!("{} with the token {token:?}: {code:?}", rpc.name));
            }
        }
    }

    assert_none("calls without a valid token are not refused as they should", &admitted);
}

#[tokio::test]
async fn health_and_reflection_answer_without_a_token() {
    let server = Server::start().await;
    let client = server.client_without_token().await;
    let open = |path: &str, is_stream| Rpc {
        name: path.into(),
        path: path.into(),
        request: String::new(),
        is_of_session: false,
        is_stream,
    };
    // Field 7 of a reflection request: list all services.
    let list = Bytes::from_static(b"\x3a\x01*");

    for (rpc, message) in [
        (open("/grpc.health.v1.Health/Check", false), Bytes::new()),
        (open("/grpc.health.v1.Health/Watch", true), Bytes::new()),
        (open("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", true), list.clone()),
        (open("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", true), list),
    ] {
        let answer = call(&client.channel, None, &rpc, message).await;

        assert!(answer.as_ref().is_ok_and(|answer| answer.is_some()), "{}: {answer:?}", rpc.name);
    }
}

#[test]
fn every_rpc_is_called_by_some_test() {
    let (support, tests) = test_code();
    let all = format!("{tests}{}", used_helpers(&support, &tests));

    let is_called = |rpc: &Rpc| {
        let name = upper_snake(&rpc.name).to_lowercase();
        has_call(&all, &name) || has_call(&all, &format!("r#{name}"))
    };
    let rpcs = rpcs(&contract()).into_iter().filter(is_built);
    let missing: Vec<String> = rpcs.filter(|rpc| !is_called(rpc)).map(|rpc| rpc.name).collect();

    assert_none("no test calls these", &missing);
}

#[test]
fn every_error_reason_is_produced_by_some_test() {
    let (support, tests) = test_code();
    let all = format!("{support}{tests}");

    let mut wrong = Vec::new();
    for number in 1.. {
        let Ok(reason) = ErrorReason::try_from(number) else { break };
        let is_named = !places(&all, &format!("ErrorReason::{reason:?}")).is_empty();
        let is_listed = NOT_PRODUCED_YET.iter().any(|(listed, _)| *listed == reason);
        match (is_named, is_listed) {
            (true, false) | (false, true) => {}
            (false, false) => wrong.push(format!("{reason:?}: no test names it")),
            (true, true) => wrong.push(format!("{reason:?} is produced: take it off the list")),
        }
    }

    assert_none("reasons of errors without a test", &wrong);
}

#[test]
fn the_tests_that_the_page_on_dap_names_are_there() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/dap.md");
    let page = std::fs::read_to_string(page).unwrap();
    let is_name = |word: &&str| {
        word.contains("::")
            && word.chars().all(|letter| letter.is_ascii_lowercase() || "_:".contains(letter))
    };
    let named: BTreeSet<&str> = page.split('`').skip(1).step_by(2).filter(is_name).collect();

    let is_there = |name: &&&str| {
        let (module, function) = name.split_once("::").unwrap();
        let files = sources("tests/it");
        let own = files.iter().find(|file| file.path == format!("tests/it/{module}.rs"));
        own.is_some_and(|file| file.text.contains(&format!("fn {function}(")))
    };
    let missing: Vec<String> =
        named.iter().filter(|name| !is_there(name)).map(|name| (*name).to_owned()).collect();

    assert_none("docs/dap.md names tests that are not there", &missing);
    assert!(20 < named.len(), "only {} tests are named", named.len());
}

/// The code of the helpers, and that of the tests of behaviour.
fn test_code() -> (String, String) {
    const ABOUT_THE_CONTRACT: &[&str] = &["contract.rs", "proto_rules.rs", "raw_calls.rs"];
    let mut files = sources("tests/it");
    files.retain(|file| !ABOUT_THE_CONTRACT.iter().any(|name| file.path.ends_with(name)));
    let (support, tests): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|file| file.path.starts_with("tests/it/support/"));
    let text = |files: Vec<crate::source_text::Source>| -> String {
        files.iter().map(|file| code(&file.text)).collect()
    };
    (text(support), text(tests))
}

/// The bodies of those helpers that a test uses, or that a used helper uses.
fn used_helpers(support: &str, tests: &str) -> String {
    let helpers: Vec<(&str, &str)> =
        support.split("fn ").skip(1).map(|helper| (name(helper), helper)).collect();
    let mut used = String::new();
    let mut unused: Vec<_> = helpers;
    loop {
        let reached = format!("{tests}{used}");
        let is_reached = |helper: &str| !places(&reached, &format!("{helper}(")).is_empty();
        let (found, rest): (Vec<_>, Vec<_>) =
            unused.into_iter().partition(|(name, _)| is_reached(name));
        if found.is_empty() {
            return used;
        }
        // Without its own head, which looks like a call of itself.
        used.extend(found.iter().map(|(name, helper)| &helper[name.len()..]));
        unused = rest;
    }
}

/// Whether `code` calls a method of this name with a request. Without an argument it is another
/// method: `Iterator::collect`.
fn has_call(code: &str, method: &str) -> bool {
    let call = format!(".{method}(");
    let mut places = code.match_indices(&call);
    places.any(|(place, _)| !code[place + call.len()..].trim_start().starts_with(')'))
}

#[test]
fn a_call_counts_only_with_a_request_and_in_a_helper_that_is_used() {
    let support = "fn a(x) { self.r#continue(x) } fn b() { self.a(1) } fn c() { self.pause(x) }";

    let used = used_helpers(support, "client.b()");

    assert!(has_call(&used, "r#continue") && !has_call(&used, "pause"));
    assert!(!has_call("list.iter().collect()", "collect"));
}

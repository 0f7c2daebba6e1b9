//! What a real debugger does not do on demand: wrong orders, refusals, garbage, silence, death.

use debug_relay::proto::*;
use serde_json::json;
use tonic::Code;

use crate::support::{Client, Scripted, Server, reason};

async fn resume(client: &mut Client, session: &str) -> Result<Outcome, tonic::Status> {
    let request = ContinueRequest { session_id: session.into(), ..Default::default() };
    Ok(client.execution.r#continue(request).await?.into_inner().outcome.unwrap())
}

#[tokio::test]
async fn a_stop_that_overtakes_the_answer_is_not_lost() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let script = Scripted::new();
    let (session, mut adapter) = script.stopped(&mut client).await;

    let play = async {
        let request = adapter.receive("continue").await;
        adapter.stop(6).await;
        adapter.answer(&request, json!({})).await;
        adapter.locals(&[("item", "2")]).await;
    };
    let (outcome, ()) = tokio::join!(resume(&mut client, &session), play);

    let outcome = outcome.unwrap();
    assert_eq!(outcome.state(), SessionState::Stopped);
    assert_eq!(outcome.stop.unwrap().stop_number, 2);
    assert_eq!(client.session(&session).await.unwrap().state(), SessionState::Stopped);
}

#[tokio::test]
async fn a_refused_resume_is_an_error_and_the_stop_and_its_handles_hold() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let script = Scripted::new();
    let (session, mut adapter) = script.stopped(&mut client).await;

    let play = async {
        let request = adapter.receive("continue").await;
        adapter.refuse(&request, "not today").await;
    };
    let (outcome, ()) = tokio::join!(resume(&mut client, &session), play);

    let status = outcome.unwrap_err();
    assert_eq!(
        (status.code(), reason(&status)),
        (Code::FailedPrecondition, ErrorReason::AdapterError)
    );
    assert!(status.message().contains("not today"));
    assert_eq!(client.session(&session).await.unwrap().state(), SessionState::Stopped);
    let request = GetStackTraceRequest { session_id: session.clone(), ..Default::default() };
    let stack = client.inspection.get_stack_trace(request).await.unwrap().into_inner();
    assert_eq!((stack.stop_number, stack.frames[0].line), (1, 5));
    let play = async {
        let request = adapter.receive("continue").await;
        adapter.answer(&request, json!({})).await;
        adapter.stop(6).await;
        adapter.locals(&[("item", "2")]).await;
    };
    let (outcome, ()) = tokio::join!(resume(&mut client, &session), play);
    assert_eq!(outcome.unwrap().stop.unwrap().stop_number, 2);
}

#[tokio::test]
async fn a_program_that_is_told_to_end_while_it_starts_never_runs() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let script = Scripted::new();
    let mut creator = client.clone();
    let creating = async { script.create_as("early", &mut creator).await };
    let play = async {
        let adapter = script.accept().await;
        let request = TerminateSessionRequest { session_id: "early".into(), ..Default::default() };
        let ended = client.sessions.terminate_session(request).await.unwrap().into_inner();
        drop(adapter);
        ended.session.unwrap()
    };

    let (created, ended) = tokio::join!(creating, play);

    assert_eq!(ended.state(), SessionState::Terminated);
    assert_eq!(created.unwrap().outcome.unwrap().state(), SessionState::Terminated);
}

#[tokio::test]
async fn an_end_that_overtakes_the_answer_is_an_outcome() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let script = Scripted::new();
    let (session, mut adapter) = script.stopped(&mut client).await;

    let play = async {
        adapter.receive("continue").await;
        drop(adapter);
    };
    let (outcome, ()) = tokio::join!(resume(&mut client, &session), play);

    let outcome = outcome.unwrap();
    assert_eq!((outcome.state(), outcome.exit_code), (SessionState::Exited, Some(7)));
}

#[tokio::test]
async fn silence_costs_one_call_its_deadline_and_the_session_goes_on() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let script = Scripted::new();
    let (session, mut adapter) = script.stopped(&mut client).await;

    let request = EvaluateRequest {
        session_id: session.clone(),
        expression: "item".into(),
        context: EvaluateContext::Statement.into(),
        timeout: Some(prost_types::Duration { seconds: 0, nanos: 100_000_000 }),
        ..Default::default()
    };
    let play = async {
        adapter.take_probe().await;
        adapter.receive("evaluate").await
    };
    let (status, late) = tokio::join!(client.inspection.evaluate(request.clone()), play);
    let status = status.unwrap_err();
    let play = async {
        // The attempts to interrupt it were met with silence, too.
        let mut request = adapter.receive("evaluate").await;
        while request["arguments"]["frameId"].is_null() {
            request = adapter.receive("evaluate").await;
        }
        // The answer to the first comes too late and must not be taken for the second.
        adapter.answer(&late, json!({"result": "late"})).await;
        adapter.answer(&request, json!({"result": "42"})).await;
        adapter.answer(&request, json!({"result": "again"})).await;
    };
    let request = EvaluateRequest { timeout: None, ..request };
    let (second, ()) = tokio::join!(client.inspection.evaluate(request), play);

    assert_eq!(reason(&status), ErrorReason::AdapterTimeout);
    assert_eq!(second.unwrap().into_inner().value, "42");
}

#[tokio::test]
async fn a_debugger_that_dies_during_a_request_aborts_it() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let script = Scripted::new();
    let (session, mut adapter) = script.stopped(&mut client).await;

    let play = async {
        adapter.receive("evaluate").await;
        drop(adapter);
    };
    let (answer, ()) = tokio::join!(client.evaluate(&session, "item"), play);

    assert_eq!(reason(&answer.unwrap_err()), ErrorReason::AdapterGone);
    let request = WaitForStopRequest { session_id: session, after_stop: 1, wait: None };
    let end = client.execution.wait_for_stop(request).await.unwrap().into_inner().outcome.unwrap();
    assert_eq!(end.state(), SessionState::Exited);
}

#[tokio::test]
async fn messages_that_nobody_knows_pass_by() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let script = Scripted::new();
    let (session, mut adapter) = script.stopped(&mut client).await;

    adapter.event("auroraBorealis", json!({"at": "this time of year"})).await;
    adapter.event("stopped", json!("not an object")).await;
    adapter.send(json!({"type": "poem"})).await;
    adapter.send(json!({"type": "response", "request_seq": 12345, "success": true})).await;
    adapter.send_raw(b"Content-Length: 9\r\n\r\nnot json!").await;
    adapter.send(json!({"type": "request", "command": "runInTerminal", "arguments": {}})).await;
    let reply = adapter.receive("runInTerminal").await;
    assert_eq!(reply["success"], false);
    let play = async {
        adapter.take_probe().await;
        let request = adapter.receive("evaluate").await;
        // Half a surrogate, as Python writes bytes that are no text.
        let body = format!(
            r#"{{"type":"response","seq":99,"request_seq":{},"success":true,"body":{{"result":"\udcff!"}}}}"#,
            request["seq"]
        );
        adapter.send_raw(&debug_relay::dap::frame(body.as_bytes())).await;
    };
    let request = EvaluateRequest {
        session_id: session,
        expression: "item".into(),
        context: EvaluateContext::Statement.into(),
        ..Default::default()
    };
    let (answer, ()) = tokio::join!(client.inspection.evaluate(request), play);

    assert_eq!(answer.unwrap().into_inner().value, "\u{fffd}!");
}

#[tokio::test]
async fn a_connection_that_talks_nonsense_is_closed_and_the_program_goes_on_without_it() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let script = Scripted::new();
    let (session, mut adapter) = script.stopped(&mut client).await;

    adapter.send_raw(b"Content-Length: endless\r\n\r\n").await;
    assert!(adapter.is_hung_up_on().await);
    let found = client.session(&session).await.unwrap();
    assert_eq!((found.state(), found.processes.len()), (SessionState::Running, 0));
    client.delete(&session).await;
}

#[tokio::test]
async fn a_program_that_does_not_know_the_secret_is_turned_away() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let script = Scripted::new();

    let play = async {
        let mut adapter = script.accept().await;
        adapter.authorize(Some("a guess")).await;
        // Passed on by the stand-in as the end of its connection.
        drop(adapter);
    };
    let (created, ()) = tokio::join!(script.create(&mut client), play);

    let status = created.unwrap_err();
    assert_eq!(
        (status.code(), reason(&status)),
        (Code::FailedPrecondition, ErrorReason::LaunchFailed)
    );
    assert!(status.message().contains("exit code 7"), "{}", status.message());
}

#[tokio::test]
async fn a_debugger_that_refuses_the_program_is_a_failed_launch() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let script = Scripted::new();

    let play = async {
        let mut adapter = script.accept().await;
        adapter.authorize(None).await;
        let request = adapter.receive("pydevdSystemInfo").await;
        adapter.answer(&request, json!({"process": {"pid": 1, "ppid": 0}})).await;
        let request = adapter.receive("initialize").await;
        adapter.answer(&request, json!({})).await;
        let request = adapter.receive("attach").await;
        adapter.refuse(&request, "no room").await;
        adapter
    };
    let (created, _adapter) = tokio::join!(script.create(&mut client), play);

    let status = created.unwrap_err();
    assert_eq!(reason(&status), ErrorReason::LaunchFailed);
    assert!(status.message().contains("no room"), "{}", status.message());
}

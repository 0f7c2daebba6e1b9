//! Looking into a stopped program, within bounds.

use debug_relay::proto::*;

use crate::support::{Program, Server, values};

#[tokio::test]
async fn a_stopped_program_is_looked_into_page_by_page() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let text = "def dig(depth, things):\n    if depth:\n        return dig(depth - 1, things)\n    \
                return things  # @bottom\n\ndig(30, {'one': [1, 2], 'text': 'x' * 5000})\n";
    let program = Program::of(text);
    let session = client.stop_at(&program, "bottom").await;

    let request = GetStackTraceRequest {
        session_id: session.clone(),
        start: 28,
        count: 10,
        ..Default::default()
    };
    let page = client.inspection.get_stack_trace(request).await.unwrap().into_inner();
    assert_eq!((page.frames.len(), page.total_frames), (4, 32));
    assert_eq!(page.frames[3].name, "<module>");

    let request =
        GetScopesRequest { session_id: session.clone(), frame_id: page.frames[0].frame_id };
    let scopes = client.inspection.get_scopes(request).await.unwrap().into_inner().scopes;
    assert_eq!(scopes[0].name, "Locals");
    let reference = scopes[0].variables_reference;
    let request = GetVariablesRequest {
        session_id: session.clone(),
        variables_reference: reference,
        max_depth: 2,
        max_value_length: 20,
        ..Default::default()
    };
    let variables = client.inspection.get_variables(request.clone()).await.unwrap().into_inner();
    let things = &variables.variables[1];
    assert_eq!((things.name.as_str(), things.r#type.as_str()), ("things", "dict"));
    assert_eq!(things.children[0].value, "[1, 2]");
    let long = &things.children[1];
    assert_eq!((long.value.chars().count(), long.value_length), (21, 5002));
    let request = GetVariablesRequest { start: 1, count: 1, ..request };
    let second = client.inspection.get_variables(request).await.unwrap().into_inner();
    assert_eq!((second.variables.len(), second.total_variables), (1, 2));

    let threads =
        client.inspection.list_threads(ListThreadsRequest { session_id: session.clone() }).await;
    let threads = threads.unwrap().into_inner().threads;
    assert!(
        threads
            .iter()
            .any(|thread| thread.is_current && thread.stopped && thread.name == "MainThread")
    );
}

#[tokio::test]
async fn an_expression_has_a_value_or_an_error_and_what_it_changes_is_seen() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;

    let value = client.evaluate(&session, "item + 40").await.unwrap();
    let raised = client.evaluate(&session, "1 / 0").await.unwrap();
    let wrong = client.evaluate(&session, "1 +").await.unwrap();
    let request = EvaluateRequest {
        session_id: session.clone(),
        expression: "total = 7".into(),
        context: EvaluateContext::Statement.into(),
        ..Default::default()
    };
    let statement = client.inspection.evaluate(request).await.unwrap().into_inner();

    assert_eq!((value.value.as_str(), value.r#type.as_str()), ("40", "int"));
    assert_eq!(raised.error, "ZeroDivisionError: division by zero");
    assert!(wrong.error.contains("SyntaxError"), "{}", wrong.error);
    assert_eq!(statement.error, "");
    let options = SnapshotOptions {
        expressions: vec!["total * 2".into(), "nope".into()],
        ..Default::default()
    };
    let request =
        GetSnapshotRequest { session_id: session.clone(), options: Some(options), thread_id: 0 };
    let snapshot =
        client.inspection.get_snapshot(request).await.unwrap().into_inner().snapshot.unwrap();
    assert_eq!(values(&snapshot), [("item", "0"), ("total", "7")]);
    assert_eq!(snapshot.expressions[0].value, "14");
    assert!(snapshot.expressions[1].error.contains("NameError"));
    assert_eq!(client.step_over(&session).await.snapshot.unwrap().changes[0].after, "7");
}

#[tokio::test]
async fn a_snapshot_stays_within_its_size_and_tells_what_it_left_out() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let text = "def wide():\n    for name in range(300):\n        locals()\n    \
                exec('\\n'.join(f'v{n} = \"x\" * 500' for n in range(300)), globals())\n\nwide()\nprint()  # @here\n";
    let program = Program::of(text);
    let session = client.stop_at(&program, "here").await;

    for max_bytes in [512, 2000, 8192] {
        let options = SnapshotOptions {
            max_bytes: Some(max_bytes),
            max_variables: Some(1000),
            ..Default::default()
        };
        let request = GetSnapshotRequest {
            session_id: session.clone(),
            options: Some(options),
            thread_id: 0,
        };
        let snapshot =
            client.inspection.get_snapshot(request).await.unwrap().into_inner().snapshot.unwrap();

        let size = prost::Message::encoded_len(&snapshot);
        assert!(size < max_bytes as usize, "{size} of {max_bytes}");
        if 1000 < max_bytes {
            assert!(
                snapshot.omitted.iter().any(|text| text.contains("variables of Locals")),
                "{:?}",
                snapshot.omitted
            );
        }
    }
}

#[tokio::test]
async fn a_step_with_changes_only_is_small() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;

    let snapshot = SnapshotOptions { changes_only: true, ..Default::default() };
    let wait = Some(WaitOptions { timeout: None, snapshot: Some(snapshot) });
    let request = StepOverRequest { session_id: session, wait, ..Default::default() };
    let outcome = client.execution.step_over(request).await.unwrap().into_inner().outcome.unwrap();

    let snapshot = outcome.snapshot.as_ref().unwrap();
    assert_eq!((snapshot.frames.len(), snapshot.scopes.len(), snapshot.changes.len()), (0, 0, 1));
    assert!(snapshot.source.as_ref().unwrap().text.starts_with('>'));
    assert!(prost::Message::encoded_len(&outcome) < 300);
}

#[tokio::test]
async fn a_recursive_structure_is_shown_within_bounds() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of("a = []\na.extend([a] * 50)\nprint()  # @here\n");
    let session = client.stop_at(&program, "here").await;

    let options = SnapshotOptions { max_depth: Some(5), ..Default::default() };
    let request =
        GetSnapshotRequest { session_id: session.clone(), options: Some(options), thread_id: 0 };
    let snapshot = client.inspection.get_snapshot(request).await.unwrap().into_inner().snapshot;

    assert!(prost::Message::encoded_len(&snapshot.unwrap()) < 8192);
}

#[tokio::test]
async fn names_narrow_the_changes_without_inventing_any() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;

    let snapshot = SnapshotOptions { names: vec!["item".into()], ..Default::default() };
    let wait = Some(WaitOptions { timeout: None, snapshot: Some(snapshot) });
    let request = StepOverRequest { session_id: session.clone(), wait, ..Default::default() };
    let narrow = client.execution.step_over(request).await.unwrap().into_inner().outcome.unwrap();

    let snapshot = narrow.snapshot.unwrap();
    assert_eq!((snapshot.changes.len(), values(&snapshot)), (0, vec![("item", "0")]));
}

//! Values of every kind: large, strange, secret, changed.

use debug_relay::proto::*;

use crate::support::{Client, Program, Server, reason, values};

const HARD: &str = r#"
import time

class Many:
    def __init__(self):
        for number in range(5000):
            setattr(self, f"attribute_{number}", number)

class Raises:
    def __repr__(self):
        raise ValueError("no repr")

class Sleeps:
    def __repr__(self):
        time.sleep(60)
        return "slept"

def hard():
    items = list(range(1_000_000))
    squares = {number: number * number for number in range(10_000)}
    names = set(range(3_000))
    text = "x" * 10_000_000
    many = Many()
    raises = Raises()
    itself = []
    itself.append(itself)
    return len(items)  # @hard

def slow():
    sleeps = Sleeps()
    plain = 1
    return plain  # @slow

def secret():
    password = "hunter2"
    github = "ghp_" + "a1B2" * 9
    config = {"user": "ann", "password": "hunter2", "aws": ["AKIAIOSFODNN7EXAMPLE"]}
    user = "ann"
    return user  # @secret

hard()
secret()
slow()
print("end")
"#;

async fn locals(client: &mut Client, session: &str) -> Scope {
    let request = GetScopesRequest { session_id: session.into(), frame_id: 0 };
    client.inspection.get_scopes(request).await.unwrap().into_inner().scopes.remove(0)
}

async fn variables(client: &mut Client, request: GetVariablesRequest) -> GetVariablesResponse {
    client.inspection.get_variables(request).await.unwrap().into_inner()
}

async fn members(client: &mut Client, session: &str, name: &str) -> GetVariablesRequest {
    let variables_reference = locals(client, session).await.variables_reference;
    let request = GetVariablesRequest {
        session_id: session.into(),
        variables_reference,
        ..Default::default()
    };
    let all = variables(client, request.clone()).await.variables;
    let found = all.iter().find(|variable| variable.name == name).unwrap();
    GetVariablesRequest { variables_reference: found.variables_reference, ..request }
}

#[tokio::test]
async fn large_and_strange_values_are_bounded_and_tell_their_size() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let created = client.debug(&Program::of(HARD), &["hard"]).await;

    let snapshot = created.outcome.unwrap().snapshot.unwrap();

    let found = |name: &str| {
        snapshot.scopes[0].variables.iter().find(|variable| variable.name == name).unwrap()
    };
    assert_eq!((found("items").member_count, found("squares").member_count), (1_000_000, 10_000));
    assert_eq!((found("names").member_count, found("text").value_length), (3_000, 10_000_000));
    assert_eq!(found("itself").value, "[[...]]");
    assert!(found("raises").value.contains("Raises"), "{:?}", found("raises"));
    let size: usize =
        snapshot.scopes[0].variables.iter().map(|variable| variable.value.len()).sum();
    assert!(size < 2_000, "{size}");
}

#[tokio::test]
async fn empty_containers_are_written_as_python_writes_them() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;

    for text in ["set()", "frozenset()", "{}", "[]", "()", "''"] {
        assert_eq!(client.evaluate(&session, text).await.unwrap().value, text);
    }
}

#[tokio::test]
async fn members_are_paged_to_the_last() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::of(HARD), "hard").await;

    let items = members(&mut client, &session, "items").await;
    let request = GetVariablesRequest {
        start: 999_900,
        count: 1000,
        filter: VariableFilter::Indexed.into(),
        ..items.clone()
    };
    let last = variables(&mut client, request).await;
    let first = variables(&mut client, GetVariablesRequest { count: 2, ..items }).await;
    let squares = members(&mut client, &session, "squares").await;
    let middle =
        variables(&mut client, GetVariablesRequest { start: 5_000, count: 1, ..squares }).await;
    let names = members(&mut client, &session, "names").await;
    let late =
        variables(&mut client, GetVariablesRequest { start: 2_999, count: 1, ..names }).await;
    let many = members(&mut client, &session, "many").await;
    let attributes =
        variables(&mut client, GetVariablesRequest { start: 4_990, count: 5, ..many }).await;

    assert_eq!((last.variables.len(), last.total_variables), (100, 1_000_000));
    let end = last.variables.last().unwrap();
    assert_eq!(
        (end.name.as_str(), end.value.as_str(), end.evaluate_name.as_str()),
        ("999999", "999999", "items[999999]")
    );
    assert_eq!(first.variables[1].name, "1");
    let square = &middle.variables[0];
    assert_eq!(
        (square.name.as_str(), square.value.as_str(), square.evaluate_name.as_str()),
        ("5000", "25000000", "squares[5000]")
    );
    assert_eq!(late.variables[0].value, "2999");
    assert_eq!(attributes.variables.len(), 5);
}

#[tokio::test]
async fn a_repr_that_sleeps_is_interrupted_and_the_session_goes_on() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let created = client.debug(&Program::of(HARD), &["slow"]).await;

    let session = created.session.unwrap().id;
    let snapshot = created.outcome.unwrap().snapshot.unwrap();

    assert!(values(&snapshot).contains(&("plain", "1")), "{snapshot:?}");
    assert_eq!(client.evaluate(&session, "plain + 1").await.unwrap().value, "2");
    assert_eq!(client.step_over(&session).await.stop.unwrap().reason(), StopReason::Step);
}

#[tokio::test]
async fn what_never_ends_is_interrupted_at_its_deadline() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::of(HARD), "secret").await;
    let ask = |expression: &str, context: EvaluateContext| EvaluateRequest {
        session_id: session.clone(),
        expression: expression.into(),
        context: context.into(),
        timeout: Some(prost_types::Duration { seconds: 0, nanos: 300_000_000 }),
        ..Default::default()
    };

    for request in [
        ask("while True: pass", EvaluateContext::Statement),
        ask("time.sleep(60)", EvaluateContext::Expression),
        ask("[0 for _ in iter(int, 1)]", EvaluateContext::Expression),
    ] {
        let status = client.inspection.evaluate(request).await.unwrap_err();
        assert_eq!(reason(&status), ErrorReason::EvaluationInterrupted);
        assert_eq!(client.evaluate(&session, "user").await.unwrap().value, "'ann'");
    }
    assert_eq!(client.step_over(&session).await.stop.unwrap().reason(), StopReason::Step);
}

#[tokio::test]
async fn what_an_expression_raises_is_data_with_its_traceback() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "def divide(x):\n    return 1 / x\n\ndef work():\n    here = 3\n    return here  # @here\n\nwork()\n",
    );
    let session = client.stop_at(&program, "here").await;

    let raised = client.evaluate(&session, "divide(here - 3)").await.unwrap().error;
    let exit = client.evaluate(&session, "exit(3)").await.unwrap().error;
    let nested = client.evaluate(&session, "[here + n for n in range(2)]").await.unwrap().value;

    assert!(raised.starts_with("Traceback") && raised.contains("in divide"), "{raised}");
    assert!(
        raised.ends_with("ZeroDivisionError: division by zero") && !raised.contains("pydevd"),
        "{raised}"
    );
    assert!(exit.contains("SystemExit"), "{exit}");
    assert_eq!(nested, "[3, 4]");
}

#[tokio::test]
async fn a_statement_changes_the_program_and_the_snapshot_after_it_is_true() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::of(HARD), "secret").await;
    let request = EvaluateRequest {
        session_id: session.clone(),
        expression: "user = 'bob'\nextra = 1".into(),
        context: EvaluateContext::Statement.into(),
        ..Default::default()
    };

    client.inspection.evaluate(request).await.unwrap();

    let request = GetSnapshotRequest { session_id: session, ..Default::default() };
    let snapshot =
        client.inspection.get_snapshot(request).await.unwrap().into_inner().snapshot.unwrap();
    assert!(values(&snapshot).contains(&("user", "'bob'")), "{snapshot:?}");
}

#[tokio::test]
async fn secrets_are_covered_unless_they_are_asked_for() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let created = client.debug(&Program::of(HARD), &["secret"]).await;
    let session = created.session.unwrap().id;

    let snapshot = created.outcome.unwrap().snapshot.unwrap();
    let options = Some(SnapshotOptions { reveal: true, ..Default::default() });
    let request = GetSnapshotRequest { session_id: session.clone(), options, ..Default::default() };
    let revealed =
        client.inspection.get_snapshot(request).await.unwrap().into_inner().snapshot.unwrap();
    let config = members(&mut client, &session, "config").await;
    let nested = variables(&mut client, config.clone()).await;
    let shown = variables(&mut client, GetVariablesRequest { reveal: true, ..config }).await;

    let text = format!("{:?} {:?}", values(&snapshot), nested.variables);
    assert!(
        !text.contains("hunter2") && !text.contains("ghp_") && !text.contains("AKIA"),
        "{text}"
    );
    assert!(text.contains("'ann'") && snapshot.scopes[0].variables.iter().any(|one| one.masked));
    assert!(values(&revealed).contains(&("password", "'hunter2'")));
    assert!(shown.variables.iter().any(|one| one.value == "'hunter2'"));
}

#[tokio::test]
async fn variables_and_whatever_an_expression_names_are_changed() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "limit = 1\n\nclass Box:\n    size = 1\n\ndef work():\n    box, items, pair = Box(), [1, 2], (1, 2)\n    return box.size + items[1]  # @here\n\nprint(work(), limit)\n",
    );
    let session = client.stop_at(&program, "here").await;
    let set = |variables_reference: u64, name: &str, value: &str| SetVariableRequest {
        session_id: session.clone(),
        variables_reference,
        name: name.into(),
        value: value.into(),
    };

    let items = members(&mut client, &session, "items").await.variables_reference;
    let request = set(items, "1", "20");
    let item =
        client.inspection.set_variable(request).await.unwrap().into_inner().variable.unwrap();
    let request = SetExpressionRequest {
        session_id: session.clone(),
        expression: "box.size".into(),
        value: "items[1] * 2".into(),
        frame_id: 0,
    };
    let size = client.inspection.set_expression(request.clone()).await.unwrap().into_inner();
    let request = SetExpressionRequest { value: "1 / 0".into(), ..request };
    let raised = client.inspection.set_expression(request).await.unwrap_err();
    let scopes = GetScopesRequest { session_id: session.clone(), frame_id: 0 };
    let scopes = client.inspection.get_scopes(scopes).await.unwrap().into_inner().scopes;
    let request = set(scopes[1].variables_reference, "limit", "9");
    client.inspection.set_variable(request).await.unwrap();
    let pair = members(&mut client, &session, "pair").await.variables_reference;
    let refused = client.inspection.set_variable(set(pair, "0", "5")).await.unwrap_err();
    let unknown = client.inspection.set_variable(set(items, "77", "5")).await.unwrap_err();

    assert_eq!((item.value.as_str(), size.variable.unwrap().value.as_str()), ("20", "40"));
    assert_eq!(reason(&raised), ErrorReason::AdapterError);
    assert!(raised.message().contains("ZeroDivisionError: division by zero"), "{raised:?}");
    assert!(refused.message().contains("TypeError"), "{refused:?}");
    assert_eq!(reason(&unknown), ErrorReason::InvalidArgument);
    let end = client.debugged_to_the_end(&session).await;
    assert_eq!(end.output.unwrap().text, "60 9\n");
}

#[tokio::test]
async fn values_are_found_by_name_and_by_content() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "class Order:\n    def __init__(self, code):\n        self.lines = [{'code': code, 'amount': 3}]\n\ndef work():\n    orders = [Order('A-1'), Order('B-2')]\n    return orders  # @here\n\nwork()\n",
    );
    let session = client.stop_at(&program, "here").await;
    let find = |query: &str, max_results| FindValueRequest {
        session_id: session.clone(),
        query: query.into(),
        max_results,
        ..Default::default()
    };

    let by_content = client.inspection.find_value(find("b-2", 0)).await.unwrap().into_inner();
    let by_name = client.inspection.find_value(find("amount", 1)).await.unwrap().into_inner();

    assert_eq!(by_content.found.len(), 1, "{by_content:?}");
    let path = &by_content.found[0].path;
    assert_eq!(path, "orders[1].lines[0]['code']");
    assert_eq!(client.evaluate(&session, path).await.unwrap().value, "'B-2'");
    assert!(by_name.incomplete && by_name.found.len() == 1);
}

#[tokio::test]
async fn modules_sources_text_and_completions_are_there() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "import json\n\ndef work():\n    numbers = [1]\n    return numbers  # @here\n\nwork()\n",
    );
    let session = client.stop_at(&program, "here").await;

    let request = ListModulesRequest { session_id: session.clone(), start: 0, count: 1000 };
    let modules = client.inspection.list_modules(request).await.unwrap().into_inner();
    let request = ListLoadedSourcesRequest { session_id: session.clone() };
    let sources = client.inspection.list_loaded_sources(request).await.unwrap().into_inner().files;
    let request = GetSourceRequest {
        session_id: session.clone(),
        file: "program.py".into(),
        start_line: 3,
        end_line: 4,
    };
    let source = client.inspection.get_source(request.clone()).await.unwrap().into_inner();
    let request = GetSourceRequest { start_line: 99, end_line: 0, ..request };
    let past_the_end = client.inspection.get_source(request).await.unwrap_err();
    let request = GetCompletionsRequest {
        session_id: session.clone(),
        text: "numbers.app".into(),
        ..Default::default()
    };
    let completions = client.inspection.get_completions(request).await.unwrap().into_inner();

    assert!(modules.modules.iter().any(|module| module.name == "json"));
    assert!(!modules.modules.iter().any(|module| module.name.contains("pydev")), "{modules:?}");
    assert!(sources.contains(&program.file()), "{sources:?}");
    assert_eq!((source.text.as_str(), source.total_lines), ("def work():\n    numbers = [1]\n", 7));
    assert_eq!(reason(&past_the_end), ErrorReason::InvalidArgument);
    let found: Vec<_> = completions.completions.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(found, ["append"]);
}

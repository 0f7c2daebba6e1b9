//! Programs as people run them: test runners, servers, scientific code.

use debug_relay::proto::*;

use crate::support::{Program, Server, tools, values};

fn packages() -> (String, String) {
    ("PYTHONPATH".into(), tools().join("packages/site-packages").to_string_lossy().into_owned())
}

fn module(program: &Program, name: &str, args: &[&str]) -> LaunchConfig {
    LaunchConfig {
        target: Some(launch_config::Target::Module(name.into())),
        args: args.iter().map(|word| (*word).to_owned()).collect(),
        cwd: program.path.parent().unwrap().to_string_lossy().into_owned(),
        env: [packages()].into(),
        ..Default::default()
    }
}

#[tokio::test]
async fn a_test_of_pytest_stops_at_its_breakpoint_and_at_its_failure() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::called(
        "test_sum.py",
        "import pytest\n\n@pytest.fixture\ndef numbers():\n    return [1, 2, 3]\n\ndef test_sum(numbers):\n    total = sum(numbers)  # @sum\n    assert total == 7  # @assert\n",
    );
    let launch = module(&program, "pytest", &["-q", "-p", "no:cacheprovider", "test_sum.py"]);
    let (filter, condition) = ("userUnhandled".into(), String::new());
    let raised = ExceptionFilter { filter, condition };
    let request = CreateSessionRequest {
        breakpoints: vec![program.breakpoint("sum")],
        exception_breakpoints: Some(ExceptionBreakpoints { filters: vec![raised] }),
        start: Some(create_session_request::Start::Launch(launch)),
        ..Default::default()
    };

    let created = client.sessions.create_session(request).await.unwrap().into_inner();
    let session = created.session.unwrap().id;
    let outcome = created.outcome.unwrap();
    assert_eq!(values(&outcome.snapshot.unwrap()), [("numbers", "[1, 2, 3]")]);
    let failed = client.resume(&session).await.stop.unwrap();
    assert_eq!(failed.exception.unwrap().r#type, "AssertionError");
    assert_eq!(failed.location.unwrap().line, program.line("assert"));
    let end = client.resume(&session).await;
    assert_eq!(end.exit_code, Some(1));
    assert!(end.output.unwrap().text.contains("1 failed"));
}

#[tokio::test]
async fn a_unittest_runs_under_the_debugger() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::called(
        "test_case.py",
        "import unittest\n\nclass Case(unittest.TestCase):\n    def test_it(self):\n        here = 1  # @here\n        self.assertEqual(here, 1)\n",
    );

    let launch = module(&program, "unittest", &["test_case"]);
    let created = client.launch(launch, vec![program.breakpoint("here")]).await;

    let session = created.session.unwrap().id;
    assert_eq!(created.outcome.unwrap().stop.unwrap().location.unwrap().function, "test_it");
    assert_eq!(client.resume(&session).await.exit_code, Some(0));
}

#[tokio::test]
async fn a_server_on_asyncio_stops_while_it_serves_and_goes_on() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::called(
        "echo_server.py",
        "import asyncio\n\nasync def serve(reader, writer):\n    line = await reader.readline()\n    answer = line.upper()  # @answer\n    writer.write(answer)\n    await writer.drain()\n    writer.close()\n\nasync def main():\n    server = await asyncio.start_server(serve, '127.0.0.1', 0)\n    print('port', server.sockets[0].getsockname()[1], flush=True)\n    async with server:\n        await server.serve_forever()\n\nif __name__ == '__main__':\n    asyncio.run(main())\n",
    );
    let wait = Some(WaitOptions { timeout: Some(Default::default()), snapshot: None });
    let request = CreateSessionRequest {
        breakpoints: vec![program.breakpoint("answer")],
        start: Some(create_session_request::Start::Launch(module(&program, "echo_server", &[]))),
        wait,
        ..Default::default()
    };
    let created = client.sessions.create_session(request).await.unwrap().into_inner();
    let session = created.session.unwrap().id;
    let text = crate::support::eventually("it listens", async || {
        Some(client.text(&session).await).filter(|text| text.ends_with('\n'))
    })
    .await;
    let port: u16 = text.trim().strip_prefix("port ").unwrap().parse().unwrap();

    let visit = tokio::spawn(async move {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let mut stream = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        stream.write_all(b"hello\n").await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    });
    let request = WaitForStopRequest { session_id: session.clone(), ..Default::default() };
    let stopped = client.execution.wait_for_stop(request).await.unwrap().into_inner();
    let line = client.evaluate(&session, "line").await.unwrap().value;
    let wait = Some(WaitOptions { timeout: Some(Default::default()), snapshot: None });
    let request = ContinueRequest { session_id: session, wait, ..Default::default() };
    client.execution.r#continue(request).await.unwrap();

    assert_eq!(stopped.outcome.unwrap().stop.unwrap().location.unwrap().function, "serve");
    assert_eq!(line, "b'hello\\n'");
    let answer = tokio::time::timeout(crate::support::LIMIT, visit).await.unwrap().unwrap();
    assert_eq!(answer, "HELLO\n");
}

#[tokio::test]
async fn arrays_and_tables_are_shown_within_bounds() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "import numpy, pandas\n\ndef work():\n    grid = numpy.arange(4_000_000).reshape(2000, 2000)\n    table = pandas.DataFrame({'a': range(100_000), 'b': range(100_000)})\n    column = table['a']\n    return grid.sum()  # @here\n\nwork()\n",
    );
    let launch = LaunchConfig { env: [packages()].into(), ..program.launch() };

    let created = client.launch(launch, vec![program.breakpoint("here")]).await;

    let session = created.session.unwrap().id;
    let snapshot = created.outcome.unwrap().snapshot.unwrap();
    let variables = &snapshot.scopes[0].variables;
    let named = |name: &str| variables.iter().find(|one| one.name == name).unwrap();
    assert_eq!(named("grid").r#type, "ndarray");
    assert!(named("table").value.contains("a"), "{:?}", named("table"));
    assert!(variables.iter().all(|one| one.value.chars().count() <= 201), "{variables:?}");
    for name in ["grid", "table", "column"] {
        let request = GetVariablesRequest {
            session_id: session.clone(),
            variables_reference: named(name).variables_reference,
            count: 20,
            ..Default::default()
        };
        let members = client.inspection.get_variables(request).await.unwrap().into_inner();
        assert!(!members.variables.is_empty(), "{name}");
    }
    assert_eq!(client.evaluate(&session, "int(grid[1999, 1999])").await.unwrap().value, "3999999");
}

//! Six bugs, each found through the API with as few calls as it takes, by the real grpcurl. The
//! calls and the bytes that they returned are kept in docs/benchmarks.md.

use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};
use tokio::process::Command;

use crate::support::{LIMIT, Program, Server, tools};

/// An agent at work on one bug: it can only call.
struct Agent {
    server: Server,
    program: Program,
    /// As the first call showed it.
    session: Value,
    calls: usize,
    bytes: usize,
}

impl Agent {
    async fn on(story: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/stories").join(story);
        let program = Program::at(path);
        let server = Server::start().await;
        Self { server, program, session: Value::Null, calls: 0, bytes: 0 }
    }

    async fn call(&mut self, method: &str, request: Value) -> Value {
        let child = Command::new(tools().join("bin/grpcurl"))
            .args(["-plaintext", "-H", &format!("authorization: Bearer {}", self.server.token())])
            .args(["-d", &request.to_string(), &self.server.address])
            .arg(format!("debugrelay.v1.{method}"))
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .kill_on_drop(true)
            .output();
        let answer = tokio::time::timeout(LIMIT, child).await.expect("an answer in time").unwrap();
        assert!(answer.status.success(), "{method} {request}");
        self.calls += 1;
        self.bytes += answer.stdout.len();
        serde_json::from_slice(&answer.stdout).unwrap()
    }

    /// The first call of every story.
    async fn start(&mut self, with: Value) -> Value {
        let mut request =
            json!({"session_id": "story", "launch": {"program": self.program.file()}});
        for (field, value) in with.as_object().unwrap() {
            request[field] = value.clone();
        }
        let mut answer = self.call("SessionService/CreateSession", request).await;
        self.session = answer["session"].take();
        answer["outcome"].take()
    }

    fn at(&self, marker: &str) -> Value {
        json!({"file": self.program.file(), "line": self.program.line(marker)})
    }

    /// The page of figures has this story, with these calls and about so many bytes.
    fn kept_as(&self, name: &str) {
        println!("story {name}: {} calls, {} bytes", self.calls, self.bytes);
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/benchmarks.md");
        let page = std::fs::read_to_string(page).unwrap();
        let row = page.lines().find(|line| line.starts_with(&format!("| {name} |")));
        let row = row.unwrap_or_else(|| panic!("docs/benchmarks.md has no row for {name}"));
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let number = |cell: &str| cell.replace(',', "").parse::<usize>().unwrap();
        let (calls, bytes) = (number(cells[2]), number(cells[3]));
        assert_eq!(calls, self.calls, "{row}");
        // Paths and process numbers differ from machine to machine.
        assert!(bytes.abs_diff(self.bytes) < bytes / 3, "{row}: {} bytes", self.bytes);
    }
}

/// The variables of the first scope by name.
fn variable<'a>(outcome: &'a Value, name: &str) -> &'a str {
    let variables = outcome["snapshot"]["scopes"][0]["variables"].as_array().unwrap();
    let found = variables.iter().find(|variable| variable["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {variables:?}"))["value"].as_str().unwrap()
}

#[tokio::test]
async fn off_by_one_in_a_loop() {
    let mut agent = Agent::on("pages.py").await;
    let message = "{number}: {start} to {start + size} of {len(items)}";

    let place = agent.at("batch");
    let outcome =
        agent.start(json!({"breakpoints": [{"line": place, "log_message": message}]})).await;

    // Four batches of five, and three subscribers after them that no batch has.
    let text = outcome["output"]["text"].as_str().unwrap();
    assert!(text.contains("3: 15 to 20 of 23\n") && !text.contains("4: 20"), "{text}");
    assert!(text.contains("sent 20 of 23"), "{text}");
    agent.kept_as("off by one in a loop");
}

#[tokio::test]
async fn wrong_branch_from_bad_data() {
    let mut agent = Agent::on("orders.py").await;

    let place = agent.at("skipped");
    let location = json!({"line": place, "condition": "order['status'] != 'open'"});
    let outcome = agent.start(json!({"breakpoints": [location]})).await;

    let order = variable(&outcome, "order");
    assert!(order.contains("'status': 'paid '"), "a blank after `paid`: {order}");
    agent.kept_as("wrong branch from bad data");
}

#[tokio::test]
async fn exception_deep_in_library_code() {
    let mut agent = Agent::on("report.py").await;

    let outcome = agent.start(json!({})).await;

    assert_eq!(outcome["stop"]["exception"]["type"], "TypeError");
    assert_eq!(
        outcome["stop"]["exception"]["message"],
        "Object of type set is not JSON serializable"
    );
    // The frame is the program's own, and its data shows the set.
    assert_eq!(outcome["stop"]["location"]["function"], "render");
    assert!(variable(&outcome, "data").contains("'tags': {'slow'}"), "{outcome}");
    agent.kept_as("exception deep in library code");
}

#[tokio::test]
async fn deadlock_of_two_threads() {
    let mut agent = Agent::on("transfer.py").await;

    let outcome = agent.start(json!({"wait": {"timeout": "2s"}})).await;
    assert_eq!(outcome["timedOut"], true);
    let request = json!({"session_id": "story", "wait": {"timeout": "1s"}});
    let outcome = agent.call("ExecutionService/Pause", request).await["outcome"].take();

    // Each thread waits for its second lock, which the other one holds.
    let hint = outcome["hint"].as_str().unwrap();
    let place = format!("{}:{} in transfer", agent.program.file(), agent.program.line("second"));
    for name in ["one to two", "two to one"] {
        assert!(hint.contains(&format!("{name} at {place}")), "{hint}");
    }
    agent.kept_as("deadlock of two threads");
}

#[tokio::test]
async fn bug_only_in_a_child_process() {
    let mut agent = Agent::on("workers.py").await;

    let filter = json!({"filter": "raised", "condition": "ZeroDivisionError"});
    let outcome = agent.start(json!({"exception_breakpoints": {"filters": [filter]}})).await;

    assert_eq!(outcome["stop"]["location"]["function"], "score");
    assert_eq!((variable(&outcome, "found"), variable(&outcome, "text")), ("[]", "'404 500'"));
    let (processes, stopped) = (&agent.session["processes"], &outcome["stop"]["processId"]);
    let child =
        processes.as_array().unwrap().iter().find(|one| one["processId"] == *stopped).unwrap();
    assert_eq!(child["parentProcessId"], processes[0]["processId"], "it is a child: {processes}");
    agent.kept_as("bug only in a child process");
}

#[tokio::test]
async fn async_call_that_nobody_awaits() {
    let mut agent = Agent::on("access.py").await;

    let place = agent.at("granted");
    let location = json!({"line": place, "condition": "user == 'bob'"});
    let wait = json!({"snapshot": {"expressions": ["may_read(user, file)"]}});
    let outcome = agent.start(json!({"breakpoints": [location], "wait": wait})).await;

    let asked = &outcome["snapshot"]["expressions"][0];
    assert_eq!(asked["type"], "coroutine", "it is no answer: {asked}");
    assert_eq!(variable(&outcome, "user"), "'bob'");
    agent.kept_as("async call that nobody awaits");
}

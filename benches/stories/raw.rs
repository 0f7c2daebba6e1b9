//! Raw DAP on debugpy's adapter: a call is a request, and all that comes has to be read. Conditions,
//! log messages and filters are used where they help, and nothing is asked that is not needed. Who
//! chose the place of the stop asks for one value by name; who did not looks at all variables.

use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::cost::Cost;
use crate::story::{Stage, Story};
use crate::support::adapter::Adapter;
use crate::support::dap::{Client, LIMIT};

/// A program that has not moved in this time hangs.
const PATIENCE: Duration = Duration::from_secs(1);

pub fn play(story: Story, stage: &Stage) -> Cost {
    let mut adapter = Adapter::start(stage.tools);
    let client = adapter.client();
    client.initialize();
    // Its answer comes only after configurationDone, and is passed by.
    client.send("launch", json!({ "program": stage.file() }));
    client.event("initialized");
    let mut beside = Cost::default();
    match story {
        Story::Loop => off_by_one(client, stage),
        Story::Branch => wrong_branch(client, stage),
        Story::Exception => exception(client),
        Story::Deadlock => deadlock(client, stage),
        Story::Child => beside = child(client),
        Story::Coroutine => coroutine(client, stage),
    }
    Cost::from(client.traffic) + beside
}

fn off_by_one(client: &mut Client, stage: &Stage) {
    let message = "{number}: {start} to {start + size} of {len(items)}";
    set_breakpoint(client, stage, json!({"line": stage.line("# @batch"), "logMessage": message}));
    client.request("configurationDone", json!({}));
    client.read_until(&["terminated"]);

    let events = client.take_events();
    let output: String =
        events.iter().filter_map(|event| event["body"]["output"].as_str()).collect();
    assert!(output.contains("3: 15 to 20 of 23\n") && !output.contains("4: 20"), "{output}");
    assert!(output.contains("sent 20 of 23"), "{output}");
}

fn wrong_branch(client: &mut Client, stage: &Stage) {
    let condition = "order['status'] != 'open'";
    set_breakpoint(
        client,
        stage,
        json!({"line": stage.line("# @skipped"), "condition": condition}),
    );
    client.request("configurationDone", json!({}));
    let asked = evaluate(client, "order");

    let order = asked["result"].as_str().expect("a value");
    assert!(order.contains("'status': 'paid '"), "a blank after `paid`: {order}");
}

fn exception(client: &mut Client) {
    client.request("setExceptionBreakpoints", json!({"filters": ["uncaught"]}));
    client.request("configurationDone", json!({}));
    let stopped = client.event("stopped");
    let (frame, variables) = look(client, &stopped);

    assert_eq!(stopped["text"], "TypeError");
    assert_eq!(stopped["description"], "Object of type set is not JSON serializable");
    assert_eq!(frame["name"], "render");
    assert!(value_of(&variables, "report").contains("tags={'slow'}"), "{variables}");
}

fn deadlock(client: &mut Client, stage: &Stage) {
    client.request("configurationDone", json!({}));
    std::thread::sleep(PATIENCE);
    // It is answered, and stops nobody: a thread stops when it has its lock.
    client.request("pause", json!({"threadId": 1}));
    let threads = client.request("threads", json!({}));

    for name in ["one to two", "two to one"] {
        let threads = threads["threads"].as_array().expect("threads");
        let thread = threads.iter().find(|thread| thread["name"] == name).expect("the thread");
        let frame = top_frame(client, &thread["id"]);
        assert_eq!(
            (&frame["name"], &frame["line"]),
            (&"transfer".into(), &stage.line("# @second").into())
        );
    }
}

/// The parent tells of its children, and each waits for a connection of its own. The first one that
/// has it does all the work, so the second can be left waiting.
fn child(client: &mut Client) -> Cost {
    client.request("configurationDone", json!({}));
    let told = client.event("debugpyAttach");

    let mut child = connect(&told["connect"]);
    child.initialize();
    let attach = json!({"connect": told["connect"], "subProcessId": told["subProcessId"]});
    child.send("attach", attach);
    child.event("initialized");
    let path = json!([{"names": ["Python Exceptions"]}, {"names": ["ZeroDivisionError"]}]);
    let options = json!([{"path": path, "breakMode": "always"}]);
    let arguments = json!({"filters": [], "exceptionOptions": options});
    child.request("setExceptionBreakpoints", arguments);
    child.request("configurationDone", json!({}));
    let stopped = child.event("stopped");
    let (frame, variables) = look(&mut child, &stopped);

    assert_eq!(frame["name"], "score");
    assert_eq!(value_of(&variables, "found"), "[]");
    assert_eq!(value_of(&variables, "text"), "'404 500'");
    child.traffic.into()
}

fn coroutine(client: &mut Client, stage: &Stage) {
    let condition = "user == 'bob'";
    set_breakpoint(
        client,
        stage,
        json!({"line": stage.line("# @granted"), "condition": condition}),
    );
    client.request("configurationDone", json!({}));
    let asked = evaluate(client, "may_read(user, file)");

    assert_eq!(asked["type"], "coroutine", "it is no answer: {asked}");
}

fn set_breakpoint(client: &mut Client, stage: &Stage, breakpoint: Value) {
    let source = json!({ "path": stage.file() });
    client.request("setBreakpoints", json!({ "source": source, "breakpoints": [breakpoint] }));
}

/// A value at the stop that comes next.
fn evaluate(client: &mut Client, expression: &str) -> Value {
    let stopped = client.event("stopped");
    let frame = top_frame(client, &stopped["threadId"])["id"].take();
    client.request("evaluate", json!({ "expression": expression, "frameId": frame }))
}

/// The frame and all local variables.
fn look(client: &mut Client, stopped: &Value) -> (Value, Value) {
    let frame = top_frame(client, &stopped["threadId"]);
    let scopes = client.request("scopes", json!({ "frameId": frame["id"] }));
    let locals = &scopes["scopes"][0]["variablesReference"];
    let variables = client.request("variables", json!({ "variablesReference": locals }));
    (frame, variables)
}

fn top_frame(client: &mut Client, thread: &Value) -> Value {
    let page = json!({ "threadId": thread, "levels": 1 });
    client.request("stackTrace", page)["stackFrames"][0].take()
}

fn value_of<'a>(variables: &'a Value, name: &str) -> &'a str {
    let all = variables["variables"].as_array().expect("variables");
    let found = all.iter().find(|variable| variable["name"] == name).expect("the variable");
    found["value"].as_str().expect("a value")
}

fn connect(place: &Value) -> Client {
    let (host, port) = (place["host"].as_str().expect("a host"), place["port"].as_u64());
    let port = u16::try_from(port.expect("a port")).expect("a port");
    let stream = TcpStream::connect((host, port)).expect("the adapter listens");
    stream.set_read_timeout(Some(LIMIT)).expect("a timeout");
    let writer = stream.try_clone().expect("a second handle");
    Client::new(stream, writer)
}

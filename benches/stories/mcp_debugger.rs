//! The tools of mcp-debugger, an MCP server for many languages: the names, arguments and answers of
//! npm's @debugmcp/mcp-debugger 0.24.2. Each tool does on the real adapter what it stands for there,
//! and its answer has the fields that the package answers with.

use serde_json::{Value, json};

use crate::cost::{Book, Cost};
use crate::story::{IN_FRONT_OF_THE_POOL, Stage, Story, WORK_OF_THE_POOL};
use crate::support::adapter::Adapter;

/// Stands for all ids: the package makes a random one of this length.
const ID: &str = "5f0c1d8e-6a3b-4c2d-9e7f-0123456789ab";
/// Stands for all times.
const TIME: u64 = 1_700_000_000_000;

pub fn play(story: Story, stage: &Stage) -> Cost {
    let adapter = Adapter::start(stage.tools);
    let mut tools =
        Tools { adapter, stage, book: Book::new(stage), breakpoint: None, stop: Value::Null };
    tools.create_debug_session();
    match story {
        Story::Loop => tools.off_by_one(),
        Story::Branch => tools.wrong_branch(),
        Story::Exception => tools.exception(),
        Story::Deadlock => tools.deadlock(),
        Story::Child => tools.child(),
        Story::Coroutine => tools.coroutine(),
    }
}

struct Tools<'a> {
    adapter: Adapter,
    stage: &'a Stage<'a>,
    book: Book<'a>,
    breakpoint: Option<Value>,
    /// What the last `stopped` event told.
    stop: Value,
}

/// What the program does once it is started.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    Stops,
    Ends,
    Hangs,
}

impl Tools<'_> {
    fn off_by_one(mut self) -> Cost {
        let message = "{number}: {start} to {start + size} of {len(items)}";
        self.set_breakpoint(self.stage.line("# @batch"), json!({ "logMessage": message }));
        self.start_debugging(Then::Ends);
        self.get_output(5);
        self.book.shows(&["3: 15 to 20 of 23", "sent 20 of 23"])
    }

    fn wrong_branch(mut self) -> Cost {
        let condition = json!({"condition": "order['status'] != 'open'"});
        self.set_breakpoint(self.stage.line("# @skipped"), condition);
        self.start_debugging(Then::Stops);
        self.evaluate_expression("order");
        self.book.shows(&["'status': 'paid '"])
    }

    fn exception(mut self) -> Cost {
        self.start_debugging(Then::Stops);
        self.get_stack_trace();
        self.get_local_variables();
        let message = "Object of type set is not JSON serializable";
        self.book.shows(&["TypeError", message, "\"render\"", "tags={'slow'}"])
    }

    /// pause_execution has no effect on threads that wait for locks, and get_stack_trace has no frames
    /// without a stop. So the threads tell what they have and want, by a log message, and hang.
    fn deadlock(mut self) -> Cost {
        let message = "{threading.current_thread().name} holds {source.name}, \
                       wants {target.name}, taken: {target.lock.locked()}";
        self.set_breakpoint(self.stage.line("# @second"), json!({ "logMessage": message }));
        self.start_debugging(Then::Hangs);
        self.get_output(2);
        self.book.shows(&[
            "one to two holds one, wants two, taken: True",
            "two to one holds two, wants one, taken: True",
        ])
    }

    /// Nobody answers the child's debugpyAttach: there is no stop in it. So its work is done in the
    /// parent, in front of the pool.
    fn child(mut self) -> Cost {
        self.set_breakpoint(self.stage.line(IN_FRONT_OF_THE_POOL), json!({}));
        self.start_debugging(Then::Stops);
        self.evaluate_expression(WORK_OF_THE_POOL);
        self.book.shows(&["('404 500', 0, None)"])
    }

    fn coroutine(mut self) -> Cost {
        self.set_breakpoint(self.stage.line("# @granted"), json!({"condition": "user == 'bob'"}));
        self.start_debugging(Then::Stops);
        self.evaluate_expression("may_read(user, file)");
        self.book.shows(&["\"coroutine\""])
    }

    fn create_debug_session(&mut self) {
        let answer = json!({
            "success": true, "sessionId": ID,
            "message": format!("Created python debug session: python-debug-{TIME}"),
        });
        self.book.enter(
            "create_debug_session",
            &json!({"language": "python"}),
            &answer.to_string(),
        );
    }

    fn set_breakpoint(&mut self, line: i64, with: Value) {
        let file = self.stage.file();
        let text = self.stage.text();
        let lines = (1..).zip(text.lines());
        let around = lines.filter(|(number, _)| line.abs_diff(*number) <= 2);
        let around: Vec<_> =
            around.map(|(number, text)| json!({"line": number, "content": text})).collect();
        let content =
            around.iter().find(|one| one["line"] == line).expect("the line")["content"].clone();
        let kind = if with["logMessage"].is_null() { "Breakpoint" } else { "Logpoint" };
        let mut arguments = json!({"file": file, "line": line});
        let mut answer = json!({
            "success": true, "breakpointId": ID, "file": file, "line": line, "requestedLine": line,
            "content": content, "verified": false,
            "message": format!("{kind} set at {file}:{line}"),
            "context": {"lineContent": content, "surrounding": around},
        });
        let mut breakpoint = json!({ "line": line });
        for (field, value) in with.as_object().expect("fields") {
            arguments[field] = value.clone();
            breakpoint[field] = value.clone();
        }
        if let Some(message) = with.get("logMessage") {
            answer["logMessage"] = message.clone();
        }
        self.breakpoint = Some(breakpoint);
        self.enter("set_breakpoint", arguments, answer);
    }

    fn start_debugging(&mut self, then: Then) {
        let file = self.stage.file();
        let client = self.adapter.client();
        client.initialize();
        client.send("launch", json!({ "program": file }));
        client.event("initialized");
        if let Some(breakpoint) = &self.breakpoint {
            let source = json!({ "path": file });
            let breakpoints = json!([breakpoint]);
            client.request("setBreakpoints", json!({"source": source, "breakpoints": breakpoints}));
        }
        client.request("setExceptionBreakpoints", json!({"filters": ["uncaught"]}));
        client.request("configurationDone", json!({}));
        let state = match then {
            Then::Stops => {
                self.stop = client.event("stopped");
                "paused"
            }
            Then::Ends => {
                client.read_until(&["terminated"]);
                "stopped"
            }
            Then::Hangs => "running",
        };
        let message = format!("Debugging started for {file}. Current state: {state}");
        let mut data = json!({"message": message, "stopOnEntrySuccessful": false});
        if let Some(reason) = self.stop.get("reason") {
            data["reason"] = reason.clone();
        }
        let answer = json!({"success": true, "state": state, "message": message, "data": data});
        self.enter("start_debugging", json!({ "scriptPath": file }), answer);
    }

    /// Called when this many lines are there. A line may come in pieces, and is told as one.
    fn get_output(&mut self, lines: usize) {
        let mut entries = Vec::new();
        let mut line = String::new();
        while entries.len() < lines {
            let output = self.adapter.client().event("output");
            if output["category"] != "stdout" {
                continue;
            }
            line += output["output"].as_str().expect("text");
            if line.ends_with('\n') {
                let output = std::mem::take(&mut line);
                let seq = entries.len() + 1;
                entries.push(json!({
                    "seq": seq, "category": "stdout", "output": output, "timestamp": TIME,
                }));
            }
        }
        let answer = json!({
            "success": true, "sessionId": ID, "entries": entries, "nextSince": lines,
            "hasMore": false, "dropped": 0,
        });
        self.enter("get_output", json!({}), answer);
    }

    fn evaluate_expression(&mut self, expression: &str) {
        let frame = self.frames()[0]["id"].clone();
        let arguments = json!({"expression": expression, "frameId": frame, "context": "watch"});
        let body = self.adapter.client().request("evaluate", arguments);
        let answer = json!({
            "success": true, "result": body["result"], "type": body["type"],
            "variablesReference": body["variablesReference"], "presentationHint": {},
        });
        self.enter("evaluate_expression", json!({ "expression": expression }), answer);
    }

    fn get_stack_trace(&mut self) {
        let frames = self.frames();
        let shown = frames.iter().map(|frame| {
            json!({
                "id": frame["id"], "name": frame["name"], "file": frame["source"]["path"],
                "line": frame["line"], "column": frame["column"],
            })
        });
        let shown: Vec<_> = shown.collect();
        let thread = &self.stop["threadId"];
        let info = self.adapter.client().request("exceptionInfo", json!({ "threadId": thread }));
        let details = &info["details"];
        let last_stop = json!({
            "reason": self.stop["reason"], "threadId": thread, "timestamp": TIME,
            "description": self.stop["description"], "text": self.stop["text"],
            "exceptionInfo": {
                "exceptionId": info["exceptionId"], "breakMode": info["breakMode"],
                "description": info["description"],
                "details": {
                    "message": details["message"], "typeName": details["typeName"],
                    "stackTrace": details["stackTrace"],
                },
            },
        });
        let answer = json!({
            "success": true, "stackFrames": shown, "count": shown.len(), "includeInternals": false,
            "stopReason": self.stop["reason"], "lastStop": last_stop,
        });
        self.enter("get_stack_trace", json!({}), answer);
    }

    fn get_local_variables(&mut self) {
        let frame = self.frames().swap_remove(0);
        let client = self.adapter.client();
        let scopes = client.request("scopes", json!({ "frameId": frame["id"] }));
        let locals = &scopes["scopes"][0];
        let arguments = json!({ "variablesReference": locals["variablesReference"] });
        let body = client.request("variables", arguments);
        let variables = body["variables"].as_array().expect("variables").iter();
        let shown = variables.filter(|one| one["name"] != "special variables").map(|one| {
            json!({
                "name": one["name"], "value": one["value"], "type": one["type"],
                "variablesReference": one["variablesReference"],
                "expandable": one["variablesReference"] != 0,
            })
        });
        let shown: Vec<_> = shown.collect();
        let answer = json!({
            "success": true, "variables": shown, "count": shown.len(),
            "frame": {
                "name": frame["name"], "file": frame["source"]["path"], "line": frame["line"],
            },
            "scopeName": locals["name"],
        });
        self.enter("get_local_variables", json!({}), answer);
    }

    fn frames(&mut self) -> Vec<Value> {
        let arguments = json!({ "threadId": self.stop["threadId"] });
        let mut body = self.adapter.client().request("stackTrace", arguments);
        match body["stackFrames"].take() {
            Value::Array(frames) => frames,
            other => panic!("no frames: {other}"),
        }
    }

    /// Every tool but the first is told the session.
    fn enter(&mut self, tool: &str, mut arguments: Value, answer: Value) {
        arguments["sessionId"] = ID.into();
        self.book.enter(tool, &arguments, &answer.to_string());
    }
}

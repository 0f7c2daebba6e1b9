//! The tools of dap-mcp, an MCP server on top of one debug adapter: the names, arguments and answers
//! of PyPI's dap-mcp 0.1.5. Each tool does on the real adapter what it stands for there. The program
//! is named in a file that is given to that server when it starts, which is not counted.

use serde_json::{Value, json};

use crate::cost::{Book, Cost};
use crate::dap_mcp_view::{self as view, Stop};
use crate::story::{IN_FRONT_OF_THE_POOL, Stage, Story, WORK_OF_THE_POOL};
use crate::support::adapter::Adapter;

/// A new adapter begins with so many events: two for telemetry, one for its sockets.
const GREETING: usize = 3;

pub fn play(story: Story, stage: &Stage) -> Cost {
    let mut adapter = Adapter::start(stage.tools);
    let client = adapter.client();
    client.initialize();
    client.send("launch", json!({"program": stage.file(), "cwd": stage.program.parent()}));
    client.read_until(&["initialized"]);
    let events = client.take_events();
    let greeting = events[..GREETING].to_vec();
    let tools = Tools {
        adapter,
        stage,
        book: Book::new(stage),
        breakpoints: Vec::new(),
        frame: Value::Null,
        greeting,
        events,
    };
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
    breakpoints: Vec<Value>,
    /// The id of the frame where it stands.
    frame: Value,
    greeting: Vec<Value>,
    /// Events that no answer has told yet.
    events: Vec<Value>,
}

impl Tools<'_> {
    /// There are no log messages. So it stops at the batch after which less than a whole one is left,
    /// and runs on: no batch follows.
    fn off_by_one(mut self) -> Cost {
        let condition = "len(items) < start + 2 * size";
        self.set_breakpoint(self.stage.line("# @batch"), Some(condition));
        self.launch();
        self.continue_execution();
        self.book.shows(&["user22@example.org", "sent 20 of 23"])
    }

    fn wrong_branch(mut self) -> Cost {
        self.set_breakpoint(self.stage.line("# @skipped"), Some("order['status'] != 'open'"));
        self.launch();
        self.book.shows(&["'status': 'paid '"])
    }

    fn exception(mut self) -> Cost {
        self.launch();
        let message = "Object of type set is not JSON serializable";
        self.book.shows(&["TypeError", message, "-> render", "tags={'slow'}"])
    }

    /// There is no pause, and launch answers only at a stop. So it stops in front of the second lock,
    /// and asks what each thread was given.
    fn deadlock(mut self) -> Cost {
        self.set_breakpoint(self.stage.line("# @second"), None);
        self.launch();
        self.evaluate(
            "[(t.name, a.name, a.lock.locked(), b.name, b.lock.locked()) \
             for t in threading.enumerate() if t._args for a, b in [t._args[:2]]]",
        );
        self.book.shows(&[
            "('one to two', 'one', True, 'two', True)",
            "('two to one', 'two', True, 'one', True)",
        ])
    }

    /// Nobody answers the child's debugpyAttach: there is no stop in it. So its work is done in the
    /// parent, in front of the pool.
    fn child(mut self) -> Cost {
        self.set_breakpoint(self.stage.line(IN_FRONT_OF_THE_POOL), None);
        self.launch();
        self.evaluate(WORK_OF_THE_POOL);
        self.book.shows(&["('404 500', 0, None)"])
    }

    fn coroutine(mut self) -> Cost {
        self.set_breakpoint(self.stage.line("# @granted"), Some("user == 'bob'"));
        self.launch();
        self.evaluate("may_read(user, file)");
        self.book.shows(&["\"type\": \"coroutine\""])
    }

    fn set_breakpoint(&mut self, line: i64, condition: Option<&str>) {
        let mut breakpoint = json!({ "line": line });
        if let Some(condition) = condition {
            breakpoint["condition"] = condition.into();
        }
        let mut arguments = breakpoint.clone();
        arguments["path"] = self.stage.file_name().into();
        self.breakpoints.push(breakpoint);
        let body = self.send_breakpoints();
        self.book.enter("set_breakpoint", &arguments, &view::response("setBreakpoints", &body));
    }

    fn launch(&mut self) {
        // They are sent once more.
        if !self.breakpoints.is_empty() {
            self.send_breakpoints();
        }
        let client = self.adapter.client();
        client.request("setExceptionBreakpoints", json!({"filters": ["uncaught"]}));
        client.request("configurationDone", json!({}));
        let answer = self.outcome();
        self.book.enter("launch", &json!({}), &answer);
    }

    fn continue_execution(&mut self) {
        self.adapter.client().request("continue", json!({"threadId": 1}));
        let answer = self.outcome();
        self.book.enter("continue_execution", &json!({}), &answer);
    }

    fn evaluate(&mut self, expression: &str) {
        let arguments = json!({"expression": expression, "frameId": self.frame});
        let body = self.adapter.client().request("evaluate", arguments);
        let answer = view::response("evaluate", &body);
        self.book.enter("evaluate", &json!({ "expression": expression }), &answer);
    }

    fn send_breakpoints(&mut self) -> Value {
        let source = json!({"name": self.stage.file_name(), "path": self.stage.file()});
        let arguments = json!({"source": source, "breakpoints": self.breakpoints});
        self.adapter.client().request("setBreakpoints", arguments)
    }

    /// Waits for the next stop, or the end.
    fn outcome(&mut self) -> String {
        let client = self.adapter.client();
        client.read_until(&["stopped", "terminated"]);
        let mut events = client.take_events();
        if events.iter().any(|event| event["event"] == "terminated") {
            // The adapter of the next run is there already, and its greeting comes first.
            let events = [self.greeting.clone(), events].concat();
            return view::events(&events);
        }
        let stopped = events.iter().find(|event| event["event"] == "stopped").expect("a stop");
        let thread = stopped["body"]["threadId"].clone();
        let threads = client.request("threads", json!({}));
        let trace = client.request("stackTrace", json!({"threadId": thread, "startFrame": 0}));
        self.frame = trace["stackFrames"][0]["id"].clone();
        let scopes = client.request("scopes", json!({ "frameId": self.frame }));
        let scopes = scopes["scopes"].as_array().expect("scopes").iter().map(|scope| {
            let reference = json!({ "variablesReference": scope["variablesReference"] });
            (scope["name"].clone(), client.request("variables", reference)["variables"].take())
        });
        let scopes: Vec<_> = scopes.collect();
        events.extend(client.take_events());
        self.events.extend(events);
        let stop = Stop {
            program: &self.stage.text(),
            thread: &thread,
            threads: &threads["threads"],
            frames: &trace["stackFrames"],
            scopes: &scopes,
            events: &std::mem::take(&mut self.events),
        };
        stop.view()
    }
}

//! The relay, called by the real grpcurl, as tests/it/stories.rs does it.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::cost::{Book, Cost};
use crate::story::{Stage, Story};
use crate::support::server::Server;

/// What the caller asks of a snapshot.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// Nothing but what would not be there unasked.
    Nothing,
    /// That it leaves out what this story does not need.
    Least,
}

pub fn play(story: Story, stage: &Stage, ask: Ask) -> Cost {
    // A server of its own: breakpoints are kept for the folder, and would be in the next answer.
    let server = Server::start(stage.tools, stage.binary, 1);
    let agent = Agent { server, stage, ask, book: Book::new(stage) };
    match story {
        Story::Loop => agent.off_by_one(),
        Story::Branch => agent.wrong_branch(),
        Story::Exception => agent.exception(),
        Story::Deadlock => agent.deadlock(),
        Story::Child => agent.child(),
        Story::Coroutine => agent.coroutine(),
    }
}

struct Agent<'a> {
    server: Server,
    stage: &'a Stage<'a>,
    ask: Ask,
    book: Book<'a>,
}

impl Agent<'_> {
    fn off_by_one(mut self) -> Cost {
        let message = "{number}: {start} to {start + size} of {len(items)}";
        let place = self.at("# @batch");
        let outcome = self.start(json!({"breakpoints": [{"line": place, "log_message": message}]}));

        let text = outcome["output"]["text"].as_str().expect("output");
        assert!(!text.contains("4: 20"), "{text}");
        self.book.shows(&["3: 15 to 20 of 23", "sent 20 of 23"])
    }

    fn wrong_branch(mut self) -> Cost {
        let place = self.at("# @skipped");
        let location = json!({"line": place, "condition": "order['status'] != 'open'"});
        let wait = self.wait(None, json!({"expressions": ["order"], "max_variables": 0}));
        self.start(json!({"breakpoints": [location], "wait": wait}));

        self.book.shows(&["'status': 'paid '"])
    }

    fn exception(mut self) -> Cost {
        let wait = self.wait(None, json!({}));
        let outcome = self.start(json!({ "wait": wait }));

        assert_eq!(outcome["stop"]["location"]["function"], "render");
        let message = "Object of type set is not JSON serializable";
        self.book.shows(&["TypeError", message, "'tags': {'slow'}"])
    }

    fn deadlock(mut self) -> Cost {
        let outcome = self.start(json!({"wait": {"timeout": "2s"}}));
        assert_eq!(outcome["timedOut"], true);
        let request = json!({"session_id": "story", "wait": {"timeout": "1s"}});
        self.call("ExecutionService/Pause", request);

        let place = format!("{}:{} in transfer", self.stage.file(), self.stage.line("# @second"));
        let waits = ["one to two", "two to one"].map(|name| format!("{name} at {place}"));
        self.book.shows(&waits.each_ref().map(String::as_str))
    }

    fn child(mut self) -> Cost {
        let filter = json!({"filter": "raised", "condition": "ZeroDivisionError"});
        let wait = self.wait(None, json!({}));
        let outcome =
            self.start(json!({"exception_breakpoints": {"filters": [filter]}, "wait": wait}));

        assert_eq!(outcome["stop"]["location"]["function"], "score");
        self.book.shows(&["parentProcessId", "'404 500'", "\"[]\""])
    }

    fn coroutine(mut self) -> Cost {
        let place = self.at("# @granted");
        let location = json!({"line": place, "condition": "user == 'bob'"});
        let asked = json!({"expressions": ["may_read(user, file)"]});
        let mut least = asked.clone();
        least["max_variables"] = 0.into();
        let wait = self.wait(Some(asked), least);
        self.start(json!({"breakpoints": [location], "wait": wait}));

        self.book.shows(&["\"coroutine\""])
    }

    fn at(&self, marker: &str) -> Value {
        json!({"file": self.stage.file(), "line": self.stage.line(marker)})
    }

    /// What to ask of the snapshot, if anything; the least has one frame, and of the source one line.
    fn wait(&self, asked: Option<Value>, mut least: Value) -> Option<Value> {
        if self.ask == Ask::Nothing {
            return asked.map(|asked| json!({ "snapshot": asked }));
        }
        least["max_frames"] = 1.into();
        least["context_lines"] = 0.into();
        Some(json!({ "snapshot": least }))
    }

    /// The first call of every story.
    fn start(&mut self, with: Value) -> Value {
        let launch = json!({"program": self.stage.file()});
        let mut request = json!({"session_id": "story", "launch": launch});
        for (field, value) in with.as_object().expect("fields") {
            if !value.is_null() {
                request[field] = value.clone();
            }
        }
        self.call("SessionService/CreateSession", request)["outcome"].take()
    }

    fn call(&mut self, method: &str, request: Value) -> Value {
        let (address, token) = self.server.door();
        let answer = Command::new(self.stage.tools.grpcurl())
            .args(["-plaintext", "-max-time", "60"])
            .args(["-H", &format!("authorization: Bearer {token}")])
            .args(["-d", &request.to_string(), &address])
            .arg(format!("debugrelay.v1.{method}"))
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .expect("grpcurl runs");
        assert!(answer.status.success(), "{method} {request}");
        let text = String::from_utf8(answer.stdout).expect("text");
        self.book.enter(method, &request, &text);
        let parsed: Value = serde_json::from_str(&text).expect("JSON");
        self.book.was_indented_by(text.len() - parsed.to_string().len());
        parsed
    }
}

//! A plain DAP client that blocks: a request, then its answer. As bare as can be, so that what is
//! measured is the debugger and not the client.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::course::Seen;

/// No answer of a debugger takes longer; the sockets' read timeout.
pub const LIMIT: Duration = Duration::from_secs(30);

pub struct Client {
    reader: BufReader<Box<dyn Read>>,
    writer: Box<dyn Write>,
    seq: i64,
    /// Events that nobody has asked for yet.
    events: VecDeque<Value>,
    pub traffic: Traffic,
}

/// What has gone through: requests, and bytes of JSON without their headers.
#[derive(Clone, Copy, Default)]
pub struct Traffic {
    pub requests: usize,
    pub sent: usize,
    pub read: usize,
}

/// A thread that stands still.
#[derive(Clone, Copy)]
pub struct Stop {
    thread: i64,
}

impl Client {
    pub fn new(reader: impl Read + 'static, writer: impl Write + 'static) -> Self {
        let reader = BufReader::with_capacity(64 * 1024, Box::new(reader) as Box<dyn Read>);
        let traffic = Traffic::default();
        Self { reader, writer: Box::new(writer), seq: 0, events: VecDeque::new(), traffic }
    }

    /// Sends a request and returns its number.
    pub fn send(&mut self, command: &str, arguments: Value) -> i64 {
        self.seq += 1;
        let request = json!({
            "seq": self.seq, "type": "request", "command": command, "arguments": arguments,
        });
        let request = request.to_string();
        self.traffic.requests += 1;
        self.traffic.sent += request.len();
        let frame = debug_relay::dap::frame(request.as_bytes());
        self.writer.write_all(&frame).and_then(|()| self.writer.flush()).expect("a reader");
        self.seq
    }

    /// The body of the answer to request `seq`; events that come before it are kept.
    pub fn answer(&mut self, seq: i64) -> Value {
        loop {
            let mut message = self.receive();
            if message["type"] == "event" {
                self.events.push_back(message);
            } else if message["request_seq"] == seq {
                return message["body"].take();
            }
        }
    }

    pub fn request(&mut self, command: &str, arguments: Value) -> Value {
        let seq = self.send(command, arguments);
        self.answer(seq)
    }

    /// The body of the next event of this name; others before it are dropped.
    pub fn event(&mut self, name: &str) -> Value {
        loop {
            let mut message = match self.events.pop_front() {
                Some(kept) => kept,
                None => self.receive(),
            };
            if message["event"] == name {
                return message["body"].take();
            }
        }
    }

    /// Reads until an event of one of these names has come, and keeps all events.
    pub fn read_until(&mut self, names: &[&str]) {
        let is_one = |event: &Value| names.iter().any(|name| event["event"] == *name);
        while !self.events.iter().any(is_one) {
            let message = self.receive();
            if message["type"] == "event" {
                self.events.push_back(message);
            }
        }
    }

    /// The events that nobody has asked for.
    pub fn take_events(&mut self) -> Vec<Value> {
        self.events.drain(..).collect()
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            let read = self.reader.read_line(&mut line).expect("a header within the limit");
            assert_ne!(read, 0, "the debugger hung up");
            match line.trim_end().split_once(": ") {
                Some(("Content-Length", text)) => length = text.parse().expect("a length"),
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.reader.read_exact(&mut body).expect("a body within the limit");
        self.traffic.read += length;
        let message: Value = serde_json::from_slice(&body).expect("JSON");
        assert_ne!(message["success"], false, "{message}");
        message
    }

    /// As every client begins; debugpy answers in its own way to what follows.
    pub fn initialize(&mut self) {
        let arguments = json!({
            "clientID": "bench", "adapterID": "debugpy", "pathFormat": "path",
            "linesStartAt1": true, "columnsStartAt1": true, "supportsVariableType": true,
        });
        self.request("initialize", arguments);
    }

    /// Runs the program that has been waiting.
    pub fn run(&mut self) {
        self.request("setExceptionBreakpoints", json!({ "filters": ["uncaught"] }));
        self.request("configurationDone", json!({}));
    }

    /// Sets a breakpoint and runs to it.
    pub fn run_to(&mut self, file: &str, line: i64) -> (Stop, Seen) {
        let breakpoints = json!([{ "line": line }]);
        let source = json!({ "path": file });
        self.request("setBreakpoints", json!({ "source": source, "breakpoints": breakpoints }));
        self.run();
        let stop = self.stop();
        (stop, self.look(stop))
    }

    fn stop(&mut self) -> Stop {
        let thread = self.event("stopped")["threadId"].as_i64();
        Stop { thread: thread.expect("a thread") }
    }

    /// One step over a line and everything that a person wants to see then, one after the other.
    pub fn step(&mut self, stop: Stop) -> (Duration, Seen) {
        let begun = Instant::now();
        let stop = self.go("next", stop);
        let (frames, variables) = self.read_stop(stop);
        let took = begun.elapsed();
        (took, seen(&frames, &variables))
    }

    /// Lets the program run on, by this command, to its next stop.
    pub fn go(&mut self, command: &str, stop: Stop) -> Stop {
        self.events.clear();
        self.request(command, json!({ "threadId": stop.thread }));
        self.stop()
    }

    /// Lets the program run on.
    pub fn resume(&mut self, stop: Stop) {
        self.events.clear();
        self.send("continue", json!({ "threadId": stop.thread }));
    }

    /// The frame where it stands.
    pub fn frame(&mut self, stop: Stop) -> Value {
        let page = json!({ "threadId": stop.thread, "startFrame": 0, "levels": 1 });
        self.request("stackTrace", page)["stackFrames"][0]["id"].take()
    }

    fn look(&mut self, stop: Stop) -> Seen {
        let (frames, variables) = self.read_stop(stop);
        seen(&frames, &variables)
    }

    fn read_stop(&mut self, stop: Stop) -> (Value, Value) {
        let page = json!({ "threadId": stop.thread, "startFrame": 0, "levels": 20 });
        let frames = self.request("stackTrace", page);
        let frame = &frames["stackFrames"][0]["id"];
        let scopes = self.request("scopes", json!({ "frameId": frame }));
        let locals = &scopes["scopes"][0]["variablesReference"];
        let variables = self.request("variables", json!({ "variablesReference": locals }));
        (frames, variables)
    }
}

fn seen(frames: &Value, variables: &Value) -> Seen {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let variables = variables["variables"].as_array().expect("variables");
    Seen {
        line: frames["stackFrames"][0]["line"].as_i64().expect("a line"),
        variables: variables.iter().map(|one| (text(&one["name"]), text(&one["value"]))).collect(),
    }
}

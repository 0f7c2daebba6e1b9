//! The relay as a Rust program calls it, over TCP.

use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use debug_relay::proto::*;
use tokio::runtime::Runtime;

use crate::support::Tools;
use crate::support::course::Seen;
use crate::support::relay::RelaySession;
use crate::support::server::{Caller, Server};

/// A server, and who calls it.
pub struct Relay {
    pub runtime: Runtime,
    pub caller: Caller,
    pub server: Server,
}

impl Relay {
    pub fn start(tools: &Tools, binary: &Path, sessions: usize, spares: usize) -> Rc<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("a runtime");
        let server = Server::start_with_spares(tools, binary, sessions, spares);
        let caller = runtime.block_on(server.caller());
        Rc::new(Self { runtime, caller, server })
    }

    /// Returns when so many interpreters wait for their programs.
    pub fn wait_for_spares(&self, count: u32) {
        for _ in 0..3000 {
            let mut server = self.caller.server();
            let asked = server.get_info(self.caller.request(GetInfoRequest {}));
            let info = self.runtime.block_on(asked).expect("an answer").into_inner();
            if info.spares.is_some_and(|spares| count <= spares.ready) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("no interpreter waits");
    }
}

/// A session that is stopped. Dropping it deletes it.
pub struct Session {
    relay: Rc<Relay>,
    session: RelaySession,
    stop: u64,
}

impl Session {
    /// Starts a program; the time is until its first stop is shown.
    pub fn start(relay: &Rc<Relay>, file: &Path, line: i64, short: bool) -> (Duration, Seen, Self) {
        let relay = Rc::clone(relay);
        let file = file.to_string_lossy().into_owned();
        let created = RelaySession::create_at(&relay.caller, &file, line, short);
        let (took, seen, session) = relay.runtime.block_on(created);
        (took, seen, Self { relay, session, stop: 1 })
    }

    pub fn step(&mut self) -> (Duration, Seen) {
        self.stop += 1;
        self.relay.runtime.block_on(self.session.step(&self.relay.caller, self.stop))
    }

    /// A step without a look at what is there then.
    pub fn bare_step(&mut self) -> Duration {
        self.stop += 1;
        let (session_id, wait) = (self.session.id.clone(), Some(without_snapshot()));
        let request = StepOverRequest { session_id, wait, ..Default::default() };
        let mut execution = self.relay.caller.execution();
        self.timed(execution.step_over(self.relay.caller.request(request)))
    }

    /// On to the breakpoint again.
    pub fn resume(&mut self) -> Duration {
        self.stop += 1;
        let (session_id, wait) = (self.session.id.clone(), Some(without_snapshot()));
        let request = ContinueRequest { session_id, wait, ..Default::default() };
        let mut execution = self.relay.caller.execution();
        self.timed(execution.r#continue(self.relay.caller.request(request)))
    }

    pub fn evaluate(&self, expression: &str) -> Duration {
        self.evaluated(expression).0
    }

    fn evaluated(&self, expression: &str) -> (Duration, EvaluateResponse) {
        let (session_id, expression) = (self.session.id.clone(), expression.into());
        let request = EvaluateRequest { session_id, expression, ..Default::default() };
        let mut inspection = self.relay.caller.inspection();
        let begun = Instant::now();
        let asked = inspection.evaluate(self.relay.caller.request(request));
        let answer = self.relay.runtime.block_on(asked);
        (begun.elapsed(), answer.expect("a value").into_inner())
    }

    /// The first hundred members of a list.
    pub fn members(&self, name: &str) -> Duration {
        let variables_reference = self.evaluated(name).1.variables_reference;
        let request = GetVariablesRequest {
            session_id: self.session.id.clone(),
            variables_reference,
            count: 100,
            ..Default::default()
        };
        let mut inspection = self.relay.caller.inspection();
        let begun = Instant::now();
        let asked = inspection.get_variables(self.relay.caller.request(request));
        let found = self.relay.runtime.block_on(asked).expect("members").into_inner();
        let took = begun.elapsed();
        assert_eq!(found.variables.len(), 100, "{name}");
        took
    }

    /// What a status call answers.
    pub fn shown(&self) -> GetSessionResponse {
        let request = GetSessionRequest { session_id: self.session.id.clone() };
        let mut sessions = self.relay.caller.sessions();
        let asked = sessions.get_session(self.relay.caller.request(request));
        self.relay.runtime.block_on(asked).expect("a session").into_inner()
    }

    pub fn status(&self) -> Duration {
        self.relay.runtime.block_on(self.session.get(&self.relay.caller))
    }

    /// Runs on to the end, in one call that tells the exit code.
    pub fn finish(self) -> Duration {
        let session_id = self.session.id.clone();
        let mut execution = self.relay.caller.execution();
        let request =
            self.relay.caller.request(ContinueRequest { session_id, ..Default::default() });
        let begun = Instant::now();
        let asked = execution.r#continue(request);
        let answer = self.relay.runtime.block_on(asked).expect("an end").into_inner();
        let took = begun.elapsed();
        assert_eq!(answer.outcome.expect("an outcome").exit_code, Some(0));
        took
    }

    /// So many steps, each told: changes and the value of an expression. The time is of all.
    pub fn trace(&mut self, steps: u64) -> Duration {
        let request = TraceRequest {
            session_id: self.session.id.clone(),
            max_steps: steps,
            expressions: vec!["count".into()],
            ..Default::default()
        };
        let mut execution = self.relay.caller.execution();
        let request = self.relay.caller.request(request);
        let begun = Instant::now();
        let told = self.relay.runtime.block_on(async {
            let mut stream = execution.trace(request).await.expect("a trace").into_inner();
            let mut told = 0;
            while let Some(item) = stream.message().await.expect("a stream") {
                told += u64::from(matches!(item.item, Some(trace_response::Item::Record(_))));
            }
            told
        });
        let took = begun.elapsed();
        assert_eq!(told, steps, "steps that were told");
        took
    }

    /// Runs on to the end and reads all that is printed on the way.
    pub fn read_output(self, bytes: usize) -> Duration {
        let request = StreamOutputRequest {
            session_id: self.session.id.clone(),
            data_only: true,
            ..Default::default()
        };
        let caller = &self.relay.caller;
        let resume = ContinueRequest { session_id: self.session.id.clone(), ..Default::default() };
        let (mut output, mut execution) = (caller.output(), caller.execution());
        self.relay.runtime.block_on(async {
            let stream = output.stream_output(caller.request(request)).await;
            let mut stream = stream.expect("a stream").into_inner();
            let begun = Instant::now();
            let resumed = execution.r#continue(caller.request(resume));
            let reading = async {
                let mut read = 0;
                while let Some(message) = stream.message().await.expect("a stream to the end") {
                    if let Some(stream_output_response::Item::Chunk(chunk)) = message.item {
                        read += chunk.data.len();
                    }
                }
                (read, begun.elapsed())
            };
            let (resumed, (read, took)) = tokio::join!(resumed, reading);
            resumed.expect("an end");
            assert_eq!(read, bytes, "bytes that were read");
            took
        })
    }

    fn timed<T>(&self, call: impl Future<Output = Result<T, tonic::Status>>) -> Duration {
        let begun = Instant::now();
        let answer = self.relay.runtime.block_on(call);
        let took = begun.elapsed();
        answer.expect("an answer");
        took
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // What is left after a failure is ended with the server.
        if !std::thread::panicking() {
            self.relay.runtime.block_on(self.session.delete(&self.relay.caller));
        }
    }
}

fn without_snapshot() -> WaitOptions {
    let snapshot = SnapshotOptions { skip: true, ..Default::default() };
    WaitOptions { snapshot: Some(snapshot), timeout: None }
}

//! Raw DAP, by way of debugpy's adapter or directly: one request after the other, as clients do.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::Tools;
use crate::support::adapter::Adapter;
use crate::support::course::Seen;
use crate::support::dap::{Client, Stop};
use crate::support::direct::{DirectProgram, Start};

/// A program that is stopped, and who holds it.
pub struct Raw {
    held: Held,
    stop: Stop,
}

enum Held {
    Adapter(Adapter),
    Direct(DirectProgram),
}

/// Which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Adapter,
    Direct,
}

impl Raw {
    /// Starts a program; the time is until the first stop has been looked at.
    pub fn start(tools: &Tools, way: Way, program: &Path, line: i64) -> (Duration, Seen, Self) {
        Self::start_to(tools, way, program, line, Stdio::null())
    }

    pub fn start_to(
        tools: &Tools,
        way: Way,
        program: &Path,
        line: i64,
        stdout: Stdio,
    ) -> (Duration, Seen, Self) {
        let begun = Instant::now();
        let mut held = match way {
            Way::Adapter => Held::Adapter(Adapter::launch(tools, program)),
            Way::Direct => {
                let start = Start { program, arguments: &[], stdout, is_unbuffered: true };
                Held::Direct(DirectProgram::start(tools, start))
            }
        };
        let file = program.to_string_lossy().into_owned();
        let (stop, seen) = held.client().run_to(&file, line);
        (begun.elapsed(), seen, Self { held, stop })
    }

    /// One step with stack, scopes and variables.
    pub fn step(&mut self) -> (Duration, Seen) {
        let stop = self.stop;
        self.client().step(stop)
    }

    /// One step, and no more than to know that it was made.
    pub fn bare_step(&mut self) -> Duration {
        self.moved("next")
    }

    /// On to the breakpoint again.
    pub fn resume(&mut self) -> Duration {
        self.moved("continue")
    }

    fn moved(&mut self, command: &str) -> Duration {
        let stop = self.stop;
        let begun = Instant::now();
        self.client().go(command, stop);
        begun.elapsed()
    }

    pub fn evaluate(&mut self, expression: &str) -> Duration {
        let stop = self.stop;
        let frame = self.client().frame(stop);
        let begun = Instant::now();
        let arguments = json!({ "expression": expression, "frameId": frame, "context": "watch" });
        self.client().request("evaluate", arguments);
        begun.elapsed()
    }

    /// The first hundred members of a list.
    pub fn members(&mut self, name: &str) -> Duration {
        let stop = self.stop;
        let frame = self.client().frame(stop);
        let arguments = json!({ "expression": name, "frameId": frame, "context": "watch" });
        let list = self.client().request("evaluate", arguments);
        let begun = Instant::now();
        let reference = &list["variablesReference"];
        let found = self.client().request("variables", json!({ "variablesReference": reference }));
        let took = begun.elapsed();
        assert!(100 <= found["variables"].as_array().map_or(0, Vec::len), "{name}");
        took
    }

    /// Runs on to the end; the exit code is known then.
    pub fn finish(mut self) -> Duration {
        let stop = self.stop;
        let begun = Instant::now();
        self.client().resume(stop);
        match &mut self.held {
            Held::Adapter(adapter) => {
                let client = adapter.client();
                assert_eq!(client.event("exited")["exitCode"], 0);
            }
            Held::Direct(program) => assert!(program.process.wait().expect("its end").success()),
        }
        begun.elapsed()
    }

    /// Runs on to the end and reads what is printed on the way as the adapter tells it.
    pub fn read_output(mut self, bytes: usize) -> Duration {
        let stop = self.stop;
        let begun = Instant::now();
        self.client().resume(stop);
        let mut read = 0;
        while read < bytes {
            let output = self.client().event("output");
            if output["category"] == "stdout" {
                read += output["output"].as_str().map_or(0, str::len);
            }
        }
        begun.elapsed()
    }

    fn client(&mut self) -> &mut Client {
        self.held.client()
    }
}

impl Held {
    fn client(&mut self) -> &mut Client {
        match self {
            Held::Adapter(adapter) => adapter.client(),
            Held::Direct(program) => &mut program.client,
        }
    }
}

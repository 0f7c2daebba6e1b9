//! The actor's part in the program as a whole: how it begins, and how it ends.

use std::time::Duration;

use tokio::sync::mpsc;

use super::actor::{Actor, ProgramHold, fail_waiter};
use super::input::Input;
use super::program::{Control, Ended, Program};
use super::startup::Greeting;
use super::state::{self, End, Phase, Signal};
use crate::error::{Error, Result};
use crate::proto::event::Payload;
use crate::proto::{Exited, Terminated};

/// Output that is still on its way when the program has ended: a grandchild may hold the pipe open.
const LAST_OUTPUT: Duration = Duration::from_millis(500);
/// Output that explains why a program could not be started.
const SAID_AT_FAILURE: usize = 1000;

impl Actor {
    pub(super) fn begin_launch(&mut self, greeting: Greeting, python: String) -> Result<u64> {
        if self.phase != Phase::Created {
            return Err(Error::AlreadyStarted {
                session: self.id.clone(),
                state: state::name(self.state()),
            });
        }
        self.greeting = greeting;
        self.has_root = false;
        self.python = python;
        self.phase = Phase::Starting;
        self.run += 1;
        self.show();
        Ok(self.run)
    }

    pub(super) fn program_started(&mut self, program: Program) {
        let Program { control, ended, gone, output, input, .. } = program;
        self.watch_flood(&output);
        self.program = Some(ProgramHold { control, gone, output, input });
        let (own, run) = (self.own.clone(), self.run);
        tokio::spawn(async move {
            let ended = ended.await.unwrap_or(Ended::Signal(0));
            if let Some(own) = own.upgrade() {
                let _ = own.send(Input::ProgramEnded { run, ended }).await;
            }
        });
        if self.is_terminating {
            // Told to end while it was being started.
            let _ = self.kill_program();
        }
    }

    pub(super) fn program_ended(&mut self, ended: Ended) {
        self.ended = Some(ended);
        let output =
            self.program.as_ref().map(|program| program.output.clone()).unwrap_or_default();
        let (own, run) = (self.own.clone(), self.run);
        tokio::spawn(async move {
            let all_read = async {
                for stream in &output {
                    stream.end().await;
                }
            };
            let _ = tokio::time::timeout(LAST_OUTPUT, all_read).await;
            if let Some(own) = own.upgrade() {
                let _ = own.send(Input::OutputEnded { run }).await;
            }
        });
    }

    pub(super) fn output_ended(&mut self) {
        if self.is_restarting {
            return self.make_room();
        }
        if self.phase == Phase::Ended(End::Detached) {
            return self.output.close();
        }
        if self.is_terminating {
            return self.finish(End::Terminated);
        }
        if self.phase != Phase::Starting {
            return self.finish(End::Exited);
        }
        if self.failure.is_empty() {
            self.failure = self.early_end();
        }
        self.finish(End::Failed);
    }

    /// Why a program that ended before the debugger had it did so, as far as it told.
    fn early_end(&self) -> String {
        let how = match self.ended {
            Some(Ended::Signal(signal)) => format!("by signal {signal}"),
            Some(Ended::Exit(code)) => format!("with exit code {code}"),
            None => "at once".into(),
        };
        let said = self.output.excerpt(0, SAID_AT_FAILURE).map(|excerpt| excerpt.text);
        let said = match said.as_deref().map(str::trim) {
            None | Some("") => "it wrote nothing".to_owned(),
            Some(text) => format!("it wrote: {text}"),
        };
        format!("it ended {how} before the debugger had it; {said}")
    }

    pub(super) fn fail(&mut self, problem: String) {
        self.failure = problem;
        self.finish(End::Failed);
    }

    /// The program is over, and everything that it wrote has been read.
    pub(super) fn finish(&mut self, end: End) {
        if self.phase.is_over() {
            return;
        }
        if end != End::Detached || self.program.is_none() {
            self.output.close();
        }
        self.leave_targets();
        self.programs.let_go();
        self.breakpoints.drop_runs_to_line();
        self.phase = Phase::Ended(end);
        let state = self.show();
        self.events.append(Payload::Terminated(Terminated { state: state.into() }));
        self.events.close();
    }

    /// Nothing more is said to or heard from the processes that are left.
    pub(super) fn leave_targets(&mut self) {
        for id in self.targets.keys().copied().collect::<Vec<_>>() {
            self.signal(id, Signal::Gone);
            let open = self.targets.get_mut(&id).map(|target| target.pending.take_all());
            for awaited in open.into_iter().flatten() {
                fail_waiter(awaited.waiter, Error::AdapterGone { command: awaited.command });
            }
            if !self.is_detaching {
                self.let_go(id);
            }
        }
        if let Some(ended) = self.ended {
            let (exit_code, exit_signal) = ended.codes();
            self.events.append(Payload::Exited(Exited { exit_code, exit_signal }));
        }
    }

    pub(super) fn terminate(&mut self) -> Option<mpsc::Sender<Control>> {
        self.is_terminating = true;
        self.is_restarting = false;
        if self.phase == Phase::Created {
            self.finish(End::Terminated);
        }
        if self.greeting.is_attached && !self.phase.is_over() {
            self.terminate_attached();
        }
        self.program.as_ref().map(|program| program.control.clone())
    }
}

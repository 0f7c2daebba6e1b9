//! The actor's part in talking with a debugger: how a new process is greeted and configured, and
//! what each answer and event does.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::actor::{Actor, fail_waiter, process_changed};
use super::probing::Then;
use super::running::Found;
use super::startup::Greeting;
use super::state::{Phase, Signal};
use super::targets::{Probe, Target, Waiter};
use tokio::sync::oneshot;

use crate::adapters::{debugpy, probe};
use crate::dap::types::{
    Attach, BreakpointsSet, ConfigurationDone, Disconnect, Evaluate, Initialize, Launch,
    ModuleChanged, Output, ProcessStarted, SetDebuggerProperty, ThreadChanged,
};
use crate::dap::{Event, Response};
use crate::error::Error;
use crate::id::TargetId;
use crate::proto::event::Payload;
use crate::proto::{self, AdapterMessage, BreakpointChangeKind, ModuleLoaded};

/// Words of the debugger that are kept in an event.
const MAX_MESSAGE: usize = 4 * 1024;
/// Why the connection to a process ends that is to run without us: while there is one, it sends what it
/// starts to us as well.
pub(super) const LEFT: &str = "it was left";

impl Actor {
    /// The first words to a process that dialled in.
    pub(super) fn greet(&mut self, id: TargetId) {
        let initialize = Initialize {
            client_id: "debug-relay",
            adapter_id: self.profile.name.into(),
            path_format: "path",
            lines_start_at1: true,
            columns_start_at1: true,
            supports_variable_type: true,
        };
        self.send(id, &initialize, Waiter::Capabilities);
        let is_child = std::mem::replace(&mut self.has_root, true);
        let Some(target) = self.targets.get_mut(&id) else { return };
        let is_dialled = target.identity.pid == 0;
        target.is_foreign = !is_dialled && (is_child || self.greeting.is_attached);
        if is_dialled && let Some(arguments) = self.children_to_dial.pop_front() {
            return self.send(id, &Attach(arguments), Waiter::Attached);
        }
        let Greeting { arguments, stop_on_entry, stop_children, .. } = self.greeting.clone();
        if if is_child { stop_children } else { stop_on_entry } {
            self.send(id, &Launch(debugpy::stopping_at_entry(arguments)), Waiter::Attached);
        } else {
            self.send(id, &Attach(arguments), Waiter::Attached);
        }
    }

    /// The process is ready to be told where to stop. All is sent at once, then it may begin.
    fn configure(&mut self, id: TargetId) {
        if self.phase.is_over() || self.is_detaching {
            return self.let_go(id);
        }
        for file in self.breakpoints.all_files() {
            drop(self.send_breakpoints(id, &file));
        }
        if !self.breakpoints.wanted_functions().is_empty() {
            drop(self.send_function_breakpoints(id));
        }
        self.send(id, &SetDebuggerProperty(debugpy::properties()), Waiter::Nobody);
        let Some(target) = self.targets.get_mut(&id) else { return };
        target.is_configured = true;
        let begins = self.judges_exceptions();
        drop(self.send_exceptions(id, begins));
        if begins {
            return;
        }
        let Some(target) = self.targets.get(&id) else { return };
        match target.probe {
            // What the probe is to decide must be there before the first line runs.
            Probe::Coming(_) => self.after_probe(id, Then::Begin),
            Probe::Absent if target.is_foreign => {
                let expression = probe::follow_with_care();
                let request = Evaluate { expression, frame_id: None, context: "watch" };
                self.send(id, &request, Waiter::Prepared);
            }
            Probe::Absent | Probe::There => self.begin(id),
        }
    }

    fn judged(&mut self, id: TargetId, done: oneshot::Sender<()>, begins: bool) {
        let _ = done.send(());
        if begins {
            self.begin(id);
        }
    }

    /// Everything is told; the process may run.
    pub(super) fn begin(&mut self, id: TargetId) {
        self.let_run(id, Waiter::Configured);
    }

    /// A process that is left before it was let run waits for ever.
    pub(super) fn let_run(&mut self, id: TargetId, waiter: Waiter) {
        let Some(target) = self.targets.get_mut(&id) else { return };
        if !std::mem::replace(&mut target.has_begun, true) {
            self.send(id, &ConfigurationDone {}, waiter);
        }
    }

    /// A child that outlives the program runs on without us: nobody would see it stop.
    pub(super) fn let_go(&mut self, id: TargetId) {
        self.let_run(id, Waiter::Nobody);
        self.send(id, &Disconnect { terminate_debuggee: false }, Waiter::Left);
        self.show();
    }

    pub(super) fn answered(
        &mut self,
        id: TargetId,
        command: &'static str,
        waiter: Waiter,
        response: Response,
    ) {
        let refusal = (!response.success).then(|| {
            let message = response.message.clone().unwrap_or_else(|| "no reason given".into());
            Error::AdapterError { command, message }
        });
        match (waiter, refusal) {
            // Whoever asked knows what a refusal means: a failed expression is data.
            (Waiter::Caller(reply), _) => {
                let _ = reply.send(Ok(response));
            }
            (Waiter::Mover(_), None) => self.signal(id, Signal::Accepted),
            (Waiter::Capabilities, None) => {
                self.capabilities = response.body().ok().map(Arc::new);
                self.show();
            }
            (Waiter::Configured, None) => {
                self.signal(id, Signal::Configured);
                if self.phase == Phase::Starting {
                    self.phase = Phase::Live;
                }
                self.show();
            }
            (Waiter::Breakpoints { groups, done }, None) => {
                let answer: BreakpointsSet = response.body().unwrap_or_default();
                self.breakpoints.bind(id, &groups, answer.breakpoints);
                let bound: BTreeSet<_> = groups.into_iter().flatten().collect();
                for id in bound {
                    self.breakpoint_changed(id, BreakpointChangeKind::Bound);
                }
                let _ = done.send(());
            }
            (Waiter::Probe, None) => self.probe_came(id, None),
            (Waiter::Stack { stop }, None) => {
                self.arrived(id, stop, Found::Stack(response.body().ok()))
            }
            (Waiter::Exception { stop }, None) => {
                self.arrived(id, stop, Found::Exception(response.body().ok()))
            }
            (Waiter::Judged { done, begins }, None) => self.judged(id, done, begins),
            (Waiter::Done(done), None) => {
                let _ = done.send(());
            }
            (Waiter::Left, _) => self.closed(id, LEFT),
            (Waiter::Prepared, _) => self.begin(id),
            (Waiter::Attached | Waiter::Nobody, None) => {}
            (waiter, Some(error)) => self.unanswered(id, waiter, error),
        }
    }

    /// A request was refused, or its answer will not come.
    pub(super) fn unanswered(&mut self, id: TargetId, waiter: Waiter, error: Error) {
        match waiter {
            Waiter::Mover(refused) if matches!(error, Error::AdapterError { .. }) => {
                self.signal(id, Signal::Refused);
                self.show();
                let _ = refused.send(error);
            }
            // A call into C that holds the interpreter keeps the answer back: the program runs.
            Waiter::Mover(_) => self.signal(id, Signal::Accepted),
            Waiter::Probe => self.probe_came(id, Some(error)),
            Waiter::Left => self.closed(id, LEFT),
            Waiter::Prepared => self.begin(id),
            Waiter::Stack { stop } => self.arrived(id, stop, Found::Stack(None)),
            Waiter::Exception { stop } => self.arrived(id, stop, Found::Exception(None)),
            Waiter::Judged { done, begins } => {
                tracing::error!(%error, "conditions of exceptions cannot be decided");
                self.judged(id, done, begins);
            }
            Waiter::Capabilities | Waiter::Attached | Waiter::Configured => {
                tracing::error!(%error, "a process could not be taken under the debugger");
                if self.phase == Phase::Starting {
                    self.failure = error.to_string();
                    let _ = self.kill_program();
                    if self.greeting.is_attached {
                        self.fail(error.to_string());
                    }
                }
            }
            Waiter::Caller(_) | Waiter::Breakpoints { .. } | Waiter::Done(_) | Waiter::Nobody => {
                fail_waiter(waiter, error)
            }
        }
    }

    pub(super) async fn event(
        &mut self,
        id: TargetId,
        event: &Event,
    ) -> Result<(), serde_json::Error> {
        match event.event.as_str() {
            "initialized" => self.configure(id),
            "stopped" => self.halted(id, event.body()?).await,
            "continued" => self.ran_on(id),
            "process" => self.named(id, event.body()?),
            "thread" => self.thread_changed(id, event.body()?),
            "module" => {
                let ModuleChanged { reason, module } = event.body()?;
                if reason == "new" {
                    let loaded =
                        ModuleLoaded { name: module.name, file: module.path.unwrap_or_default() };
                    self.tell(Payload::Module(loaded));
                }
            }
            "output" => self.adapter_spoke(id, event.body()?).await,
            "debugpyAttach" => self.follow_child(event.body()?),
            // Nobody else tells of a program that is not our child. While it is being left, the answer
            // to `disconnect` is still to come: debugpy 1.8's adapter dies of a caller who hangs up.
            "terminated" if self.greeting.is_attached && !self.is_detaching => {
                self.closed(id, "terminated");
            }
            // The process is about to end, or is gone; its parent and its connection tell better.
            "terminated" | "exited" => {}
            other => tracing::debug!(event = other, "passed by"),
        }
        Ok(())
    }

    fn named(&mut self, id: TargetId, process: ProcessStarted) {
        if let Some(target) = self.targets.get_mut(&id) {
            target.name = process.name;
            if target.identity.pid == 0 {
                target.identity.pid = process.system_process_id.unwrap_or_default();
            }
            let started = process_changed(target, true);
            self.tell(Payload::Process(started));
            self.show();
        }
    }

    fn thread_changed(&mut self, id: TargetId, changed: ThreadChanged) {
        let thread_id = self.threads.of(id, changed.thread_id).0;
        let process_id = self.targets.get(&id).map_or(0, |target| target.identity.pid);
        let started = changed.reason == "started";
        self.tell(Payload::Thread(proto::ThreadChanged { thread_id, process_id, started }));
        if !started {
            self.threads.forget(id, Some(changed.thread_id));
        }
    }

    /// Standard output and error come through the program's own pipes; what comes this way too is
    /// a copy, but for the debugger's own words.
    async fn adapter_spoke(&mut self, id: TargetId, output: Output) {
        let category = output.category.unwrap_or_else(|| "console".into());
        if category == probe::CATEGORY {
            return self.probe_spoke(id, &output.output).await;
        }
        if matches!(category.as_str(), "stdout" | "stderr" | "telemetry") {
            return;
        }
        let text = cut(output.output, MAX_MESSAGE);
        self.tell(Payload::AdapterMessage(AdapterMessage { text, category }));
    }

    pub(super) fn configured_targets(&self) -> Vec<TargetId> {
        let is_ready = |(_, target): &(&TargetId, &Target)| target.is_configured;
        self.targets.iter().filter(is_ready).map(|(id, _)| *id).collect()
    }
}

/// At most `limit` bytes of a text, cut between characters.
pub(super) fn cut(mut text: String, limit: usize) -> String {
    if limit < text.len() {
        let end = (0..=limit).rev().find(|index| text.is_char_boundary(*index)).unwrap_or_default();
        text.truncate(end);
    }
    text
}

//! The one owner of a session's state. Calls, answers and events reach it through one queue, in
//! the order they came; it changes state, sends requests, writes events and shows the new picture.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;

use super::breakpoints::Breakpoints;
use super::collect::Collector;
use super::events::EventLog;
use super::input::Input;
use super::output::OutputLog;
use super::probing::Then;
use super::program::{Control, Drain, Ended, InputPiece, Programs};
use super::startup::Greeting;
use super::state::{Life, Phase, Signal};
use super::targets::{ProcessIdentity, Target, ThreadIds, Waiter};
use super::trace::Steps;
use super::view::View;
use crate::adapters::Profile;
use crate::dap::types::{Capabilities, Request};
use crate::dap::{self, Message, Response};
use crate::error::{Error, Result};
use crate::id::{BreakpointId, SessionId, TargetId, ThreadId};
use crate::limits;
use crate::proto::event::Payload;
use crate::proto::{Continued, ExceptionFilter, ProcessChanged, SessionState, StateChanged};

/// Output that was written before a stop is in the pipe already.
const DRAIN_LIMIT: Duration = Duration::from_millis(100);

pub(super) struct Actor {
    pub id: SessionId,
    pub profile: &'static Profile,
    pub inputs: mpsc::Receiver<Input>,
    /// To send to ourselves from tasks that wait for something.
    pub own: mpsc::WeakSender<Input>,
    pub shown: watch::Sender<Arc<View>>,
    pub events: Arc<EventLog>,
    pub output: Arc<OutputLog>,
    pub threads: ThreadIds,
    pub phase: Phase,
    pub targets: BTreeMap<TargetId, Target>,
    pub connections: u64,
    pub breakpoints: Breakpoints,
    pub exception_filters: Vec<ExceptionFilter>,
    /// Who takes the rows of a tracepoint.
    pub collectors: HashMap<BreakpointId, Collector>,
    /// Who takes the steps of a trace.
    pub traces: HashMap<u64, mpsc::Sender<Steps>>,
    pub greeting: Greeting,
    /// The program itself has dialled in; whoever comes now is a child of it.
    pub has_root: bool,
    pub python: String,
    pub program: Option<ProgramHold>,
    pub is_terminating: bool,
    pub is_restarting: bool,
    /// Counts the programs of the session.
    pub run: u64,
    pub is_detaching: bool,
    /// A program was let go, and lives on.
    pub has_released: bool,
    /// What children of a debugger that we dialled are to be told, in the order they are dialled.
    pub children_to_dial: VecDeque<serde_json::Value>,
    pub programs: Arc<dyn Programs>,
    pub ended: Option<Ended>,
    pub failure: String,
    pub capabilities: Option<Arc<Capabilities>>,
    pub stops: u64,
    pub resumed_at: u64,
}

pub(super) struct ProgramHold {
    pub control: mpsc::Sender<Control>,
    pub gone: oneshot::Receiver<()>,
    pub output: Vec<Drain>,
    pub input: mpsc::Sender<InputPiece>,
}

impl Actor {
    /// Runs until every handle to the session is dropped.
    pub async fn run(mut self) {
        loop {
            let deadline =
                self.targets.values().filter_map(|target| target.pending.next_deadline()).min();
            let input = tokio::select! {
                input = self.inputs.recv() => input,
                () = sleep_until(deadline) => {
                    self.expire();
                    continue;
                }
            };
            let Some(input) = input else { return };
            self.handle(input).await;
        }
    }

    async fn handle(&mut self, input: Input) {
        match input {
            Input::Request { target, stop, command, arguments, limit, reply } => {
                self.forward(target, stop, command, &arguments, limit, reply);
            }
            Input::Move { movement, thread, reply } => self.move_on(movement, thread, reply),
            Input::Pause { thread, reply } => self.pause(thread, reply),
            Input::SetBreakpoints { checked, replace_file, reply } => {
                let _ = reply.send(self.set_breakpoints(checked, replace_file));
            }
            Input::RemoveBreakpoints { ids, reply } => {
                let _ = reply.send(self.remove_breakpoints(ids));
            }
            Input::CheckedBreakpoints { reply } => {
                let all = self.breakpoints.of_callers();
                let _ = reply.send(all.map(|(id, entry)| (*id, entry.checked.clone())).collect());
            }
            Input::ShowBreakpoints { file, reply } => {
                let ids = self.breakpoints.ids(file.as_deref());
                let _ =
                    reply.send(ids.into_iter().filter_map(|id| self.show_breakpoint(id)).collect());
            }
            Input::GetBreakpoint { id, reply } => {
                let _ = reply.send(self.breakpoints.get(id).cloned());
            }
            Input::PutBreakpoints { id, checked, reply } => {
                let _ = reply.send(self.put_breakpoint(id, checked));
            }
            Input::EnsureProbe { target, reply } => {
                let (there, told) = oneshot::channel();
                self.after_probe(target, Then::Tell(there));
                let _ = reply.send(told);
            }
            Input::SetExceptions { filters, reply } => {
                let _ = reply.send(self.set_exceptions(filters));
            }
            Input::GetExceptions { reply } => {
                let _ = reply.send(self.exception_filters.clone());
            }
            Input::Collect { checked, collector, reply } => {
                let _ = reply.send(self.collect(checked, collector));
            }
            Input::EndCollect { id } => self.end_collect(id),
            Input::BeginTrace { id, tell } => drop(self.traces.insert(id, tell)),
            Input::EndTrace { id } => drop(self.traces.remove(&id)),
            Input::TellProbe { target, call } => self.tell_probe(target, call),
            Input::ShowUnhit { reply } => {
                let _ = reply.send(self.breakpoints.unhit());
            }
            Input::BeginLaunch { greeting, python, reply } => {
                let _ = reply.send(self.begin_launch(greeting, python));
            }
            Input::BeginRestart { reply } => {
                let _ = reply.send(self.begin_restart());
            }
            Input::WayIn { reply } => {
                let input = self.program.as_ref().map(|program| program.input.clone());
                let _ = reply.send(input);
            }
            Input::Detach { reply } => {
                let _ = reply.send(self.detach());
            }
            Input::Detached => self.detached(),
            Input::ChildLost => {
                self.children_to_dial.pop_front();
                self.show();
            }
            Input::AttachedGone { is_alive } => self.attached_gone(is_alive),
            // Of an earlier run: dropping it ends it.
            Input::ProgramStarted { run, program } if run != self.run => drop(program),
            Input::ProgramStarted { program, .. } => self.program_started(program),
            Input::LaunchFailed { run, .. }
            | Input::ProgramEnded { run, .. }
            | Input::OutputEnded { run }
            | Input::Flood { run, .. }
                if run != self.run => {}
            Input::LaunchFailed { problem, .. } => self.fail(problem),
            Input::ProgramEnded { ended, .. } => self.program_ended(ended),
            Input::OutputEnded { .. } => self.output_ended(),
            Input::Flood { is_flooding, .. } => self.gather_output(is_flooding),
            Input::Explain { why, reply } => {
                if !self.phase.is_over() {
                    self.failure = why;
                }
                let _ = reply.send(());
            }
            Input::Terminate { reply } => {
                let _ = reply.send(self.terminate());
            }
            Input::Release { reply } => {
                let _ = reply.send(self.program.take().map(|program| program.gone));
            }
            Input::Connected { identity, outgoing, reply } => {
                let _ = reply.send(self.connected(identity, outgoing));
            }
            Input::Message { target, message } => self.message(target, message).await,
            Input::Closed { target, reason } => self.closed(target, &reason),
        }
    }

    fn connected(&mut self, identity: ProcessIdentity, outgoing: mpsc::Sender<Bytes>) -> TargetId {
        self.connections += 1;
        let id = TargetId(self.connections);
        self.targets.insert(id, Target::new(identity, outgoing));
        self.greet(id);
        self.show();
        id
    }

    pub(super) fn closed(&mut self, id: TargetId, reason: &str) {
        let Some(mut target) = self.targets.remove(&id) else { return };
        tracing::debug!(target = %id, pid = target.identity.pid, reason, "a process left");
        for awaited in target.pending.take_all() {
            fail_waiter(awaited.waiter, Error::AdapterGone { command: awaited.command });
        }
        self.breakpoints.forget(id);
        self.threads.forget(id, None);
        self.tell(Payload::Process(process_changed(&target, false)));
        self.show();
        self.last_left(target.identity.pid);
    }

    async fn message(&mut self, id: TargetId, message: Message) {
        match message {
            Message::Event(event) => {
                if let Err(error) = self.event(id, &event).await {
                    tracing::warn!(event = event.event, %error, "an event was not understood");
                }
            }
            Message::Response(response) => {
                let Some(target) = self.targets.get_mut(&id) else { return };
                let Some(awaited) = target.pending.take(response.request_seq) else { return };
                self.answered(id, awaited.command, awaited.waiter, response);
            }
            Message::Request(request) => {
                if let Some(target) = self.targets.get(&id) {
                    let _ = target.outgoing.try_send(dap::encode_refusal(
                        0,
                        request.seq,
                        &request.command,
                    ));
                }
            }
        }
    }

    /// Processes that were not let run yet; when all is over, also those that were not left yet.
    fn unsettled(&self) -> usize {
        let is_over = self.phase.is_over();
        self.targets.values().filter(|target| is_over || !target.has_begun).count()
    }

    fn expire(&mut self) {
        let now = Instant::now();
        let expired: Vec<_> = self
            .targets
            .iter_mut()
            .flat_map(|(id, target)| {
                target.pending.take_expired(now).into_iter().map(|awaited| (*id, awaited))
            })
            .collect();
        for (id, awaited) in expired {
            let error = Error::AdapterTimeout { command: awaited.command, limit: awaited.limit };
            tracing::warn!(command = awaited.command, "the debugger did not answer in time");
            self.unanswered(id, awaited.waiter, error);
        }
    }

    /// Sends a request of a caller, unless the process has moved on meanwhile.
    fn forward(
        &mut self,
        id: TargetId,
        stop: Option<u64>,
        command: &'static str,
        arguments: &RawValue,
        limit: Duration,
        reply: oneshot::Sender<Result<Response>>,
    ) {
        let life = self.targets.get(&id).map_or(Life::Ended, |target| target.life);
        if stop.is_some() && life.stop() != stop {
            let _ = reply.send(Err(self.not_stopped("be inspected")));
            return;
        }
        self.send_raw(id, command, arguments, limit, Waiter::Caller(reply));
    }

    /// Sends a request of ours.
    pub(super) fn send<R: Request>(&mut self, id: TargetId, request: &R, waiter: Waiter) {
        match serde_json::value::to_raw_value(request) {
            Ok(arguments) => {
                self.send_raw(id, R::COMMAND, &arguments, limits::get().answer, waiter)
            }
            Err(error) => self.unanswered(id, waiter, Error::internal(error)),
        }
    }

    fn send_raw(
        &mut self,
        id: TargetId,
        command: &'static str,
        arguments: &RawValue,
        limit: Duration,
        waiter: Waiter,
    ) {
        let Some(target) = self.targets.get_mut(&id) else {
            return fail_waiter(waiter, Error::AdapterGone { command });
        };
        let seq = target.pending.open(command, limit, waiter);
        if target.outgoing.try_send(dap::encode_request(seq, command, arguments)).is_err()
            && let Some(awaited) = target.pending.take(seq)
        {
            // The process takes nothing any more: it hangs, or its connection is ending.
            self.unanswered(id, awaited.waiter, Error::AdapterGone { command });
        }
    }

    pub(super) fn state(&self) -> SessionState {
        self.phase.state(self.targets.values().map(|target| target.life))
    }

    /// Shows the present picture, and writes the event when the state changed.
    pub(super) fn show(&mut self) -> SessionState {
        let state = self.state();
        let before = self.shown.borrow().state;
        let view = View {
            state,
            stops: self.stops,
            standing: self
                .targets
                .values()
                .filter_map(|target| target.standing().cloned())
                .collect(),
            targets: self.followed().map(|(id, target)| target.show(*id)).collect(),
            ended: self.ended,
            failure: self.failure.clone(),
            capabilities: self.capabilities.clone(),
            breakpoints: u32::try_from(self.breakpoints.len()).unwrap_or(u32::MAX),
            resumed_at: self.resumed_at,
            is_attached: self.greeting.is_attached,
            has_released: self.has_released,
            unsettled: self.children_to_dial.len() + self.unsettled(),
            python: self.python.clone(),
        };
        if before != state {
            self.events.append(Payload::StateChanged(StateChanged {
                from: before.into(),
                to: state.into(),
            }));
        }
        self.shown.send_replace(Arc::new(view));
        state
    }

    /// The processes that callers see. What comes or stays after the program's end is let go.
    fn followed(&self) -> impl Iterator<Item = (&TargetId, &Target)> {
        let is_over = self.phase.is_over();
        self.targets.iter().filter(move |_| !is_over)
    }

    /// Writes an event, unless the story is over.
    pub(super) fn tell(&self, payload: Payload) {
        if !self.phase.is_over() {
            self.events.append(payload);
        }
    }

    pub(super) fn not_stopped(&self, action: &'static str) -> Error {
        super::wrong_state(&self.id, self.state(), action)
    }

    pub(super) fn signal(&mut self, id: TargetId, signal: Signal) {
        let Some(target) = self.targets.get_mut(&id) else { return };
        target.life = target.life.after(signal);
        match target.life {
            // While the answer is on its way, the stop may still turn out to hold.
            Life::Stopped { .. } | Life::Resuming { .. } => {}
            Life::Starting | Life::Running | Life::Ended => {
                target.stop = None;
                target.arriving = None;
            }
        }
    }

    pub(super) fn continued(&mut self, id: TargetId, thread: ThreadId, by: &str) {
        let pid = self.targets.get(&id).map_or(0, |target| target.identity.pid);
        self.tell(Payload::Continued(Continued {
            thread_id: thread.0,
            by: by.into(),
            process_id: pid,
        }));
    }

    /// Reads what the program has written so far, so that it stands before what comes next.
    pub(super) async fn drain_output(&self) {
        if let Some(program) = &self.program {
            let all = async {
                for stream in &program.output {
                    stream.now().await;
                }
            };
            let _ = tokio::time::timeout(DRAIN_LIMIT, all).await;
        }
        self.output.tell();
    }
}

pub(super) fn process_changed(target: &Target, started: bool) -> ProcessChanged {
    ProcessChanged {
        process_id: target.identity.pid,
        name: target.name.clone(),
        parent_process_id: target.identity.parent,
        started,
    }
}

/// Tells whoever waits that no answer will come.
pub(super) fn fail_waiter(waiter: Waiter, error: Error) {
    match waiter {
        Waiter::Caller(reply) => {
            let _ = reply.send(Err(error));
        }
        // A program that runs or is gone needs no answer to its move; what it comes to tells.
        // Dropping `done` is the word that the answer will not come.
        Waiter::Mover(_)
        | Waiter::Breakpoints { .. }
        | Waiter::Capabilities
        | Waiter::Attached
        | Waiter::Configured
        | Waiter::Probe
        | Waiter::Stack { .. }
        | Waiter::Exception { .. }
        | Waiter::Judged { .. }
        | Waiter::Left
        | Waiter::Prepared
        | Waiter::Done(_)
        | Waiter::Nobody => {}
    }
}

async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

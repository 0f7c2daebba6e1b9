//! Reading a stopped program: stacks, scopes, variables, expressions, threads. What was read once
//! at a stop is answered from there until the program runs on or is changed.

use std::sync::Arc;
use std::time::Duration;

use super::paging::{Members, plain_names};
use super::secrets::Veil;
use super::view::StopView;
use super::{Session, refusal, wrong_state};
use crate::adapters::debugpy;
use crate::dap::Response;
use crate::dap::types::{self, Request, Scopes, StackFrames, StackTrace, Threads, Variables};
use crate::error::{Error, Result};
use crate::id::ThreadId;
use crate::proto::{self, Scope, StackFrame, Variable, VariableFilter};

/// Reading takes a millisecond; a value whose repr takes longer than this is not worth the wait.
pub(super) const READ_LIMIT: Duration = Duration::from_secs(2);
/// Threads are asked for while the program runs, too, when it may hold the interpreter in C.
const THREADS_LIMIT: Duration = Duration::from_secs(3);

impl Session {
    /// The newest stop, or why there is none.
    pub(super) fn current_stop(&self, action: &'static str) -> Result<Arc<StopView>> {
        let view = self.view();
        let stop = self.standing_stop(&view, 0);
        stop.ok_or_else(|| wrong_state(self.id(), view.state, action))
    }

    /// The stop that a handle belongs to, if a process still stands there; else the newest, which
    /// knows how to refuse the handle.
    pub(super) fn stop_of(&self, handle: u64, action: &'static str) -> Result<Arc<StopView>> {
        let newest = self.current_stop(action)?;
        let number = super::handles::stop_of(handle);
        let own = self.view().standing.iter().find(|stop| stop.number() == number).cloned();
        Ok(own.unwrap_or(newest))
    }

    /// The stop that a thread stands at, and the debugger's number of the thread.
    pub(super) fn stop_of_thread(
        &self,
        thread: ThreadId,
        action: &'static str,
    ) -> Result<(Arc<StopView>, i64)> {
        let newest = self.current_stop(action)?;
        if thread.0 == 0 {
            let own = newest.dap_thread;
            return Ok((newest, own));
        }
        let (target, dap_thread) =
            self.0.threads.find(thread).ok_or(Error::ThreadNotFound { thread })?;
        let view = self.view();
        let stop = view.standing.iter().find(|stop| stop.target == target).cloned();
        stop.map(|stop| (stop, dap_thread))
            .ok_or_else(|| wrong_state(self.id(), proto::SessionState::Running, action))
    }

    pub async fn stack_trace(
        &self,
        thread: ThreadId,
        start: u32,
        count: u32,
    ) -> Result<proto::GetStackTraceResponse> {
        let (stop, dap_thread) = match self.stop_of_thread(thread, "show its stack") {
            Ok(found) => found,
            Err(Error::NotStopped { .. }) => return self.live_stack(thread, start, count).await,
            Err(error) => return Err(error),
        };
        let frames = self.stack(&stop, dap_thread, start, count).await?;
        Ok(proto::GetStackTraceResponse {
            total_frames: frames
                .total_frames
                .unwrap_or(start.saturating_add(frames.stack_frames.len() as u32)),
            frames: frames.stack_frames.iter().map(|frame| show_frame(&stop, frame)).collect(),
            stop_number: stop.number(),
        })
    }

    pub async fn scopes(&self, frame: u64) -> Result<proto::GetScopesResponse> {
        let stop = self.stop_of(frame, "show its scopes")?;
        let frame = stop.frame(frame)?;
        let scopes = self.read_scopes(&stop, frame).await?;
        let scopes = scopes.iter().map(|scope| show_scope(&stop, scope)).collect();
        Ok(proto::GetScopesResponse { scopes, stop_number: stop.number() })
    }

    pub async fn variables(&self, request: &VariablesQuery) -> Result<proto::GetVariablesResponse> {
        let stop = self.stop_of(request.reference, "show its variables")?;
        let reference = stop.variables_of(request.reference)?;
        let all = self.read_variables(&stop, reference).await?;
        let kind = stop.way_to(reference).unwrap_or_default().kind;
        let members = Members::of(&all, &kind);
        let VariablesQuery { filter, start, count, .. } = *request;
        let page = self.page(&stop, reference, &members, filter, start, count).await?;
        let total_variables = u32::try_from(members.total(filter)).unwrap_or(u32::MAX);
        let mut variables = Vec::new();
        let mut members = MAX_SHOWN;
        for variable in &page {
            variables.push(self.show_variable(&stop, variable, &request.shown, &mut members).await);
        }
        self.show_cut(&stop, reference, &request.shown, &mut variables, &page).await;
        Ok(proto::GetVariablesResponse { variables, total_variables, stop_number: stop.number() })
    }

    /// The threads of every process, whether it stands or runs.
    pub async fn threads(&self) -> Result<Vec<proto::Thread>> {
        let view = self.view();
        if view.targets.is_empty() {
            return Err(wrong_state(self.id(), view.state, "list its threads"));
        }
        let current = view.current().map(|stop| stop.thread());
        let mut shown = Vec::new();
        let mut failure = None;
        for target in &view.targets {
            let answer = self.request(target.id, None, &Threads {}, THREADS_LIMIT).await;
            let list: types::ThreadList = match answer {
                Ok(response) => response.body().unwrap_or_default(),
                // One process that hangs does not hide the others.
                Err(error) => {
                    failure = Some(error);
                    continue;
                }
            };
            shown.extend(list.threads.into_iter().map(|thread| {
                let id = self.0.threads.of(target.id, thread.id);
                proto::Thread {
                    thread_id: id.0,
                    name: thread.name,
                    process_id: target.pid,
                    stopped: target.life.stop().is_some(),
                    is_current: current == Some(id),
                }
            }));
        }
        match failure {
            Some(error) if shown.is_empty() => Err(error),
            _ => Ok(shown),
        }
    }

    /// Frames of a thread; the first page of the thread that stopped is there already.
    pub(super) async fn stack(
        &self,
        stop: &StopView,
        thread_id: i64,
        start: u32,
        count: u32,
    ) -> Result<StackFrames> {
        let (known, total) = (stop.frames.stack_frames.len() as u32, stop.frames.total_frames);
        let is_known = thread_id == stop.dap_thread
            && (start.saturating_add(count) <= known || total == Some(known));
        if is_known {
            let page = stop.frames.stack_frames.iter().skip(start as usize).take(count as usize);
            return Ok(StackFrames { stack_frames: page.cloned().collect(), total_frames: total });
        }
        self.read(stop, &StackTrace { thread_id, start_frame: start, levels: count }).await
    }

    pub(super) async fn read_scopes(
        &self,
        stop: &StopView,
        frame_id: i64,
    ) -> Result<Arc<[types::Scope]>> {
        if let Some(known) = stop.cached_scopes(frame_id) {
            return Ok(known);
        }
        let scopes: Arc<[_]> = self.read(stop, &Scopes { frame_id }).await?.scopes.into();
        stop.keep_scopes(frame_id, Arc::clone(&scopes));
        Ok(scopes)
    }

    pub(super) async fn read_variables(
        &self,
        stop: &StopView,
        reference: i64,
    ) -> Result<Arc<[types::Variable]>> {
        if let Some(known) = stop.cached_variables(reference) {
            return Ok(known);
        }
        let request = Variables { variables_reference: reference };
        let mut variables = self.read(stop, &request).await?.variables;
        plain_names(&mut variables);
        // What everybody looks for comes before what every value has.
        variables.sort_by_key(is_group);
        let variables: Arc<[_]> = variables.into();
        stop.keep_variables(reference, Arc::clone(&variables));
        Ok(variables)
    }

    /// A variable as callers see it, with its members down to `depth`. Members that cannot be read
    /// are left out; the handle is there to ask again.
    pub(super) async fn show_variable(
        &self,
        stop: &StopView,
        variable: &types::Variable,
        shown: &Shown,
        members_left: &mut usize,
    ) -> Variable {
        let (value, masked) = shown.veil.cover(&variable.name, &variable.value);
        let (value, value_length) = cut_value(&value, shown.max_length);
        let mut children = Vec::new();
        if 1 < shown.depth
            && variable.variables_reference != 0
            && let Ok(members) = self.read_variables(stop, variable.variables_reference).await
        {
            for member in members.iter().filter(|member| !is_group(member)).take(MAX_MEMBERS) {
                if *members_left == 0 {
                    break;
                }
                *members_left -= 1;
                let deeper = Shown { depth: shown.depth - 1, ..*shown };
                children
                    .push(Box::pin(self.show_variable(stop, member, &deeper, members_left)).await);
            }
        }
        let evaluate_name = variable.evaluate_name.clone().filter(|name| *name != variable.name);
        Variable {
            name: variable.name.clone(),
            value,
            r#type: variable.kind.clone().unwrap_or_default(),
            variables_reference: stop.variables_handle(variable.variables_reference),
            value_length,
            children,
            evaluate_name: evaluate_name.map(|it| stop.as_written(&it)).unwrap_or_default(),
            masked,
            member_count: 0,
        }
    }
}

/// Members of one value that are shown within it; GetVariables pages through all.
const MAX_MEMBERS: usize = 50;
/// Members of all values of one answer together: structures may be recursive.
pub(super) const MAX_SHOWN: usize = 1000;

/// Which variables a caller wants.
pub struct VariablesQuery {
    pub reference: u64,
    pub start: usize,
    pub count: usize,
    pub shown: Shown,
    pub filter: VariableFilter,
}

/// How much of a variable is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shown {
    pub depth: u32,
    pub max_length: usize,
    pub veil: Veil,
}

pub(super) fn show_frame(stop: &StopView, frame: &types::StackFrame) -> StackFrame {
    StackFrame {
        frame_id: stop.frame_handle(frame.id),
        name: debugpy::plain_function(&frame.name).into(),
        file: frame.source.as_ref().and_then(|source| source.path.clone()).unwrap_or_default(),
        line: frame.line,
        presentation_hint: frame
            .presentation_hint
            .clone()
            .filter(|hint| hint != "normal")
            .unwrap_or_default(),
    }
}

pub(super) fn show_scope(stop: &StopView, scope: &types::Scope) -> Scope {
    Scope {
        name: scope.name.clone(),
        variables_reference: stop.variables_handle(scope.variables_reference),
        expensive: scope.expensive,
        variables: Vec::new(),
        total_variables: 0,
    }
}

/// debugpy's groups of special, function and class variables: the same for every value of a type.
pub(super) fn is_group(variable: &types::Variable) -> bool {
    let has_type = variable.kind.as_ref().is_some_and(|kind| !kind.is_empty());
    !has_type && variable.value.is_empty() && variable.name.ends_with(" variables")
}

/// The value cut to `max` characters, and its whole length when it was cut.
pub(super) fn cut_value(value: &str, max: usize) -> (String, u32) {
    match value.char_indices().nth(max) {
        None => (value.to_owned(), 0),
        Some((end, _)) => {
            (format!("{}…", &value[..end]), value.chars().count().try_into().unwrap_or(u32::MAX))
        }
    }
}

/// The body of an answer, whose refusal is an error.
pub(super) fn answer_of<R: Request>(response: &Response) -> Result<R::Answer> {
    match refusal(response) {
        Some(message) => Err(Error::AdapterError { command: R::COMMAND, message }),
        None => response.body().map_err(|error| unreadable(R::COMMAND, error)),
    }
}

fn unreadable(command: &'static str, error: serde_json::Error) -> Error {
    Error::AdapterError { command, message: format!("its answer was not understood: {error}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_cut_between_characters_and_tell_their_length() {
        assert_eq!(cut_value("äöü", 3), ("äöü".into(), 0));
        assert_eq!(cut_value("äöü", 2), ("äö…".into(), 3));
        assert_eq!(cut_value("x", 0), ("…".into(), 1));
    }
}

//! One picture of a stop within a size: stack, source, changes, expressions, variables. What is
//! most wanted is put in first; what does not fit is told, with how to get it.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use super::changes::Function;
use super::inspect::{MAX_SHOWN, Shown, cut_value, is_group, show_frame, show_scope};
use super::secrets::Veil;
use super::view::StopView;
use super::{Session, refusal};
use crate::adapters::probe;
use crate::dap::Response;
use crate::dap::types::{self, Evaluate, Evaluated};
use crate::error::Result;
use crate::id::ThreadId;
use crate::proto::{ExpressionResult, Scope, Snapshot, StopInfo};

/// How long a sentence about what was left out may be.
const MAX_OMISSION: usize = 160;
/// How long one expression of a snapshot may take.
const EXPRESSION_LIMIT: Duration = Duration::from_secs(5);

/// What a snapshot holds and how large it may grow: the caller's wishes, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct SnapshotLimits {
    pub max_frames: u32,
    pub context_lines: u32,
    pub max_variables: usize,
    pub max_depth: u32,
    pub max_value_length: usize,
    pub expressions: Vec<String>,
    pub changes_only: bool,
    pub names: Vec<String>,
    pub max_bytes: usize,
    pub skip: bool,
    pub veil: Veil,
}

impl Default for SnapshotLimits {
    fn default() -> Self {
        Self {
            max_frames: 10,
            context_lines: 3,
            max_variables: 50,
            max_depth: 1,
            max_value_length: 200,
            expressions: Vec::new(),
            changes_only: false,
            names: Vec::new(),
            max_bytes: 8 * 1024,
            skip: false,
            veil: Veil::over_secrets(false),
        }
    }
}

impl Session {
    /// The stop of a thread as one picture.
    pub async fn snapshot(
        &self,
        thread: ThreadId,
        limits: &SnapshotLimits,
    ) -> Result<(Snapshot, StopInfo)> {
        let (stop, dap_thread) = self.stop_of_thread(thread, "be looked at")?;
        let snapshot = self.picture(&stop, dap_thread, limits).await?;
        Ok((snapshot, stop.info.clone()))
    }

    pub(super) async fn picture(
        &self,
        stop: &StopView,
        dap_thread: i64,
        limits: &SnapshotLimits,
    ) -> Result<Snapshot> {
        let left = limits.max_bytes;
        let mut picture = Picture { session: self, stop, limits, left, shown: Snapshot::default() };
        picture.paint(dap_thread).await?;
        Ok(picture.shown)
    }
}

type Locals = (Arc<[types::Scope]>, Arc<[types::Variable]>);

/// A snapshot in the making, and the bytes of JSON that it may still take.
struct Picture<'a> {
    session: &'a Session,
    stop: &'a StopView,
    limits: &'a SnapshotLimits,
    left: usize,
    shown: Snapshot,
}

impl Picture<'_> {
    async fn paint(&mut self, dap_thread: i64) -> Result<()> {
        let (session, stop, limits) = (self.session, self.stop, self.limits);
        let thread = session.0.threads.of(stop.target, dap_thread);
        if !limits.changes_only {
            (self.shown.stop_number, self.shown.thread_id) = (stop.number(), thread.0);
            self.take(2, 0);
        }
        let frames = session.stack(stop, dap_thread, 0, limits.max_frames.max(1)).await?;
        let Some(top) = frames.stack_frames.first() else { return Ok(()) };
        let (scopes, variables) = match self.read_locals(top.id).await {
            Ok(found) => found,
            Err(error) => {
                // A thread in a foreign call, a value whose repr never ends: the rest is there.
                self.omit(format!("variables could not be read: {error}"));
                (Arc::default(), Arc::default())
            }
        };
        let own: Vec<_> =
            variables.iter().filter(|variable| !is_noise(variable)).cloned().collect();

        self.put_frames(&frames);
        self.put_source(top);
        self.put_expressions(top.id).await;
        self.put_changes(thread, top, &own);
        if !limits.changes_only && 0 < limits.max_variables {
            let wanted: Vec<_> = match limits.names.is_empty() {
                true => own,
                false => variables
                    .iter()
                    .filter(|variable| limits.names.contains(&variable.name))
                    .cloned()
                    .collect(),
            };
            self.put_scopes(&scopes, &wanted).await;
        }
        Ok(())
    }

    async fn read_locals(&self, frame: i64) -> Result<Locals> {
        let scopes = self.session.read_scopes(self.stop, frame).await?;
        let variables = match scopes.first() {
            Some(first) => {
                self.session.read_variables(self.stop, first.variables_reference).await?
            }
            None => Arc::default(),
        };
        Ok((scopes, variables))
    }

    /// Takes room for texts of this length in `fields` fields, if it is there.
    fn take(&mut self, fields: usize, length: usize) -> bool {
        // A field's name, quotes, comma and the indentation that grpcurl writes.
        const FIELD: usize = 34;
        let cost = fields * FIELD + length + length / 16;
        let fits = cost <= self.left;
        if fits {
            self.left -= cost;
        }
        fits
    }

    fn put_frames(&mut self, frames: &types::StackFrames) {
        if self.limits.changes_only {
            return;
        }
        for frame in frames.stack_frames.iter().take(self.limits.max_frames as usize) {
            let shown = show_frame(self.stop, frame);
            // The stack takes at most half of the room, whatever the depth and the paths.
            let has_room = self.limits.max_bytes / 2 < self.left;
            if !has_room || !self.take(6, shown.name.len() + shown.file.len()) {
                break;
            }
            self.shown.frames.push(shown);
        }
        let (shown, known) = (self.shown.frames.len() as u32, frames.stack_frames.len() as u32);
        let total = frames.total_frames.unwrap_or(known);
        if shown < total {
            self.shown.total_frames = total;
            let left_out = total - shown;
            self.omit(format!("{left_out} outer frames: GetStackTrace with start {shown}"));
        }
    }

    fn put_source(&mut self, top: &types::StackFrame) {
        let context = if self.limits.changes_only { 0 } else { self.limits.context_lines };
        // Once more without context, if that is all that fits.
        for context in [context, 0] {
            if let Some(mut excerpt) = self.session.excerpt(&file_of(top), top.line, context) {
                if self.limits.changes_only {
                    // The stop has the file already.
                    excerpt.file.clear();
                }
                let lines = excerpt.text.lines().count();
                if self.take(4, excerpt.file.len() + excerpt.text.len() + lines) {
                    self.shown.source = Some(excerpt);
                    return;
                }
            }
        }
    }

    async fn put_expressions(&mut self, frame_id: i64) {
        let (session, stop, limits) = (self.session, self.stop, self.limits);
        let asked = limits.expressions.iter().map(|expression| async move {
            let expression = stop.evaluation(expression);
            let request = Evaluate { expression, frame_id: Some(frame_id), context: "watch" };
            session.request_at(stop, &request, EXPRESSION_LIMIT).await
        });
        if !limits.expressions.is_empty() && session.ensure_probe(stop.target).await.is_err() {
            return;
        }
        // All are sent at once, and answered in order.
        let answers = futures_util::future::join_all(asked).await;
        for (expression, answer) in limits.expressions.iter().zip(answers) {
            let result = self.show_expression(expression, answer);
            let length = result.value.len() + result.error.len() + result.r#type.len();
            if !self.take(5, expression.len() + length) {
                let (text, _) = cut_value(expression, 40);
                self.omit(format!("`{text}` and those after it: ask Evaluate"));
                break;
            }
            self.shown.expressions.push(result);
        }
        if !limits.expressions.is_empty() {
            // An expression may have changed what it looked at.
            stop.forget_values();
        }
    }

    fn show_expression(&self, expression: &str, answer: Result<Response>) -> ExpressionResult {
        let max_length = self.limits.max_value_length;
        let mut shown = ExpressionResult { expression: expression.into(), ..Default::default() };
        match answer.map(|response| (refusal(&response), response)) {
            Err(error) => (shown.error, _) = cut_value(&error.to_string(), max_length),
            Ok((Some(error), _)) => (shown.error, _) = cut_value(&error, max_length),
            Ok((None, response)) => {
                let found: Evaluated = response.body().unwrap_or_default();
                if found.kind.as_deref() == Some(probe::FAILURE) {
                    let said = found.result.lines().last().unwrap_or_default();
                    (shown.error, _) = cut_value(said, max_length);
                    return shown;
                }
                let (value, _) = self.limits.veil.cover(expression, &found.result);
                (shown.value, _) = cut_value(&value, max_length);
                shown.r#type = found.kind.unwrap_or_default();
                shown.variables_reference = self.stop.variables_handle(found.variables_reference);
            }
        }
        shown
    }

    fn put_changes(
        &mut self,
        thread: ThreadId,
        top: &types::StackFrame,
        variables: &[types::Variable],
    ) {
        let function = Function { thread, file: file_of(top), name: top.name.clone() };
        let (stop, max_length) = (self.stop.number(), self.limits.max_value_length);
        let mut memory = self.session.0.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changes = memory.compare(function, top.id, stop, variables, max_length);
        for change in &mut changes {
            for value in [&mut change.before, &mut change.after] {
                (*value, _) = self.limits.veil.cover(&change.name, value);
            }
        }
        let names = &self.limits.names;
        changes.retain(|change| names.is_empty() || names.contains(&change.name));
        let total = changes.len();
        for (index, change) in changes.into_iter().enumerate() {
            if !self.take(5, change.name.len() + change.before.len() + change.after.len()) {
                self.omit(format!("{} more changes: raise max_bytes", total - index));
                return;
            }
            self.shown.changes.push(change);
        }
    }

    async fn put_scopes(&mut self, scopes: &[types::Scope], variables: &[types::Variable]) {
        for (index, scope) in scopes.iter().enumerate() {
            let mut shown = show_scope(self.stop, scope);
            if !self.take(4, shown.name.len()) {
                return;
            }
            if index == 0 {
                self.put_variables(&mut shown, variables).await;
            }
            self.shown.scopes.push(shown);
        }
    }

    async fn put_variables(&mut self, scope: &mut Scope, variables: &[types::Variable]) {
        let SnapshotLimits { max_depth, max_value_length, veil, .. } = *self.limits;
        let how = Shown { depth: max_depth, max_length: max_value_length, veil };
        let mut members = MAX_SHOWN;
        for variable in variables.iter().take(self.limits.max_variables) {
            let mut shown =
                self.session.show_variable(self.stop, variable, &how, &mut members).await;
            let (fields, length) = size_of(&shown);
            if self.take(fields, length) {
                scope.variables.push(shown);
                continue;
            }
            // A value with many members must not push out the variables after it.
            let members = std::mem::take(&mut shown.children).len();
            let (fields, length) = size_of(&shown);
            if members == 0 || !self.take(fields, length) {
                break;
            }
            self.omit(format!("members of {}: GetVariables", shown.name));
            scope.variables.push(shown);
        }
        let reference = self.stop.variables_of(scope.variables_reference);
        if let Ok(reference) = reference {
            let mut better = scope.variables.clone();
            self.session.show_cut(self.stop, reference, &how, &mut better, variables).await;
            for (shown, better) in scope.variables.iter_mut().zip(better) {
                // What tells more may also be longer, and there is only so much room.
                let growth = better.value.len().saturating_sub(shown.value.len());
                if self.take(0, growth) {
                    *shown = better;
                }
            }
        }
        let (all, left_out) = (variables.len(), variables.len() - scope.variables.len());
        if 0 < left_out {
            scope.total_variables = all as u32;
            self.omit(format!(
                "{left_out} of {all} variables of {}: GetVariables with variables_reference {}, or \
                 name them in `names`",
                scope.name, scope.variables_reference
            ));
        }
    }

    fn omit(&mut self, what: String) {
        let (what, _) = cut_value(&what, MAX_OMISSION);
        // Told even when there is no room left: what is missing must not go unsaid.
        self.take(1, what.len());
        self.shown.omitted.push(what);
    }
}

/// Imported modules and the debugger's groups of special, function and class variables are the
/// same at every stop; GetVariables has them.
fn is_noise(variable: &types::Variable) -> bool {
    variable.kind.as_deref() == Some("module") || is_group(variable)
}

fn file_of(frame: &types::StackFrame) -> String {
    frame.source.as_ref().and_then(|source| source.path.clone()).unwrap_or_default()
}

/// Fields and text of a variable and its members.
fn size_of(variable: &crate::proto::Variable) -> (usize, usize) {
    let own = variable.name.len()
        + variable.value.len()
        + variable.r#type.len()
        + variable.evaluate_name.len();
    variable
        .children
        .iter()
        .map(size_of)
        .fold((5, own), |sum, child| (sum.0 + child.0, sum.1 + child.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_and_groups_are_noise() {
        let variable = |name: &str, kind: &str, value: &str| types::Variable {
            name: name.into(),
            kind: Some(kind.into()),
            value: value.into(),
            ..Default::default()
        };

        assert!(!is_noise(&variable("x", "int", "1")));
        assert!(is_noise(&variable("os", "module", "<module>")));
        assert!(is_noise(&variable("special variables", "", "")));
    }
}

//! One picture of a stop within a size: stack, source, changes, expressions, variables. What is
//! most wanted is put in first; what does not fit is told, with how to get it.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use super::changes::Function;
use super::inspect::{cut_value, show_frame, show_scope};
use super::view::StopView;
use super::{Session, refusal, source};
use crate::dap::types::{self, Evaluate, Evaluated};
use crate::error::Result;
use crate::id::ThreadId;
use crate::proto::{ExpressionResult, Scope, Snapshot};

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
        }
    }
}

/// Counts down the bytes that an answer may still take as JSON.
struct Meter {
    left: usize,
}

impl Meter {
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
}

impl Session {
    /// The stop of a thread as one picture.
    pub async fn snapshot(
        &self,
        thread: ThreadId,
        limits: &SnapshotLimits,
    ) -> Result<(Snapshot, crate::proto::StopInfo)> {
        let (stop, dap_thread) = self.stop_of_thread(thread, "be looked at")?;
        let snapshot = self.picture(&stop, dap_thread, limits).await?;
        Ok((snapshot, stop.info.clone()))
    }

    pub(super) async fn picture(
        &self,
        stop: &Arc<StopView>,
        dap_thread: i64,
        limits: &SnapshotLimits,
    ) -> Result<Snapshot> {
        let mut meter = Meter { left: limits.max_bytes };
        let thread = self.0.threads.of(stop.target, dap_thread);
        let mut snapshot =
            Snapshot { stop_number: stop.number(), thread_id: thread.0, ..Default::default() };
        meter.take(4, 0);

        let frames = self.stack(stop, dap_thread, 0, limits.max_frames.max(1)).await?;
        let Some(top) = frames.stack_frames.first().cloned() else { return Ok(snapshot) };
        let locals = self.locals(stop, top.id).await;
        put_frames(&mut snapshot, &mut meter, stop, &frames, limits);
        put_source(&mut snapshot, &mut meter, &top, limits);
        self.put_expressions(&mut snapshot, &mut meter, stop, top.id, limits).await;

        let (scopes, variables) = locals?;
        let variables: Vec<_> = variables
            .iter()
            .filter(|variable| is_wanted(variable, &limits.names))
            .cloned()
            .collect();
        self.put_changes(&mut snapshot, &mut meter, thread, &top, &variables, limits);
        if !limits.changes_only && 0 < limits.max_variables {
            self.put_scopes(&mut snapshot, &mut meter, stop, &scopes, &variables, limits).await;
        }
        Ok(snapshot)
    }

    /// The scopes of a frame, and the variables of the first.
    async fn locals(
        &self,
        stop: &StopView,
        frame: i64,
    ) -> Result<(Arc<[types::Scope]>, Arc<[types::Variable]>)> {
        let scopes = self.read_scopes(stop, frame).await?;
        let variables = match scopes.first() {
            Some(first) => self.read_variables(stop, first.variables_reference).await?,
            None => Arc::new([]),
        };
        Ok((scopes, variables))
    }

    async fn put_expressions(
        &self,
        snapshot: &mut Snapshot,
        meter: &mut Meter,
        stop: &StopView,
        frame_id: i64,
        limits: &SnapshotLimits,
    ) {
        let asked = limits.expressions.iter().map(|expression| {
            let request = Evaluate { expression: expression.clone(), frame_id, context: "watch" };
            async move { self.request_at(stop, &request, EXPRESSION_LIMIT).await }
        });
        // All are sent at once, and answered in order.
        let answers = futures_util::future::join_all(asked).await;
        for (expression, answer) in limits.expressions.iter().zip(answers) {
            let mut result =
                ExpressionResult { expression: expression.clone(), ..Default::default() };
            match answer {
                Err(error) => result.error = error.to_string(),
                Ok(response) => match refusal(&response) {
                    Some(error) => (result.error, _) = cut_value(&error, limits.max_value_length),
                    None => {
                        let found: Evaluated = response.body().unwrap_or_default();
                        (result.value, _) = cut_value(&found.result, limits.max_value_length);
                        result.r#type = found.kind.unwrap_or_default();
                        result.variables_reference =
                            stop.variables_handle(found.variables_reference);
                    }
                },
            }
            if !meter.take(
                5,
                expression.len() + result.value.len() + result.error.len() + result.r#type.len(),
            ) {
                snapshot.omitted.push(format!("the value of `{expression}` and those after it: ask Evaluate, or raise max_bytes"));
                return;
            }
            snapshot.expressions.push(result);
        }
        if !limits.expressions.is_empty() {
            // An expression may have changed what it looked at.
            stop.forget_values();
        }
    }

    fn put_changes(
        &self,
        snapshot: &mut Snapshot,
        meter: &mut Meter,
        thread: ThreadId,
        top: &types::StackFrame,
        variables: &[types::Variable],
        limits: &SnapshotLimits,
    ) {
        let function = Function { thread, file: file_of(top), name: top.name.clone() };
        let mut memory = self.0.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let changes =
            memory.compare(function, snapshot.stop_number, variables, limits.max_value_length);
        let total = changes.len();
        for (index, change) in changes.into_iter().enumerate() {
            if !meter.take(5, change.name.len() + change.before.len() + change.after.len()) {
                snapshot.omitted.push(format!("{} more changes: raise max_bytes", total - index));
                return;
            }
            snapshot.changes.push(change);
        }
    }

    async fn put_scopes(
        &self,
        snapshot: &mut Snapshot,
        meter: &mut Meter,
        stop: &StopView,
        scopes: &[types::Scope],
        variables: &[types::Variable],
        limits: &SnapshotLimits,
    ) {
        for (index, scope) in scopes.iter().enumerate() {
            let mut shown = show_scope(stop, scope);
            if !meter.take(4, shown.name.len()) {
                return;
            }
            if index == 0 {
                self.put_variables(&mut shown, snapshot, meter, stop, variables, limits).await;
            }
            snapshot.scopes.push(shown);
        }
    }

    async fn put_variables(
        &self,
        scope: &mut Scope,
        snapshot: &mut Snapshot,
        meter: &mut Meter,
        stop: &StopView,
        variables: &[types::Variable],
        limits: &SnapshotLimits,
    ) {
        for variable in variables.iter().take(limits.max_variables) {
            let shown =
                self.show_variable(stop, variable, limits.max_depth, limits.max_value_length).await;
            let (fields, length) = size_of(&shown);
            if !meter.take(fields, length) {
                break;
            }
            scope.variables.push(shown);
        }
        let left_out = variables.len() - scope.variables.len();
        if 0 < left_out {
            scope.total_variables = variables.len() as u32;
            snapshot.omitted.push(format!(
                "{left_out} of {} variables of {}: GetVariables with variables_reference {}, or name them in `names`",
                variables.len(),
                scope.name,
                scope.variables_reference
            ));
        }
    }
}

fn put_frames(
    snapshot: &mut Snapshot,
    meter: &mut Meter,
    stop: &StopView,
    frames: &types::StackFrames,
    limits: &SnapshotLimits,
) {
    let wanted = if limits.changes_only { 0 } else { limits.max_frames as usize };
    for frame in frames.stack_frames.iter().take(wanted) {
        let shown = show_frame(stop, frame);
        // The stack takes at most half of the room, whatever the depth and the paths.
        let length = shown.name.len() + shown.file.len();
        if meter.left < limits.max_bytes / 2 || !meter.take(6, length) {
            break;
        }
        snapshot.frames.push(shown);
    }
    let total = frames.total_frames.unwrap_or(frames.stack_frames.len() as u32);
    let left_out = total.saturating_sub(snapshot.frames.len() as u32);
    if 0 < left_out && !limits.changes_only {
        snapshot.total_frames = total;
        snapshot.omitted.push(format!(
            "{left_out} outer frames: GetStackTrace with start {}",
            snapshot.frames.len()
        ));
    }
}

fn put_source(
    snapshot: &mut Snapshot,
    meter: &mut Meter,
    top: &types::StackFrame,
    limits: &SnapshotLimits,
) {
    let context = if limits.changes_only { 0 } else { limits.context_lines };
    // The text once more without context, if that is all that fits.
    for context in [context, 0] {
        if let Some(mut excerpt) = source::excerpt(&file_of(top), top.line, context) {
            if limits.changes_only {
                // The stop has the file already.
                excerpt.file.clear();
            }
            let lines = excerpt.text.lines().count();
            if meter.take(4, excerpt.file.len() + excerpt.text.len() + lines) {
                snapshot.source = Some(excerpt);
                return;
            }
        }
    }
}

/// Imported modules and the debugger's groups of special, function and class variables are the
/// same at every stop; GetVariables has them.
fn is_wanted(variable: &types::Variable, names: &[String]) -> bool {
    if !names.is_empty() {
        return names.contains(&variable.name);
    }
    let kind = variable.kind.as_deref().unwrap_or_default();
    let is_group =
        kind.is_empty() && variable.value.is_empty() && variable.name.ends_with(" variables");
    kind != "module" && !is_group
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
    fn the_meter_never_goes_below_nothing() {
        let mut meter = Meter { left: 100 };

        assert!(meter.take(1, 20));
        assert!(!meter.take(1, 1000));
        assert!(meter.left < 100);
    }

    #[test]
    fn modules_and_groups_are_left_out_unless_they_are_named() {
        let variable = |name: &str, kind: &str, value: &str| types::Variable {
            name: name.into(),
            kind: Some(kind.into()),
            value: value.into(),
            ..Default::default()
        };

        assert!(is_wanted(&variable("x", "int", "1"), &[]));
        assert!(!is_wanted(&variable("os", "module", "<module>"), &[]));
        assert!(!is_wanted(&variable("special variables", "", ""), &[]));
        assert!(is_wanted(&variable("os", "module", "<module>"), &["os".into()]));
    }
}

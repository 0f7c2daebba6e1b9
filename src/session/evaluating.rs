//! Expressions and statements in a stopped program. What they raise is data.

use std::time::Duration;

use super::asking::Answered;
use super::inspect::{READ_LIMIT, answer_of, cut_value};
use super::view::StopView;
use super::{Session, refusal};
use crate::adapters::probe::{self, Argument};
use crate::dap::types::{self, Evaluate};
use crate::error::{Error, Result};
use crate::proto::{EvaluateContext, EvaluateResponse};

/// debugpy 1.8 cuts longer values, but for those that are asked for as a whole.
const LONGEST_CUT: usize = 60_000;
/// What a caller wants evaluated.
pub struct EvaluateQuery {
    pub expression: String,
    pub frame: u64,
    pub context: EvaluateContext,
    pub limit: Duration,
    pub max_value_length: usize,
}

impl Session {
    pub async fn evaluate(&self, query: EvaluateQuery) -> Result<EvaluateResponse> {
        let stop = self.stop_of(query.frame, "evaluate")?;
        let frame_id = stop.frame(query.frame)?;
        let is_expression = match query.context {
            EvaluateContext::Unspecified | EvaluateContext::Expression => true,
            EvaluateContext::Statement => false,
        };
        let answered = self.run(&stop, frame_id, &query, is_expression).await;
        // Whatever ran may have changed anything.
        stop.forget_values();
        let Answered { response, interrupted } = answered?;
        if interrupted {
            return Err(Error::EvaluationInterrupted { limit: query.limit });
        }
        let stop_number = stop.number();
        if let Some(error) = refusal(&response) {
            let error = explained(&without_debugger(&error), is_expression);
            return Ok(EvaluateResponse { error, stop_number, ..Default::default() });
        }
        let found: types::Evaluated = answer_of::<Evaluate>(&response)?;
        if found.kind.as_deref() == Some(probe::FAILURE) {
            let error = explained(&found.result, is_expression);
            return Ok(EvaluateResponse { error, stop_number, ..Default::default() });
        }
        let kind = found.kind.clone().unwrap_or_default();
        stop.keep_way(found.variables_reference, frame_id, &kind);
        let deeper = self.show_result(&stop, frame_id, &query, &found).await;
        let value = deeper.as_deref().unwrap_or(&found.result);
        let (value, value_length) = cut_value(value, query.max_value_length);
        Ok(EvaluateResponse {
            value,
            r#type: found.kind.unwrap_or_default(),
            variables_reference: stop.variables_handle(found.variables_reference),
            error: String::new(),
            value_length,
            stop_number,
        })
    }

    async fn run(
        &self,
        stop: &StopView,
        frame: i64,
        query: &EvaluateQuery,
        is_expression: bool,
    ) -> Result<Answered> {
        // In the program, errors keep their traceback, and an exit is an error, too.
        self.ensure_probe(stop.target).await?;
        let (expression, context) = match is_expression {
            true if LONGEST_CUT < query.max_value_length => {
                (stop.evaluation(&query.expression), "clipboard")
            }
            true => (stop.evaluation(&query.expression), "watch"),
            false => (probe::run(&query.expression), "repl"),
        };
        let request = Evaluate { expression, frame_id: Some(frame), context };
        self.request_patiently(stop, &request, query.limit).await
    }

    /// A container as the probe shows it, where the debugger stops at the third level of nesting, and
    /// where it shows an empty set as `{}`.
    async fn show_result(
        &self,
        stop: &StopView,
        frame: i64,
        query: &EvaluateQuery,
        found: &types::Evaluated,
    ) -> Option<String> {
        let is_cut = found.result.contains("...");
        let is_odd = found.kind.as_deref().is_some_and(|name| name.ends_with("set"))
            && found.result.contains("{}");
        if found.variables_reference == 0 || !(is_cut || is_odd) {
            return None;
        }
        // Evaluated before, so this is the same value and costs nothing.
        let value = stop.last_evaluation(&query.expression)?;
        let values = format!("[{value}]");
        let limit = Argument::Whole(query.max_value_length as u64);
        let call = probe::call("texts", &[limit, Argument::Code(&values)]);
        let texts = self.probe_at::<Vec<(String, i64)>>(stop, frame, call, READ_LIMIT).await;
        texts.ok()?.into_iter().next().map(|(text, _)| text)
    }
}

/// A statement is no expression; whoever tried one is told what to do.
fn explained(error: &str, is_expression: bool) -> String {
    let is_syntax = is_expression && error.contains("SyntaxError");
    let advice = " (to run a statement, set context to EVALUATE_CONTEXT_STATEMENT)";
    format!("{error}{}", if is_syntax { advice } else { "" })
}

/// A traceback without the frames of the debugger: debugpy 1.8 begins with its own.
fn without_debugger(error: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut is_foreign = false;
    for line in error.trim_end().lines() {
        if line.starts_with("  File ") {
            is_foreign = line.contains("pydevd") || line.contains("<debug_relay>");
        } else if !line.starts_with("    ") {
            is_foreign = false;
        }
        if !is_foreign {
            kept.push(line);
        }
    }
    let has_frames = kept.iter().any(|line| line.starts_with("  File "));
    kept.retain(|line| has_frames || !line.starts_with("Traceback "));
    kept.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracebacks_lose_the_debuggers_frames() {
        let text = "Traceback (most recent call last):\n  File \"/x/pydevd_vars.py\", line 3, in f\n    eval()\n  File \"/a.py\", line 1, in g\n    1/0\nZeroDivisionError: division by zero\n";

        let shown = without_debugger(text);

        assert!(shown.contains("/a.py") && !shown.contains("pydevd"));
        assert_eq!(
            without_debugger(
                "Traceback (most recent call last):\n  File \"/pydevd.py\", line 1\nNameError: x"
            ),
            "NameError: x"
        );
    }
}

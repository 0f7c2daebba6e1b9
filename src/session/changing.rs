//! Changing values in a stopped program, and completing what somebody types.

use super::inspect::cut_value;
use super::secrets::Veil;
use super::view::StopView;
use super::{Session, refusal};
use crate::adapters::probe::{self, Argument};
use crate::dap::types::{Completions, Evaluate, Evaluated, Request};
use crate::error::{Error, Result};
use crate::proto::{Completion, Variable};

/// A changed value is shown to this length.
const SHOWN: usize = 1000;
const MAX_COMPLETIONS: usize = 200;

impl Session {
    /// Gives a variable of a scope or a member of a value another value.
    pub async fn set_variable(&self, reference: u64, name: &str, value: &str) -> Result<Variable> {
        let stop = self.stop_of(reference, "be changed")?;
        let own = stop.variables_of(reference)?;
        let expression = self.expression_of(reference, name).await?;
        let frame = stop.frame_of(own).map_or_else(|| stop.frame(0), Ok)?;
        self.assign(&stop, frame, name, &expression, value).await
    }

    /// Gives whatever an expression names another value.
    pub async fn set_expression(
        &self,
        frame: u64,
        expression: &str,
        value: &str,
    ) -> Result<Variable> {
        let stop = self.stop_of(frame, "be changed")?;
        let frame = stop.frame(frame)?;
        let written = expression.trim();
        let is_name = written.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
        // A statement in a function makes a local of every name, and the real one stays as it was.
        let target = match is_name {
            true => self.place_of(&stop, frame, written).await?,
            false => written.to_owned(),
        };
        self.assign(&stop, frame, written, &target, value).await
    }

    /// A bare name as something to assign to.
    async fn place_of(&self, stop: &StopView, frame: i64, name: &str) -> Result<String> {
        let call = probe::call("scope_of", &[Argument::Text(name)]);
        let scope: String = self.probe_at(stop, frame, call, super::inspect::READ_LIMIT).await?;
        match scope.as_str() {
            "local" => Ok(name.to_owned()),
            "global" => Ok(format!("globals()[{}]", quoted(name))),
            _ => {
                let problem = format!("there is no variable {name:?} here");
                Err(Error::invalid("expression", problem))
            }
        }
    }

    async fn assign(
        &self,
        stop: &StopView,
        frame_id: i64,
        name: &str,
        expression: &str,
        value: &str,
    ) -> Result<Variable> {
        // debugpy 1.8 tells the cause of a failed statement, and not that of a failed setExpression.
        self.ensure_probe(stop.target).await?;
        let statement = probe::run(&format!("{expression} = ({value})"));
        let request = Evaluate { expression: statement, frame_id: Some(frame_id), context: "repl" };
        let response = self.request_at(stop, &request, super::inspect::READ_LIMIT).await;
        stop.forget_values();
        if let Some(message) = refusal(&response?) {
            let command = Evaluate::COMMAND;
            return Err(Error::AdapterError { command, message: last_line(&message) });
        }
        // What is there now, not what was asked for: a property may have had its own mind.
        let expression = expression.to_owned();
        let request = Evaluate { expression, frame_id: Some(frame_id), context: "watch" };
        let found: Evaluated = self.read(stop, &request).await?;
        let (shown, masked) = Veil::over_secrets(false).cover(name, &found.result);
        let (value, value_length) = cut_value(&shown, SHOWN);
        Ok(Variable {
            name: name.into(),
            value,
            r#type: found.kind.unwrap_or_default(),
            variables_reference: stop.variables_handle(found.variables_reference),
            value_length,
            masked,
            ..Default::default()
        })
    }

    /// The expression for a variable of a scope or a member of a value.
    pub(super) async fn expression_of(&self, reference: u64, name: &str) -> Result<String> {
        let stop = self.stop_of(reference, "be looked at")?;
        let own = stop.variables_of(reference)?;
        let variables = self.read_variables(&stop, own).await?;
        let found = variables.iter().find(|variable| variable.name == name);
        match found {
            Some(_) if stop.is_globals(own) => Ok(format!("globals()[{}]", quoted(name))),
            Some(variable) => Ok(variable.evaluate_name.clone().unwrap_or_else(|| name.into())),
            None => {
                let names = variables.iter().take(20).map(|variable| variable.name.as_str());
                let names: Vec<_> = names.collect();
                let problem =
                    format!("there is no {name:?} there; there are: {}", names.join(", "));
                Err(Error::invalid("name", problem))
            }
        }
    }

    /// What a text may go on with, in a frame.
    pub async fn completions(
        &self,
        frame: u64,
        text: &str,
        column: i32,
    ) -> Result<Vec<Completion>> {
        let stop = self.stop_of(frame, "be looked at")?;
        let frame_id = stop.frame(frame)?;
        let end = i32::try_from(text.chars().count() + 1).unwrap_or(i32::MAX);
        let column = if column <= 0 { end } else { column.min(end) };
        let request = Completions { frame_id, text: text.into(), column };
        let found = self.read(&stop, &request).await?;
        let shown = found.targets.into_iter().take(MAX_COMPLETIONS).map(|target| Completion {
            text: target.text.unwrap_or(target.label),
            kind: target.kind.unwrap_or_default(),
        });
        Ok(shown.collect())
    }
}

fn quoted(name: &str) -> String {
    format!("'{}'", name.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// debugpy 1.8 answers with a whole traceback of its own; the last line is what happened.
fn last_line(message: &str) -> String {
    let mut lines = message.lines().rev();
    lines.find(|line| !line.trim().is_empty()).unwrap_or(message).trim().to_owned()
}

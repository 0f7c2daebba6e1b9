//! Variables, changes, finds and steps of a trace.

use anstyle::Style;

use super::table::{Cell, table};
use super::{BAD, NAME, QUIET, one_line, path};
use crate::proto::{
    ChangeKind, ExpressionResult, FoundValue, TraceRecord, Variable, VariableChange,
};

/// Variables, members beneath their values.
pub fn variables(variables: &[Variable], indent: usize) -> String {
    let mut rows = Vec::new();
    collect(variables, 0, &mut rows);
    table(&rows, indent)
}

fn collect(variables: &[Variable], depth: usize, rows: &mut Vec<Vec<Cell>>) {
    for variable in variables {
        let name = format!("{}{}", "  ".repeat(depth), variable.name);
        rows.push(vec![
            (name, NAME),
            (one_line(&variable.value), Style::new()),
            (kind(variable), QUIET),
        ]);
        collect(&variable.children, depth + 1, rows);
    }
}

/// The type, and how much there is of what was cut.
fn kind(variable: &Variable) -> String {
    let Variable { r#type, value_length, member_count, .. } = variable;
    match (*value_length, *member_count) {
        (0, 0) => r#type.clone(),
        (_, members) if 0 < members => format!("{type} of {members}"),
        (length, _) => format!("{type}, {length} characters"),
    }
}

pub fn changes(changes: &[VariableChange], indent: usize) -> String {
    let rows: Vec<Vec<Cell>> = changes
        .iter()
        .map(|change| vec![(change.name.clone(), NAME), (became(change), Style::new())])
        .collect();
    table(&rows, indent)
}

fn became(change: &VariableChange) -> String {
    match change.kind() {
        ChangeKind::New => format!("= {}", one_line(&change.after)),
        ChangeKind::Gone => "is gone".into(),
        ChangeKind::Changed | ChangeKind::Unspecified => {
            format!("{} → {}", one_line(&change.before), one_line(&change.after))
        }
    }
}

/// One expression and what came of it.
pub fn value(result: &ExpressionResult) -> String {
    let ExpressionResult { expression, value, r#type, error, .. } = result;
    match error.is_empty() {
        true => {
            format!("{NAME}{expression}{NAME:#} = {} {QUIET}{type}{QUIET:#}\n", one_line(value))
        }
        false => format!("{NAME}{expression}{NAME:#} {BAD}{}{BAD:#}\n", one_line(error)),
    }
}

pub fn found(found: &[FoundValue]) -> String {
    let rows: Vec<Vec<Cell>> = found
        .iter()
        .map(|find| {
            let variable = find.variable.clone().unwrap_or_default();
            let kind = kind(&variable);
            vec![
                (find.path.clone(), NAME),
                (one_line(&variable.value), Style::new()),
                (kind, QUIET),
            ]
        })
        .collect();
    table(&rows, 0)
}

/// One step of a trace in a line.
pub fn record(record: &TraceRecord) -> String {
    let place = record.location.clone().unwrap_or_default();
    let depth = "  ".repeat((record.depth as usize).saturating_sub(1).min(20));
    let changes = record.changes.iter().map(|change| format!("{} {}", change.name, became(change)));
    let values = record.expressions.iter().map(|result| match result.error.is_empty() {
        true => format!("{} = {}", result.expression, one_line(&result.value)),
        false => format!("{}: {}", result.expression, one_line(&result.error)),
    });
    let (changes, values): (Vec<String>, Vec<String>) = (changes.collect(), values.collect());
    let told = [changes.join(", "), values.join(", ")];
    let told: Vec<String> = told.into_iter().filter(|text| !text.is_empty()).collect();
    let told = told.join(" | ");
    format!(
        "{QUIET}{:>5}{QUIET:#} {depth}{}:{} {NAME}{}{NAME:#}{}{told}\n",
        record.number,
        path(&place.file),
        place.line,
        place.function,
        if told.is_empty() { "" } else { "  " },
    )
}

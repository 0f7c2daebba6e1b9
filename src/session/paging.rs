//! Members of values, page by page, also of those that debugpy 1.8 shows only the beginning of: it
//! lists 100 items of a list and 500 of a dict, whatever is asked for.

use super::Session;
use super::inspect::{Shown, answer_of, is_group};
use super::view::StopView;
use crate::adapters::probe::{self, Argument};
use crate::dap::types::{self, Evaluate};
use crate::error::{Error, Result};
use crate::proto::{Variable, VariableFilter};

/// Items of one slice: debugpy shows so many of a list.
const SLICE: usize = 100;
/// The entry that tells how many items there are.
const LENGTH: &str = "len()";
/// The entries that stand for items that are not shown.
const REST: [&str; 2] = ["more", "Unable to handle:"];

/// Their keys are names.
const MAPPINGS: [&str; 5] = ["dict", "OrderedDict", "defaultdict", "Counter", "mappingproxy"];
/// Values of these types have a length that is told at no cost.
const CONTAINERS: [&str; 6] = ["list", "tuple", "dict", "set", "frozenset", "deque"];
const TEXTS: [&str; 3] = ["str", "bytes", "bytearray"];
/// debugpy 1.8 cuts texts to this many characters.
const LONG: usize = 65_000;

/// What the debugger lists of a value, in parts.
pub(super) struct Members {
    /// Items of a container, as many as were listed.
    items: Vec<types::Variable>,
    /// Names of an object, then the debugger's groups.
    named: Vec<types::Variable>,
    /// How many items there are, and the expression for the container.
    length: usize,
    expression: Option<String>,
    is_mapping: bool,
}

impl Members {
    pub fn of(variables: &[types::Variable], kind: &str) -> Self {
        let length = variables.iter().find(|variable| variable.name == LENGTH);
        let counted = length.and_then(|length| length.value.parse().ok());
        let expression = length.and_then(|length| length.evaluate_name.as_deref());
        let expression = expression.and_then(|text| text.strip_prefix("len(")?.strip_suffix(')'));
        // Where there is no length, these are plain names.
        let is_added = |variable: &&types::Variable| {
            let name = variable.name.as_str();
            counted.is_none() || name != LENGTH && !REST.contains(&name)
        };
        let shown = variables.iter().filter(is_added).cloned();
        // Attributes of a container's class stand between its items.
        let is_item = |variable: &types::Variable| {
            let is_member = variable.evaluate_name.as_ref().is_none_or(|it| it.ends_with(']'));
            counted.is_some() && !is_group(variable) && is_member
        };
        let (items, named): (Vec<_>, Vec<_>) = shown.partition(is_item);
        Self {
            length: counted.unwrap_or(items.len()),
            items,
            named,
            expression: expression.map(str::to_owned),
            is_mapping: MAPPINGS.contains(&kind),
        }
    }

    pub fn total(&self, filter: VariableFilter) -> usize {
        let (items, named) = (self.length, self.named.len());
        match (filter, self.is_mapping) {
            (VariableFilter::Unspecified | VariableFilter::All, _) => items + named,
            // The keys of a mapping are names.
            (VariableFilter::Indexed, false) => items,
            (VariableFilter::Indexed, true) => 0,
            (VariableFilter::Named, false) => named,
            (VariableFilter::Named, true) => items + named,
        }
    }
}

impl Session {
    /// Members from `start` on.
    pub(super) async fn page(
        &self,
        stop: &StopView,
        reference: i64,
        members: &Members,
        filter: VariableFilter,
        start: usize,
        count: usize,
    ) -> Result<Vec<types::Variable>> {
        let end = start.saturating_add(count).min(members.total(filter));
        let items = match (filter, members.is_mapping) {
            (VariableFilter::Named, false) | (VariableFilter::Indexed, true) => 0,
            _ => members.length,
        };
        let mut page = Vec::new();
        let mut next = start;
        while next < end.min(items) {
            let to = end.min(items).min(next + SLICE);
            match members.items.get(next..to) {
                Some(known) => page.extend_from_slice(known),
                None => page.extend(self.slice(stop, reference, members, next, to).await?),
            }
            next = to;
        }
        let named = members.named.iter().skip(next.saturating_sub(items));
        page.extend(named.take(end.saturating_sub(next)).cloned());
        Ok(page)
    }

    /// Shows values that the debugger cut by its own measure as our probe shows them, with their true
    /// sizes: debugpy 1.8 stops at the third level of nesting, and does not tell how much it cut.
    pub(super) async fn show_cut(
        &self,
        stop: &StopView,
        reference: i64,
        shown: &Shown,
        variables: &mut [Variable],
        sources: &[types::Variable],
    ) {
        let Some(way) = stop.way_to(reference) else { return };
        // By the names that the debugger knows: a value that was evaluated stays that value.
        let named = variables.iter_mut().zip(sources);
        let mut cut: Vec<_> = named.filter(|(variable, _)| is_cut(variable)).collect();
        if cut.is_empty() || self.ensure_probe(stop.target).await.is_err() {
            return;
        }
        let values = cut
            .iter()
            .map(|(_, source)| source.evaluate_name.as_deref().unwrap_or(source.name.as_str()));
        let values = format!("[{}]", values.collect::<Vec<_>>().join(", "));
        let limit = Argument::Number(shown.max_length as f64);
        let call = probe::call("texts", &[limit, Argument::Code(&values)]);
        let limit = super::inspect::READ_LIMIT;
        let texts = self.probe_at::<Vec<(String, i64)>>(stop, way.frame, call, limit).await;
        for ((variable, _), (text, length)) in cut.iter_mut().zip(texts.unwrap_or_default()) {
            let length = u32::try_from(length).unwrap_or_default();
            if TEXTS.contains(&variable.r#type.as_str()) {
                variable.value_length = length;
                continue;
            }
            let is_whole = !text.ends_with("...");
            (variable.value, variable.masked) = shown.veil.cover(&variable.name, &text);
            variable.value_length = 0;
            variable.member_count = if is_whole { 0 } else { length };
        }
    }

    /// Items that the debugger did not list, by an expression for a part of the container.
    async fn slice(
        &self,
        stop: &StopView,
        reference: i64,
        members: &Members,
        from: usize,
        to: usize,
    ) -> Result<Vec<types::Variable>> {
        let way = stop.way_to(reference).unwrap_or_default();
        let Some(whole) = &members.expression else {
            return Err(Error::invalid(
                "start",
                "only the first members of this value can be shown",
            ));
        };
        let range =
            [Argument::Code(whole), Argument::Whole(from as u64), Argument::Whole(to as u64)];
        let part = probe::call("part", &range);
        self.ensure_probe(stop.target).await?;
        let request =
            Evaluate { expression: part.clone(), frame_id: Some(way.frame), context: "watch" };
        let answer = self.request_at(stop, &request, super::inspect::READ_LIMIT).await?;
        let found: types::Evaluated = answer_of::<Evaluate>(&answer)?;
        let is_mapping = found.kind.as_deref() == Some("dict");
        stop.keep_way(found.variables_reference, way.frame, "");
        let listed = self.read_variables(stop, found.variables_reference).await?;
        let mut items = Members::of(&listed, &way.kind).items;
        for (number, item) in (from..).zip(&mut items) {
            if is_mapping {
                let own = item.evaluate_name.take();
                item.evaluate_name = own.map(|name| name.replacen(&part, whole, 1));
                continue;
            }
            item.name = number.to_string();
            item.evaluate_name = match way.kind.as_str() {
                "set" | "frozenset" => Some(format!("list({whole})[{number}]")),
                _ => Some(format!("{whole}[{number}]")),
            };
        }
        stop.keep_ways(&items, way.frame);
        Ok(items)
    }
}

/// debugpy 1.8 names the items of long lists `000017`.
pub(super) fn plain_names(variables: &mut [types::Variable]) {
    for variable in variables {
        let is_number = variable.name.bytes().all(|byte| byte.is_ascii_digit());
        let ends = variable.evaluate_name.as_deref().is_some_and(|name| name.ends_with(']'));
        if is_number && ends && 1 < variable.name.len() && variable.name.starts_with('0') {
            let plain = variable.name.trim_start_matches('0');
            variable.name = if plain.is_empty() { "0".into() } else { plain.into() };
        }
    }
}

/// The debugger shows less of the value than there is, by its own measure.
fn is_cut(variable: &Variable) -> bool {
    let kind = variable.r#type.as_str();
    let is_nested = ["{...}", "[...]", "(...)"].iter().any(|sign| variable.value.contains(sign));
    match (CONTAINERS.contains(&kind), TEXTS.contains(&kind)) {
        (true, _) => is_nested || 0 < variable.value_length,
        (_, true) => LONG <= variable.value_length as usize && !variable.masked,
        (false, false) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str, value: &str, evaluate_name: &str) -> types::Variable {
        types::Variable {
            name: name.into(),
            value: value.into(),
            kind: Some("int".into()),
            evaluate_name: Some(evaluate_name.into()),
            variables_reference: 0,
        }
    }

    #[test]
    fn items_are_told_from_what_the_debugger_adds() {
        let mut listed = vec![
            variable("000", "7", "x[0]"),
            variable("001", "8", "x[1]"),
            variable("more", "", ""),
            variable("len()", "300", "len(x)"),
        ];
        plain_names(&mut listed);

        let members = Members::of(&listed, "list");

        assert_eq!(
            members.items.iter().map(|item| item.name.as_str()).collect::<Vec<_>>(),
            ["0", "1"]
        );
        assert_eq!((members.length, members.expression.as_deref()), (300, Some("x")));
        assert_eq!(members.total(VariableFilter::Named), 0);
        assert_eq!(Members::of(&listed, "dict").total(VariableFilter::Named), 300);
    }
}

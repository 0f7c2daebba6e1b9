//! Tokens of a session.

use std::time::SystemTime;

use anstyle::Style;

use super::table::{Cell, table};
use super::{NAME, QUIET};
use crate::proto::SessionToken;

pub fn tokens(tokens: &[SessionToken]) -> String {
    if tokens.is_empty() {
        return "no tokens; `debug-relay share` makes one\n".into();
    }
    let rows: Vec<Vec<Cell>> = tokens
        .iter()
        .map(|token| {
            let expires = token.expire_time.and_then(|time| SystemTime::try_from(time).ok());
            let expires = expires.map(|time| humantime::format_rfc3339_seconds(time).to_string());
            vec![
                (token.id.clone(), NAME),
                (if token.read_only { "may look" } else { "may drive" }.into(), Style::new()),
                (expires.map(|time| format!("until {time}")).unwrap_or_default(), QUIET),
                (token.name.clone(), Style::new()),
            ]
        })
        .collect();
    table(&rows, 0)
}

//! Sessions, threads and debuggers.

use std::time::{Duration, SystemTime};

use anstyle::Style;

use super::table::{Cell, table};
use super::{BAD, GOOD, NAME, QUIET, STRONG, WARN, path, stop_line, word};
use crate::proto::{AdapterInfo, Caller, GetInfoResponse, Session, SessionState, Thread};

fn look(state: SessionState) -> Style {
    match state {
        SessionState::Stopped => WARN,
        SessionState::Running | SessionState::Starting => GOOD,
        SessionState::Failed | SessionState::Lost => BAD,
        _ => QUIET,
    }
}

fn state(session: &Session) -> String {
    let state = word(session.state().as_str_name(), "SESSION_STATE_");
    match (session.exit_code, session.exit_signal) {
        (Some(code), _) => format!("{state} {code}"),
        (None, 0) => state,
        (None, signal) => format!("{state}, signal {signal}"),
    }
}

pub fn sessions(sessions: &[Session], current: Option<&str>) -> String {
    if sessions.is_empty() {
        return "no sessions; `debug-relay start PROGRAM` makes one\n".into();
    }
    let rows: Vec<Vec<Cell>> = sessions
        .iter()
        .map(|session| {
            let is_current = current == Some(session.id.as_str());
            let place = session.stop.as_ref().and_then(|stop| stop.location.clone());
            let place = place.map(|place| format!("{}:{}", path(&place.file), place.line));
            vec![
                (if is_current { "*" } else { " " }.into(), STRONG),
                (session.id.clone(), NAME),
                (state(session), look(session.state())),
                (place.unwrap_or_default(), Style::new()),
                (age(session), QUIET),
                (session.name.clone(), Style::new()),
                (path(&session.project_root), QUIET),
            ]
        })
        .collect();
    table(&rows, 0)
}

fn age(session: &Session) -> String {
    let created = session.created_time.and_then(|time| SystemTime::try_from(time).ok());
    let age = created.and_then(|created| created.elapsed().ok()).unwrap_or_default();
    match age.as_secs() {
        seconds @ 0..60 => format!("{seconds}s"),
        seconds @ 60..3600 => format!("{}m", seconds / 60),
        seconds => format!("{}h", seconds / 3600),
    }
}

pub fn session(session: &Session) -> String {
    let style = look(session.state());
    let mut text = format!(
        "{NAME}{}{NAME:#} {style}{}{style:#}{QUIET}, {} old, {} stops, {} bytes of output{QUIET:#}\n",
        session.id,
        state(session),
        age(session),
        session.counters.unwrap_or_default().stops,
        session.counters.unwrap_or_default().output_bytes,
    );
    if !session.failure.is_empty() {
        text += &format!("{BAD}{}{BAD:#}\n", session.failure);
    }
    if let Some(stop) = &session.stop {
        text += &stop_line(stop);
    }
    let rows: Vec<Vec<Cell>> = session
        .processes
        .iter()
        .map(|process| {
            let state = word(process.state().as_str_name(), "SESSION_STATE_");
            vec![
                (format!("process {}", process.process_id), NAME),
                (state, look(process.state())),
                (process.name.clone(), QUIET),
            ]
        })
        .collect();
    text + &table(&rows, 0)
}

pub fn threads(threads: &[Thread]) -> String {
    let rows: Vec<Vec<Cell>> = threads
        .iter()
        .map(|thread| {
            let (state, style) = if thread.stopped { ("stopped", WARN) } else { ("running", GOOD) };
            vec![
                (if thread.is_current { "*" } else { " " }.into(), STRONG),
                (thread.thread_id.to_string(), NAME),
                (state.into(), style),
                (thread.name.clone(), Style::new()),
                (format!("process {}", thread.process_id), QUIET),
            ]
        })
        .collect();
    table(&rows, 0)
}

/// The server, and what it has.
pub fn server(info: &GetInfoResponse) -> String {
    let sessions = info.sessions.unwrap_or_default();
    let spares = info.spares.clone().unwrap_or_default();
    let commit = if info.commit.is_empty() { String::new() } else { format!("{}, ", info.commit) };
    let up = info.uptime.map_or(0, |uptime| uptime.seconds);
    let row = |name: &str, told: String| vec![(name.to_owned(), NAME), (told, Style::new())];
    let rows = [
        row("address", info.address.clone()),
        row("version", format!("{} ({commit}{})", info.version, info.build)),
        row("up", humantime::format_duration(Duration::from_secs(up.unsigned_abs())).to_string()),
        row(
            "sessions",
            format!("{} alive, {} over, {} lost", sessions.alive, sessions.over, sessions.lost),
        ),
        row("spares", format!("{} of {} wait", spares.ready, spares.size)),
        row("you", caller(&info.caller.clone().unwrap_or_default())),
    ];
    table(&rows, 0) + &adapters(&info.adapters)
}

/// Who the server takes us for.
fn caller(caller: &Caller) -> String {
    let mut told = match caller.session_id.as_str() {
        "" => caller.owner.clone(),
        session => format!("with a token of {session}"),
    };
    for (is_so, words) in
        [(caller.admin, "an admin"), (caller.read_only, "who may look and nothing else")]
    {
        if is_so {
            told += &format!(", {words}");
        }
    }
    told
}

pub fn adapters(adapters: &[AdapterInfo]) -> String {
    let rows: Vec<Vec<Cell>> = adapters
        .iter()
        .map(|adapter| {
            let (state, style) = if adapter.found { ("found", GOOD) } else { ("missing", BAD) };
            let told = match (adapter.found, adapter.message.is_empty()) {
                (true, _) => adapter.path.clone(),
                (false, false) => adapter.message.clone(),
                (false, true) => adapter.install_hint.clone(),
            };
            vec![
                (adapter.name.clone(), NAME),
                (state.into(), style),
                (adapter.version.clone(), Style::new()),
                (adapter.languages.join(", "), Style::new()),
                (told, QUIET),
            ]
        })
        .collect();
    table(&rows, 0)
}

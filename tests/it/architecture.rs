//! Who may use whom, and other rules that every file of src/ keeps.

use std::collections::{BTreeMap, BTreeSet};

use crate::source_text::{Source, code, line, name, places, shipped_code, sources};

/// Each part with the parts that it may use. A part uses only parts beneath it, so there is no
/// circle. To add an edge, put it here in the same commit and say why.
const TABLE: &[(&str, &[&str])] = &[
    ("main", &["auth", "build", "cli", "config", "doctor", "gateway", "host", "telemetry"]),
    // auth: where the token is. config: where everything is. id: names for sessions. store: the word
    // of a running server.
    ("cli", &["auth", "config", "id", "proto", "store"]),
    // It looks with the eyes of those who will use what it looks at. gateway: how Python and debugpy
    // are chosen. store: the word of a running server. host: whether a process is alive.
    ("doctor", &["adapters", "auth", "config", "gateway", "host", "store"]),
    // adapters: debuggers are found and installed once for all hosts. api: refusals are the same
    // statuses. host: how it is started, and what it says then.
    (
        "gateway",
        &[
            "adapters",
            "api",
            "archive",
            "auth",
            "build",
            "clock",
            "config",
            "confines",
            "error",
            "hop",
            "host",
            "id",
            "limits",
            "proto",
            "session",
            "store",
            "telemetry",
        ],
    ),
    // adapters: how a debugger is put before a program. dap: the frames of its connection, and the
    // greeting that tells which process dialled.
    (
        "host",
        &[
            "adapters",
            "api",
            "confines",
            "dap",
            "error",
            "hop",
            "id",
            "limits",
            "proto",
            "session",
            "telemetry",
        ],
    ),
    // session: what is read is what a living session shows, in the same form.
    ("archive", &["clock", "proto", "session", "store"]),
    // telemetry: what a host logs can be changed.
    ("api", &["error", "id", "limits", "proto", "session", "telemetry"]),
    (
        "session",
        &["adapters", "clock", "confines", "dap", "error", "id", "limits", "proto", "store"],
    ),
    // proto: a test compares the table of rights with the contract. store: tokens of a session.
    ("auth", &["error", "id", "proto", "store"]),
    ("adapters", &["error"]),
    ("config", &["confines", "limits", "telemetry"]),
    ("confines", &["error"]),
    ("error", &["id"]),
    ("build", &[]),
    ("clock", &[]),
    ("dap", &[]),
    ("hop", &[]),
    ("id", &[]),
    ("lib", &[]),
    ("limits", &[]),
    ("proto", &[]),
    ("store", &[]),
    ("telemetry", &[]),
];

/// Only these start processes: what is started elsewhere may outlive its session.
const STARTS_PROCESSES: &[&str] = &[
    // The server itself, for a command that finds none.
    "src/cli/background.rs",
    "src/gateway/provision.rs",
    "src/gateway/starting.rs",
    "src/host/guard.rs",
    "src/host/processes.rs",
    "src/host/reach.rs",
];

const MAX_LINES: usize = 450;

/// What one file must keep. The offenders are sentences with file and line.
struct Rule {
    says: &'static str,
    offenders: fn(&Source) -> Vec<String>,
}

const RULES: &[Rule] = &[
    Rule {
        says: "a part uses only what the table allows: move the code to a part that may, or add \
               the edge to the table with a reason",
        offenders: |source| foreign_uses(TABLE, source),
    },
    Rule {
        says: "a file leaves its part only by `crate::PART`, where this test sees it",
        offenders: |source| {
            let is_top = source.path.matches('/').count() == 1 || source.path.ends_with("/mod.rs");
            let way_out = if is_top { "super::" } else { "super::super::" };
            all_of(source, &shipped_code(&source.text), &[way_out])
        },
    },
    Rule {
        says: "processes are started only where their end is seen to",
        offenders: |source| match STARTS_PROCESSES.contains(&source.path.as_str()) {
            true => Vec::new(),
            false => all_of(source, &code(&source.text), &["Command::new"]),
        },
    },
    Rule {
        says: "`unsafe` stands only in src/host, next to the system",
        offenders: |source| match source.path.starts_with("src/host/") {
            true => Vec::new(),
            false => all_of(source, &code(&source.text), &["unsafe"]),
        },
    },
    Rule {
        says: "a file is short: split it by concern",
        offenders: |source| {
            let lines = source.text.lines().count();
            let says = format!("{} has {lines} lines, more than {MAX_LINES}", source.path);
            (MAX_LINES < lines).then_some(says).into_iter().collect()
        },
    },
    Rule {
        says: "nothing panics on purpose: return an error",
        offenders: |source| {
            let panics = [".unwrap()", ".expect(", "panic!(", "todo!("];
            all_of(source, &shipped_code(&source.text), &panics)
        },
    },
    Rule {
        says: "a file begins with what it is for, as `//!`",
        offenders: |source| match source.text.starts_with("//! ") {
            true => Vec::new(),
            false => vec![format!("{}:1", source.path)],
        },
    },
];

fn all_of(source: &Source, code: &str, words: &[&str]) -> Vec<String> {
    let of_word = |word: &&str| {
        let word = word.to_string();
        let places = places(code, &word).into_iter();
        places.map(move |place| format!("{}:{} has {word}", source.path, line(code, place)))
    };
    words.iter().flat_map(of_word).collect()
}

/// The first part of a file's path under src/.
fn part(path: &str) -> &str {
    name(path.strip_prefix("src/").unwrap())
}

/// The parts that a text uses, its own one included, each with its line.
fn uses(text: &str) -> Vec<(usize, String)> {
    let code = code(text);
    let mut found = Vec::new();
    for root in ["crate::", "debug_relay::"] {
        for place in places(&code, root) {
            let after = &code[place + root.len()..];
            let parts = match after.strip_prefix('{') {
                Some(group) => names_of_group(group),
                None => vec![name(after).to_owned()],
            };
            found.extend(parts.into_iter().map(|part| (line(&code, place), part)));
        }
    }
    found
}

/// The first name of each path in `a::{b, c}, d}`: a and d.
fn names_of_group(text: &str) -> Vec<String> {
    let mut depth = 1;
    let mut heads = String::new();
    for letter in text.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ if depth == 1 => heads.push(letter),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    let heads = heads.split(',').map(|head| name(head.trim()).to_owned());
    heads.filter(|head| !head.is_empty()).collect()
}

fn foreign_uses(table: &[(&str, &[&str])], source: &Source) -> Vec<String> {
    let own = part(&source.path);
    let Some((_, allowed)) = table.iter().find(|(part, _)| *part == own) else {
        return vec![format!("{}:1 is of the part {own}, which has no row", source.path)];
    };
    let foreign = uses(&source.text).into_iter();
    let foreign = foreign.filter(|(_, part)| part != own && !allowed.contains(&part.as_str()));
    let says = |(line, part)| format!("{}:{line} uses {part} from {own}", source.path);
    foreign.map(says).collect()
}

/// Rows and edges of the table that no file stands behind.
fn idle_entries(table: &[(&str, &[&str])], sources: &[Source]) -> Vec<String> {
    let mut used: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for source in sources {
        let parts = uses(&source.text).into_iter().map(|(_, part)| part);
        used.entry(part(&source.path)).or_default().extend(parts);
    }
    let mut idle = Vec::new();
    for (part, allowed) in table {
        match used.get(part) {
            None => idle.push(format!("there is no part {part}")),
            Some(used) => {
                let unused = allowed.iter().filter(|allowed| !used.contains(**allowed));
                idle.extend(unused.map(|other| format!("{part} does not use {other}")));
            }
        }
    }
    idle
}

/// Edges to a part that does not stand beneath.
fn upward_edges(table: &[(&str, &[&str])]) -> Vec<String> {
    let mut upward = Vec::new();
    for (row, (part, allowed)) in table.iter().enumerate() {
        let is_beneath = |other: &&&str| table[row + 1..].iter().any(|(part, _)| part == *other);
        let edges = allowed.iter().filter(|other| !is_beneath(other));
        upward.extend(edges.map(|other| format!("{part} uses {other}, which is not beneath it")));
    }
    upward
}

#[test]
fn every_file_keeps_every_rule() {
    let sources = sources("src");

    let mut report = String::new();
    for rule in RULES {
        let offenders: Vec<String> = sources.iter().flat_map(rule.offenders).collect();
        if !offenders.is_empty() {
            report += &format!("\n{}:\n  {}", rule.says, offenders.join("\n  "));
        }
    }

    assert!(report.is_empty(), "{report}");
    assert!(50 < sources.len(), "only {} files were looked at", sources.len());
}

#[test]
fn every_edge_of_the_table_is_used() {
    let idle = idle_entries(TABLE, &sources("src"));

    assert!(idle.is_empty(), "take these out of the table:\n  {}", idle.join("\n  "));
}

#[test]
fn a_part_uses_only_parts_beneath_it() {
    let upward = upward_edges(TABLE);

    assert!(
        upward.is_empty(),
        "the table has circles or a wrong order:\n  {}",
        upward.join("\n  ")
    );
}

#[test]
fn every_rule_finds_its_offender_and_only_it() {
    let good = "//! Good.\nuse crate::error::Error;\n// crate::gateway, .unwrap(), unsafe\n\
                #[cfg(test)]\nmod tests { use super::*; fn f() { g().unwrap() } }\n";
    let file = |path: &str, addition: &str| Source {
        path: path.into(),
        text: format!("{good}{addition}\n"),
    };
    let broken = [
        (
            file("src/session/a.rs", "use crate::gateway::b;"),
            "src/session/a.rs:6 uses gateway from session",
        ),
        (
            file("src/session/a.rs", "use crate::{id::{A, B}, api};"),
            "src/session/a.rs:6 uses api from session",
        ),
        (file("src/new/a.rs", ""), "src/new/a.rs:1 is of the part new, which has no row"),
        (
            file("src/session/a.rs", "use super::super::api;"),
            "src/session/a.rs:6 has super::super::",
        ),
        (file("src/session/mod.rs", "use super::api;"), "src/session/mod.rs:6 has super::"),
        (file("src/session/a.rs", "Command::new(x);"), "src/session/a.rs:6 has Command::new"),
        (file("src/session/a.rs", "unsafe { x }"), "src/session/a.rs:6 has unsafe"),
        (
            file("src/session/a.rs", &"\n".repeat(450)),
            "src/session/a.rs has 456 lines, more than 450",
        ),
        (file("src/session/a.rs", "x.expect(y);"), "src/session/a.rs:6 has .expect("),
        (
            Source { path: "src/session/a.rs".into(), text: "fn f() {}\n".into() },
            "src/session/a.rs:1",
        ),
    ];

    let found = |source: &Source| -> Vec<(&str, String)> {
        let of_rule = |rule: &Rule| {
            (rule.offenders)(source).into_iter().map(|found| (rule.says, found)).collect()
        };
        RULES.iter().flat_map(|rule| -> Vec<_> { of_rule(rule) }).collect()
    };

    let mut failed = BTreeSet::new();
    for (source, offender) in &broken {
        let found = found(source);
        assert_eq!(found.iter().map(|(_, found)| found).collect::<Vec<_>>(), [offender]);
        failed.extend(found.iter().map(|(says, _)| *says));
    }
    assert_eq!(found(&file("src/session/a.rs", "")), []);
    assert_eq!(failed.len(), RULES.len(), "some rule was never seen to fail");
}

#[test]
fn a_table_with_a_circle_or_an_idle_edge_is_found_out() {
    let source = Source { path: "src/a.rs".into(), text: "use crate::b;".into() };

    let upward = upward_edges(&[("a", &["b"]), ("b", &["a"])]);
    let idle = idle_entries(&[("a", &["b", "c"]), ("d", &[])], &[source]);

    assert_eq!(upward, ["b uses a, which is not beneath it"]);
    assert_eq!(idle, ["a does not use c", "there is no part d"]);
}

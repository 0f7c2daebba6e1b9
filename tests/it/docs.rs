//! The pages in docs/, run as they stand: their commands with bash, what those print against what is
//! shown. The blocks of other languages are run by the tests of their clients.

mod links;
mod script;
mod shown;

use std::path::{Path, PathBuf};

use tokio::task::JoinSet;

use crate::readme::page;
use script::Script;

/// A page that a model reads before it does anything must be short.
const AGENTS_LINES: usize = 60;
const AGENTS_WIDTH: usize = 110;

#[tokio::test(flavor = "multi_thread")]
async fn every_page_does_what_it_shows() {
    let mut pages = JoinSet::new();
    for path in pages_of("docs") {
        pages.spawn(async move {
            let blocks = page::blocks(&std::fs::read_to_string(&path).unwrap());
            let script = Script::of(&blocks);
            let problems = if script.is_empty() { Vec::new() } else { script.run().await };
            let name = path.strip_prefix(root()).unwrap().display();
            problems.into_iter().map(|it| format!("{name}: {it}")).collect::<Vec<_>>()
        });
    }

    let problems = pages.join_all().await.concat();

    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

#[test]
fn what_a_model_reads_first_is_short() {
    let page = std::fs::read_to_string(root().join("docs/agents.md")).unwrap();

    assert!(page.lines().count() <= AGENTS_LINES, "{} lines", page.lines().count());
    for line in page.lines() {
        assert!(line.chars().count() <= AGENTS_WIDTH, "too wide: {line}");
    }
}

#[test]
fn every_link_leads_somewhere() {
    let mut pages = pages_of("docs");
    for folder in ["", "clients/python", "clients/go"] {
        pages.push(root().join(folder).join("README.md"));
    }

    let broken: Vec<String> = pages.iter().flat_map(|page| links::broken(page)).collect();

    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn pages_of(folder: &str) -> Vec<PathBuf> {
    let files = std::fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|it| it == "md")).collect();
    pages.sort();
    pages
}

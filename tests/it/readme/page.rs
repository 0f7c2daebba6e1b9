//! The README as text, or another page: its fenced blocks and tables.

use std::path::Path;

pub use super::answer::{compare_all, fits, parse_all};

/// A fenced block.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    pub language: String,
    pub text: String,
    /// There are only blank lines between this and the block before.
    pub is_adjacent: bool,
}

pub fn read() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    std::fs::read_to_string(path).unwrap()
}

/// The part under a heading, up to the next of the same rank.
pub fn section(page: &str, heading: &str) -> String {
    let start = format!("\n## {heading}\n");
    let (_, rest) = page.split_once(&start).unwrap_or_else(|| panic!("no section {heading:?}"));
    rest.split("\n## ").next().unwrap().to_owned()
}

pub fn blocks(section: &str) -> Vec<Block> {
    let mut lines = section.lines();
    let (mut blocks, mut is_adjacent) = (Vec::new(), false);
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let text = lines.by_ref().take_while(|line| *line != "```");
            let text = text.map(|line| format!("{line}\n")).collect();
            blocks.push(Block { language: language.into(), text, is_adjacent });
            is_adjacent = true;
        } else {
            is_adjacent &= line.trim().is_empty();
        }
    }
    blocks
}

/// The cells of the table after a comment that begins with `name`, without its two first rows.
pub fn table(page: &str, name: &str) -> Vec<Vec<String>> {
    let comment = format!("<!-- {name}:");
    let (_, rest) = page.split_once(&comment).unwrap_or_else(|| panic!("no comment {comment:?}"));
    let rows = rest.lines().skip_while(|line| !line.starts_with('|'));
    let rows = rows.take_while(|line| line.starts_with('|')).skip(2);
    rows.map(|row| row.trim_matches('|').split('|').map(|cell| cell.trim().into()).collect())
        .collect()
}

//! Links of a page to files of the repository, and to headings in them.

use std::path::Path;

use regex::Regex;

use super::root;

/// The relative links of a page that lead nowhere.
pub fn broken(page: &Path) -> Vec<String> {
    let text = prose(&std::fs::read_to_string(page).unwrap());
    let links = Regex::new(r"\]\(([^)\s]+)\)").unwrap();
    let targets = links.captures_iter(&text).map(|found| found[1].to_owned());
    let ours = targets.filter(|target| !target.contains("://"));
    let lost = ours.filter(|target| !leads_somewhere(page, target));
    let name = page.strip_prefix(root()).unwrap().display();
    lost.map(|target| format!("{name}: {target} is not there")).collect()
}

fn leads_somewhere(page: &Path, target: &str) -> bool {
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let file = if file.is_empty() { page.into() } else { page.parent().unwrap().join(file) };
    match std::fs::read_to_string(&file) {
        Ok(text) if !anchor.is_empty() => anchors(&prose(&text)).any(|found| found == anchor),
        Ok(_) => true,
        Err(_) => file.is_dir(),
    }
}

/// The headings as GitHub names them in links.
fn anchors(text: &str) -> impl Iterator<Item = String> {
    let headings = text.lines().filter_map(|line| line.trim_start_matches('#').strip_prefix(' '));
    headings.map(|heading| {
        let kept = heading.trim().to_lowercase().replace(' ', "-");
        kept.chars().filter(|it| it.is_alphanumeric() || "-_".contains(*it)).collect()
    })
}

/// The page without its fenced blocks.
fn prose(text: &str) -> String {
    let mut is_prose = true;
    let keep = text.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_prose ^= is_fence;
        is_prose && !is_fence
    });
    keep.collect::<Vec<_>>().join("\n")
}

//! What a page shows of what is printed: text or JSON, in which `…` stands for what was left out.

use crate::readme::page::{self, Block};

/// What is wrong with a shown block, given what was really printed.
pub fn problem(shown: &Block, printed: &str) -> Option<String> {
    match shown.language.as_str() {
        "js" => {
            let real = serde_json::Deserializer::from_str(printed).into_iter();
            let real: Result<Vec<_>, _> = real.collect();
            let compare = |real: Vec<_>| page::compare_all(&page::parse_all(&shown.text), &real);
            real.map_err(|error| error.to_string()).and_then(compare).err()
        }
        _ => {
            let fits = lines_fit(&lines(&shown.text), &lines(printed));
            (!fits).then(|| format!("it shows\n{}", shown.text))
        }
    }
}

/// Blanks at the end of a line are seen by nobody.
fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_end).collect()
}

/// A line that is only a cut stands for any number of lines, a cut in a line for a part of it.
fn lines_fit(shown: &[&str], real: &[&str]) -> bool {
    match (shown.split_first(), real.split_first()) {
        (None, _) => real.is_empty(),
        (Some((first, rest)), _) if first.trim() == "…" => {
            (0..=real.len()).any(|left_out| lines_fit(rest, &real[left_out..]))
        }
        (Some((shown, rest)), Some((real, others))) => {
            page::fits(shown, real) && lines_fit(rest, others)
        }
        (Some(_), None) => false,
    }
}

#[test]
fn lines_are_left_out_only_where_that_is_marked() {
    let check = |shown: &str| lines_fit(&lines(shown), &["one two", "three", "one two"]);

    assert!(check("one two\nthree  \none two\n") && check("one …\n…\n") && check("…\none two"));
    assert!(check("…\nthree\n…") && check("…"));
    assert!(!check("one two\nthree") && !check("…\nfour\n…") && !check("one\n…") && !check(""));
}

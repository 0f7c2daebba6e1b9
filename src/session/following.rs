//! Breakpoints follow their code: a line is found again by its text and by what stands around it.
//! Pure: texts in, a line out.

use crate::store::Surroundings;

/// Lines that are remembered on each side; blank ones do not count.
const NEIGHBOURS: usize = 3;
/// A longer line is remembered by its beginning.
const MAX_TEXT: usize = 200;
/// A text that stands but once in a file is found by itself if it says this much.
const TELLING: usize = 8;

/// What became of a line.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    /// It is where it was.
    Unmoved,
    Moved {
        line: i32,
    },
    /// Its neighbours are there, and another text between them.
    Edited {
        line: i32,
    },
    Lost,
}

/// What to remember of a line, to find it again.
pub fn remember(text: &str, line: i32) -> Surroundings {
    let lines = lines_of(text);
    let Some(index) = index_of(line).filter(|index| *index < lines.len()) else {
        return Surroundings::default();
    };
    Surroundings {
        text: lines[index].to_owned(),
        before: before(&lines, index).rev().map(str::to_owned).collect(),
        after: after(&lines, index).map(str::to_owned).collect(),
    }
}

/// Finds the line that was `line` when it was remembered.
pub fn find(text: &str, line: i32, remembered: &Surroundings) -> Found {
    if remembered.text.is_empty() {
        // Nothing was known of it then.
        return Found::Unmoved;
    }
    let lines = lines_of(text);
    let is_alike = |index: &usize| lines[*index] == remembered.text;
    let alike: Vec<usize> = (0..lines.len()).filter(is_alike).collect();
    let distance = |index: usize| (index as i64 + 1 - i64::from(line)).abs();
    let best = alike.iter().copied().max_by_key(|index| {
        (likeness(&lines, *index, remembered), std::cmp::Reverse(distance(*index)))
    });
    let is_telling = |index: usize| {
        let is_lonely = remembered.before.is_empty() && remembered.after.is_empty();
        0 < likeness(&lines, index, remembered)
            || is_lonely
            || (alike.len() == 1 && TELLING <= remembered.text.len())
    };
    match best {
        Some(index) if distance(index) == 0 => Found::Unmoved,
        Some(index) if is_telling(index) => Found::Moved { line: line_of(index) },
        // The text is too common to be it, or gone: what stands between its neighbours is it.
        Some(_) | None => between_neighbours(&lines, remembered).unwrap_or(Found::Lost),
    }
}

/// How many neighbours are as they were.
fn likeness(lines: &[&str], index: usize, remembered: &Surroundings) -> usize {
    let same = |is: &mut dyn Iterator<Item = &str>, was: &mut dyn Iterator<Item = &String>| {
        is.zip(was).filter(|(is, was)| is == was).count()
    };
    same(&mut before(lines, index), &mut remembered.before.iter().rev())
        + same(&mut after(lines, index), &mut remembered.after.iter())
}

/// The one place whose nearest neighbours on both sides, and most of the others, are as they were.
fn between_neighbours(lines: &[&str], remembered: &Surroundings) -> Option<Found> {
    let (above, below) = (remembered.before.last()?, remembered.after.first()?);
    let all = remembered.before.len() + remembered.after.len();
    let most = (2 * all).div_ceil(3).max(2);
    let fitting = (0..lines.len()).filter(|index| {
        !lines[*index].is_empty()
            && before(lines, *index).next() == Some(above.as_str())
            && after(lines, *index).next() == Some(below.as_str())
    });
    let rated = fitting.map(|index| (likeness(lines, index, remembered), index));
    let mut rated: Vec<_> = rated.filter(|(likeness, _)| most <= *likeness).collect();
    rated.sort();
    match rated.as_slice() {
        [.., (second, _), (best, _)] if second == best => None,
        [.., (_, index)] => Some(Found::Edited { line: line_of(*index) }),
        [] => None,
    }
}

fn lines_of(text: &str) -> Vec<&str> {
    text.lines().map(|line| cut(line.trim())).collect()
}

fn cut(line: &str) -> &str {
    line.char_indices().nth(MAX_TEXT).map_or(line, |(end, _)| &line[..end])
}

/// Neighbours above, nearest first.
fn before<'a>(lines: &'a [&'a str], index: usize) -> impl DoubleEndedIterator<Item = &'a str> {
    let above = lines[..index].iter().rev().copied().filter(|line| !line.is_empty());
    above.take(NEIGHBOURS).collect::<Vec<_>>().into_iter()
}

/// Neighbours below, nearest first.
fn after<'a>(lines: &'a [&'a str], index: usize) -> impl Iterator<Item = &'a str> {
    let below = lines[index + 1..].iter().copied().filter(|line| !line.is_empty());
    below.take(NEIGHBOURS)
}

fn index_of(line: i32) -> Option<usize> {
    usize::try_from(line).ok()?.checked_sub(1)
}

fn line_of(index: usize) -> i32 {
    i32::try_from(index + 1).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOP: &str = "\
import os

def total(orders):
    result = 0
    for order in orders:
        result += order.price
    return result

def count(orders):
    result = 0
    for order in orders:
        result += 1
    return result
";

    /// What becomes of the line with this text (its `nth` occurrence) when the file is changed.
    fn after_change(text: &str, nth: usize, changed: &str) -> Found {
        let is_it = |(_, line): &(usize, &str)| line.trim() == text;
        let (index, _) = SHOP.lines().enumerate().filter(is_it).nth(nth).unwrap();
        let line = index as i32 + 1;
        find(changed, line, &remember(SHOP, line))
    }

    #[test]
    fn a_file_that_has_not_changed_keeps_its_lines() {
        for line in 1..=13 {
            assert_eq!(find(SHOP, line, &remember(SHOP, line)), Found::Unmoved, "{line}");
        }
    }

    #[test]
    fn lines_added_above_move_it() {
        let changed = format!("# one\n# two\n\n{SHOP}");

        assert_eq!(after_change("result += order.price", 0, &changed), Found::Moved { line: 9 });
        assert_eq!(after_change("return result", 0, &changed), Found::Moved { line: 10 });
        assert_eq!(after_change("return result", 1, &changed), Found::Moved { line: 16 });
    }

    #[test]
    fn of_lines_with_the_same_text_the_one_in_the_same_company_is_it() {
        let (first, second) = SHOP.split_at(SHOP.find("def count").unwrap());
        let swapped = format!("{second}\n{first}");

        assert_eq!(after_change("result = 0", 0, &swapped), Found::Moved { line: 10 });
        assert_eq!(after_change("result = 0", 1, &swapped), Found::Moved { line: 2 });
    }

    #[test]
    fn an_indented_line_is_the_same_line() {
        let changed = SHOP.replace("    return result", "        return result");

        assert_eq!(after_change("return result", 0, &changed), Found::Unmoved);
    }

    #[test]
    fn an_edited_line_is_found_between_its_neighbours() {
        let changed = format!("\n{}", SHOP.replace("order.price", "order.price * order.amount"));

        assert_eq!(after_change("result += order.price", 0, &changed), Found::Edited { line: 7 });
    }

    #[test]
    fn a_line_that_was_taken_out_is_lost() {
        let without = SHOP.replace("        result += order.price\n", "");

        assert_eq!(after_change("result += order.price", 0, &without), Found::Lost);
        assert_eq!(after_change("result += order.price", 0, ""), Found::Lost);
        assert_eq!(after_change("result += order.price", 0, "something\nelse\n"), Found::Lost);
    }

    #[test]
    fn a_common_line_in_strange_company_is_not_it() {
        let changed = "def other():\n    work()\n    return result\n\nother()\n";

        assert_eq!(after_change("return result", 1, changed), Found::Moved { line: 3 });
        assert_eq!(
            after_change("import os", 0, "x = 1\nimport os\ny = 2\n"),
            Found::Moved { line: 2 }
        );
        let common = "if a:\n    pass\nif b:\n    pass\n";
        let remembered = remember("x()\npass\ny()\n", 2);
        assert_eq!(find(common, 3, &remembered), Found::Lost);
    }
}

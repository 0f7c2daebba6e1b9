//! Which lines of Python text surely have code of their own, by a look that costs nothing. Whatever
//! is not sure is left to the interpreter, which knows.

/// Words that begin lines which may have no code: some versions of Python compile them away.
const UNSURE: &[&str] = &[
    "else", "try", "finally", "except", "global", "nonlocal", "pass", "while", "case", "break",
    "continue",
];
/// Tests that are decided when the file is compiled.
const CONSTANTS: &[&str] = &["True", "False", "None", "not", "__debug__"];

/// For each line whether a statement with code begins there.
pub fn sure(text: &str) -> Vec<bool> {
    let mut inside = Inside::default();
    let mut is_continued = false;
    let lines = text.lines().map(|line| {
        let begins = !is_continued && inside.quote.is_none() && inside.depth == 0;
        let is_sure = begins && has_code(line.trim());
        inside.pass(line);
        is_continued = line.ends_with('\\') && inside.quote.is_none();
        is_sure
    });
    lines.collect()
}

fn has_code(line: &str) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let end = line.find(|character| !is_word(character)).unwrap_or(line.len());
    let (word, rest) = (&line[..end], line[end..].trim_start());
    let first = line.chars().next().unwrap_or('#');
    let begins_well = first == '@' || first.is_alphabetic() || first == '_';
    let is_text = rest.starts_with(['"', '\'']);
    let is_bare = rest.is_empty() && !matches!(word, "return" | "raise" | "yield");
    // `x: int` alone is no code inside a function.
    let is_annotation = rest.starts_with(':') && !rest.contains('=') && word != "lambda";
    let is_decided = matches!(word, "if" | "elif" | "assert")
        && (rest.starts_with(|character: char| character.is_ascii_digit())
            || CONSTANTS.iter().any(|constant| rest.starts_with(constant)));
    begins_well && !UNSURE.contains(&word) && !(is_text || is_bare || is_annotation || is_decided)
}

/// What a line may be inside of when it begins.
#[derive(Default)]
struct Inside {
    /// The closing quotes of a string that goes over lines.
    quote: Option<&'static str>,
    depth: usize,
}

impl Inside {
    fn pass(&mut self, line: &str) {
        let mut rest = line;
        while let Some(character) = rest.chars().next() {
            if let Some(quote) = self.quote {
                match rest.strip_prefix(quote) {
                    Some(after) => {
                        self.quote = None;
                        rest = after;
                    }
                    None => {
                        let skipped = if character == '\\' { 2 } else { 1 };
                        rest = after(rest, skipped);
                    }
                }
                continue;
            }
            match character {
                '#' => break,
                '"' | '\'' => {
                    let quotes = ["\"\"\"", "'''", "\"", "'"];
                    self.quote = quotes.into_iter().find(|quote| rest.starts_with(quote));
                    rest = &rest[self.quote.map_or(1, str::len)..];
                    continue;
                }
                '(' | '[' | '{' => self.depth += 1,
                ')' | ']' | '}' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            rest = after(rest, 1);
        }
        // Only triple quotes go over lines.
        let is_long = self.quote.is_some_and(|quote| quote.len() == 3);
        if !is_long && !line.ends_with('\\') {
            self.quote = None;
        }
    }
}

fn after(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or("", |(index, _)| &text[index..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sure_lines(text: &str) -> Vec<usize> {
        let numbers = (1..).zip(sure(text));
        numbers.filter(|(_, is_sure)| *is_sure).map(|(number, _)| number).collect()
    }

    #[test]
    fn plain_statements_are_sure() {
        let text = "import os\nx = 1\n\n# no\nif x:\n    print(x)\nelse:\n    y = 2\nreturn\n@wraps\ndef f():\n";

        assert_eq!(sure_lines(text), [1, 2, 5, 6, 8, 9, 10, 11]);
    }

    #[test]
    fn lines_inside_of_strings_and_brackets_are_not() {
        let text = "x = '''\nnot = code\n''' + f(\n    a,\n)\ny = 'it\\'s' # '''\nz = 1 + \\\n    2\nw = 3\n";

        assert_eq!(sure_lines(text), [1, 6, 7, 9]);
    }

    #[test]
    fn what_compilers_drop_is_not() {
        let text = "\"\"\"doc\"\"\"\n...\n1\nx: int\nwhile True:\n    pass\nif 0:\n    nonlocal a\nx: int = 3\nname\n";

        assert_eq!(sure_lines(text), [9]);
    }
}

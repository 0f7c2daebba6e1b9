//! Rust source as text: its code without comments and literals, and where things stand in it.

use std::path::Path;

/// One file: its path from the root of the project, and what it says.
pub struct Source {
    pub path: String,
    pub text: String,
}

/// All Rust files in a folder of the project, by path.
pub fn sources(folder: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut folders = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let path = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                found.push(Source { path, text });
            }
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

/// The code: comments, strings and characters are blank, and every line keeps its number.
pub fn code(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = hidden_length(rest);
        let taken = length.unwrap_or(first.len_utf8());
        match length {
            Some(_) => code.push_str(&blank(&rest[..taken])),
            None => code.push(first),
        }
        rest = &rest[taken..];
    }
    code
}

/// The code that is shipped: also without what stands under `#[cfg(test)]`.
pub fn shipped_code(text: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut code = code(text);
    while let Some(start) = code.find(MARK) {
        let end = start + MARK.len() + item_length(&code[start + MARK.len()..]);
        let blank = blank(&code[start..end]);
        code.replace_range(start..end, &blank);
    }
    code
}

/// Where `word` stands in `code` as a word of its own, or at the beginning of a path.
pub fn places(code: &str, word: &str) -> Vec<usize> {
    let is_part_of_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let starts_inside = |index: usize| code[..index].ends_with(is_part_of_name);
    let goes_on = |index: usize| {
        word.ends_with(is_part_of_name) && code[index + word.len()..].starts_with(is_part_of_name)
    };
    let found = code.match_indices(word).map(|(index, _)| index);
    found
        .filter(|index| !goes_on(*index))
        .filter(|index| !word.starts_with(is_part_of_name) || !starts_inside(*index))
        .collect()
}

/// The line of a place, counted from 1.
pub fn line(code: &str, place: usize) -> usize {
    code[..place].matches('\n').count() + 1
}

/// The name that a text begins with.
pub fn name(text: &str) -> &str {
    let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
    &text[..end.unwrap_or(text.len())]
}

/// How long the comment or literal is that `text` begins with.
fn hidden_length(text: &str) -> Option<usize> {
    let to = |from: usize, end: &str| {
        Some(text[from..].find(end).map_or(text.len(), |at| from + at + end.len()))
    };
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if text.starts_with("/*") {
        return to(2, "*/");
    }
    if text.starts_with('"') {
        return Some(string_length(text));
    }
    if let Some(raw) = text.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        let is_string = raw[hashes..].starts_with('"');
        return if is_string { to(hashes + 2, &format!("\"{}", "#".repeat(hashes))) } else { None };
    }
    let letter = text.strip_prefix('\'')?.chars().next()?;
    // What has no end right after its one letter is a lifetime.
    match letter {
        '\\' => to(3, "'"),
        _ => text[1 + letter.len_utf8()..].starts_with('\'').then(|| letter.len_utf8() + 2),
    }
}

fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (index, letter) in text.char_indices().skip(1) {
        match letter {
            '"' if !is_escaped => return index + 1,
            _ => is_escaped = letter == '\\' && !is_escaped,
        }
    }
    text.len()
}

/// How long the item is that `code` begins with: to its semicolon or its closing brace.
fn item_length(code: &str) -> usize {
    let mut depth = 0;
    for (index, letter) in code.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 1 => return index + 1,
            '}' => depth -= 1,
            ';' if depth == 0 => return index + 1,
            _ => {}
        }
    }
    code.len()
}

fn blank(text: &str) -> String {
    text.chars().map(|letter| if letter == '\n' { '\n' } else { ' ' }).collect()
}

#[test]
fn comments_and_literals_are_no_code() {
    let hidden =
        ["// x", "/* x */", r#""x""#, r#""\"x""#, r###"r#""x""#"###, "'x'", r"'\''/*x*/", "b\"x\""];

    let seen: Vec<String> = hidden.iter().map(|text| code(&format!("{text}\ny"))).collect();

    for code in seen {
        assert!(!code.contains('x') && code.ends_with("\ny"), "{code:?}");
    }
    assert_eq!(code("fn r#in<'x>(x: &'x str)"), "fn r#in<'x>(x: &'x str)");
}

#[test]
fn tests_are_not_shipped() {
    let text = "a();\n#[cfg(test)]\nmod tests { fn f() { b(\"}\") } }\n#[cfg(test)]\nuse b;\nc();";

    let shipped = shipped_code(text);

    assert!(shipped.contains("a()") && shipped.contains("c()") && !shipped.contains('b'));
    assert_eq!(shipped.lines().count(), text.lines().count());
}

#[test]
fn words_are_found_whole_and_with_their_line() {
    let code = "unsafe_code\n unsafe { mycrate::a; crate::b }";

    assert_eq!(places(code, "unsafe"), [13]);
    assert_eq!(places(code, "crate::").len(), 1);
    assert_eq!(line(code, 13), 2);
    assert_eq!(name("dap::types"), "dap");
}

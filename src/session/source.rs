//! Source files as the session reads them: excerpts around a line, and what can be said of a line
//! before the debugger is asked.

use std::io::Read;
use std::path::{Component, Path, PathBuf};

use super::statements;
use crate::proto::SourceExcerpt;

/// Larger files are not looked into.
const MAX_FILE: u64 = 10 * 1024 * 1024;
/// Longer lines are cut in excerpts.
const MAX_LINE: usize = 200;

/// `file` as an absolute path without `.` and `..`, from `root` on. Symbolic links stay as they are.
pub fn absolute(root: &Path, file: &str) -> PathBuf {
    let mut path = PathBuf::new();
    for part in root.join(file).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                path.pop();
            }
            part => path.push(part),
        }
    }
    path
}

/// What a look at the file tells of a line.
#[derive(Debug, PartialEq)]
pub enum Line {
    Fits,
    /// Only the interpreter knows whether it has code. Until it is asked: this line is the first
    /// from there on that is neither blank nor a comment.
    Unsure(i32),
    Problem(String),
}

/// Looks whether breakpoints can be on these lines of `file`.
pub fn look_at(file: &Path, wanted: &[i32]) -> Vec<Line> {
    match read(file) {
        Ok(text) => {
            let lines: Vec<&str> = text.lines().collect();
            let sure = statements::sure(&text);
            wanted.iter().map(|line| look_at_line(file, &lines, &sure, *line)).collect()
        }
        Err(problem) => wanted.iter().map(|_| Line::Problem(problem.clone())).collect(),
    }
}

fn look_at_line(file: &Path, lines: &[&str], sure: &[bool], line: i32) -> Line {
    let Some(index) = usize::try_from(line)
        .ok()
        .and_then(|line| line.checked_sub(1))
        .filter(|index| *index < lines.len())
    else {
        return Line::Problem(format!(
            "{} has {} lines, so there is no line {line}",
            file.display(),
            lines.len()
        ));
    };
    let has_text =
        |line: &&str| !line.trim_start().is_empty() && !line.trim_start().starts_with('#');
    match lines[index..].iter().position(has_text) {
        Some(0) if sure.get(index).is_some_and(|is_sure| *is_sure) => Line::Fits,
        Some(offset) => Line::Unsure(line + offset as i32),
        None => Line::Problem(format!("neither line {line} nor any after it has code")),
    }
}

/// The lines around `line`, numbered, the current one marked.
pub fn excerpt(file: &str, line: i32, context: u32) -> Option<SourceExcerpt> {
    excerpt_of(&read(Path::new(file)).ok()?, file, line, context)
}

/// The same of a text that is not in a file.
pub fn excerpt_of(text: &str, file: &str, line: i32, context: u32) -> Option<SourceExcerpt> {
    let context = i32::try_from(context).unwrap_or(i32::MAX);
    let (first, last) = (line.saturating_sub(context).max(1), line.saturating_add(context));
    let width = last.min(text.lines().count() as i32).to_string().len();
    let mut shown = String::new();
    for (number, content) in
        (1..).zip(text.lines()).skip(first as usize - 1).take_while(|(number, _)| *number <= last)
    {
        let mark = if number == line { '>' } else { ' ' };
        let content: String = content.chars().take(MAX_LINE).collect();
        shown += &format!("{mark}{number:>width$} {content}\n");
    }
    (!shown.is_empty()).then(|| SourceExcerpt {
        file: file.into(),
        current_line: line,
        text: shown,
    })
}

pub fn read(file: &Path) -> Result<String, String> {
    let name = file.display();
    let facts = file.metadata().map_err(|_| format!("there is no file {name}"))?;
    if !facts.is_file() {
        return Err(format!("{name} is no file"));
    }
    // Some files of the system say that they are empty and never end.
    let mut bytes = Vec::new();
    std::fs::File::open(file)
        .and_then(|file| file.take(MAX_FILE + 1).read_to_end(&mut bytes))
        .map_err(|error| format!("{name} cannot be read: {error}"))?;
    if MAX_FILE < bytes.len() as u64 {
        return Err(format!("{name} is larger than {MAX_FILE} bytes"));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file
    }

    #[test]
    fn lines_without_code_move_on_to_the_next_that_has_some() {
        let file = file("a = 1\n\n# why\n  # indented\nb = 2\n\n");
        let look = |line| look_at(file.path(), &[line]).remove(0);

        assert_eq!(
            [look(1), look(2), look(4), look(5)],
            [Line::Fits, Line::Unsure(5), Line::Unsure(5), Line::Fits]
        );
        assert!(matches!(look(6), Line::Problem(text) if text.contains("nor any after")));
    }

    #[test]
    fn lines_outside_and_files_that_are_none_are_told_apart() {
        let file = file("a = 1\n");
        let problem = |path: &Path, line| match look_at(path, &[line]).remove(0) {
            Line::Problem(text) => text,
            other => panic!("{other:?}"),
        };

        assert!(problem(file.path(), 9).contains("has 1 lines, so there is no line 9"));
        assert!(problem(file.path(), i32::MIN).contains("there is no line"));
        assert!(problem(Path::new("/nope.py"), 1).contains("there is no file"));
        assert!(problem(Path::new("/"), 1).contains("is no file"));
        #[cfg(target_os = "linux")]
        assert!(!problem(Path::new("/proc/self/pagemap"), 1).is_empty());
    }

    #[test]
    fn an_excerpt_numbers_its_lines_and_marks_the_current_one() {
        let file = file("one\ntwo\nthree\nfour\n");
        let name = file.path().to_string_lossy();

        let excerpt = excerpt(&name, 2, 1).unwrap();

        assert_eq!(excerpt.text, " 1 one\n>2 two\n 3 three\n");
        assert_eq!(super::excerpt(&name, 99, 1), None);
    }

    #[test]
    fn paths_are_taken_from_the_root_and_cleaned() {
        assert_eq!(absolute(Path::new("/p"), "a/./b/../c.py"), Path::new("/p/a/c.py"));
        assert_eq!(absolute(Path::new("/p"), "/x.py"), Path::new("/x.py"));
    }
}

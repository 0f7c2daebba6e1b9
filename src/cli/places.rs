//! Places as people write them: `app.py:12`, `12`, `Class.method`, each with ` if CONDITION` and
//! ` log MESSAGE`.

use std::path::Path;
use std::str::FromStr;

use crate::proto::breakpoint_spec::Location;
use crate::proto::{BreakpointSpec, FunctionLocation, LineLocation};

/// Where, on what condition, and what to write instead of stopping.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    pub at: At,
    pub condition: String,
    pub log: String,
}

#[derive(Debug, Clone, PartialEq)]
pub enum At {
    /// Without a file, in the file of the stop.
    Line {
        file: Option<String>,
        line: i32,
    },
    Function(String),
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let part = |text: &'_ str, word: &str| match text.split_once(word) {
            Some((before, after)) => (before.trim().to_owned(), after.trim().to_owned()),
            None => (text.trim().to_owned(), String::new()),
        };
        // A condition may have the word log in it, and a message any word.
        let (place, rest) = match (text.find(" if "), text.find(" log ")) {
            (Some(condition), Some(log)) => text.split_at(condition.min(log)),
            (Some(start), None) | (None, Some(start)) => text.split_at(start),
            (None, None) => (text, ""),
        };
        let place = place.trim();
        let (condition, log) = match rest.strip_prefix(" if ") {
            Some(rest) => part(rest, " log "),
            None => {
                (String::new(), rest.strip_prefix(" log ").unwrap_or_default().trim().to_owned())
            }
        };
        let at = match place.rsplit_once(':') {
            Some((file, line)) if !file.is_empty() => {
                At::Line { file: Some(file.into()), line: number(line, text)? }
            }
            Some(_) => return Err(format!("`{text}` has no file before the colon")),
            None if place.is_empty() => return Err("it is empty".into()),
            None if place.starts_with(|first: char| first.is_ascii_digit() || first == '-') => {
                At::Line { file: None, line: number(place, text)? }
            }
            None if place.ends_with(".py") || place.contains('/') => {
                return Err(format!("`{place}` names no line; write {place}:12"));
            }
            None => At::Function(place.into()),
        };
        Ok(Self { at, condition, log })
    }
}

fn number(text: &str, whole: &str) -> Result<i32, String> {
    let line = text.parse().ok().filter(|line| 1 <= *line);
    line.ok_or_else(|| format!("`{text}` in `{whole}` is no line: they are counted from 1"))
}

impl Place {
    /// Relative files are taken from `folder`; a line without a file is in `default_file`.
    pub fn spec(
        &self,
        folder: &Path,
        default_file: Option<&str>,
    ) -> Result<BreakpointSpec, String> {
        let location = match &self.at {
            At::Function(name) => Location::Function(FunctionLocation { name: name.clone() }),
            At::Line { .. } => Location::Line(self.line(folder, default_file)?),
        };
        let (condition, log_message) = (self.condition.clone(), self.log.clone());
        Ok(BreakpointSpec {
            location: Some(location),
            condition,
            log_message,
            ..Default::default()
        })
    }

    /// The line that it is.
    pub fn line(&self, folder: &Path, default_file: Option<&str>) -> Result<LineLocation, String> {
        let At::Line { file, line } = &self.at else {
            return Err("a line is wanted here: FILE:LINE or LINE".into());
        };
        let file = match (file, default_file) {
            (Some(file), _) => folder.join(file).to_string_lossy().into_owned(),
            (None, Some(file)) => file.into(),
            (None, None) => {
                return Err(format!("{line} is a line of which file? Write FILE:{line}"));
            }
        };
        Ok(LineLocation { file, line: *line, column: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str) -> Place {
        text.parse().unwrap()
    }

    #[test]
    fn lines_functions_and_conditions_are_told_apart() {
        let line = |file: Option<&str>, line| At::Line { file: file.map(Into::into), line };

        assert_eq!(place("app.py:12").at, line(Some("app.py"), 12));
        assert_eq!(place("C:/x/a.py:3 if a == 'b:1'").at, line(Some("C:/x/a.py"), 3));
        assert_eq!(place("C:/x/a.py:3 if a == 'b:1'").condition, "a == 'b:1'");
        assert_eq!(place(" 7 ").at, line(None, 7));
        assert_eq!(place("a.py:3 log {x} if y").log, "{x} if y");
        let both = place("a.py:3 if x > 1 log {x}");
        assert_eq!((both.condition.as_str(), both.log.as_str()), ("x > 1", "{x}"));
        assert_eq!(place("Basket.add if n > 3").at, At::Function("Basket.add".into()));
    }

    #[test]
    fn what_is_no_place_says_what_to_write() {
        for (text, says) in [
            ("app.py", "write app.py:12"),
            ("app.py:0", "counted from 1"),
            ("app.py:x", "is no line"),
            (":3", "no file"),
            ("-3", "counted from 1"),
            ("", "empty"),
        ] {
            let problem = text.parse::<Place>().unwrap_err();
            assert!(problem.contains(says), "{text}: {problem}");
        }
    }

    #[test]
    fn relative_files_are_taken_from_the_folder() {
        let here = Path::new("/p");

        assert_eq!(place("a.py:1").line(here, None).unwrap().file, "/p/a.py");
        assert_eq!(place("/x/a.py:1").line(here, None).unwrap().file, "/x/a.py");
        assert_eq!(place("4").line(here, Some("/q/b.py")).unwrap().file, "/q/b.py");
        assert!(place("4").line(here, None).unwrap_err().contains("FILE:4"));
    }
}

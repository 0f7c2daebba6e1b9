//! The config file: its values with their lines, and all that is wrong with it at once.

use std::io::Read;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::{KEYS, Key};
use super::source::{Problem, Source};
use super::values::{Given, Raw};

/// No config file is longer.
const MAX_FILE: u64 = 1024 * 1024;
/// How much of a value a message repeats.
const MAX_WRITTEN: usize = 60;
/// Less alike is not meant.
const ALIKE: f64 = 0.8;

/// One line of the file.
pub struct Entry {
    /// The place of the key in the table.
    pub index: usize,
    pub line: usize,
    pub raw: Raw,
}

/// What a file says.
#[derive(Default)]
pub struct Parsed {
    pub entries: Vec<Entry>,
    pub problems: Vec<Problem>,
}

/// The text of a file, or why there is none.
pub fn read(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    std::fs::File::open(path)?.take(MAX_FILE + 1).read_to_string(&mut text)?;
    if MAX_FILE < text.len() as u64 {
        return Err(std::io::Error::other("it is longer than 1 MiB"));
    }
    Ok(text)
}

/// Reads a file's text. Problems are in the order of lines.
pub fn parse(path: &Path, text: &str) -> Parsed {
    let mut reader = Reader { path, text, parsed: Parsed::default() };
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let at = error.span().map_or(text.len(), |span| span.start);
        reader.problem(at, "", format!("this is no TOML: {}", error.message()));
    }
    // What else there is to say of a line that is no TOML follows from that.
    reader.parsed.problems.dedup_by_key(|problem| problem.line());
    let broken: Vec<_> = reader.parsed.problems.iter().map(Problem::line).collect();
    reader.table("", table.get_ref());
    let mut parsed = reader.parsed;
    parsed.problems.retain(|problem| problem.key.is_empty() || !broken.contains(&problem.line()));
    parsed.entries.retain(|entry| !broken.contains(&Some(entry.line)));
    parsed.problems.sort_by_key(Problem::line);
    parsed
}

struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
    parsed: Parsed,
}

impl Reader<'_> {
    fn table(&mut self, prefix: &str, table: &DeTable) {
        for (key, value) in table {
            let name = format!("{prefix}{}", key.get_ref());
            let at = key.span().start;
            if name == "limits" {
                match value.get_ref() {
                    DeValue::Table(limits) => self.table("limits.", limits),
                    _ => self.problem(at, &name, "it must be a table, [limits]".into()),
                }
                continue;
            }
            match Key::find(&name) {
                Some((index, _)) => {
                    let (line, raw) = (self.line(at), self.raw(value));
                    self.parsed.entries.push(Entry { index, line, raw });
                }
                None => self.problem(at, &name, unknown(&name)),
            }
        }
    }

    fn raw(&self, value: &Spanned<DeValue>) -> Raw {
        let given = match value.get_ref() {
            DeValue::String(text) => Given::Text(text.to_string()),
            DeValue::Boolean(is_on) => Given::Boolean(*is_on),
            DeValue::Integer(number) => {
                let number = i64::from_str_radix(number.as_str(), number.radix());
                number.map_or(Given::Other, Given::Integer)
            }
            DeValue::Array(items) => {
                let text = |item: &Spanned<DeValue>| match item.get_ref() {
                    DeValue::String(text) => Some(text.to_string()),
                    _ => None,
                };
                items.iter().map(text).collect::<Option<_>>().map_or(Given::Other, Given::List)
            }
            _ => Given::Other,
        };
        let written = self.text.get(value.span()).unwrap_or_default();
        let written = written.lines().next().unwrap_or_default();
        let written = match written.char_indices().nth(MAX_WRITTEN) {
            Some((end, _)) => format!("{}…", &written[..end]),
            None => written.to_owned(),
        };
        Raw { given, written }
    }

    fn problem(&mut self, at: usize, key: &str, says: String) {
        let source = Source::File { path: self.path.into(), line: self.line(at) };
        self.parsed.problems.push(Problem { source, key: key.into(), says });
    }

    fn line(&self, at: usize) -> usize {
        let before = self.text.as_bytes().get(..at).unwrap_or(self.text.as_bytes());
        before.iter().filter(|byte| **byte == b'\n').count() + 1
    }
}

/// What to say of a key that is none.
fn unknown(name: &str) -> String {
    match nearest(name) {
        Some(nearest) => format!("there is no such key; did you mean {nearest}?"),
        None => "there is no such key; `debug-relay config show` lists all".into(),
    }
}

/// The key that is most like a name, also one under `[limits]` that was put before it.
fn nearest(name: &str) -> Option<&'static str> {
    fn last(name: &str) -> &str {
        name.rsplit('.').next().unwrap_or(name)
    }
    let alike = |key: &&'static Key| strsim::jaro_winkler(last(key.name), last(name));
    let best = KEYS.iter().max_by(|one, other| alike(one).total_cmp(&alike(other)))?;
    (ALIKE <= alike(&best)).then_some(best.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> Vec<String> {
        let parsed = parse(Path::new("config.toml"), text);
        parsed.problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn values_have_their_lines_however_the_table_is_written() {
        let names = |text: &str| -> Vec<(&str, usize)> {
            let entries = parse(Path::new("c"), text).entries;
            entries.iter().map(|entry| (KEYS[entry.index].name, entry.line)).collect()
        };

        assert_eq!(
            names("# a comment\nlisten = \"x\"\n\n[limits]\nsessions = 0x1_0\n"),
            [("limits.sessions", 5), ("listen", 2)]
        );
        assert_eq!(names("limits.events = 1\n"), [("limits.events", 1)]);
        assert_eq!(names("limits = { events = 1 }\n"), [("limits.events", 1)]);
    }

    #[test]
    fn unknown_keys_are_named_with_the_nearest_known_one() {
        let says =
            problems("lisen = 1\nsessions = 3\n[limits]\noutput-bytes = 1\nzzz = 1\n[tls]\n");

        assert_eq!(says.len(), 5, "{says:?}");
        assert!(says[0].starts_with("config.toml:1: lisen: ") && says[0].contains("mean listen?"));
        assert!(says[1].starts_with("config.toml:2: ") && says[1].contains("limits.sessions?"));
        assert!(says[2].contains(":4: limits.output-bytes: ") && says[2].contains("output_bytes?"));
        assert!(says[3].contains(":5: limits.zzz: ") && says[3].contains("config show"));
        assert!(says[4].starts_with("config.toml:6: tls: "));
    }

    #[test]
    fn all_that_is_no_toml_is_told_with_its_line_and_only_once() {
        let says = problems("listen = \nrun_dir = \"/a\"\nrun_dir = \"/b\"\n[limits]\nwhat\n\"");

        let lines: Vec<&str> = says.iter().map(|says| &says[..14]).collect();
        assert_eq!(lines, [1, 3, 5, 6].map(|line| format!("config.toml:{line}:")), "{says:?}");
        assert!(says.iter().all(|line| line.contains("no TOML")), "{says:?}");
    }

    #[test]
    fn a_file_that_is_cut_anywhere_is_read_without_a_panic() {
        let text = "listen = \"unix:/ä\" # ö\n[limits]\nsessions = 12\nwait = '1h'\n";

        for (end, _) in text.char_indices() {
            parse(Path::new("c"), &text[..end]);
        }
    }

    #[test]
    fn a_limits_that_is_no_table_says_so() {
        assert_eq!(problems("limits = 3"), ["config.toml:1: limits: it must be a table, [limits]"]);
    }
}

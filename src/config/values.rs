//! The forms of values: whole numbers, sizes, durations, switches, paths. Each is read from a file,
//! the environment or a flag, with one message for what is wrong, and written back in the same form.

use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longer times would overflow clocks.
const MAX_SPAN: Duration = Duration::from_secs(3650 * 24 * 3600);

const SIZES: &[(&str, u64)] = &[
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("TB", 1_000_000_000_000),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("kB", 1000),
    ("B", 1),
];
/// How many of them are powers of two, and used for writing.
const BINARY_SIZES: usize = 4;

const SPANS: &[(&str, u128)] = &[
    ("d", 24 * 3600 * 1_000_000_000),
    ("h", 3600 * 1_000_000_000),
    ("m", 60 * 1_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1000),
    ("ns", 1),
];

/// A value as somebody gave it.
#[derive(Debug, Clone, PartialEq)]
pub struct Raw {
    pub given: Given,
    /// As it was written, for messages.
    pub written: String,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// From the environment or a flag, where everything is a word.
    Word(OsString),
    /// The types of a file.
    Text(String),
    Integer(i64),
    Boolean(bool),
    List(Vec<String>),
    Other,
}

impl Raw {
    pub fn word(word: OsString) -> Self {
        let written = format!("{:?}", word.to_string_lossy());
        Self { given: Given::Word(word), written }
    }

    fn text(&self) -> Option<&str> {
        match &self.given {
            Given::Word(word) => word.to_str(),
            Given::Text(text) => Some(text),
            Given::Integer(_) | Given::Boolean(_) | Given::List(_) | Given::Other => None,
        }
    }

    fn must_be(&self, form: &str) -> String {
        format!("it is {}, and must be {form}", self.written)
    }

    pub fn count(&self, range: &RangeInclusive<u64>) -> Result<u64, String> {
        let number = match &self.given {
            Given::Word(word) => word.to_str().and_then(|word| word.trim().parse().ok()),
            Given::Integer(number) => Some(u64::try_from(*number).unwrap_or(0)),
            Given::Text(_) | Given::Boolean(_) | Given::List(_) | Given::Other => None,
        };
        let number = number.ok_or_else(|| self.must_be("a whole number"))?;
        let is_negative = matches!(self.given, Given::Integer(..0));
        self.within(number, is_negative, range, u64::to_string)
    }

    pub fn size(&self, range: &RangeInclusive<u64>) -> Result<u64, String> {
        let size = match &self.given {
            Given::Integer(number) => Some(u64::try_from(*number).unwrap_or(0)),
            _ => self.text().and_then(parse_size),
        };
        let form = "a number of bytes, such as 65536, \"64KiB\" or \"50MiB\"";
        let size = size.ok_or_else(|| self.must_be(form))?;
        let is_negative = matches!(self.given, Given::Integer(..0));
        self.within(size, is_negative, range, |size| show_size(*size))
    }

    fn within(
        &self,
        number: u64,
        is_negative: bool,
        range: &RangeInclusive<u64>,
        show: fn(&u64) -> String,
    ) -> Result<u64, String> {
        if is_negative || number < *range.start() {
            return Err(self.must_be(&format!("at least {}", show(range.start()))));
        }
        if *range.end() < number {
            return Err(self.must_be(&format!("at most {}", show(range.end()))));
        }
        Ok(number)
    }

    pub fn span(&self) -> Result<Duration, String> {
        match self.pause()? {
            Duration::ZERO => Err(self.must_be("longer than 0")),
            span => Ok(span),
        }
    }

    /// A span that may be nothing.
    pub fn pause(&self) -> Result<Duration, String> {
        let span = self.text().and_then(|text| humantime::parse_duration(text.trim()).ok());
        let form = "a duration, such as \"30s\", \"10m\" or \"1h30m\"";
        let span = span.ok_or_else(|| self.must_be(form))?;
        if MAX_SPAN < span {
            return Err(self.must_be(&format!("at most {}", show_span(MAX_SPAN))));
        }
        Ok(span)
    }

    pub fn switch(&self) -> Result<bool, String> {
        match &self.given {
            Given::Boolean(is_on) => Some(*is_on),
            Given::Word(word) => match word.to_ascii_lowercase().to_str() {
                Some("true" | "yes" | "on" | "1") => Some(true),
                Some("false" | "no" | "off" | "0") => Some(false),
                _ => None,
            },
            Given::Text(_) | Given::Integer(_) | Given::List(_) | Given::Other => None,
        }
        .ok_or_else(|| self.must_be("true or false"))
    }

    /// A path, from `base`. In a file `~/` is the home folder; elsewhere the shell sees to that.
    pub fn path(&self, base: &Path) -> Result<PathBuf, String> {
        let path = match &self.given {
            Given::Word(word) => PathBuf::from(word),
            Given::Text(text) => match text.strip_prefix("~/") {
                Some(rest) => etcetera::home_dir().map_err(|error| error.to_string())?.join(rest),
                None => text.into(),
            },
            Given::Integer(_) | Given::Boolean(_) | Given::List(_) | Given::Other => PathBuf::new(),
        };
        match path.as_os_str().is_empty() {
            true => Err(self.must_be("a path")),
            false => Ok(base.join(path)),
        }
    }

    /// Several paths: a list in a file, elsewhere with colons between them.
    pub fn paths(&self, base: &Path) -> Result<Vec<PathBuf>, String> {
        let alone = |given: Given| Self { given, written: self.written.clone() }.path(base);
        let paths: Vec<_> = match &self.given {
            Given::Word(word) => {
                std::env::split_paths(word).map(|path| alone(Given::Word(path.into()))).collect()
            }
            Given::List(texts) => {
                texts.iter().map(|text| alone(Given::Text(text.clone()))).collect()
            }
            Given::Text(_) | Given::Integer(_) | Given::Boolean(_) | Given::Other => {
                return Err(self.must_be("a list of paths, such as [\"/srv/projects\"]"));
            }
        };
        paths.into_iter().collect()
    }

    /// What a type of ours makes of a text; `form` says what it takes.
    pub fn parsed<T>(&self, form: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, String> {
        self.text().and_then(parse).ok_or_else(|| self.must_be(form))
    }

    /// It is a plain name, to be looked for on the PATH.
    pub fn is_command(&self) -> bool {
        self.text().is_some_and(|text| !text.is_empty() && !text.contains('/'))
    }
}

fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit = match unit.trim_start() {
        "" => 1,
        unit => SIZES.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?.1,
    };
    number.parse::<u64>().ok()?.checked_mul(unit)
}

/// `50MiB`; a plain number where no unit fits.
pub fn show_size(size: u64) -> String {
    let fits = |(_, unit): &&(&str, u64)| 0 < size && size.is_multiple_of(*unit);
    match SIZES[..BINARY_SIZES].iter().find(fits) {
        Some((name, unit)) => format!("{}{name}", size / unit),
        None => size.to_string(),
    }
}

/// `1h30m`.
pub fn show_span(span: Duration) -> String {
    let mut rest = span.as_nanos();
    let mut text = String::new();
    for (name, unit) in SPANS {
        if *unit <= rest {
            text += &format!("{}{name}", rest / unit);
            rest %= unit;
        }
    }
    if text.is_empty() { "0s".into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str) -> Raw {
        Raw::word(text.into())
    }

    fn file(given: Given) -> Raw {
        Raw { given, written: "WRITTEN".into() }
    }

    #[test]
    fn sizes_are_read_in_every_form_and_written_in_the_shortest() {
        let any = 0..=u64::MAX;
        let read = |text: &str| word(text).size(&any);

        assert_eq!(read("65536"), Ok(65536));
        assert_eq!(read("50MiB"), Ok(50 << 20));
        assert_eq!(read(" 4 MiB "), Ok(4 << 20));
        assert_eq!(read("1gib"), Ok(1 << 30));
        assert_eq!(read("10MB"), Ok(10_000_000));
        assert_eq!(file(Given::Integer(7)).size(&any), Ok(7));
        assert_eq!(file(Given::Text("2KiB".into())).size(&any), Ok(2048));
        for nonsense in ["", "MiB", "4 M", "-1", "1.5GiB", "99999999999TiB", "ten", "4MiB4"] {
            assert!(read(nonsense).unwrap_err().contains("a number of bytes"), "{nonsense}");
        }
        for (size, shown) in [(0, "0"), (1 << 40, "1TiB"), (1536 << 10, "1536KiB"), (7, "7")] {
            assert_eq!(show_size(size), shown);
        }
    }

    #[test]
    fn durations_are_read_and_what_is_written_is_read_again() {
        for (text, ms) in [
            ("500ms", 500),
            ("30s", 30_000),
            ("10m", 600_000),
            ("1h30m", 5_400_000),
            ("1d2h3m4s5ms", 93_784_005),
            ("30d", 2_592_000_000),
        ] {
            let span = word(text).span().unwrap();
            assert_eq!((span, show_span(span).as_str()), (Duration::from_millis(ms), text));
        }
        assert_eq!(word("1h 30m").span(), word("90min").span());
        for nonsense in ["", "30", "soon", "-1s", "1h-", "99999999999999999999s"] {
            assert!(word(nonsense).span().unwrap_err().contains("a duration"), "{nonsense}");
        }
        assert!(word("0s").span().unwrap_err().contains("longer than 0"));
        assert!(word("4000d").span().unwrap_err().contains("at most 3650d"));
        assert!(file(Given::Integer(30)).span().unwrap_err().contains("a duration"));
    }

    #[test]
    fn numbers_have_a_range_and_a_text_in_a_file_is_none() {
        let range = 1..=100;

        assert_eq!(word("7").count(&range), Ok(7));
        assert_eq!(file(Given::Integer(7)).count(&range), Ok(7));
        assert!(file(Given::Integer(-7)).count(&range).unwrap_err().contains("at least 1"));
        assert!(file(Given::Integer(-7)).count(&(0..=9)).unwrap_err().contains("at least 0"));
        assert!(word("101").count(&range).unwrap_err().contains("at most 100"));
        assert_eq!(
            word("many").count(&range),
            Err("it is \"many\", and must be a whole number".into())
        );
        assert!(file(Given::Text("7".into())).count(&range).is_err());
    }

    #[test]
    fn switches_are_words_outside_of_a_file_and_booleans_in_it() {
        assert_eq!((word("TRUE").switch(), word("0").switch()), (Ok(true), Ok(false)));
        assert_eq!(file(Given::Boolean(true)).switch(), Ok(true));
        assert!(word("maybe").switch().is_err());
        assert!(file(Given::Text("true".into())).switch().is_err());
    }

    #[test]
    fn paths_are_from_the_place_of_who_gave_them() {
        let base = Path::new("/base");

        assert_eq!(word("a/b").path(base), Ok("/base/a/b".into()));
        assert_eq!(file(Given::Text("/a".into())).path(base), Ok("/a".into()));
        let home = etcetera::home_dir().unwrap();
        assert_eq!(file(Given::Text("~/a".into())).path(base), Ok(home.join("a")));
        assert!(word("").path(base).is_err() && file(Given::Integer(1)).path(base).is_err());
    }
}

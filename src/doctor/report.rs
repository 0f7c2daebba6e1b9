//! What was found, a line each, with what to do about it beneath. Coloured on a terminal only.

use std::io::Write;

use anstyle::{AnsiColor, Style};
use serde::Serialize;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    Ok,
    /// Neither good nor bad.
    Info,
    /// Something does not work, or not well.
    Warn,
    /// No server can work so.
    Fail,
}

impl Mark {
    fn look(self) -> (&'static str, Style) {
        let colour = |colour: AnsiColor| colour.on_default();
        match self {
            Self::Ok => ("ok", colour(AnsiColor::Green)),
            Self::Info => ("info", Style::new()),
            Self::Warn => ("warn", colour(AnsiColor::Yellow)),
            Self::Fail => ("FAIL", colour(AnsiColor::Red).bold()),
        }
    }
}

/// The outcome of one check.
#[derive(Debug, PartialEq, Serialize)]
pub struct Finding {
    pub mark: Mark,
    pub subject: &'static str,
    pub found: String,
    pub remedies: Vec<String>,
}

impl Finding {
    fn new(mark: Mark, subject: &'static str, found: impl Into<String>) -> Self {
        Self { mark, subject, found: found.into(), remedies: Vec::new() }
    }

    pub fn ok(subject: &'static str, found: impl Into<String>) -> Self {
        Self::new(Mark::Ok, subject, found)
    }

    pub fn info(subject: &'static str, found: impl Into<String>) -> Self {
        Self::new(Mark::Info, subject, found)
    }

    pub fn warn(subject: &'static str, found: impl Into<String>) -> Self {
        Self::new(Mark::Warn, subject, found)
    }

    pub fn fail(subject: &'static str, found: impl Into<String>) -> Self {
        Self::new(Mark::Fail, subject, found)
    }

    /// Adds what to do about it; a command begins with `run: `.
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        let remedy = remedy.into();
        let remedy = if remedy.starts_with("run: ") { remedy } else { format!("do: {remedy}") };
        self.remedies.push(remedy);
        self
    }
}

/// Prints all findings and how they come out.
pub fn print(findings: &[Finding]) {
    let mut out = anstream::stdout().lock();
    // Whoever reads may have gone.
    let _ = write(&mut out, findings).and_then(|()| out.flush());
}

fn write(out: &mut impl Write, findings: &[Finding]) -> std::io::Result<()> {
    let width = findings.iter().map(|finding| finding.subject.len()).max().unwrap_or_default();
    for Finding { mark, subject, found, remedies } in findings {
        let (word, style) = mark.look();
        writeln!(out, "{style}{word:4}{style:#}  {subject:width$}  {found}")?;
        for remedy in remedies {
            writeln!(out, "{:indent$}{remedy}", "", indent = width + 8)?;
        }
    }
    let count = |mark| findings.iter().filter(|finding| finding.mark == mark).count();
    match (count(Mark::Fail), count(Mark::Warn)) {
        (0, 0) => writeln!(out, "all is well"),
        (0, warnings) => writeln!(out, "a server can work; warnings: {warnings}"),
        (failures, warnings) => writeln!(out, "failures: {failures}, warnings: {warnings}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remedies_stand_under_what_they_mend() {
        let findings = [
            Finding::ok("python", "3.12"),
            Finding::fail("run folder", "open").remedy("run: chmod 700 /r").remedy("pray"),
        ];
        let mut out = anstream::StripStream::new(Vec::new());

        write(&mut out, &findings).unwrap();

        assert_eq!(
            String::from_utf8(out.into_inner()).unwrap(),
            "ok    python      3.12\n\
             FAIL  run folder  open\n                  run: chmod 700 /r\n                  do: pray\n\
             failures: 1, warnings: 0\n"
        );
    }
}

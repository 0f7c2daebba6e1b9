//! Where a value came from, and what is wrong with it.

use std::fmt;
use std::path::PathBuf;

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    Default,
    File { path: PathBuf, line: usize },
    Variable(String),
    Flag(String),
}

impl fmt::Display for Source {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Default => out.write_str("default"),
            Self::File { path, line } => write!(out, "{}:{line}", path.display()),
            Self::Variable(name) => out.write_str(name),
            Self::Flag(name) => write!(out, "--{name}"),
        }
    }
}

/// A value that cannot be used.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    pub source: Source,
    /// Empty where it is not about one key.
    pub key: String,
    pub says: String,
}

impl Problem {
    /// Its line in the file, if it is there.
    pub fn line(&self) -> Option<usize> {
        match self.source {
            Source::File { line, .. } => Some(line),
            Source::Default | Source::Variable(_) | Source::Flag(_) => None,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let Self { source, key, says } = self;
        match source {
            // Variables and flags are the name of the key.
            Source::File { .. } | Source::Default if !key.is_empty() => {
                write!(out, "{source}: {key}: {says}")
            }
            _ => write!(out, "{source}: {says}"),
        }
    }
}

/// All that is wrong, a line each.
#[derive(Debug, Clone, PartialEq)]
pub struct Problems(pub Vec<Problem>);

impl fmt::Display for Problems {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        if let [problem] = &self.0[..] {
            return problem.fmt(out);
        }
        write!(out, "the settings have {} problems", self.0.len())?;
        self.0.iter().try_for_each(|problem| write!(out, "\n  {problem}"))
    }
}

impl std::error::Error for Problems {}

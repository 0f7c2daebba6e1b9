//! The six stories, and the stage that each is played on.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::support::Tools;
use crate::support::course::line_of;

/// A program with a bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Story {
    Loop,
    Branch,
    Exception,
    Deadlock,
    Child,
    Coroutine,
}

impl Story {
    /// As the table calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Loop => "off by one in a loop",
            Self::Branch => "wrong branch from bad data",
            Self::Exception => "exception deep in library code",
            Self::Deadlock => "deadlock of two threads",
            Self::Child => "bug only in a child process",
            Self::Coroutine => "async call that nobody awaits",
        }
    }

    pub fn program(self) -> PathBuf {
        let file = match self {
            Self::Loop => "pages.py",
            Self::Branch => "orders.py",
            Self::Exception => "report.py",
            Self::Deadlock => "transfer.py",
            Self::Child => "workers.py",
            Self::Coroutine => "access.py",
        };
        Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/stories").join(file)
    }
}

/// What a story needs to be played.
pub struct Stage<'a> {
    pub tools: &'a Tools,
    pub binary: &'a Path,
    pub program: PathBuf,
    /// Every call and its answer are to be printed.
    pub is_shown: bool,
}

impl Stage<'_> {
    pub fn file(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }

    /// The program's name without its folder.
    pub fn file_name(&self) -> String {
        self.program.file_name().expect("a name").to_string_lossy().into_owned()
    }

    pub fn text(&self) -> String {
        std::fs::read_to_string(&self.program).expect("the program is there")
    }

    /// The line that ends like this.
    pub fn line(&self, end: &str) -> i64 {
        line_of(&self.program, end)
    }
}

/// What the callers without a way into the child ask of its parent instead, in front of the pool.
pub const IN_FRONT_OF_THE_POOL: &str = "as pool:";
pub const WORK_OF_THE_POOL: &str = "[(text, len(words(text)), safe_score(text)) for text in texts]";

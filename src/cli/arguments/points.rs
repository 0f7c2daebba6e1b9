//! Breakpoints on the command line.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Clone, Args)]
pub struct Break {
    #[command(subcommand)]
    pub action: Option<BreakAction>,
    #[command(flatten)]
    pub point: NewPoint,
}

#[derive(Debug, Clone, Args)]
pub struct NewPoint {
    /// FILE:LINE, LINE or FUNCTION, then perhaps `if CONDITION` or `log MESSAGE`. None lists the breakpoints.
    #[arg(value_name = "PLACE")]
    pub words: Vec<String>,
    /// Stop only at certain passes: 5, >=5, %2.
    #[arg(long, value_name = "COUNT")]
    pub hits: Option<String>,
    /// Write this instead of stopping; parts in {braces} are evaluated.
    #[arg(long, value_name = "MESSAGE")]
    pub log: Option<String>,
    /// Remove it after its first stop.
    #[arg(long)]
    pub once: bool,
    /// Stop where this value changes; set at a stop, in place of PLACE.
    #[arg(long, value_name = "EXPRESSION", conflicts_with = "words")]
    pub watch: Option<String>,
}

#[derive(Debug, Clone, Subcommand)]
pub enum BreakAction {
    /// Set a breakpoint.
    Add(NewPoint),
    /// List the breakpoints.
    List,
    /// Remove breakpoints by their ids.
    Remove {
        #[arg(required = true)]
        ids: Vec<u64>,
    },
    /// Remove all breakpoints, or those of a file.
    Clear { file: Option<PathBuf> },
    /// Let breakpoints stop the program again.
    Enable {
        #[arg(required = true)]
        ids: Vec<u64>,
    },
    /// Keep breakpoints without letting them stop the program.
    Disable {
        #[arg(required = true)]
        ids: Vec<u64>,
    },
    /// Choose the exceptions that stop the program: raised, uncaught, userUnhandled; none for none.
    Exceptions {
        /// The filters; without any, those that hold are shown.
        filters: Vec<String>,
        /// Only these classes, or only when this is true.
        #[arg(long = "if", value_name = "CONDITION")]
        condition: Option<String>,
    },
}

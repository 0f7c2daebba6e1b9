//! Tokens on the command line.

use std::time::Duration;

use clap::{Args, Subcommand};

use super::values::span;

#[derive(Debug, Clone, Args)]
pub struct Share {
    #[command(subcommand)]
    pub action: Option<ShareAction>,
    /// It may look and stream, and nothing else.
    #[arg(long)]
    pub read_only: bool,
    /// How long it holds: 30m, 8h; else until the session is forgotten.
    #[arg(long = "for", value_name = "TIME", value_parser = span)]
    pub ttl: Option<Duration>,
    /// A name by which you know it again.
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
}

#[derive(Debug, Clone, Subcommand)]
pub enum ShareAction {
    /// List the tokens of the session.
    List,
    /// Take tokens back; what they are streaming ends.
    Revoke {
        /// The token's id.
        #[arg(required_unless_present = "all")]
        id: Option<String>,
        /// All tokens of the session.
        #[arg(long)]
        all: bool,
    },
}

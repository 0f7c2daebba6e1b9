//! The flags of all settings, made from the table. Values are only collected here, so that whatever
//! is wrong with them is told in the same words as in a file.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{OsStringValueParser, PathBufValueParser};
use clap::{Arg, ArgMatches, Command};

use super::keys::{KEYS, Key};

const FILE: &str = "config";
pub const FILE_VARIABLE: &str = "DEBUG_RELAY_CONFIG";

/// The settings of a command line, with `--config`.
#[derive(Debug, Clone, Default)]
pub struct Flags {
    pub file: Option<PathBuf>,
    /// With the place of the key in the table.
    pub given: Vec<(usize, OsString)>,
}

/// Only those flags that tell where the server is.
#[derive(Debug, Clone, Default)]
pub struct FolderFlags(pub Flags);

/// Only the flag that tells where the access file is.
#[derive(Debug, Clone, Default)]
pub struct AccessFlags(pub Flags);

fn arguments(command: Command, is_wanted: fn(&Key) -> bool) -> Command {
    let file = Arg::new(FILE)
        .long(FILE)
        .value_name("FILE")
        .value_parser(PathBufValueParser::new())
        .help(format!(
            "The config file [default: $XDG_CONFIG_HOME/debug-relay/config.toml] [env: {FILE_VARIABLE}]"
        ));
    command.arg(file).args(KEYS.iter().filter(|key| is_wanted(key)).map(argument))
}

fn argument(key: &'static Key) -> Arg {
    let help = match key.is_negated_by_flag() {
        true => format!("Turns {} off: {}", key.name, key.help),
        false => format!("{} [default: {}]", key.help, key.default()),
    };
    let argument = Arg::new(key.name)
        .long(key.flag())
        .value_name(key.placeholder())
        .value_parser(OsStringValueParser::new())
        .help(format!("{help} [env: {}]", key.variable()));
    let argument = match key.is_limit() {
        true => argument.help_heading("Limits"),
        false => argument,
    };
    match key.is_switch() {
        // `--stop-sessions=false` overrides a file.
        true => argument.num_args(0..=1).require_equals(true).default_missing_value("true"),
        false => argument,
    }
}

impl clap::Args for Flags {
    fn augment_args(command: Command) -> Command {
        arguments(command, |_| true)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for Flags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        // Not every command has every flag.
        let word = |key: &Key| matches.try_get_one::<OsString>(key.name).ok().flatten().cloned();
        let given = KEYS.iter().enumerate();
        let given = given.filter_map(|(index, key)| Some((index, word(key)?))).collect();
        Ok(Self { file: matches.get_one(FILE).cloned(), given })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

macro_rules! some_flags {
    ($name:ident, $keys:expr) => {
        impl clap::Args for $name {
            fn augment_args(command: Command) -> Command {
                arguments(command, |key| $keys.contains(&key.name))
            }

            fn augment_args_for_update(command: Command) -> Command {
                Self::augment_args(command)
            }
        }

        impl clap::FromArgMatches for $name {
            fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
                Flags::from_arg_matches(matches).map(Self)
            }

            fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
                self.0.update_from_arg_matches(matches)
            }
        }
    };
}

some_flags!(FolderFlags, ["run_dir", "state_dir"]);
some_flags!(AccessFlags, ["access"]);

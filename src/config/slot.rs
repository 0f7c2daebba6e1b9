//! The form of a setting, and its place: how it is read, and how it is written.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;

use super::values::{Raw, show_size, show_span};
use super::{Config, Listen};
use crate::telemetry::{self, LogFormat};

/// The form of a setting, and its place.
pub enum Slot {
    Listen(fn(&mut Config) -> &mut Listen),
    Folder(fn(&mut Config) -> &mut PathBuf),
    MaybeFolder(fn(&mut Config) -> &mut Option<PathBuf>),
    MaybeFile(fn(&mut Config) -> &mut Option<PathBuf>),
    MaybeCommand(fn(&mut Config) -> &mut Option<PathBuf>),
    Switch(fn(&mut Config) -> &mut bool),
    LogFormat(fn(&mut Config) -> &mut LogFormat),
    Count(fn(&mut Config) -> &mut usize, RangeInclusive<u64>),
    Size(fn(&mut Config) -> &mut usize, RangeInclusive<u64>),
    DiskSize(fn(&mut Config) -> &mut u64, RangeInclusive<u64>),
    Span(fn(&mut Config) -> &mut Duration),
    /// A span that may be nothing.
    Pause(fn(&mut Config) -> &mut Duration),
    Paths(fn(&mut Config) -> &mut Vec<PathBuf>),
    Mode(fn(&mut Config) -> &mut u32),
    MaybeAddress(fn(&mut Config) -> &mut Option<SocketAddr>),
    MaybeUrl(fn(&mut Config) -> &mut Option<String>),
    MaybeFilter(fn(&mut Config) -> &mut Option<String>),
}

impl Slot {
    /// What a flag's help calls the value.
    pub fn placeholder(&self) -> &'static str {
        match self {
            Slot::Listen(_) => "ADDRESS",
            Slot::Folder(_) | Slot::MaybeFolder(_) => "DIR",
            Slot::MaybeFile(_) => "FILE",
            Slot::Paths(_) => "PATH[:PATH]",
            Slot::Mode(_) => "MODE",
            Slot::MaybeAddress(_) => "ADDRESS",
            Slot::MaybeUrl(_) => "URL",
            Slot::MaybeFilter(_) => "FILTER",
            Slot::MaybeCommand(_) => "PYTHON",
            Slot::Switch(_) => "BOOL",
            Slot::LogFormat(_) => "FORMAT",
            Slot::Count(..) => "NUMBER",
            Slot::Size(..) | Slot::DiskSize(..) => "BYTES",
            Slot::Span(_) | Slot::Pause(_) => "TIME",
        }
    }

    /// Takes a value, or says what is wrong with it. Paths are from `base`.
    pub fn set(&self, config: &mut Config, raw: &Raw, base: &Path) -> Result<(), String> {
        match self {
            Slot::Listen(place) => {
                let form = "ADDRESS:PORT, such as 127.0.0.1:50051, or unix:PATH";
                *place(config) = match raw.parsed(form, |text| text.parse().ok())? {
                    Listen::Unix(path) => Listen::Unix(base.join(path)),
                    tcp @ Listen::Tcp(_) => tcp,
                };
            }
            Slot::Folder(place) => *place(config) = raw.path(base)?,
            Slot::MaybeFolder(place) | Slot::MaybeFile(place) => {
                *place(config) = Some(raw.path(base)?);
            }
            Slot::Paths(place) => *place(config) = raw.paths(base)?,
            Slot::Mode(place) => {
                let mode =
                    |text: &str| u32::from_str_radix(text, 8).ok().filter(|_| text.len() == 4);
                *place(config) = raw.parsed("four octal digits, such as \"0660\"", mode)?;
            }
            Slot::MaybeAddress(place) => {
                let form = "ADDRESS:PORT, such as 127.0.0.1:9464";
                *place(config) = Some(raw.parsed(form, |text| text.parse().ok())?);
            }
            Slot::MaybeUrl(place) => {
                let is_url = |text: &&str| {
                    let rest =
                        text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
                    rest.is_some_and(|rest| !rest.is_empty())
                };
                let form = "an address such as http://127.0.0.1:4317";
                let url = raw.parsed(form, |text| Some(text).filter(is_url).map(String::from))?;
                *place(config) = Some(url);
            }
            Slot::MaybeFilter(place) => {
                let form = "a filter such as info or info,debug_relay::gateway=debug";
                let parse = |text: &str| telemetry::is_filter(text).then(|| text.to_owned());
                *place(config) = Some(raw.parsed(form, parse)?);
            }
            Slot::MaybeCommand(place) => {
                let base = if raw.is_command() { Path::new("") } else { base };
                *place(config) = Some(raw.path(base)?);
            }
            Slot::Switch(place) => *place(config) = raw.switch()?,
            Slot::LogFormat(place) => {
                let parse = |text: &str| LogFormat::from_str(text, true).ok();
                *place(config) = raw.parsed("text or json", parse)?;
            }
            Slot::Count(place, range) => *place(config) = machine_size(raw.count(range)?)?,
            Slot::Size(place, range) => *place(config) = machine_size(raw.size(range)?)?,
            Slot::DiskSize(place, range) => *place(config) = raw.size(range)?,
            Slot::Span(place) => *place(config) = raw.span()?,
            Slot::Pause(place) => *place(config) = raw.pause()?,
        }
        Ok(())
    }

    /// The value in TOML; None if there is none.
    pub fn show(&self, config: &Config) -> Option<String> {
        // Places are for writing; a copy is cheap, and saves a second set of them.
        let config = &mut config.clone();
        let path = |path: &Path| quoted(&path.to_string_lossy());
        Some(match self {
            Slot::Listen(place) => quoted(&place(config).to_string()),
            Slot::Folder(place) => path(place(config)),
            Slot::MaybeFolder(place) | Slot::MaybeCommand(place) | Slot::MaybeFile(place) => {
                path(place(config).as_ref()?)
            }
            Slot::Paths(place) => {
                let paths: Vec<String> = place(config).iter().map(|one| path(one)).collect();
                (!paths.is_empty()).then(|| format!("[{}]", paths.join(", ")))?
            }
            Slot::Mode(place) => quoted(&format!("{:04o}", place(config))),
            Slot::MaybeAddress(place) => quoted(&place(config).as_ref()?.to_string()),
            Slot::MaybeUrl(place) | Slot::MaybeFilter(place) => quoted(place(config).as_ref()?),
            Slot::Switch(place) => place(config).to_string(),
            Slot::LogFormat(place) => quoted(place(config).to_possible_value()?.get_name()),
            Slot::Count(place, _) => place(config).to_string(),
            Slot::Size(place, _) => size(*place(config) as u64),
            Slot::DiskSize(place, _) => size(*place(config)),
            Slot::Span(place) | Slot::Pause(place) => quoted(&show_span(*place(config))),
        })
    }
}

fn machine_size(number: u64) -> Result<usize, String> {
    usize::try_from(number).map_err(|_| "it is more than this machine can count".into())
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

fn size(size: u64) -> String {
    let shown = show_size(size);
    if shown.parse::<u64>().is_ok() { shown } else { quoted(&shown) }
}

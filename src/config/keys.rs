//! Every setting, as a table: its name, its form, where it goes, what it means. File, environment,
//! flags, help and manual are all made from it.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;

use super::values::{Raw, show_size, show_span};
use super::{Config, Listen};
use crate::telemetry::LogFormat;

/// One setting.
pub struct Key {
    /// As in the file; those of the table `[limits]` begin with `limits.`.
    pub name: &'static str,
    /// What holds when nobody says anything, where that is not one value for all machines.
    pub custom: Option<&'static str>,
    pub help: &'static str,
    slot: Slot,
}

/// The form of a setting, and its place.
enum Slot {
    Listen(fn(&mut Config) -> &mut Listen),
    Folder(fn(&mut Config) -> &mut PathBuf),
    MaybeFolder(fn(&mut Config) -> &mut Option<PathBuf>),
    MaybeCommand(fn(&mut Config) -> &mut Option<PathBuf>),
    Switch(fn(&mut Config) -> &mut bool),
    LogFormat(fn(&mut Config) -> &mut LogFormat),
    Count(fn(&mut Config) -> &mut usize, RangeInclusive<u64>),
    Size(fn(&mut Config) -> &mut usize, RangeInclusive<u64>),
    DiskSize(fn(&mut Config) -> &mut u64, RangeInclusive<u64>),
    Span(fn(&mut Config) -> &mut Duration),
}

/// TOML has no larger numbers.
const MAX: u64 = i64::MAX as u64;
const KIB: u64 = 1024;

/// In the order in which they are shown.
pub static KEYS: &[Key] = &[
    Key {
        name: "listen",
        custom: None,
        help: "Where to listen: ADDRESS:PORT on this machine (port 0 takes a free one) or unix:PATH",
        slot: Slot::Listen(|config| &mut config.listen),
    },
    Key {
        name: "run_dir",
        custom: Some("$XDG_RUNTIME_DIR/debug-relay, or /tmp/debug-relay-UID"),
        help: "Sockets, token and lock; only this user may enter it",
        slot: Slot::Folder(|config| &mut config.run_dir),
    },
    Key {
        name: "state_dir",
        custom: Some("$XDG_STATE_HOME/debug-relay"),
        help: "What is kept across restarts of the machine",
        slot: Slot::Folder(|config| &mut config.state_dir),
    },
    Key {
        name: "debugpy",
        custom: Some("our own, installed into the state folder"),
        help: "A folder that holds a debugpy package, to use in place of our own",
        slot: Slot::MaybeFolder(|config| &mut config.debugpy),
    },
    Key {
        name: "python",
        custom: Some("python3 on the PATH"),
        help: "The Python for programs that name none",
        slot: Slot::MaybeCommand(|config| &mut config.python),
    },
    Key {
        name: "auth",
        custom: None,
        help: "Calls need the token. If not, whoever reaches the server can run code as this user",
        slot: Slot::Switch(|config| &mut config.auth),
    },
    Key {
        name: "stop_sessions",
        custom: None,
        help: "End all sessions when the server ends, instead of leaving them for the next one",
        slot: Slot::Switch(|config| &mut config.stop_sessions),
    },
    Key {
        name: "log_format",
        custom: None,
        help: "How logs are written to standard error: text or json",
        slot: Slot::LogFormat(|config| &mut config.log_format),
    },
    Key {
        name: "limits.sessions",
        custom: None,
        help: "Sessions whose program is not over; those that are over give way to new ones",
        slot: Slot::Count(|config| &mut config.limits.sessions, 1..=MAX),
    },
    Key {
        name: "limits.sessions_per_owner",
        custom: None,
        help: "The same, of one owner; 0 means no limit of its own",
        slot: Slot::Count(|config| &mut config.limits.sessions_per_owner, 0..=MAX),
    },
    Key {
        name: "limits.spares",
        custom: None,
        help: "Interpreters that wait for their programs, at most 64; 0 means that each is started anew",
        slot: Slot::Count(|config| &mut config.limits.spares, 0..=64),
    },
    Key {
        name: "limits.spare_idle",
        custom: None,
        help: "How long they wait when no session is made",
        slot: Slot::Span(|config| &mut config.limits.spare_idle),
    },
    Key {
        name: "limits.events",
        custom: None,
        help: "Events that are kept of a session; at least 100",
        slot: Slot::Count(|config| &mut config.limits.events, 100..=MAX),
    },
    Key {
        name: "limits.output_bytes",
        custom: None,
        help: "Bytes of output that are kept of a session; at least 64KiB",
        slot: Slot::Size(|config| &mut config.limits.output_bytes, 64 * KIB..=MAX),
    },
    Key {
        name: "limits.request_bytes",
        custom: None,
        help: "Bytes of one request; 64KiB to 1GiB",
        slot: Slot::Size(|config| &mut config.limits.request_bytes, 64 * KIB..=KIB * KIB * KIB),
    },
    Key {
        name: "limits.breakpoints",
        custom: None,
        help: "Breakpoints of a session",
        slot: Slot::Count(|config| &mut config.limits.breakpoints, 1..=MAX),
    },
    Key {
        name: "limits.wait",
        custom: None,
        help: "The longest that a call may wait for the program",
        slot: Slot::Span(|config| &mut config.limits.wait),
    },
    Key {
        name: "limits.evaluate",
        custom: None,
        help: "The longest that an expression may take",
        slot: Slot::Span(|config| &mut config.limits.evaluate),
    },
    Key {
        name: "limits.answer",
        custom: None,
        help: "The longest that the debugger may take for a request that no caller gave a time",
        slot: Slot::Span(|config| &mut config.limits.answer),
    },
    Key {
        name: "limits.idle_timeout",
        custom: None,
        help: "How long a session lives without a call, unless it says otherwise",
        slot: Slot::Span(|config| &mut config.limits.idle_timeout),
    },
    Key {
        name: "limits.max_idle_timeout",
        custom: None,
        help: "The longest that a session may say",
        slot: Slot::Span(|config| &mut config.limits.max_idle_timeout),
    },
    Key {
        name: "limits.retention",
        custom: None,
        help: "How long a session that is over can be read",
        slot: Slot::Span(|config| &mut config.limits.retention),
    },
    Key {
        name: "limits.archive_bytes",
        custom: None,
        help: "Bytes on disk of all sessions that are over",
        slot: Slot::DiskSize(|config| &mut config.limits.archive_bytes, 0..=MAX),
    },
    Key {
        name: "limits.processes",
        custom: None,
        help: "Processes of one program, its children included; 0 means no limit",
        slot: Slot::Count(|config| &mut config.limits.processes, 0..=MAX),
    },
    Key {
        name: "limits.memory_bytes",
        custom: None,
        help: "Bytes of address space of each process of a program; 0 means no limit",
        slot: Slot::DiskSize(|config| &mut config.limits.memory_bytes, 0..=MAX),
    },
];

impl Key {
    /// The setting of this name. Its place in the table comes with it.
    pub fn find(name: &str) -> Option<(usize, &'static Self)> {
        KEYS.iter().enumerate().find(|(_, key)| key.name == name)
    }

    /// Its variable in the environment.
    pub fn variable(&self) -> String {
        format!("DEBUG_RELAY_{}", self.name.replace('.', "_").to_uppercase())
    }

    /// Its flag, without the dashes before it.
    pub fn flag(&self) -> String {
        match self.is_negated_by_flag() {
            true => format!("no-{}", self.name),
            false => self.name.replace(['.', '_'], "-"),
        }
    }

    /// The flag turns off what is on by default.
    pub fn is_negated_by_flag(&self) -> bool {
        self.is_switch() && self.show(&Config::default()).as_deref() == Some("true")
    }

    pub fn is_switch(&self) -> bool {
        matches!(self.slot, Slot::Switch(_))
    }

    pub fn is_limit(&self) -> bool {
        self.name.starts_with("limits.")
    }

    /// What a flag's help calls the value.
    pub fn placeholder(&self) -> &'static str {
        match self.slot {
            Slot::Listen(_) => "ADDRESS",
            Slot::Folder(_) | Slot::MaybeFolder(_) => "DIR",
            Slot::MaybeCommand(_) => "PYTHON",
            Slot::Switch(_) => "BOOL",
            Slot::LogFormat(_) => "FORMAT",
            Slot::Count(..) => "NUMBER",
            Slot::Size(..) | Slot::DiskSize(..) => "BYTES",
            Slot::Span(_) => "TIME",
        }
    }

    /// What holds when nobody says anything, for help and manual.
    pub fn default(&self) -> String {
        match self.custom {
            Some(custom) => custom.into(),
            None => self.show(&Config::default()).unwrap_or_default().replace('"', ""),
        }
    }

    /// Takes a value, or says what is wrong with it. Paths are from `base`.
    pub fn set(&self, config: &mut Config, raw: &Raw, base: &Path) -> Result<(), String> {
        match &self.slot {
            Slot::Listen(place) => {
                let form = "ADDRESS:PORT, such as 127.0.0.1:50051, or unix:PATH";
                *place(config) = match raw.parsed(form, |text| text.parse().ok())? {
                    Listen::Unix(path) => Listen::Unix(base.join(path)),
                    tcp @ Listen::Tcp(_) => tcp,
                };
            }
            Slot::Folder(place) => *place(config) = raw.path(base)?,
            Slot::MaybeFolder(place) => *place(config) = Some(raw.path(base)?),
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
        }
        Ok(())
    }

    /// The value in TOML; None if there is none.
    pub fn show(&self, config: &Config) -> Option<String> {
        // Places are for writing; a copy is cheap, and saves a second set of them.
        let config = &mut config.clone();
        let path = |path: &Path| quoted(&path.to_string_lossy());
        Some(match &self.slot {
            Slot::Listen(place) => quoted(&place(config).to_string()),
            Slot::Folder(place) => path(place(config)),
            Slot::MaybeFolder(place) | Slot::MaybeCommand(place) => path(place(config).as_ref()?),
            Slot::Switch(place) => place(config).to_string(),
            Slot::LogFormat(place) => quoted(place(config).to_possible_value()?.get_name()),
            Slot::Count(place, _) => place(config).to_string(),
            Slot::Size(place, _) => size(*place(config) as u64),
            Slot::DiskSize(place, _) => size(*place(config)),
            Slot::Span(place) => quoted(&show_span(*place(config))),
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

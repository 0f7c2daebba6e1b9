//! Every setting, as a table: its name, its form, where it goes, what it means. File, environment,
//! flags, help and manual are all made from it.

use std::path::Path;

use super::Config;
use super::slot::Slot;
use super::values::Raw;

/// One setting.
pub struct Key {
    /// As in the file; those of the table `[limits]` begin with `limits.`.
    pub name: &'static str,
    /// What holds when nobody says anything, where that is not one value for all machines.
    pub custom: Option<&'static str>,
    pub help: &'static str,
    slot: Slot,
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
        name: "insecure_listen",
        custom: None,
        help: "Take calls from other machines without TLS: tokens and code travel in the clear",
        slot: Slot::Switch(|config| &mut config.insecure_listen),
    },
    Key {
        name: "tls_cert",
        custom: Some("no TLS"),
        help: "The server's certificate with its chain, PEM; read again when it changes",
        slot: Slot::MaybeFile(|config| &mut config.tls_cert),
    },
    Key {
        name: "tls_key",
        custom: Some("no TLS"),
        help: "The key of that certificate, PEM",
        slot: Slot::MaybeFile(|config| &mut config.tls_key),
    },
    Key {
        name: "tls_client_ca",
        custom: Some("callers show no certificate"),
        help: "Callers must show a certificate that these sign, PEM; its SPIFFE URI is their owner",
        slot: Slot::MaybeFile(|config| &mut config.tls_client_ca),
    },
    Key {
        name: "tls_client_optional",
        custom: None,
        help: "Callers may also come without a certificate, and then need a token",
        slot: Slot::Switch(|config| &mut config.tls_client_optional),
    },
    Key {
        name: "access",
        custom: Some("only the server's own token"),
        help: "The file with named tokens, TOML; read again on SIGHUP",
        slot: Slot::MaybeFile(|config| &mut config.access),
    },
    Key {
        name: "unix_peers",
        custom: None,
        help: "Callers on a Unix socket need no token: the kernel tells which user they are",
        slot: Slot::Switch(|config| &mut config.unix_peers),
    },
    Key {
        name: "socket_mode",
        custom: None,
        help: "Who may connect to a Unix socket, as file permissions",
        slot: Slot::Mode(|config| &mut config.socket_mode),
    },
    Key {
        name: "roots",
        custom: Some("all folders"),
        help: "The folders that projects, programs and working directories must be in",
        slot: Slot::Paths(|config| &mut config.confines.roots),
    },
    Key {
        name: "interpreters",
        custom: Some("all"),
        help: "The interpreters that may be used; environments of theirs may, too",
        slot: Slot::Paths(|config| &mut config.confines.interpreters),
    },
    Key {
        name: "metrics_listen",
        custom: Some("off"),
        help: "Where to serve /metrics, /livez and /readyz by HTTP: ADDRESS:PORT",
        slot: Slot::MaybeAddress(|config| &mut config.metrics_listen),
    },
    Key {
        name: "audit_log",
        custom: Some("off"),
        help: "The file to add a line of JSON to for every call but health and reflection; opened again on SIGHUP",
        slot: Slot::MaybeFile(|config| &mut config.audit_log),
    },
    Key {
        name: "otlp_endpoint",
        custom: Some("off"),
        help: "Where to send traces, OTLP over gRPC, such as http://127.0.0.1:4317",
        slot: Slot::MaybeUrl(|config| &mut config.otlp_endpoint),
    },
    Key {
        name: "drain",
        custom: None,
        help: "How long to go on serving the sessions that are there after SIGTERM; they may end earlier",
        slot: Slot::Pause(|config| &mut config.drain),
    },
    Key {
        name: "stop_sessions",
        custom: None,
        help: "End all sessions when the server ends, instead of leaving them for the next one",
        slot: Slot::Switch(|config| &mut config.stop_sessions),
    },
    Key {
        name: "log",
        custom: Some("$RUST_LOG, or info"),
        help: "What to log: error, warn, info, debug, or by part, as in info,debug_relay::gateway=debug",
        slot: Slot::MaybeFilter(|config| &mut config.log),
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
        name: "limits.header_bytes",
        custom: None,
        help: "Bytes of the metadata of one call; 8KiB to 1MiB",
        slot: Slot::Size(|config| &mut config.limits.header_bytes, 8 * KIB..=KIB * KIB),
    },
    Key {
        name: "limits.connections",
        custom: None,
        help: "Connections at once; when there are more, those that nobody has used go first",
        slot: Slot::Count(|config| &mut config.limits.connections, 1..=1_000_000),
    },
    Key {
        name: "limits.streams",
        custom: None,
        help: "Calls at once on one connection",
        slot: Slot::Count(|config| &mut config.limits.streams, 1..=1_000_000),
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
        self.slot.placeholder()
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
        self.slot.set(config, raw, base)
    }

    /// The value in TOML; None if there is none.
    pub fn show(&self, config: &Config) -> Option<String> {
        self.slot.show(config)
    }
}

//! What the server is told: settings from a file, the environment and flags, and the places that the
//! system's customs give. Does nothing with them.

mod file;
mod flags;
mod folders;
mod keys;
mod listen;
mod safety;
mod settings;
mod show;
mod slot;
mod source;
mod values;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

pub use flags::{AccessFlags, Flags, FolderFlags};
pub use folders::{
    MAX_SOCKET_PATH, check_private, check_socket, make_private, remove_stale_socket, set_mode,
};
pub use keys::{KEYS, Key};
pub use listen::Listen;
pub use safety::problems as safety_problems;
pub use settings::Settings;
pub use source::{Problem, Problems, Source};

use crate::confines::Confines;
use crate::limits::Limits;
use crate::telemetry::LogFormat;

const PORT: u16 = 50051;

/// All settings of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    pub listen: Listen,
    pub run_dir: PathBuf,
    pub state_dir: PathBuf,
    pub debugpy: Option<PathBuf>,
    /// A path, or a name to look for on the PATH.
    pub python: Option<PathBuf>,
    pub auth: bool,
    /// Takes calls from other machines in the clear.
    pub insecure_listen: bool,
    pub tls_cert: Option<PathBuf>,
    pub tls_key: Option<PathBuf>,
    pub tls_client_ca: Option<PathBuf>,
    pub tls_client_optional: bool,
    /// The file that names tokens and certificates.
    pub access: Option<PathBuf>,
    pub unix_peers: bool,
    pub socket_mode: u32,
    pub confines: Confines,
    pub metrics_listen: Option<SocketAddr>,
    pub audit_log: Option<PathBuf>,
    pub otlp_endpoint: Option<String>,
    pub stop_sessions: bool,
    pub drain: Duration,
    pub log: Option<String>,
    pub log_format: LogFormat,
    pub limits: Limits,
}

impl Default for Config {
    fn default() -> Self {
        let run_dir = folders::default_run_dir();
        Self {
            listen: Listen::Tcp(SocketAddr::from((Ipv4Addr::LOCALHOST, PORT))),
            state_dir: folders::default_state_dir().unwrap_or_else(|| run_dir.clone()),
            run_dir,
            debugpy: None,
            python: None,
            auth: true,
            insecure_listen: false,
            tls_cert: None,
            tls_key: None,
            tls_client_ca: None,
            tls_client_optional: false,
            access: None,
            unix_peers: false,
            socket_mode: 0o600,
            confines: Confines::default(),
            metrics_listen: None,
            audit_log: None,
            otlp_endpoint: None,
            stop_sessions: false,
            drain: Duration::ZERO,
            log: None,
            log_format: LogFormat::Text,
            limits: Limits::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_field_of_the_limits_is_a_key() {
        let fields = serde_json::to_value(Limits::default()).unwrap();
        let fields: BTreeSet<String> = fields.as_object().unwrap().keys().cloned().collect();

        let keys = KEYS.iter().filter_map(|key| key.name.strip_prefix("limits."));

        assert_eq!(keys.map(String::from).collect::<BTreeSet<_>>(), fields);
    }

    #[test]
    fn every_key_is_written_to_its_own_place() {
        for key in KEYS {
            let others = |config: &Config| -> Vec<Option<String>> {
                let others = KEYS.iter().filter(|other| other.name != key.name);
                others.map(|other| other.show(config)).collect()
            };
            let mut config = Config::default();
            let words =
                ["/elsewhere", "127.0.0.1:7", "true", "false", "json", "123456", "7", "77s"]
                    .into_iter()
                    .chain(["0660", "http://collector:4317"]);

            let taken: Vec<&str> = words
                .filter(|word| {
                    let raw = values::Raw::word((*word).into());
                    key.set(&mut config, &raw, "/".as_ref()).is_ok()
                        && key.show(&config) != key.show(&Config::default())
                })
                .collect();

            assert!(!taken.is_empty(), "nothing fits {}", key.name);
            assert_eq!(others(&config), others(&Config::default()), "{}", key.name);
        }
    }
}

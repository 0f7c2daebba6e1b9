//! What every command works with: the settings, the server, the session, and a way to say things.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use tonic::Request;

use super::arguments::{Color, Globals};
use super::connect::{self, Server};
use super::failure::{Failure, NO_SERVER, NO_SESSION, Result};
use super::show::{QUIET, WARN};
use super::{background, current, json};
use crate::config::{Config, Flags, Settings};
use crate::proto;

/// By this, proxies send all calls about a session to the same replica.
const SESSION: &str = "debug-relay-session";
/// Beside the time that a call waits for the program.
const ANSWER_LIMIT: Duration = Duration::from_secs(60);

pub struct Context {
    pub globals: Globals,
    pub config: Config,
    /// The folder of whoever calls.
    pub here: PathBuf,
}

impl Context {
    pub fn new(globals: Globals) -> Result<Self> {
        let choice = match globals.color {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
        let config = Settings::load(&Flags::default()).checked().map_err(Failure::usage)?;
        let here = std::env::current_dir().map_err(|error| {
            Failure::usage(format!("this folder cannot be told: {error}; change to another"))
        })?;
        Ok(Self { globals, config, here })
    }

    fn known_address(&self) -> Option<String> {
        connect::address(self.globals.address.as_deref(), &self.config)
    }

    /// The server, which must be there.
    pub async fn server(&self) -> Result<Server> {
        let Some(address) = self.known_address() else {
            let hint = "`debug-relay start PROGRAM` and `debug-relay serve` start one";
            return Err(Failure::new(NO_SERVER, "no server runs on this machine", hint));
        };
        self.connect(&address).await
    }

    async fn connect(&self, address: &str) -> Result<Server> {
        Server::at(address, &self.globals, &self.config).await
    }

    /// The server; one is started when nobody has named one and none runs.
    pub async fn server_or_new_one(&self) -> Result<Server> {
        if let Some(address) = self.known_address() {
            return self.connect(&address).await;
        }
        let started = background::start(&self.config).await?;
        self.remark(&format!(
            "started a server in the background (process {}, log {}); `debug-relay shutdown` ends it",
            started.file.pid,
            started.log.display()
        ));
        self.connect(&started.file.address).await
    }

    /// The session that the command is about.
    pub fn session(&self) -> Result<String> {
        self.globals.session.clone().or_else(|| self.current()).ok_or_else(|| {
            let problem = "no session was started in this folder or one above it";
            let hint = "`debug-relay start PROGRAM` starts one; `debug-relay sessions` lists \
                        those there are, and -s ID picks one";
            Failure::new(NO_SESSION, problem, hint)
        })
    }

    /// The session of this folder.
    pub fn current(&self) -> Option<String> {
        current::recall(&self.config.state_dir, &self.here).map(|current| current.session)
    }

    /// From now on, commands in this folder are about this session.
    pub fn remember(&self, session: &str) {
        if let Err(error) = current::remember(&self.config.state_dir, &self.here, session) {
            self.remark(&format!("the session cannot be remembered ({error}); use -s {session}"));
        }
    }

    pub fn forget(&self, session: &str) {
        current::forget(&self.config.state_dir, session);
    }

    /// Prints an answer: as JSON, or as it is for people.
    pub fn print<M: prost::Name>(&self, message: &M, text: impl FnOnce() -> String) {
        if self.globals.json {
            self.put(&format!("{}\n", json::text(message, true)));
        } else {
            self.put(&text());
        }
    }

    /// Prints one of many answers; false if nobody reads any more.
    pub fn print_one<M: prost::Name>(&self, message: &M, text: impl FnOnce() -> String) -> bool {
        if self.globals.json {
            self.put(&format!("{}\n", json::text(message, false)))
        } else {
            self.put(&text())
        }
    }

    /// Writes to standard output; false if nobody reads any more.
    pub fn put(&self, text: &str) -> bool {
        let mut out = anstream::stdout().lock();
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_ok()
    }

    /// Something beside the answer, for people.
    pub fn remark(&self, text: &str) {
        let _ = writeln!(anstream::stderr(), "{QUIET}debug-relay:{QUIET:#} {text}");
    }

    /// What to do next, for people.
    pub fn hint(&self, text: &str) {
        if !text.is_empty() {
            let _ = writeln!(anstream::stderr(), "{WARN}hint:{WARN:#} {text}");
        }
    }
}

/// A call that is given up when its server hangs: well after it has waited for the program.
pub fn call<T: prost::Name>(message: T, wait: Duration) -> Request<T> {
    let mut request = lasting(message);
    request.set_timeout(wait.saturating_add(ANSWER_LIMIT));
    request
}

/// A call that lasts as long as it lasts. It names its session also where proxies see it.
pub fn lasting<T: prost::Name>(message: T) -> Request<T> {
    let is_of_session = T::NAME != "SetLogFilterRequest";
    let id = proto::first_text(&message.encode_to_vec()).filter(|_| is_of_session);
    let mut request = Request::new(message);
    if let Some(id) = id.filter(|id| !id.is_empty()).and_then(|id| id.parse().ok()) {
        request.metadata_mut().insert(SESSION, id);
    }
    request
}

/// A call that waits for nothing.
pub fn quick<T: prost::Name>(message: T) -> Request<T> {
    call(message, Duration::ZERO)
}

pub fn span(time: Duration) -> Option<prost_types::Duration> {
    prost_types::Duration::try_from(time).ok()
}

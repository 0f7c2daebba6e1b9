//! The way to the server: its address and the token, found as every client finds them.

use std::path::PathBuf;
use std::time::Duration;

use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};
use tonic::{Request, Status};

use super::arguments::Globals;
use super::background;
use super::failure::{Failure, NO_SERVER, Result};
use crate::auth;
use crate::config::{Config, Listen};
use crate::proto::breakpoint_service_client::BreakpointServiceClient;
use crate::proto::event_service_client::EventServiceClient;
use crate::proto::execution_service_client::ExecutionServiceClient;
use crate::proto::inspection_service_client::InspectionServiceClient;
use crate::proto::output_service_client::OutputServiceClient;
use crate::proto::server_service_client::ServerServiceClient;
use crate::proto::session_service_client::SessionServiceClient;
use crate::store::ServerFile;

const CONNECT_LIMIT: Duration = Duration::from_secs(5);
/// The largest answer that is taken.
const MAX_ANSWER: usize = 64 * 1024 * 1024;

type Wire = InterceptedService<Channel, Token>;

/// A connection with the caller's token.
#[derive(Clone)]
pub struct Server {
    wire: Wire,
}

macro_rules! services {
    ($($name:ident: $client:ident),* $(,)?) => {
        $(pub fn $name(&self) -> $client<Wire> {
            $client::new(self.wire.clone()).max_decoding_message_size(MAX_ANSWER)
        })*
    };
}

impl Server {
    services! {
        sessions: SessionServiceClient,
        breakpoints: BreakpointServiceClient,
        execution: ExecutionServiceClient,
        inspection: InspectionServiceClient,
        events: EventServiceClient,
        output: OutputServiceClient,
        server: ServerServiceClient,
    }

    /// Connects to `address`, which is as `--address` takes it.
    pub async fn at(address: &str, globals: &Globals, config: &Config) -> Result<Self> {
        let tls = Tls::wanted(address, globals, config)?;
        let plain = address.trim_start_matches("https://").trim_start_matches("http://");
        let own = own_server(plain, config);
        let is_trusted = is_local(plain) && (own.is_some() || tls.is_some());
        let plain = own.as_deref().filter(|_| tls.is_none()).unwrap_or(plain);
        let target = match (plain.starts_with("unix:"), &tls) {
            (true, _) => plain.to_owned(),
            (false, Some(_)) => format!("https://{plain}"),
            (false, None) => format!("http://{plain}"),
        };
        let target_is_tls = tls.is_some();
        let endpoint = Endpoint::from_shared(target).map_err(|error| {
            Failure::usage(format!(
                "{address} is no address: {error}; write HOST:PORT or unix:PATH"
            ))
        })?;
        let mut endpoint = endpoint.connect_timeout(CONNECT_LIMIT).tcp_nodelay(true);
        if let Some(tls) = tls {
            endpoint = endpoint.tls_config(tls).map_err(Failure::usage)?;
        }
        let channel = endpoint.connect().await.map_err(|error| {
            let mut cause: &dyn std::error::Error = &error;
            while let Some(deeper) = cause.source() {
                cause = deeper;
            }
            let problem = format!("no server answers at {address} ({cause})");
            let hint = match target_is_tls {
                true => "--ca FILE names the authority of the server's certificate; it may want --cert and --key as well",
                false => "`debug-relay serve` starts one; one that speaks TLS needs --ca FILE",
            };
            Failure::new(NO_SERVER, problem, hint)
        })?;
        let token = Token::find(is_trusted, globals, config)?;
        Ok(Self { wire: InterceptedService::new(channel, token) })
    }
}

/// Where the server is that commands speak to, as far as anybody has said.
pub fn address(given: Option<&str>, config: &Config) -> Option<String> {
    let variable = std::env::var("DEBUG_RELAY_ADDRESS").ok().filter(|value| !value.is_empty());
    given.map(ToOwned::to_owned).or(variable).or_else(|| {
        let file = ServerFile::read(&config.run_dir).ok()?;
        background::is_alive(&file).then_some(file.address)
    })
}

/// The address of this user's server, if it is the one that is meant, and runs. Where it does not,
/// another user may listen.
fn own_server(address: &str, config: &Config) -> Option<String> {
    let file = ServerFile::read(&config.run_dir).ok().filter(background::is_alive)?;
    own_address(file, address)
}

fn own_address(server: ServerFile, address: &str) -> Option<String> {
    let is_it = server.address.parse::<Listen>().ok()? == address.parse().ok()?;
    is_it.then_some(server.address)
}

/// How to speak TLS, where that is wanted.
struct Tls;

impl Tls {
    /// By the address, by a file that is only of use with TLS, or since the server says so.
    fn wanted(
        address: &str,
        globals: &Globals,
        config: &Config,
    ) -> Result<Option<ClientTlsConfig>> {
        let ca = named(&globals.ca, "DEBUG_RELAY_CA");
        let (cert, key) = (certificate(globals), named(&globals.key, "DEBUG_RELAY_KEY"));
        let says_so = || {
            let file = ServerFile::read(&config.run_dir).ok();
            file.is_some_and(|file| file.tls && file.address == address)
        };
        let is_wanted =
            address.starts_with("https://") || ca.is_some() || cert.is_some() || says_so();
        if !is_wanted || address.starts_with("unix:") {
            return Ok(None);
        }
        let read = |path: &PathBuf| {
            std::fs::read(path).map_err(|error| {
                Failure::usage(format!("{} cannot be read: {error}", path.display()))
            })
        };
        let mut tls = match &ca {
            Some(ca) => ClientTlsConfig::new().ca_certificate(Certificate::from_pem(read(ca)?)),
            None => ClientTlsConfig::new().with_native_roots(),
        };
        match (&cert, &key) {
            (Some(cert), Some(key)) => {
                tls = tls.identity(Identity::from_pem(read(cert)?, read(key)?));
            }
            (None, None) => {}
            _ => return Err(Failure::usage("--cert and --key go together")),
        }
        Ok(Some(tls))
    }
}

/// A file that a flag or a variable names.
fn named(given: &Option<PathBuf>, variable: &str) -> Option<PathBuf> {
    let of_variable = || std::env::var_os(variable).filter(|path| !path.is_empty());
    given.clone().or_else(|| of_variable().map(PathBuf::from))
}

fn certificate(globals: &Globals) -> Option<PathBuf> {
    named(&globals.cert, "DEBUG_RELAY_CERT")
}

/// Puts the token to every call.
#[derive(Clone)]
pub struct Token(Option<MetadataValue<Ascii>>);

impl Token {
    /// The token that the caller has set; else, who can be trusted with it, the one of the run folder.
    fn find(is_trusted: bool, globals: &Globals, config: &Config) -> Result<Self> {
        let variable = std::env::var("DEBUG_RELAY_TOKEN").ok().filter(|value| !value.is_empty());
        // Who shows a certificate is known by that.
        let of_file = || match is_trusted && certificate(globals).is_none() {
            true => auth::read_token(&config.run_dir).ok(),
            false => None,
        };
        let Some(token) = variable.or_else(of_file) else { return Ok(Self(None)) };
        let value = format!("Bearer {token}").parse();
        let value =
            value.map_err(|_| Failure::usage("DEBUG_RELAY_TOKEN has letters that no token has"))?;
        Ok(Self(Some(value)))
    }
}

/// It is on this machine. Whoever listens there may be another user, unless a certificate says who.
fn is_local(address: &str) -> bool {
    match address.parse() {
        Ok(Listen::Unix(_)) => true,
        Ok(Listen::Tcp(address)) => address.ip().is_loopback(),
        Err(_) => address.starts_with("localhost:"),
    }
}

impl Interceptor for Token {
    fn call(&mut self, mut request: Request<()>) -> std::result::Result<Request<()>, Status> {
        if let Some(token) = &self.0 {
            request.metadata_mut().insert("authorization", token.clone());
        }
        Ok(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_on_this_machine_is_known() {
        for local in ["127.0.0.1:1", "[::1]:1", "unix:/run/socket", "localhost:50051"] {
            assert!(is_local(local), "{local}");
        }
        for foreign in ["10.0.0.1:1", "example.org:443", "localhost.example.org:1"] {
            assert!(!is_local(foreign), "{foreign}");
        }
    }

    #[test]
    fn only_the_address_of_ones_own_server_is_its_own() {
        let own = |says: &str, address: &str| {
            let file = ServerFile { address: says.into(), ..Default::default() };
            own_address(file, address)
        };

        assert_eq!(own("unix:/run/s", "unix:///run/s").as_deref(), Some("unix:/run/s"));
        assert_eq!(own("127.0.0.1:7", "localhost:7").as_deref(), Some("127.0.0.1:7"));
        for other in ["[::1]:7", "127.0.0.1:8", "127.0.0.2:7", "unix:/run/s", "example.org:7"] {
            assert_eq!(own("127.0.0.1:7", other), None, "{other}");
        }
    }
}

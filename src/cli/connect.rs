//! The way to the server: its address and the token, found as every client finds them.

use std::time::Duration;

use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};

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
    pub async fn at(address: &str, config: &Config) -> Result<Self> {
        let target = match address.starts_with("unix:") {
            true => address.to_owned(),
            false => format!("http://{address}"),
        };
        let endpoint = Endpoint::from_shared(target).map_err(|error| {
            Failure::usage(format!(
                "{address} is no address: {error}; write HOST:PORT or unix:PATH"
            ))
        })?;
        let endpoint = endpoint.connect_timeout(CONNECT_LIMIT).tcp_nodelay(true);
        let channel = endpoint.connect().await.map_err(|error| {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            let problem = format!(
                "no server answers at {address} ({})",
                cause.unwrap_or_else(|| error.to_string())
            );
            Failure::new(NO_SERVER, problem, "`debug-relay serve` starts one")
        })?;
        Ok(Self { wire: InterceptedService::new(channel, Token::find(address, config)?) })
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

/// Puts the token to every call.
#[derive(Clone)]
pub struct Token(Option<MetadataValue<Ascii>>);

impl Token {
    fn find(address: &str, config: &Config) -> Result<Self> {
        let variable = std::env::var("DEBUG_RELAY_TOKEN").ok().filter(|value| !value.is_empty());
        // The token of this machine's server is nobody else's business.
        let of_file = || match is_local(address) {
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
    fn only_this_machine_is_given_its_token() {
        for local in ["127.0.0.1:1", "[::1]:1", "unix:/run/socket", "localhost:50051"] {
            assert!(is_local(local), "{local}");
        }
        for foreign in ["10.0.0.1:1", "example.org:443", "localhost.example.org:1"] {
            assert!(!is_local(foreign), "{foreign}");
        }
    }
}

//! The server's life: folders and lock, token, hosts of an earlier server, the port, and a polite end
//! that leaves the sessions alone.

use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use prost::Message;
use tokio::net::{TcpListener, UnixListener};
use tokio::signal::unix::{SignalKind, signal};
use tokio_stream::wrappers::UnixListenerStream;
use tonic::service::Routes;
use tonic::transport::server::TcpIncoming;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use super::door::{self, Door, Gateway};
use super::hosts::Hosts;
use super::info;
use super::pool::Pool;
use super::provision::{Provision, Stage, Wanted};
use crate::auth::{self, Gate};
use crate::build;
use crate::config::{self, Config, Listen};
use crate::limits;
use crate::proto;
use crate::store::ServerFile;

/// Calls under way at the end of the server have this long.
const DRAIN_LIMIT: Duration = Duration::from_secs(3);
const STOP_LIMIT: Duration = Duration::from_secs(15);
/// Looking for debugpy takes a moment; installing it is not waited for.
const GREETING_LIMIT: Duration = Duration::from_secs(1);
/// What one connection may hold open.
const MAX_STREAMS: u32 = 1000;
const MAX_HEADERS: u32 = 32 * 1024;
const KEEPALIVE: Duration = Duration::from_secs(60);

#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("the folder {path} cannot be used: {problem}")]
    Folder { path: PathBuf, problem: String },
    #[error("another server uses {path} (process {pid}); stop it, or choose another --run-dir")]
    Locked { path: PathBuf, pid: String },
    #[error("cannot listen on {address}: {problem}")]
    Listen { address: String, problem: String },
    #[error(
        "{address} can be reached from other machines, and this version has no TLS; listen on 127.0.0.1 or unix:PATH"
    )]
    NotLocal { address: SocketAddr },
    #[error(transparent)]
    Other(#[from] Box<dyn std::error::Error + Send + Sync>),
}

/// Serves until SIGTERM or SIGINT.
pub async fn run(config: Config) -> Result<(), ServeError> {
    // From the first moment: whoever is told that there is a server may end it at once.
    let told_to_end = signals()?;
    limits::set(config.limits.clone());
    let run_dir = config.run_dir.clone();
    config::make_private(&run_dir)
        .and_then(|()| config::make_private(&run_dir.join("sessions")))
        .map_err(|problem| ServeError::Folder { path: run_dir.clone(), problem })?;
    config::make_private(&config.state_dir.join("sessions"))
        .map_err(|problem| ServeError::Folder { path: config.state_dir.clone(), problem })?;
    let _lock = lock(&run_dir)?;
    let gate = gate(&config)?;
    let provision = Provision::begin(Wanted {
        state_dir: config.state_dir.clone(),
        debugpy: config.debugpy.clone(),
        python: config.python.clone(),
    });
    let hosts = Hosts::new(&run_dir, &config.state_dir);
    let adopted = hosts.adopt().await;
    if 0 < adopted {
        tracing::info!(adopted, "sessions of an earlier server are taken over");
    }

    tokio::spawn(hosts.clone().sweep());
    let door = Door::listen(&config.listen).await?;
    let address = door.address.clone();
    let gateway = Arc::new(Gateway {
        gate,
        hosts: hosts.clone(),
        pool: Pool::begin(&run_dir, &provision),
        provision: provision.clone(),
        requests: Default::default(),
        info: info::Facts {
            address: address.clone(),
            started: SystemTime::now(),
            clock: Instant::now(),
        },
        session_methods: door::session_methods().map_err(|error| Box::new(error) as Box<_>)?,
    });
    let (health, open) = open_services().await?;
    let server_file = ServerFile::path(&run_dir);
    let file = ServerFile {
        address: address.clone(),
        pid: std::process::id(),
        version: build::VERSION.into(),
    };
    file.write(&run_dir).map_err(|error| ServeError::Folder {
        path: server_file.clone(),
        problem: error.to_string(),
    })?;
    greet(&address, &run_dir, config.auth, provision.settled(GREETING_LIMIT).await);

    door.serve(gateway, open, health, told_to_end).await?;
    if config.stop_sessions {
        hosts.stop_all(STOP_LIMIT).await;
    }
    let _ = std::fs::remove_file(server_file);
    Ok(())
}

fn gate(config: &Config) -> Result<Gate, ServeError> {
    if let Listen::Tcp(address) = &config.listen
        && !address.ip().is_loopback()
    {
        return Err(ServeError::NotLocal { address: *address });
    }
    if !config.auth {
        return Ok(Gate::Open);
    }
    let token = auth::load_or_make_token(&config.run_dir);
    token.map(Gate::Token).map_err(|error| ServeError::Folder {
        path: auth::token_path(&config.run_dir),
        problem: error.to_string(),
    })
}

/// Two servers on one run folder would fight over its sessions.
fn lock(run_dir: &Path) -> Result<std::fs::File, ServeError> {
    let path = run_dir.join("lock");
    let unusable = |error: std::io::Error| ServeError::Folder {
        path: path.clone(),
        problem: error.to_string(),
    };
    let file = std::fs::OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(&path)
        .map_err(unusable)?;
    if rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive).is_err() {
        let pid = std::fs::read_to_string(&path).unwrap_or_default().trim().to_owned();
        return Err(ServeError::Locked { path: run_dir.to_owned(), pid });
    }
    std::fs::write(&path, std::process::id().to_string()).map_err(unusable)?;
    Ok(file)
}

/// Health and reflection, which need no token.
async fn open_services() -> Result<(HealthReporter, Routes), ServeError> {
    let (reporter, health) = tonic_health::server::health_reporter();
    for name in service_names() {
        reporter.set_service_status(name, ServingStatus::Serving).await;
    }
    let boxed = |error: tonic_reflection::server::Error| ServeError::Other(Box::new(error));
    let routes = Routes::new(health)
        .add_service(reflection().build_v1().map_err(boxed)?)
        .add_service(reflection().build_v1alpha().map_err(boxed)?);
    Ok((reporter, routes))
}

/// The contract, and the types of errors, so that callers can print details decoded.
fn reflection() -> tonic_reflection::server::Builder<'static> {
    tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(proto::DESCRIPTORS)
        .register_encoded_file_descriptor_set(tonic_types::pb::FILE_DESCRIPTOR_SET)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        .register_encoded_file_descriptor_set(tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET)
        .register_encoded_file_descriptor_set(tonic_reflection::pb::v1alpha::FILE_DESCRIPTOR_SET)
        .include_reflection_service(false)
}

/// Every service of the contract.
fn service_names() -> Vec<String> {
    let files = prost_types::FileDescriptorSet::decode(proto::DESCRIPTORS).unwrap_or_default().file;
    let services = files.iter().flat_map(|file| &file.service);
    services.map(|service| format!("{}.{}", proto::DOMAIN, service.name())).collect()
}

/// A socket that listens, and where.
struct Listening {
    address: String,
    socket: Socket,
}

enum Socket {
    Tcp(TcpListener),
    Unix(UnixListener, PathBuf),
}

impl Door<()> {
    async fn listen(listen: &Listen) -> Result<Listening, ServeError> {
        let failed = |error: std::io::Error| {
            let hint = match error.kind() {
                std::io::ErrorKind::AddrInUse => {
                    "; something else listens there, choose another --listen"
                }
                _ => "",
            };
            ServeError::Listen { address: listen.to_string(), problem: format!("{error}{hint}") }
        };
        match listen {
            Listen::Tcp(address) => {
                let listener = TcpListener::bind(address).await.map_err(failed)?;
                let address = listener.local_addr().map_err(failed)?.to_string();
                Ok(Listening { address, socket: Socket::Tcp(listener) })
            }
            Listen::Unix(path) => {
                config::remove_stale_socket(path).map_err(failed)?;
                let listener = UnixListener::bind(path).map_err(failed)?;
                config::restrict(path).map_err(failed)?;
                Ok(Listening {
                    address: format!("unix:{}", path.display()),
                    socket: Socket::Unix(listener, path.clone()),
                })
            }
        }
    }
}

impl Listening {
    async fn serve(
        self,
        gateway: Arc<Gateway>,
        open: Routes,
        health: HealthReporter,
        told_to_end: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), ServeError> {
        let (end, ended) = tokio::sync::watch::channel(false);
        tokio::spawn(async move {
            told_to_end.await;
            tracing::info!("told to end");
            for name in service_names().into_iter().chain([String::new()]) {
                health.set_service_status(name, ServingStatus::NotServing).await;
            }
            end.send_replace(true);
            // Nobody may be left to hear it; then the server is over already.
            end.closed().await;
        });
        let told = |mut ended: tokio::sync::watch::Receiver<bool>| async move {
            let _ = ended.wait_for(|ended| *ended).await;
        };
        let server = tonic::transport::Server::builder()
            .max_concurrent_streams(MAX_STREAMS)
            .http2_max_header_list_size(MAX_HEADERS)
            .http2_keepalive_interval(Some(KEEPALIVE))
            .tcp_nodelay(true)
            .layer(tower::layer::layer_fn(move |open| Door { gateway: Arc::clone(&gateway), open }))
            .add_routes(open);
        let (serving, socket_path): (futures_util::future::BoxFuture<_>, _) = match self.socket {
            Socket::Tcp(listener) => {
                let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
                (Box::pin(server.serve_with_incoming_shutdown(incoming, told(ended.clone()))), None)
            }
            Socket::Unix(listener, path) => {
                let incoming = UnixListenerStream::new(listener);
                (
                    Box::pin(server.serve_with_incoming_shutdown(incoming, told(ended.clone()))),
                    Some(path),
                )
            }
        };
        // Long streams, and connections that never finish their handshake, are not waited for.
        let drained = async {
            told(ended).await;
            tokio::time::sleep(DRAIN_LIMIT).await;
        };
        tokio::select! {
            served = serving => served.map_err(|error| Box::new(error) as Box<_>)?,
            () = drained => {}
        }
        if let Some(path) = socket_path {
            let _ = std::fs::remove_file(path);
        }
        Ok(())
    }
}

/// Waits for a signal that ends the server; none that comes from now on is missed.
fn signals() -> Result<impl Future<Output = ()> + Send, ServeError> {
    let listen = |kind| signal(kind).map_err(|error| ServeError::Other(Box::new(error)));
    let (mut terminate, mut interrupt) =
        (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// What a person wants to know first.
fn greet(address: &str, run_dir: &Path, has_auth: bool, stage: Stage) {
    let token_path = auth::token_path(run_dir);
    let token_path = token_path.display();
    let (token, header) = match has_auth {
        false => ("none: calls are taken without one".into(), String::new()),
        true => {
            let header = format!("-H \"authorization: Bearer $(cat {token_path})\" ");
            (token_path.to_string(), header)
        }
    };
    let debuggers = match stage {
        Stage::Ready { folder, .. } => format!("debugpy in {}", folder.display()),
        Stage::Working { what } => format!("debugpy: {what}"),
        Stage::Failed { problem } => format!("none: {problem}"),
    };
    let lines = [
        format!("debug-relay {} listens on {address}", build::VERSION),
        format!("  token      {token}"),
        format!("  debuggers  {debuggers}"),
        format!(
            "  try        grpcurl -plaintext {header}{address} debugrelay.v1.ServerService/GetInfo"
        ),
    ];
    // Whoever started the server may have closed its standard output.
    let mut out = std::io::stdout();
    let _ = out.write_all((lines.join("\n") + "\n").as_bytes()).and_then(|()| out.flush());
}

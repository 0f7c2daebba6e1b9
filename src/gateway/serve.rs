//! The server's life: folders and lock, token, hosts of an earlier server, the port, and a polite end
//! that leaves the sessions alone.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime};

use prost::Message;
use tonic::service::Routes;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use super::audit::Audit;
use super::crowd::Crowd;
use super::door::{Door, Gateway};
use super::drain::{self, Signals};
use super::hosts::Hosts;
use super::listening::{self, Listening};
use super::methods::Methods;
use super::metrics::Metrics;
use super::observe::Observer;
use super::operations::Operations;
use super::pool::Pool;
use super::provision::{Provision, Stage, Wanted};
use super::story::Ledger;
use super::tls::Tls;
use super::{incoming, info};
use crate::auth::{self, Gate};
use crate::build;
use crate::config::{self, Config};
use crate::confines;
use crate::limits;
use crate::proto;
use crate::store::ServerFile;

/// Calls under way at the end of the server have this long.
const LEAVE_LIMIT: Duration = Duration::from_secs(3);
const STOP_LIMIT: Duration = Duration::from_secs(15);
/// Looking for debugpy takes a moment; installing it is not waited for.
const GREETING_LIMIT: Duration = Duration::from_secs(1);
/// The longest request of those that need no token, in bytes.
const MAX_OPEN_REQUEST: usize = 4096;
/// A connection that does not answer a ping goes.
const KEEPALIVE: Duration = Duration::from_secs(60);

#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("the folder {path} cannot be used: {problem}")]
    Folder { path: PathBuf, problem: String },
    #[error("another server uses {path} (process {pid}); stop it, or choose another --run-dir")]
    Locked { path: PathBuf, pid: String },
    #[error("cannot listen on {address}: {problem}")]
    Listen { address: String, problem: String },
    #[error("{0}")]
    Settings(String),
    #[error(transparent)]
    Other(#[from] Box<dyn std::error::Error + Send + Sync>),
}

/// Serves until SIGTERM or SIGINT.
pub async fn run(config: Config) -> Result<(), ServeError> {
    // From the first moment: whoever is told that there is a server may end it at once.
    let mut signals = Signals::listen()?;
    limits::set(config.limits.clone());
    confines::set(config.confines.clone());
    let run_dir = config.run_dir.clone();
    config::make_private(&run_dir)
        .and_then(|()| config::make_private(&run_dir.join("sessions")))
        .map_err(|problem| ServeError::Folder { path: run_dir.clone(), problem })?;
    config::make_private(&config.state_dir.join("sessions"))
        .map_err(|problem| ServeError::Folder { path: config.state_dir.clone(), problem })?;
    let _lock = lock(&run_dir)?;
    let gate = gate(&config)?;
    let tls = Tls::load(&config).map_err(ServeError::Settings)?;
    let audit = audit(&config)?;
    let operations = operations(&config).await?;
    let provision = Provision::begin(Wanted {
        state_dir: config.state_dir.clone(),
        debugpy: config.debugpy.clone(),
        python: config.python.clone(),
    });
    let hosts = Hosts::new(&run_dir, &config.state_dir);
    let metrics = Arc::new(Metrics::new());
    adopt(&hosts, &metrics).await;

    let listening = listening::listen(&config).await?;
    tokio::spawn(hosts.clone().sweep());
    let address = listening.address.clone();
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
        methods: Methods::new().map_err(|error| Box::new(error) as Box<_>)?,
        ledger: Ledger { metrics: Arc::clone(&metrics), audit },
        is_draining: AtomicBool::default(),
    });
    let (health, open) = open_services().await?;
    let crowd = Crowd::new(config.limits.connections);
    let metrics_address = operations.as_ref().map(|operations| operations.address);
    if let Some(operations) = operations {
        let observer = Observer::new(Arc::clone(&gateway), metrics, crowd.clone(), tls.clone());
        tokio::spawn(operations.serve(Arc::new(observer)));
    }
    tls.iter().for_each(|tls| drop(tokio::spawn(Arc::clone(tls).follow())));
    let server_file = ServerFile::path(&run_dir);
    let file = ServerFile {
        address: listening.dial.clone(),
        pid: std::process::id(),
        version: build::VERSION.into(),
        tls: tls.is_some(),
        metrics_address: metrics_address.map(|address| address.to_string()),
    };
    file.write(&run_dir).map_err(|error| ServeError::Folder {
        path: server_file.clone(),
        problem: error.to_string(),
    })?;
    greet(&config, &address, &file, provision.settled(GREETING_LIMIT).await);
    drain::notify(&[sd_notify::NotifyState::Ready]);

    tokio::spawn(end_tokens_of_forgotten(Arc::clone(&gateway)));
    let (leave, left) = tokio::sync::oneshot::channel();
    let served = tokio::spawn(serve(Arc::clone(&gateway), open, listening, tls, crowd, left));
    signals.told_to_end(&gateway).await;
    drain::drain(&gateway, health, &mut signals, config.drain).await;
    // Before the address is free for others, who would be taken for us.
    let _ = std::fs::remove_file(server_file);
    let _ = leave.send(());
    served.await.map_err(|error| Box::new(error) as Box<_>)??;
    if config.stop_sessions {
        hosts.stop_all(STOP_LIMIT).await;
    }
    Ok(())
}

/// Takes calls until told to leave, and then until those under way are over, or for a little while.
async fn serve(
    gateway: Arc<Gateway>,
    open: Routes,
    listening: Listening,
    tls: Option<Arc<Tls>>,
    crowd: Crowd,
    left: tokio::sync::oneshot::Receiver<()>,
) -> Result<(), ServeError> {
    let limits = limits::get();
    let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let server = tonic::transport::Server::builder()
        .max_concurrent_streams(small(limits.streams))
        .http2_max_header_list_size(small(limits.header_bytes))
        .http2_keepalive_interval(Some(KEEPALIVE))
        .layer(tower::layer::layer_fn(move |open| Door { gateway: Arc::clone(&gateway), open }))
        .add_routes(open);
    let incoming = incoming::take(listening.sockets, tls, crowd);
    let (end, ended) = tokio::sync::watch::channel(false);
    let told = async |mut ended: tokio::sync::watch::Receiver<bool>| {
        let _ = ended.wait_for(|ended| *ended).await;
    };
    tokio::spawn(async move {
        let _ = left.await;
        end.send_replace(true);
        // Nobody may be left to hear it; then the server is over already.
        end.closed().await;
    });
    let serving = server.serve_with_incoming_shutdown(incoming, told(ended.clone()));
    // Long streams, and connections that never finish their handshake, are not waited for.
    let overdue = async {
        told(ended).await;
        tokio::time::sleep(LEAVE_LIMIT).await;
    };
    tokio::select! {
        served = serving => served.map_err(|error| Box::new(error) as Box<_>)?,
        () = overdue => {}
    }
    if let Some(path) = listening.path {
        let _ = std::fs::remove_file(path);
    }
    Ok(())
}

/// With a session its tokens end, and what they are streaming.
async fn end_tokens_of_forgotten(gateway: Arc<Gateway>) {
    let mut forgotten = gateway.hosts.forgotten.subscribe();
    while forgotten.changed().await.is_ok() {
        gateway.gate.changed();
    }
}

fn gate(config: &Config) -> Result<Gate, ServeError> {
    let token = match config.auth {
        false => None,
        true => {
            Some(auth::load_or_make_token(&config.run_dir).map_err(|error| ServeError::Folder {
                path: auth::token_path(&config.run_dir),
                problem: error.to_string(),
            })?)
        }
    };
    Gate::new(token.as_deref(), config.access.clone(), config.unix_peers)
        .map_err(ServeError::Settings)
}

fn audit(config: &Config) -> Result<Option<Arc<Audit>>, ServeError> {
    let Some(path) = &config.audit_log else { return Ok(None) };
    let opened = Audit::open(path).map_err(|error| {
        ServeError::Settings(format!("{} cannot be written: {error}", path.display()))
    });
    opened.map(|audit| Some(Arc::new(audit)))
}

async fn operations(config: &Config) -> Result<Option<Operations>, ServeError> {
    let Some(address) = config.metrics_listen else { return Ok(None) };
    let listening = Operations::listen(address).await;
    let failed = |error: std::io::Error| ServeError::Listen {
        address: address.to_string(),
        problem: format!("{error}; choose another --metrics-listen"),
    };
    listening.map(Some).map_err(failed)
}

async fn adopt(hosts: &Hosts, metrics: &Metrics) {
    let begun = Instant::now();
    let adopted = hosts.adopt().await;
    let found = hosts.all().len();
    if 0 < adopted {
        tracing::info!(adopted, "sessions of an earlier server are taken over");
    }
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    metrics.observed.adopted.set(count(adopted));
    metrics.observed.adoption_lost.set(count(found - adopted));
    metrics.observed.adoption_seconds.set(begun.elapsed().as_secs_f64());
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
    // Strangers may call these, so that they are given little room.
    let (v1, v1alpha) =
        (reflection().build_v1().map_err(boxed)?, reflection().build_v1alpha().map_err(boxed)?);
    let routes = Routes::new(health.max_decoding_message_size(MAX_OPEN_REQUEST))
        .add_service(v1.max_decoding_message_size(MAX_OPEN_REQUEST))
        .add_service(v1alpha.max_decoding_message_size(MAX_OPEN_REQUEST));
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
pub fn service_names() -> Vec<String> {
    let files = prost_types::FileDescriptorSet::decode(proto::DESCRIPTORS).unwrap_or_default().file;
    let services = files.iter().flat_map(|file| &file.service);
    services.map(|service| format!("{}.{}", proto::DOMAIN, service.name())).collect()
}

/// What a person wants to know first.
fn greet(config: &Config, address: &str, server: &ServerFile, stage: Stage) {
    let ServerFile { tls, metrics_address, .. } = server;
    let token_path = auth::token_path(&config.run_dir);
    let token_path = token_path.display();
    let (token, header) = match config.auth {
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
    let transport = match (tls, server.address.strip_prefix("unix:")) {
        (true, _) => format!("-cacert CA.pem {header}{}", server.address),
        (false, None) => format!("-plaintext {header}{}", server.address),
        (false, Some(path)) => format!("-plaintext -unix -authority localhost {header}{path}"),
    };
    let mut lines = vec![
        format!("debug-relay {} listens on {address}", build::VERSION),
        format!("  token      {token}"),
        format!("  debuggers  {debuggers}"),
    ];
    lines.extend(metrics_address.iter().map(|at| format!("  metrics    http://{at}/metrics")));
    lines.push(format!("  try        grpcurl {transport} debugrelay.v1.ServerService/GetInfo"));
    // Whoever started the server may have closed its standard output.
    let mut out = std::io::stdout();
    let _ = out.write_all((lines.join("\n") + "\n").as_bytes()).and_then(|()| out.flush());
}

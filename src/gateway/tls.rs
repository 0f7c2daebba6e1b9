//! TLS: the server's certificate, and the authorities that callers' certificates must come from.
//! The files are read again when they change; connections that are open stay as they are.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use arc_swap::ArcSwap;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

use x509_parser::prelude::{FromDer, X509Certificate};

use crate::config::Config;

/// How often it is looked whether the files have changed. Orchestrators swap links, which no watch
/// on a file sees.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// A certificate that expires within this many seconds is worth a word.
const SOON: i64 = 7 * 24 * 3600;

#[derive(Debug, Clone)]
struct Files {
    certificate: PathBuf,
    key: PathBuf,
    client_ca: Option<PathBuf>,
    is_client_optional: bool,
}

/// What new connections are greeted with.
pub struct Tls {
    files: Files,
    now: ArcSwap<ServerConfig>,
    /// Until when the server's certificate is good, in seconds since 1970.
    expires: AtomicI64,
}

impl Tls {
    /// None when the settings want no TLS.
    pub fn load(config: &Config) -> Result<Option<Arc<Self>>, String> {
        let (Some(certificate), Some(key)) = (&config.tls_cert, &config.tls_key) else {
            return Ok(None);
        };
        let files = Files {
            certificate: certificate.clone(),
            key: key.clone(),
            client_ca: config.tls_client_ca.clone(),
            is_client_optional: config.tls_client_optional,
        };
        let now = ArcSwap::from_pointee(files.read()?);
        let tls = Self { files, now, expires: AtomicI64::default() };
        tls.note_expiry();
        Ok(Some(Arc::new(tls)))
    }

    /// Until when the server's certificate is good, in seconds since 1970; 0 if that cannot be told.
    pub fn expires(&self) -> i64 {
        self.expires.load(Ordering::Relaxed)
    }

    fn note_expiry(&self) {
        let expires = expiry(&self.files.certificate).unwrap_or_default();
        self.expires.store(expires, Ordering::Relaxed);
        if expires != 0 && expires < unix_seconds() + SOON {
            tracing::warn!(
                certificate = %self.files.certificate.display(),
                "the server's certificate has expired, or does so within a week"
            );
        }
    }

    pub fn acceptor(&self) -> TlsAcceptor {
        self.now.load_full().into()
    }

    /// Reads the files again whenever they change. What cannot be used changes nothing.
    pub async fn follow(self: Arc<Self>) {
        let mut seen = self.files.stamps();
        loop {
            tokio::time::sleep(LOOK_INTERVAL).await;
            let stamps = self.files.stamps();
            if stamps == seen {
                continue;
            }
            seen = stamps;
            match self.files.read() {
                Ok(config) => {
                    self.now.store(Arc::new(config));
                    self.note_expiry();
                    tracing::info!("the certificate files were read again");
                }
                // The other file of a pair comes in a moment, perhaps.
                Err(problem) => tracing::warn!(problem, "the certificate files cannot be used yet"),
            }
        }
    }
}

/// What is to say of the files of TLS.
pub enum Checked {
    Off,
    Good,
    /// The certificate has expired, or does so within a week.
    Expiring,
}

pub fn check(config: &Config) -> Result<Checked, String> {
    Ok(match Tls::load(config)? {
        None => Checked::Off,
        Some(tls) if tls.expires() < unix_seconds() + SOON => Checked::Expiring,
        Some(_) => Checked::Good,
    })
}

fn unix_seconds() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_secs()).unwrap_or(i64::MAX)
}

/// When the first certificate of a file expires.
fn expiry(path: &Path) -> Option<i64> {
    let chain = certificates(path).ok()?;
    let (_, certificate) = X509Certificate::from_der(chain.first()?).ok()?;
    Some(certificate.validity().not_after.timestamp())
}

/// What changes when a file does: device, inode, size, time.
type Stamp = Option<(u64, u64, u64, i64, i64)>;

impl Files {
    fn stamps(&self) -> Vec<Stamp> {
        let stamp = |path: &Path| {
            let facts = std::fs::metadata(path).ok()?;
            Some((facts.dev(), facts.ino(), facts.size(), facts.mtime(), facts.mtime_nsec()))
        };
        let files = [Some(&self.certificate), Some(&self.key), self.client_ca.as_ref()];
        files.into_iter().flatten().map(|path| stamp(path)).collect()
    }

    fn read(&self) -> Result<ServerConfig, String> {
        let told = |path: &Path, problem: &dyn std::fmt::Display| {
            format!("{} cannot be used for TLS: {problem}", path.display())
        };
        let chain = certificates(&self.certificate)?;
        let key =
            PrivateKeyDer::from_pem_file(&self.key).map_err(|error| told(&self.key, &error))?;
        let provider = Arc::new(ring::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?;
        let builder = match &self.client_ca {
            None => builder.with_no_client_auth(),
            Some(path) => {
                let mut roots = RootCertStore::empty();
                for certificate in certificates(path)? {
                    roots.add(certificate).map_err(|error| told(path, &error))?;
                }
                let verifier =
                    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
                let verifier = match self.is_client_optional {
                    true => verifier.allow_unauthenticated(),
                    false => verifier,
                };
                let verifier = verifier.build().map_err(|error| told(path, &error))?;
                builder.with_client_cert_verifier(verifier)
            }
        };
        let config = builder.with_single_cert(chain, key);
        let mut config = config.map_err(|error| told(&self.certificate, &error))?;
        config.alpn_protocols = vec![b"h2".to_vec()];
        // Every connection shows its certificate anew: one that has run out must not be resumed.
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
        Ok(config)
    }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let told = |problem: &dyn std::fmt::Display| {
        format!("{} cannot be used for TLS: {problem}", path.display())
    };
    let found = CertificateDer::pem_file_iter(path).map_err(|error| told(&error))?;
    let found: Result<Vec<_>, _> = found.collect();
    match found.map_err(|error| told(&error))? {
        found if found.is_empty() => Err(told(&"there is no certificate in it")),
        found => Ok(found),
    }
}

//! Who is at the other end of a connection, as far as the connection itself tells.

use std::sync::Arc;

use x509_parser::prelude::{FromDer, GeneralName, X509Certificate};

/// The other end of a connection.
#[derive(Debug, Clone)]
pub struct Peer {
    /// For logs.
    pub address: Arc<str>,
    pub identity: PeerIdentity,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PeerIdentity {
    /// Nothing is known.
    Unknown,
    /// A certificate that was verified, with its SPIFFE URI or why it has none.
    Certificate(Result<Arc<str>, &'static str>),
    /// A user of this machine, as the kernel tells.
    User(u32),
}

/// The SPIFFE URI of a verified certificate: there must be exactly one, as SPIFFE has it.
pub fn certificate_identity(der: &[u8]) -> PeerIdentity {
    PeerIdentity::Certificate(spiffe_uri(der))
}

fn spiffe_uri(der: &[u8]) -> Result<Arc<str>, &'static str> {
    let unreadable = "the client certificate cannot be read";
    let (_, certificate) = X509Certificate::from_der(der).map_err(|_| unreadable)?;
    let names = certificate.subject_alternative_name().map_err(|_| unreadable)?;
    let names = names.map(|names| names.value.general_names.as_slice()).unwrap_or_default();
    let uris = names.iter().filter_map(|name| match name {
        GeneralName::URI(uri) => Some(*uri),
        _ => None,
    });
    let uris: Vec<&str> = uris.collect();
    match uris[..] {
        [uri] if uri.starts_with("spiffe://") && uri.len() <= 256 => Ok(uri.into()),
        _ => Err("the client certificate has not exactly one URI, a SPIFFE one, among its names"),
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, SanType};

    use super::*;

    fn identity(names: &[&str]) -> PeerIdentity {
        let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        let uris = names.iter().map(|name| SanType::URI((*name).try_into().unwrap()));
        params.subject_alt_names.extend(uris);
        let certificate = params.self_signed(&KeyPair::generate().unwrap()).unwrap();
        certificate_identity(certificate.der())
    }

    #[test]
    fn the_owner_is_the_one_spiffe_uri() {
        let known = |uri: &str| PeerIdentity::Certificate(Ok(uri.into()));

        assert_eq!(identity(&["spiffe://a.org/ns/x/sa/y"]), known("spiffe://a.org/ns/x/sa/y"));
        for strange in [&[][..], &["https://a.org"], &["spiffe://a/b", "spiffe://a/c"]] {
            assert!(matches!(identity(strange), PeerIdentity::Certificate(Err(_))), "{strange:?}");
        }
        assert!(matches!(certificate_identity(b"junk"), PeerIdentity::Certificate(Err(_))));
    }
}

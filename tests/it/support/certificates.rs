//! An authority of the test's own, and certificates that it signs.

use std::path::PathBuf;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, SanType,
};
use tonic::transport::{Certificate, ClientTlsConfig, Identity};

pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: tempfile::TempDir,
}

impl Authority {
    pub fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        Self { issuer, folder: tempfile::tempdir().unwrap() }
    }

    pub fn pem(&self) -> String {
        self.issuer.pem()
    }

    /// A file with the authority's certificate.
    pub fn file(&self) -> PathBuf {
        self.write("ca.pem", &self.pem())
    }

    /// Certificate and key of a server on this machine, in files of the same names every time.
    pub fn server(&self) -> [PathBuf; 2] {
        let mut params =
            CertificateParams::new(vec!["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
        params.extended_key_usages.push(ExtendedKeyUsagePurpose::ServerAuth);
        let (certificate, key) = self.sign(&params);
        // As one renames a finished file into place.
        [self.write("server.pem", &certificate), self.write("server.key", &key)]
    }

    /// Certificate and key of a client with these URIs.
    pub fn client(&self, uris: &[&str]) -> Identity {
        let (certificate, key) = self.client_pems(uris);
        Identity::from_pem(certificate, key)
    }

    /// The same in files.
    pub fn client_files(&self, uri: &str) -> (String, String) {
        let (certificate, key) = self.client_pems(&[uri]);
        let path = |name: &str, text: &str| self.write(name, text).to_string_lossy().into_owned();
        (path("client.pem", &certificate), path("client.key", &key))
    }

    /// What a client of a server of this authority needs.
    pub fn trust(&self) -> ClientTlsConfig {
        ClientTlsConfig::new()
            .ca_certificate(Certificate::from_pem(self.pem()))
            .domain_name("localhost")
    }

    fn client_pems(&self, uris: &[&str]) -> (String, String) {
        let mut params = CertificateParams::default();
        let uris = uris.iter().map(|uri| SanType::URI((*uri).try_into().unwrap()));
        params.subject_alt_names.extend(uris);
        params.extended_key_usages.push(ExtendedKeyUsagePurpose::ClientAuth);
        self.sign(&params)
    }

    fn sign(&self, params: &CertificateParams) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        (params.signed_by(&key, &self.issuer).unwrap().pem(), key.serialize_pem())
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        let new = path.with_extension("new");
        std::fs::write(&new, text).unwrap();
        std::fs::rename(new, &path).unwrap();
        path
    }
}

//! Who may call: the files of TLS, the access file, and where everybody would get in.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::report::Finding;
use crate::auth;
use crate::config::{Config, Listen};
use crate::gateway::{self, CheckedTls};

/// TLS, and whether it is needed.
pub fn tls(config: &Config) -> Finding {
    const SUBJECT: &str = "tls";
    match (gateway::check_tls(config), &config.listen) {
        (Err(problem), _) => Finding::fail(SUBJECT, problem)
            .remedy("mend tls_cert, tls_key or tls_client_ca: PEM files of certificate, key and authorities"),
        (Ok(CheckedTls::Expiring), _) => {
            Finding::warn(SUBJECT, "on; the certificate has expired, or does so within a week")
                .remedy("put a new one in its place; a server that runs takes it by itself")
        }
        (Ok(CheckedTls::Good), _) if config.tls_key.as_deref().is_some_and(is_for_all) => {
            Finding::warn(SUBJECT, "on; every user of this machine can read the key")
                .remedy("chmod go= on the file that tls_key names")
        }
        (Ok(CheckedTls::Good), _) => match (&config.tls_client_ca, config.tls_client_optional) {
            (Some(_), false) => Finding::ok(SUBJECT, "on, and callers must show a certificate"),
            (Some(_), true) => Finding::ok(SUBJECT, "on, and callers may show a certificate"),
            (None, _) => Finding::ok(SUBJECT, "on"),
        },
        (Ok(CheckedTls::Off), Listen::Tcp(address)) if !address.ip().is_loopback() => {
            Finding::warn(SUBJECT, "off, and other machines reach this one: tokens and code travel in the clear")
                .remedy("set tls_cert and tls_key, unless a proxy or a mesh does TLS on this machine")
        }
        (Ok(CheckedTls::Off), _) => Finding::info(SUBJECT, "off; only this machine is served"),
    }
}

fn is_for_all(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|facts| facts.mode() & 0o004 != 0)
}

/// The access file.
pub fn access(config: &Config) -> Finding {
    const SUBJECT: &str = "access";
    let Some(path) = &config.access else {
        return Finding::info(SUBJECT, "no file; there is only the server's own token");
    };
    match auth::check_access(path) {
        Ok((tokens, certificates)) => {
            let found = format!("{}: {tokens} tokens, {certificates} certificates", path.display());
            Finding::ok(SUBJECT, found)
        }
        Err(problem) => Finding::fail(SUBJECT, problem)
            .remedy("mend it; `debug-relay token new NAME` adds a token"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::Mark;
    use super::*;

    #[test]
    fn files_that_cannot_be_used_fail() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("junk");
        std::fs::write(&path, "junk").unwrap();
        let junk = Some(path);
        let with_tls =
            Config { tls_cert: junk.clone(), tls_key: junk.clone(), ..Config::default() };
        let with_access = Config { access: junk, ..Config::default() };

        assert_eq!((tls(&with_tls).mark, access(&with_access).mark), (Mark::Fail, Mark::Fail));
        assert_eq!(tls(&Config::default()).mark, Mark::Info);
        let open = Config { listen: "0.0.0.0:1".parse().unwrap(), ..Config::default() };
        assert_eq!(tls(&open).mark, Mark::Warn);
    }
}

//! Settings that do not go together, and those that would let everybody in.

use super::{Config, Listen};

/// Each with the key that is to blame.
pub fn problems(config: &Config) -> Vec<(&'static str, String)> {
    let mut problems = Vec::new();
    let mut blame = |key: &'static str, says: String| problems.push((key, says));
    let has_tls = config.tls_cert.is_some() && config.tls_key.is_some();
    match (&config.tls_cert, &config.tls_key) {
        (Some(_), None) => blame("tls_cert", "it needs tls_key as well".into()),
        (None, Some(_)) => blame("tls_key", "it needs tls_cert as well".into()),
        _ => {}
    }
    if config.tls_client_ca.is_some() && !has_tls {
        blame("tls_client_ca", "it needs tls_cert and tls_key as well".into());
    }
    if config.tls_client_optional && config.tls_client_ca.is_none() {
        blame("tls_client_optional", "it needs tls_client_ca as well".into());
    }
    if has_tls && matches!(config.listen, Listen::Unix(_)) {
        blame("tls_cert", "a Unix socket has no TLS; listen on ADDRESS:PORT".into());
    }
    let proves_itself = config.tls_client_ca.is_some() && !config.tls_client_optional;
    match &config.listen {
        Listen::Tcp(address) if !address.ip().is_loopback() && !config.insecure_listen => {
            let reached = format!("{address} can be reached from other machines");
            if !has_tls {
                let remedy = "set tls_cert and tls_key, listen on 127.0.0.1 or unix:PATH, or allow \
                              it with insecure_listen";
                blame("listen", format!("{reached}, and there is no TLS; {remedy}"));
            } else if !config.auth && !proves_itself {
                let remedy = "leave auth on, require certificates with tls_client_ca, or allow it \
                              with insecure_listen";
                blame(
                    "auth",
                    format!("{reached}, and nobody would have to prove who they are; {remedy}"),
                );
            }
        }
        Listen::Tcp(_) | Listen::Unix(_) => {}
    }
    if !config.auth && config.access.is_some() && config.tls_client_ca.is_none() {
        blame("access", "it is of no use while auth is off and callers show no certificate".into());
    }
    if config.unix_peers && matches!(config.listen, Listen::Tcp(_)) {
        blame("unix_peers", "it needs listen = \"unix:PATH\"".into());
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blamed(change: impl Fn(&mut Config)) -> Vec<&'static str> {
        let mut config = Config::default();
        change(&mut config);
        problems(&config).into_iter().map(|(key, _)| key).collect()
    }

    fn with_tls(config: &mut Config) {
        (config.tls_cert, config.tls_key) = (Some("c".into()), Some("k".into()));
    }

    #[test]
    fn other_machines_reach_a_server_only_with_tls_or_by_an_explicit_wish() {
        let everywhere = |config: &mut Config| {
            config.listen = "0.0.0.0:1".parse().unwrap();
        };

        assert_eq!(blamed(|_| {}), [""; 0]);
        assert_eq!(blamed(everywhere), ["listen"]);
        assert_eq!(blamed(|config| config.listen = "[::]:1".parse().unwrap()), ["listen"]);
        let insecure = |config: &mut Config| {
            everywhere(config);
            config.insecure_listen = true;
        };
        assert_eq!(blamed(insecure), [""; 0]);
        let secure = |config: &mut Config| {
            everywhere(config);
            with_tls(config);
        };
        assert_eq!(blamed(secure), [""; 0]);
        let open = |config: &mut Config| {
            secure(config);
            config.auth = false;
        };
        assert_eq!(blamed(open), ["auth"]);
        let proved = |config: &mut Config| {
            open(config);
            config.tls_client_ca = Some("ca".into());
        };
        assert_eq!(blamed(proved), [""; 0]);
        let optional = |config: &mut Config| {
            proved(config);
            config.tls_client_optional = true;
        };
        assert_eq!(blamed(optional), ["auth"]);
    }

    #[test]
    fn settings_that_need_others_say_so() {
        assert_eq!(blamed(|config| config.tls_cert = Some("c".into())), ["tls_cert"]);
        assert_eq!(blamed(|config| config.tls_key = Some("k".into())), ["tls_key"]);
        assert_eq!(blamed(|config| config.tls_client_ca = Some("a".into())), ["tls_client_ca"]);
        assert_eq!(blamed(|config| config.tls_client_optional = true), ["tls_client_optional"]);
        assert_eq!(blamed(|config| config.unix_peers = true), ["unix_peers"]);
    }
}

//! Tokens, TLS and logs by the command line.

use crate::cli::user::User;
use crate::support::{Authority, Server, ServerOptions};

fn last_line(text: &str) -> String {
    text.trim().lines().last().unwrap_or_default().to_owned()
}

#[test]
fn a_friend_looks_with_a_token_that_is_taken_back() {
    let user = User::new();
    user.copy_examples();
    user.run(&["start", "examples/basket.py"]).succeeded();

    let token = user.run(&["share", "--read-only", "--for", "1h", "--name", "eve"]).succeeded();
    let with = |arguments: &[&str]| {
        let mut command = user.command(arguments);
        command.env("DEBUG_RELAY_TOKEN", token.trim());
        crate::support::Ran::of(command.output().unwrap())
    };

    with(&["status"]).succeeded();
    with(&["locals"]).succeeded();
    let refused = with(&["continue"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(refused.errors.contains("may look and nothing else"), "{refused:?}");
    let listed = user.run(&["share", "list"]).succeeded();
    let line = listed.lines().find(|line| line.contains("eve")).unwrap();
    assert!(line.contains("may look") && line.contains("until"), "{listed}");
    let id = line.split_whitespace().next().unwrap();
    assert_eq!(user.run(&["share", "revoke", id]).succeeded(), "1 taken back\n");
    assert!(with(&["status"]).errors.contains("not known here"));
    let before = user.run(&["log-filter", "warn"]).succeeded();
    assert_eq!(before, "before: info\n");
}

#[test]
fn a_named_token_is_made_and_only_its_hash_is_kept() {
    let user = User::new();
    let arguments = ["token", "new", "ci", "--access", "access.toml", "--for", "30d"];

    let made = user.run(&arguments);
    let again = user.run(&arguments);

    let token = made.succeeded();
    assert!(token.starts_with("drt_") && token.trim().len() == 68, "{token}");
    let file = std::fs::read_to_string(user.folder().join("access.toml")).unwrap();
    assert!(file.contains("[tokens.ci]") && !file.contains(token.trim()), "{file}");
    assert!(again.failed().contains("duplicate key"));
    let none = user.run(&["token", "new", "ci"]).failed();
    assert!(none.contains("--access FILE"), "{none}");
}

#[tokio::test]
async fn ones_own_token_is_not_shown_to_whoever_else_listens_on_this_machine() {
    let user = User::new();
    user.copy_examples();
    user.run(&["start", "examples/basket.py"]).succeeded();
    let elsewhere = Server::start().await;
    let info = user.run(&["info", "--json"]).succeeded();
    let info: serde_json::Value = serde_json::from_str(&info).unwrap();
    let address = info["address"].as_str().unwrap();

    let there = user.run(&["--address", &elsewhere.address, "sessions"]);
    user.run(&["stop", "--all", "--forget"]).succeeded();
    user.run(&["shutdown"]).succeeded();
    let in_its_place =
        Server::with(ServerOptions { listen: address.into(), ..Default::default() }).await;
    let here = user.run(&["--address", &in_its_place.address, "sessions"]);

    // Had it been shown, it would not be known there.
    for refused in [there, here] {
        assert!(refused.errors.contains("no `authorization`"), "{refused:?}");
    }
}

#[tokio::test]
async fn commands_speak_tls_with_a_server_elsewhere() {
    let authority = Authority::new("ours");
    let [certificate, key] = authority.server();
    let (ca, clients) = (authority.file(), Authority::new("clients"));
    let arguments = [
        "--tls-cert".into(),
        certificate.to_string_lossy().into_owned(),
        "--tls-key".into(),
        key.to_string_lossy().into_owned(),
        "--tls-client-ca".into(),
        clients.file().to_string_lossy().into_owned(),
        "--tls-client-optional".into(),
    ];
    let server =
        Server::with(ServerOptions { arguments: arguments.into(), ..Default::default() }).await;
    let user = User::new();
    let token = server.token();
    let run = |arguments: &[&str], token: Option<&str>| {
        let mut command = user.command(arguments);
        command.env("DEBUG_RELAY_ADDRESS", &server.address);
        command.envs(token.map(|token| ("DEBUG_RELAY_TOKEN", token)));
        crate::support::Ran::of(command.output().unwrap())
    };
    let ca = ca.to_string_lossy().into_owned();

    let info = run(&["--ca", &ca, "info"], Some(&token)).succeeded();
    assert!(info.contains(&server.address), "{info}");
    // Neither in the clear, nor with an authority that the server is not of.
    let plain = run(&["info"], Some(&token));
    assert_eq!(plain.status.code(), Some(3), "{plain:?}");
    assert!(plain.errors.contains("--ca FILE"), "{plain:?}");
    let address = format!("https://{}", server.address);
    let untrusted = run(&["--address", &address, "info"], Some(&token));
    assert_eq!(untrusted.status.code(), Some(3), "{untrusted:?}");
    // By a certificate of one's own, without a token.
    let (cert, key) = clients.client_files("spiffe://example.org/ada");
    let arguments = ["--ca", &ca, "--cert", &cert, "--key", &key, "info", "--json"];
    let info = run(&arguments, None).succeeded();
    assert!(info.contains("spiffe://example.org/ada"), "{}", last_line(&info));
}

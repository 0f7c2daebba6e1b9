//! TLS, and callers who are known by their certificates.

use std::path::PathBuf;

use debug_relay::proto::*;
use tonic::Code;
use tonic::transport::{ClientTlsConfig, Endpoint};
use tonic_types::StatusExt;

use crate::support::{
    AccessFile, Authority, Client, Program, Server, ServerOptions, eventually, run_binary, tools,
};

async fn server(files: &[PathBuf; 2], more: &[&str]) -> Server {
    let [certificate, key] = files.each_ref().map(|path| path.to_string_lossy().into_owned());
    let own = ["--tls-cert", &certificate, "--tls-key", &key];
    let arguments = own.into_iter().chain(more.iter().copied()).map(String::from).collect();
    Server::with(ServerOptions { arguments, ..Default::default() }).await
}

/// None when the connection comes to nothing.
async fn connect(server: &Server, tls: ClientTlsConfig, token: Option<&str>) -> Option<Client> {
    let endpoint = Endpoint::from_shared(format!("https://{}", server.address)).unwrap();
    let channel = endpoint.tls_config(tls).unwrap().connect().await.ok()?;
    let mut client = Client::on(channel, token);
    // With TLS 1.3 a client learns that it was refused only when it calls.
    match client.server.get_info(GetInfoRequest {}).await {
        Err(status) if status.get_error_details().error_info().is_none() => None,
        _ => Some(client),
    }
}

async fn who(client: &mut Client) -> Caller {
    let info = client.server.get_info(GetInfoRequest {}).await.unwrap();
    info.into_inner().caller.unwrap()
}

#[tokio::test]
async fn a_caller_who_trusts_the_authority_debugs_with_its_token() {
    let authority = Authority::new("ours");
    let server = server(&authority.server(), &[]).await;
    let mut client = connect(&server, authority.trust(), Some(&server.token())).await.unwrap();

    let session = client.stop_at(&Program::named("loop.py"), "add").await;

    client.step_over(&session).await;
    let stranger = connect(&server, authority.trust(), None).await.unwrap();
    let refused = { stranger }.server.get_info(GetInfoRequest {}).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);
    let other = Authority::new("another");
    assert!(connect(&server, other.trust(), Some(&server.token())).await.is_none());
}

#[tokio::test]
async fn two_owners_with_certificates_cannot_see_each_other() {
    let (ours, clients) = (Authority::new("servers"), Authority::new("clients"));
    let ca = clients.file();
    let server = server(&ours.server(), &["--tls-client-ca", &ca.to_string_lossy()]).await;
    let [ann, bob] =
        ["spiffe://example.org/ns/agents/sa/ann", "spiffe://example.org/ns/agents/sa/bob"];
    let with = |uri: &str| ours.trust().identity(clients.client(&[uri]));
    let mut of_ann = connect(&server, with(ann), None).await.unwrap();
    let mut of_bob = connect(&server, with(bob), None).await.unwrap();

    let session = of_ann.stop_at(&Program::named("loop.py"), "add").await;
    let hidden = of_bob.stop_at(&Program::named("loop.py"), "add").await;

    assert_eq!((who(&mut of_ann).await.owner, who(&mut of_bob).await.admin), (ann.into(), false));
    for (client, own, other) in [(&mut of_ann, &session, &hidden), (&mut of_bob, &hidden, &session)]
    {
        client.step_over(own).await;
        let refused = client.session(other).await.unwrap_err();
        assert_eq!(refused.code(), Code::NotFound);
        let refused = client.evaluate(other, "1").await.unwrap_err();
        assert_eq!(refused.code(), Code::NotFound);
        let delete = DeleteSessionRequest { session_id: other.clone() };
        assert_eq!(
            client.sessions.delete_session(delete).await.unwrap_err().code(),
            Code::NotFound
        );
        let listed = client.sessions.list_sessions(ListSessionsRequest::default()).await.unwrap();
        let listed: Vec<String> =
            listed.into_inner().sessions.into_iter().map(|session| session.id).collect();
        assert_eq!(&listed, std::slice::from_ref(own));
    }
    // Neither without a certificate, nor with one of another authority, nor with one that names nobody.
    assert!(connect(&server, ours.trust(), Some(&server.token())).await.is_none());
    let forged = Authority::new("clients").client(&[ann]);
    assert!(connect(&server, ours.trust().identity(forged), None).await.is_none());
    for uris in [&[][..], &["https://example.org"], &[ann, bob]] {
        let nobody = ours.trust().identity(clients.client(uris));
        let mut nobody = connect(&server, nobody, None).await.unwrap();
        let refused = nobody.server.get_info(GetInfoRequest {}).await.unwrap_err();
        assert_eq!(refused.code(), Code::Unauthenticated, "{refused:?}");
        assert!(refused.message().contains("SPIFFE"), "{refused:?}");
    }
}

#[tokio::test]
async fn certificates_may_be_optional_and_the_access_file_says_more_of_them() {
    let (ours, clients) = (Authority::new("servers"), Authority::new("clients"));
    let mut file = AccessFile::new();
    let uri = "spiffe://example.org/operator";
    file.add(&format!("[certificates.\"{uri}\"]\nowner = 'operations'\nadmin = true\n"));
    let (ca, access) = (clients.file(), file.path());
    let arguments = [
        "--tls-client-ca",
        &ca.to_string_lossy(),
        "--tls-client-optional",
        "--access",
        &access.to_string_lossy(),
    ];
    let server = server(&ours.server(), &arguments).await;

    let with = ours.trust().identity(clients.client(&[uri]));
    let mut operator = connect(&server, with, None).await.unwrap();
    let mut without = connect(&server, ours.trust(), Some(&server.token())).await.unwrap();

    let caller = who(&mut operator).await;
    assert_eq!((caller.owner.as_str(), caller.admin), ("operations", true));
    assert_eq!(who(&mut without).await.owner, "server");
}

#[tokio::test]
async fn new_certificate_files_are_taken_and_open_connections_stay() {
    let (old, new) = (Authority::new("old"), Authority::new("new"));
    let files = old.server();
    let server = server(&files, &[]).await;
    let mut open = connect(&server, old.trust(), Some(&server.token())).await.unwrap();
    let session = open.stop_at(&Program::named("loop.py"), "add").await;
    assert!(connect(&server, new.trust(), None).await.is_none());

    // A broken file changes nothing.
    std::fs::write(&files[0], "junk").unwrap();
    eventually("the problem is told", async || {
        server.log().contains("cannot be used yet").then_some(())
    })
    .await;
    connect(&server, old.trust(), Some(&server.token())).await.unwrap();
    for (from, to) in new.server().iter().zip(&files) {
        std::fs::rename(from, to).unwrap();
    }

    eventually("the new one is shown", async || connect(&server, new.trust(), None).await).await;
    assert!(connect(&server, old.trust(), None).await.is_none());
    open.step_over(&session).await;
}

#[tokio::test]
async fn grpcurl_speaks_tls_with_it() {
    let authority = Authority::new("ours");
    let server = server(&authority.server(), &[]).await;

    let done = tokio::process::Command::new(tools().join("bin/grpcurl"))
        .arg("-cacert")
        .arg(authority.file())
        .args(["-H", &format!("authorization: Bearer {}", server.token())])
        .args([&server.address, "debugrelay.v1.ServerService/GetInfo"])
        .output()
        .await
        .unwrap();

    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(server.greeting.contains("grpcurl -cacert"), "{}", server.greeting);
}

#[test]
fn other_machines_are_served_only_with_tls_or_on_demand() {
    let refused = |arguments: &[&str]| {
        let ran = run_binary(&[&["config", "check"], arguments].concat());
        let says = String::from_utf8(ran.stderr).unwrap();
        if ran.status.success() { String::new() } else { says }
    };

    let open = refused(&["--listen", "0.0.0.0:1"]);
    assert!(
        open.contains("can be reached from other machines") && open.contains("insecure_listen")
    );
    assert_eq!(refused(&["--listen", "0.0.0.0:1", "--insecure-listen"]), "");
    assert_eq!(refused(&["--listen", "0.0.0.0:1", "--tls-cert", "/c", "--tls-key", "/k"]), "");
    let nobody = ["--listen", "0.0.0.0:1", "--tls-cert", "/c", "--tls-key", "/k", "--no-auth"];
    assert!(refused(&nobody).contains("prove who they are"));
}

//! Owners: what one has, another does not see; tokens come and go without dropping anyone.

use debug_relay::proto::*;
use rustix::process::Signal;
use tonic::Code;

use crate::support::{AccessFile, Client, LIMIT, Process, Program, Server, eventually, reason};

async fn empty(
    client: &mut Client,
    request: CreateSessionRequest,
) -> Result<String, tonic::Status> {
    let request = CreateSessionRequest { project_root: "/tmp".into(), ..request };
    Ok(client.sessions.create_session(request).await?.into_inner().session.unwrap().id)
}

async fn ids(client: &mut Client) -> Vec<(String, String)> {
    let listed = client.sessions.list_sessions(ListSessionsRequest::default()).await.unwrap();
    let listed = listed.into_inner().sessions.into_iter();
    listed.map(|session| (session.id, session.owner)).collect()
}

async fn two() -> (AccessFile, Server, Client, Client) {
    let mut file = AccessFile::new();
    let (ann, bob) = (file.token("ann", ""), file.token("bob", ""));
    let server = file.server(&[]).await;
    let ann = Client::connect(&server.address, Some(&ann)).await;
    let bob = Client::connect(&server.address, Some(&bob)).await;
    (file, server, ann, bob)
}

#[tokio::test]
async fn lists_counts_and_streams_show_ones_own_and_an_admin_sees_all() {
    let (_file, server, mut ann, mut bob) = two().await;
    let of_ann = empty(&mut ann, CreateSessionRequest::default()).await.unwrap();
    let of_bob = bob.stop_at(&Program::named("loop.py"), "add").await;
    let mut admin = server.client().await;

    let mut events =
        bob.events.stream_all_events(StreamAllEventsRequest::default()).await.unwrap().into_inner();
    let first = events.message().await.unwrap().unwrap();

    assert_eq!(first.session_id, of_bob);
    assert_eq!(ids(&mut ann).await, [(of_ann.clone(), String::new())]);
    assert_eq!(ids(&mut bob).await, [(of_bob.clone(), String::new())]);
    let all = [(of_ann.clone(), "ann".to_owned()), (of_bob, "bob".to_owned())];
    assert_eq!(ids(&mut admin).await, all);
    let info = ann.server.get_info(GetInfoRequest {}).await.unwrap().into_inner();
    assert_eq!(info.sessions.unwrap().total, 1);
    let caller = info.caller.unwrap();
    assert_eq!((caller.owner.as_str(), caller.admin, caller.read_only), ("ann", false, false));
    let mine = ann.session(&of_ann).await.unwrap();
    let (theirs, nobodys) =
        (bob.session(&of_ann).await.unwrap_err(), bob.session("s-nobody").await.unwrap_err());
    assert_eq!(mine.id, of_ann);
    assert_eq!(theirs.message().replace(&of_ann, "X"), nobodys.message().replace("s-nobody", "X"));
    assert_eq!((theirs.code(), reason(&theirs)), (nobodys.code(), reason(&nobodys)));
}

#[tokio::test]
async fn the_same_request_id_of_two_owners_makes_two_sessions() {
    let (_file, _server, mut ann, mut bob) = two().await;
    let request = CreateSessionRequest { request_id: "build-1".into(), ..Default::default() };

    let of_ann = empty(&mut ann, request.clone()).await.unwrap();
    let of_bob = empty(&mut bob, request.clone()).await.unwrap();

    assert_ne!(of_ann, of_bob);
    assert_eq!(empty(&mut ann, request).await.unwrap(), of_ann);
}

#[tokio::test]
async fn breakpoints_of_a_project_are_kept_for_their_owner_alone() {
    let (_file, _server, mut ann, mut bob) = two().await;
    let program = Program::named("loop.py");
    let made = ann.debug(&program, &["add"]).await;
    ann.delete(&made.session.unwrap().id).await;

    let of_bob = bob.debug(&program, &[]).await;
    let of_ann = ann.debug(&program, &[]).await;

    assert_eq!(of_bob.outcome.unwrap().state(), SessionState::Exited);
    assert_eq!(of_ann.outcome.unwrap().state(), SessionState::Stopped);
}

#[tokio::test]
async fn a_token_has_a_limit_of_its_own() {
    let mut file = AccessFile::new();
    let small = file.token("small", "sessions = 1");
    let server = file.server(&[]).await;
    let mut client = Client::connect(&server.address, Some(&small)).await;
    empty(&mut client, CreateSessionRequest::default()).await.unwrap();

    let refused = empty(&mut client, CreateSessionRequest::default()).await.unwrap_err();

    assert_eq!(
        (refused.code(), reason(&refused)),
        (Code::ResourceExhausted, ErrorReason::LimitExceeded)
    );
    assert!(refused.message().contains("1 sessions of small are open"), "{refused:?}");
}

#[tokio::test]
async fn after_sighup_new_tokens_hold_and_old_ones_do_not_and_nobody_else_notices() {
    let (mut file, server, mut ann, mut bob) = two().await;
    let session = ann.stop_at(&Program::named("loop.py"), "add").await;
    let of_bob = bob.stop_at(&Program::named("loop.py"), "add").await;
    let mut admin = server.client().await;
    let request = |id: &str| StreamEventsRequest { session_id: id.into(), ..Default::default() };
    let mut cut = ann.events.stream_events(request(&session)).await.unwrap().into_inner();
    let mut kept = admin.events.stream_events(request(&of_bob)).await.unwrap().into_inner();
    cut.message().await.unwrap().unwrap();
    kept.message().await.unwrap().unwrap();

    file.clear();
    let new = file.token("ann2", "owner = 'ann'");
    Process::of(server.pid()).send(Signal::HUP);

    // Ann's old token is gone, and so is what it was streaming.
    let ended = async {
        while cut.message().await?.is_some() {}
        Ok::<_, tonic::Status>(())
    };
    let ended = tokio::time::timeout(LIMIT, ended).await.unwrap().unwrap_err();
    assert_eq!(ended.code(), Code::Unauthenticated, "{ended:?}");
    assert!(ended.message().contains("holds no more"), "{ended:?}");
    assert_eq!(ann.session(&session).await.unwrap_err().code(), Code::Unauthenticated);
    let mut again = Client::connect(&server.address, Some(&new)).await;
    assert_eq!(again.session(&session).await.unwrap().id, session);
    // Who is not concerned goes on, on the same connection and in the same stream.
    admin.session(&of_bob).await.unwrap();
    admin.delete(&of_bob).await;
    while kept.message().await.unwrap().is_some() {}
}

#[tokio::test]
async fn a_broken_access_file_changes_nothing_and_is_told_in_the_log() {
    let (mut file, server, mut ann, _bob) = two().await;

    file.add("[tokens.broken]\nhash = 'abc'\n");
    Process::of(server.pid()).send(Signal::HUP);

    eventually("it is told", async || {
        server.log().contains("the last one still holds").then_some(())
    })
    .await;
    ann.server.get_info(GetInfoRequest {}).await.unwrap();
}

#[tokio::test]
async fn neither_tokens_nor_secrets_are_in_logs_records_or_command_lines() {
    let mut file = AccessFile::new();
    let token = file.token("ann", "");
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit.log");
    let server = file.server(&["--log", "trace", "--audit-log", &audit.to_string_lossy()]).await;
    let mut client = Client::connect(&server.address, Some(&token)).await;
    let made = client.debug(&Program::named("loop.py"), &["add"]).await;
    let session = made.session.unwrap().id;

    let mut seen = server.log() + &std::fs::read_to_string(&audit).unwrap();
    seen +=
        &std::fs::read_to_string(server.run_dir().join("sessions").join(&session).join("host.log"))
            .unwrap();
    for process in std::fs::read_dir("/proc").unwrap().flatten() {
        seen += &String::from_utf8_lossy(
            &std::fs::read(process.path().join("cmdline")).unwrap_or_default(),
        );
    }
    for record in std::fs::read_dir(server.archive(&session)).unwrap().flatten() {
        seen += &String::from_utf8_lossy(&std::fs::read(record.path()).unwrap());
    }

    assert!(seen.contains(&session), "the right files were read");
    for secret in [&token, &server.token(), &made.session_token] {
        assert!(!seen.contains(secret.as_str()), "a token was found");
    }
}

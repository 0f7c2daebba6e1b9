//! Tokens for one session: they reach it and nothing else, may be narrowed to looking, end when they
//! are told to, and outlive the server.

use debug_relay::proto::*;
use tonic::{Code, Status};

use crate::support::{Client, LIMIT, Program, Server, eventually, reason};

async fn share(client: &mut Client, session: &str, read_only: bool) -> CreateSessionTokenResponse {
    let request = CreateSessionTokenRequest {
        session_id: session.into(),
        name: "for a friend".into(),
        read_only,
        ttl: None,
    };
    client.sessions.create_session_token(request).await.unwrap().into_inner()
}

async fn connect(server: &Server, token: &str) -> Client {
    Client::connect(&server.address, Some(token)).await
}

fn denied<T: std::fmt::Debug>(answer: Result<T, Status>) {
    let status = answer.unwrap_err();
    assert_eq!(
        (status.code(), reason(&status)),
        (Code::PermissionDenied, ErrorReason::PermissionDenied),
        "{status:?}"
    );
}

#[tokio::test]
async fn the_creators_token_drives_its_session_to_the_end() {
    let server = Server::start().await;
    let mut owner = server.client().await;
    let made = owner.debug(&Program::named("loop.py"), &["add"]).await;
    let session = made.session.unwrap().id;

    let mut holder = connect(&server, &made.session_token).await;

    holder.step_over(&session).await;
    assert_eq!(holder.evaluate(&session, "1 + 1").await.unwrap().value, "2");
    let listed = holder.sessions.list_sessions(ListSessionsRequest::default()).await.unwrap();
    assert_eq!(listed.into_inner().sessions.len(), 1);
    let info = holder.server.get_info(GetInfoRequest {}).await.unwrap().into_inner();
    assert_eq!(info.caller.unwrap().session_id, session);
    let end = holder.debugged_to_the_end(&session).await;
    assert_eq!(end.state(), SessionState::Exited);
    holder.delete(&session).await;
    // With the session, its token is gone.
    let gone = holder.session(&session).await.unwrap_err();
    assert_eq!(gone.code(), Code::Unauthenticated);
}

#[tokio::test]
async fn who_may_only_look_sees_values_and_output_and_runs_nothing() {
    let server = Server::start().await;
    let mut owner = server.client().await;
    let program = Program::called(
        "secrets.py",
        "password = 'hunter' + '22'\nprint('said')\nx = 3  # @here\n",
    );
    let session = owner.stop_at(&program, "here").await;

    let mut eyes = connect(&server, &share(&mut owner, &session, true).await.token).await;

    let snapshot = |options: SnapshotOptions| GetSnapshotRequest {
        session_id: session.clone(),
        options: Some(options),
        ..Default::default()
    };
    let plain = eyes.inspection.get_snapshot(snapshot(SnapshotOptions::default())).await.unwrap();
    assert!(
        format!("{plain:?}").contains("password") && !format!("{plain:?}").contains("hunter22")
    );
    assert!(eyes.text(&session).await.contains("said"));
    let evil = SnapshotOptions { expressions: vec!["exit()".into()], ..Default::default() };
    denied(eyes.inspection.get_snapshot(snapshot(evil.clone())).await);
    let reveal = SnapshotOptions { reveal: true, ..Default::default() };
    denied(eyes.inspection.get_snapshot(snapshot(reveal)).await);
    let wait = Some(WaitOptions { snapshot: Some(evil), ..Default::default() });
    let request = WaitForStopRequest { session_id: session.clone(), wait, ..Default::default() };
    denied(eyes.execution.wait_for_stop(request).await);
    denied(eyes.evaluate(&session, "1").await);
    let source = |file: &str| GetSourceRequest {
        session_id: session.clone(),
        file: file.into(),
        ..Default::default()
    };
    eyes.inspection.get_source(source("secrets.py")).await.unwrap();
    denied(eyes.inspection.get_source(source("/etc/passwd")).await);
    denied(eyes.inspection.get_source(source("../../../../etc/passwd")).await);
    let token = server.run_dir().join("token");
    denied(eyes.inspection.get_source(source(&token.to_string_lossy())).await);
    // A link in the project leads nowhere else either.
    let link = std::path::Path::new(&program.file()).with_file_name("link.py");
    std::os::unix::fs::symlink("/etc/passwd", link).unwrap();
    denied(eyes.inspection.get_source(source("link.py")).await);
    // What the program has loaded can be read.
    let loaded = ListLoadedSourcesRequest { session_id: session.clone() };
    let loaded = eyes.inspection.list_loaded_sources(loaded).await.unwrap().into_inner().files;
    let library = loaded.iter().find(|file| file.ends_with("/os.py")).unwrap();
    eyes.inspection.get_source(source(library)).await.unwrap();
}

#[tokio::test]
async fn who_may_only_look_reads_nothing_more_when_the_project_is_gone() {
    let server = Server::start().await;
    let mut owner = server.client().await;
    let program = Program::called("gone.py", "x = 3  # @here\n");
    let session = owner.stop_at(&program, "here").await;
    let mut eyes = connect(&server, &share(&mut owner, &session, true).await.token).await;
    let file = program.file();
    let folder = std::path::Path::new(&file).parent().unwrap();
    let aside = folder.with_extension("aside");

    std::fs::rename(folder, &aside).unwrap();
    let token = server.run_dir().join("token").to_string_lossy().into_owned();
    for file in [token, "/etc/passwd".into()] {
        let session_id = session.clone();
        let request = GetSourceRequest { session_id, file, ..Default::default() };
        denied(eyes.inspection.get_source(request).await);
    }

    std::fs::rename(aside, folder).unwrap();
}

#[tokio::test]
async fn who_may_only_look_cannot_guess_a_secret_by_searching_for_it() {
    let server = Server::start().await;
    let mut owner = server.client().await;
    let program = Program::called("search.py", "password = 'hunter' + '22'\nx = 3  # @here\n");
    let session = owner.stop_at(&program, "here").await;
    let mut eyes = connect(&server, &share(&mut owner, &session, true).await.token).await;
    let find = |query: &str| FindValueRequest {
        session_id: session.clone(),
        query: query.into(),
        ..Default::default()
    };

    let guessed = eyes.inspection.find_value(find("hunter2")).await.unwrap().into_inner();
    let named = eyes.inspection.find_value(find("passw")).await.unwrap().into_inner();
    let by_owner = owner.inspection.find_value(find("hunter2")).await.unwrap().into_inner();

    assert_eq!((guessed.found.len(), named.found.len()), (0, 1));
    assert_eq!(by_owner.found.len(), 1);
}

#[tokio::test]
async fn the_token_of_a_session_that_is_gone_shows_nothing_of_the_next_of_its_name() {
    let server = Server::start().await;
    let mut owner = server.client().await;
    let program = Program::named("loop.py");
    let request = CreateSessionRequest {
        session_id: "again".into(),
        start: Some(create_session_request::Start::Launch(program.launch())),
        breakpoints: vec![program.breakpoint("add")],
        ..Default::default()
    };
    let made = owner.sessions.create_session(request.clone()).await.unwrap().into_inner();
    let mut holder = connect(&server, &made.session_token).await;
    let all = holder.events.stream_all_events(StreamAllEventsRequest::default()).await;
    let mut all = all.unwrap().into_inner();
    let first = all.message().await.unwrap().unwrap();
    assert_eq!(first.event.unwrap().sequence, 1);

    // With its own token: it is answered, although the token ends with it.
    holder.delete("again").await;
    owner.sessions.create_session(request).await.unwrap();

    let mut last = 1;
    let ended = async {
        while let Some(message) = all.message().await? {
            let sequence = message.event.unwrap().sequence;
            assert!(last < sequence, "this is of the next one");
            last = sequence;
        }
        Ok::<_, Status>(())
    };
    let ended = tokio::time::timeout(LIMIT, ended).await.unwrap().unwrap_err();
    assert_eq!(ended.code(), Code::Unauthenticated, "{ended:?}");
    let late = holder.session("again").await.unwrap_err();
    assert_eq!(late.code(), Code::Unauthenticated);
}

#[tokio::test]
async fn a_token_that_is_revoked_is_refused_and_its_streams_end() {
    let server = Server::start().await;
    let mut owner = server.client().await;
    let session = owner.stop_at(&Program::named("loop.py"), "add").await;
    let shared = share(&mut owner, &session, true).await;
    let mut friend = connect(&server, &shared.token).await;
    let request = StreamEventsRequest { session_id: session.clone(), ..Default::default() };
    let mut events = friend.events.stream_events(request).await.unwrap().into_inner();
    events.message().await.unwrap().unwrap();
    let waiting = tokio::spawn({
        let (mut friend, session) = (friend.clone(), session.clone());
        async move {
            let request =
                WaitForStopRequest { session_id: session, after_stop: 99, ..Default::default() };
            friend.execution.wait_for_stop(request).await
        }
    });

    let listed = ListSessionTokensRequest { session_id: session.clone() };
    let listed = owner.sessions.list_session_tokens(listed).await.unwrap().into_inner().tokens;
    let id = shared.info.unwrap().id;
    let revoke =
        RevokeSessionTokenRequest { session_id: session.clone(), token_id: id.clone(), all: false };
    owner.sessions.revoke_session_token(revoke).await.unwrap();

    let names: Vec<&str> = listed.iter().map(|token| token.name.as_str()).collect();
    assert_eq!(names, ["created", "for a friend"]);
    assert_eq!(listed[1].id, id);
    let ended = async {
        while events.message().await?.is_some() {}
        Ok::<_, Status>(())
    };
    let ended = tokio::time::timeout(LIMIT, ended).await.unwrap().unwrap_err();
    assert_eq!(ended.code(), Code::Unauthenticated, "{ended:?}");
    let waited = tokio::time::timeout(LIMIT, waiting).await.unwrap().unwrap().unwrap_err();
    assert_eq!(waited.code(), Code::Unauthenticated, "{waited:?}");
    assert_eq!(friend.session(&session).await.unwrap_err().code(), Code::Unauthenticated);
    owner.session(&session).await.unwrap();
}

#[tokio::test]
async fn a_token_ends_with_its_time() {
    let server = Server::start().await;
    let mut owner = server.client().await;
    let session = owner.stop_at(&Program::named("loop.py"), "add").await;
    let request = CreateSessionTokenRequest {
        session_id: session.clone(),
        ttl: Some(prost_types::Duration { seconds: 1, nanos: 0 }),
        ..Default::default()
    };
    let shared = owner.sessions.create_session_token(request).await.unwrap().into_inner();
    let mut friend = connect(&server, &shared.token).await;
    let request = StreamOutputRequest { session_id: session.clone(), ..Default::default() };
    let mut output = friend.output.stream_output(request).await.unwrap().into_inner();

    let ended = async {
        while output.message().await?.is_some() {}
        Ok::<_, Status>(())
    };
    let ended = tokio::time::timeout(LIMIT, ended).await.unwrap().unwrap_err();

    assert_eq!(ended.code(), Code::Unauthenticated, "{ended:?}");
    let late = friend.session(&session).await.unwrap_err();
    assert_eq!((late.code(), reason(&late)), (Code::Unauthenticated, ErrorReason::Unauthenticated));
    assert!(shared.info.unwrap().expire_time.is_some());
}

#[tokio::test]
async fn tokens_outlive_the_server_and_the_host() {
    let mut server = Server::start().await;
    let mut owner = server.client().await;
    let session = owner.stop_at(&Program::named("loop.py"), "add").await;
    let kept = share(&mut owner, &session, false).await.token;
    let revoked = share(&mut owner, &session, false).await;
    let request = RevokeSessionTokenRequest {
        session_id: session.clone(),
        token_id: revoked.info.unwrap().id,
        all: false,
    };
    owner.sessions.revoke_session_token(request).await.unwrap();

    server.kill();
    server.start_again();

    let mut holder = connect(&server, &kept).await;
    holder.step_over(&session).await;
    let mut late = connect(&server, &revoked.token).await;
    assert_eq!(late.session(&session).await.unwrap_err().code(), Code::Unauthenticated);
    server.host(&session).send(rustix::process::Signal::KILL);
    eventually("the archive is read with the token", async || {
        let state = holder.session(&session).await.unwrap().state();
        (state == SessionState::Lost).then_some(())
    })
    .await;
}

#[tokio::test]
async fn there_is_a_limit_to_tokens_and_bad_wishes_are_told() {
    let server = Server::start().await;
    let mut owner = server.client().await;
    let request = CreateSessionRequest { project_root: "/tmp".into(), ..Default::default() };
    let made = owner.sessions.create_session(request).await.unwrap().into_inner();
    let session = made.session.unwrap().id;
    let ask = |seconds: Option<i64>, name: String| CreateSessionTokenRequest {
        session_id: session.clone(),
        ttl: seconds.map(|seconds| prost_types::Duration { seconds, nanos: 0 }),
        name,
        ..Default::default()
    };

    for bad in
        [ask(Some(0), String::new()), ask(Some(-1), String::new()), ask(None, "x".repeat(101))]
    {
        let refused = owner.sessions.create_session_token(bad).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{refused:?}");
    }
    let refused = loop {
        match owner.sessions.create_session_token(ask(None, String::new())).await {
            Ok(_) => {}
            Err(refused) => break refused,
        }
    };

    assert_eq!(reason(&refused), ErrorReason::TooManyTokens, "{refused:?}");
    let request =
        RevokeSessionTokenRequest { session_id: session, all: true, ..Default::default() };
    let revoked = owner.sessions.revoke_session_token(request).await.unwrap().into_inner();
    assert_eq!(revoked.revoked, 100);
}

#[tokio::test]
async fn a_token_that_cannot_be_kept_is_not_handed_out() {
    let server = Server::start().await;
    let mut owner = server.client().await;
    let session = owner.stop_at(&Program::named("loop.py"), "add").await;
    let file = server.archive(&session).join("tokens.json");
    // A folder that no file can take the place of, as a full disk would not let one.
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();

    let request = CreateSessionTokenRequest { session_id: session.clone(), ..Default::default() };
    let refused = owner.sessions.create_session_token(request).await.unwrap_err();

    assert_eq!(reason(&refused), ErrorReason::StorageFailed, "{refused:?}");
    assert_eq!(refused.code(), Code::ResourceExhausted);
    let list = ListSessionTokensRequest { session_id: session.clone() };
    let listed = owner.sessions.list_session_tokens(list).await.unwrap().into_inner();
    assert_eq!(listed.tokens.len(), 1, "only the creator's");
    owner.delete(&session).await;
}

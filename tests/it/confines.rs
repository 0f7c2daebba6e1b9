//! Folders and interpreters that the settings allow: nothing leads out of them.

use debug_relay::proto::*;
use tonic::{Code, Status};

use crate::support::{Client, Server, ServerOptions, eventually, reason, tools};

/// A folder that is allowed, with a program, and one beside it that is not.
struct Ground {
    folder: tempfile::TempDir,
}

impl Ground {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let ground = Self { folder };
        for name in ["allowed", "secret", "allowed/inner"] {
            std::fs::create_dir(ground.path(name)).unwrap();
            std::fs::write(ground.path(name) + "/main.py", "print('ran')\n").unwrap();
        }
        std::os::unix::fs::symlink(ground.path("secret"), ground.path("allowed/way-out")).unwrap();
        let link = ground.path("allowed/link.py");
        std::os::unix::fs::symlink(ground.path("secret/main.py"), link).unwrap();
        ground
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_string_lossy().into_owned()
    }
}

async fn server(arguments: &[&str]) -> Server {
    let arguments = arguments.iter().map(|word| (*word).to_owned()).collect();
    Server::with(ServerOptions { arguments, ..Default::default() }).await
}

async fn run(
    client: &mut Client,
    project_root: &str,
    program: &str,
    cwd: &str,
    python: &str,
) -> Result<Outcome, Status> {
    let launch = LaunchConfig {
        target: Some(launch_config::Target::Program(program.into())),
        cwd: cwd.into(),
        python: python.into(),
        ..Default::default()
    };
    let request = CreateSessionRequest {
        project_root: project_root.into(),
        start: Some(create_session_request::Start::Launch(launch)),
        ..Default::default()
    };
    Ok(client.sessions.create_session(request).await?.into_inner().outcome.unwrap())
}

#[tokio::test]
async fn projects_programs_and_working_directories_stay_inside_of_the_roots() {
    let ground = Ground::new();
    let server = server(&["--roots", &ground.path("allowed")]).await;
    let mut client = server.client().await;
    let (inside, outside) = (ground.path("allowed"), ground.path("secret"));

    for (root, program, cwd) in [
        (&*inside, "main.py", ""),
        (&*inside, "inner/main.py", "inner"),
        ("", &*ground.path("allowed/main.py"), ""),
    ] {
        let outcome = run(&mut client, root, program, cwd, "").await.unwrap();
        assert_eq!(outcome.exit_code, Some(0), "{root} {program} {cwd}");
    }
    for (root, program, cwd) in [
        (&*outside, "main.py", ""),
        ("/", "main.py", ""),
        (&*ground.path("allowed/../secret"), "main.py", ""),
        (&*ground.path("allowed/way-out"), "main.py", ""),
        (&*inside, "../secret/main.py", ""),
        (&*inside, "way-out/main.py", ""),
        (&*inside, "link.py", ""),
        (&*inside, &*ground.path("secret/main.py"), ""),
        (&*inside, "main.py", "/tmp"),
        (&*inside, "main.py", ".."),
        ("", &*ground.path("secret/main.py"), ""),
        ("", &*ground.path("allowed/link.py"), ""),
    ] {
        let refused = run(&mut client, root, program, cwd, "").await.unwrap_err();
        assert_eq!(
            (refused.code(), reason(&refused)),
            (Code::PermissionDenied, ErrorReason::PathNotAllowed),
            "{root} {program} {cwd}: {refused:?}"
        );
    }
    let listed = client.sessions.list_sessions(ListSessionsRequest::default()).await.unwrap();
    assert_eq!(listed.into_inner().sessions.len(), 3, "nothing is left of what was refused");
}

#[tokio::test]
async fn sources_outside_of_the_roots_are_read_only_if_the_program_has_loaded_them() {
    let ground = Ground::new();
    let server = server(&["--roots", &ground.path("allowed")]).await;
    let mut client = server.client().await;
    let request = CreateSessionRequest {
        project_root: ground.path("allowed/inner"),
        start: Some(create_session_request::Start::Launch(LaunchConfig {
            target: Some(launch_config::Target::Program("main.py".into())),
            stop_on_entry: true,
            ..Default::default()
        })),
        ..Default::default()
    };
    let session = client.sessions.create_session(request).await.unwrap().into_inner();
    let session_id = session.session.unwrap().id;
    let mut read = async |file: &str| {
        let (session_id, file) = (session_id.clone(), file.to_owned());
        let request = GetSourceRequest { session_id, file, ..Default::default() };
        client.inspection.get_source(request).await.map(|answer| answer.into_inner().text)
    };

    assert!(read("main.py").await.is_ok() && read("../main.py").await.is_ok());
    for outside in ["/etc/passwd", "../way-out/main.py", "../../secret/main.py", "../link.py"] {
        let refused = read(outside).await.unwrap_err();
        assert_eq!(reason(&refused), ErrorReason::PathNotAllowed, "{outside}: {refused:?}");
    }
}

#[tokio::test]
async fn only_allowed_interpreters_run_and_environments_of_theirs() {
    let ground = Ground::new();
    let allowed = std::fs::canonicalize(tools().join("bare-venv/bin/python")).unwrap();
    let arguments = ["--interpreters", &allowed.to_string_lossy(), "--limits-spares", "1"];
    let server = server(&arguments).await;
    let mut client = server.client().await;
    let root = ground.path("allowed");
    let venv = tools().join("bare-venv").to_string_lossy().into_owned();
    let fake = ground.path("allowed/python");
    std::fs::write(&fake, "#!/bin/sh\ntouch \"$(dirname \"$0\")/was-run\"\n").unwrap();
    std::fs::set_permissions(&fake, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();

    let outcome = run(&mut client, &root, "main.py", "", &venv).await.unwrap();
    let refused = run(&mut client, &root, "main.py", "", &fake).await.unwrap_err();

    assert_eq!(outcome.exit_code, Some(0));
    assert_eq!(
        (refused.code(), reason(&refused)),
        (Code::PermissionDenied, ErrorReason::InterpreterNotAllowed)
    );
    // Nor is it made ready for a session that may come.
    eventually("an interpreter waits", async || {
        let info = client.server.get_info(GetInfoRequest {}).await.unwrap().into_inner();
        (info.spares.unwrap().ready == 1).then_some(())
    })
    .await;
    assert!(!std::path::Path::new(&ground.path("allowed/was-run")).exists());
}

#[tokio::test]
async fn a_process_elsewhere_is_not_attached_to() {
    let ground = Ground::new();
    let server = server(&["--roots", &ground.path("allowed")]).await;
    let mut client = server.client().await;
    let mut elsewhere =
        std::process::Command::new("sleep").arg("60").current_dir("/").spawn().unwrap();
    let attach = AttachConfig {
        target: Some(attach_config::Target::ProcessId(elsewhere.id().into())),
        ..Default::default()
    };
    let request = CreateSessionRequest {
        project_root: ground.path("allowed"),
        start: Some(create_session_request::Start::Attach(attach)),
        ..Default::default()
    };

    let refused = client.sessions.create_session(request).await.unwrap_err();

    elsewhere.kill().unwrap();
    elsewhere.wait().unwrap();
    assert_eq!(reason(&refused), ErrorReason::PathNotAllowed, "{refused:?}");
}

//! Programs of every kind: how they are started, their children, how they end.

use debug_relay::proto::*;

use crate::support::{Program, Server, eventually, tools};

#[tokio::test]
async fn modules_code_arguments_environment_and_folder_reach_the_program() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let folder = tempfile::tempdir().unwrap();
    let body = "import os, sys\nprint(sys.argv[1:], os.environ['GREETING'], os.getcwd() == os.path.realpath(os.environ['FOLDER']), sys.flags.optimize)\n";
    std::fs::write(folder.path().join("hello.py"), body).unwrap();
    let root = folder.path().to_string_lossy().into_owned();
    let targets = [
        launch_config::Target::Program("hello.py".into()),
        launch_config::Target::Module("hello".into()),
        launch_config::Target::Code(body.into()),
    ];
    for target in targets {
        let launch = LaunchConfig {
            target: Some(target),
            args: vec!["a b".into(), "ü".into()],
            env: [("GREETING".into(), "hi".into()), ("FOLDER".into(), root.clone())].into(),
            python_args: vec!["-O".into()],
            ..Default::default()
        };
        let start = Some(create_session_request::Start::Launch(launch));
        let request =
            CreateSessionRequest { project_root: root.clone(), start, ..Default::default() };

        let created = client.sessions.create_session(request).await.unwrap().into_inner();

        let outcome = created.outcome.unwrap();
        assert_eq!(
            (outcome.state(), outcome.exit_code),
            (SessionState::Exited, Some(0)),
            "{outcome:?}"
        );
        assert_eq!(outcome.output.unwrap().text, "['a b', 'ü'] hi True 1\n");
    }
}

#[tokio::test]
async fn an_interpreter_without_debugpy_is_taken_by_path_by_folder_and_from_the_project() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let bare = tools().join("bare-venv");
    let program = Program::of("import sys\nprint(sys.prefix)  # @here\n");
    let project = program.path.parent().unwrap();
    let by_path = bare.join("bin/python").to_string_lossy().into_owned();
    let by_folder = bare.to_string_lossy().into_owned();
    let link = project.join(".venv");

    for python in [by_path, by_folder, String::new()] {
        if python.is_empty() {
            std::os::unix::fs::symlink(&bare, &link).unwrap();
        }
        let launch = LaunchConfig { python, ..program.launch() };
        let start = Some(create_session_request::Start::Launch(launch));
        let breakpoints = vec![program.breakpoint("here")];
        let request = CreateSessionRequest { start, breakpoints, ..Default::default() };
        let session =
            client.sessions.create_session(request).await.unwrap().into_inner().session.unwrap();

        let end = client.resume(&session.id).await;

        let prefix = end.output.unwrap().text;
        assert!(prefix.contains("bare-venv") || prefix.contains(".venv"), "{prefix}");
    }
}

#[tokio::test]
async fn children_are_followed_and_stop_at_breakpoints_of_their_own() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let text = "import subprocess, sys\nif len(sys.argv) == 1:\n    \
                subprocess.run([sys.executable, __file__, 'child'])\n    print('parent done')\n\
                else:\n    mine = 'child'  # @child\n";
    let program = Program::of(text);

    let created = client.debug(&program, &["child"]).await;

    let session = created.session.unwrap();
    let outcome = created.outcome.unwrap();
    let stop = outcome.stop.unwrap();
    assert_eq!(session.processes.len(), 2);
    let parent = &session.processes[0];
    assert_eq!(session.processes[1].parent_process_id, parent.process_id);
    assert_eq!(stop.process_id, session.processes[1].process_id);
    let end = client.resume(&session.id).await;
    assert_eq!(
        (end.state(), end.output.unwrap().text.as_str()),
        (SessionState::Exited, "parent done\n")
    );
}

#[tokio::test]
async fn with_two_processes_stopped_a_step_tells_of_the_one_that_was_moved() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let text = "import subprocess, sys\nif len(sys.argv) == 1:\n    \
                two = [subprocess.Popen([sys.executable, __file__, n]) for n in 'ab']\n    \
                print([child.wait() for child in two])\n\
                else:\n    first = 1  # @child\n    second = 2\n    third = 3\n";
    let program = Program::of(text);
    let session = client.debug(&program, &["child"]).await.session.unwrap().id;
    let request = WaitForStopRequest { session_id: session.clone(), after_stop: 1, wait: None };
    let second = client.execution.wait_for_stop(request).await.unwrap().into_inner();
    let second = second.outcome.unwrap().stop.unwrap();
    assert_eq!(second.stop_number, 2);

    let request = StepOverRequest { session_id: session.clone(), count: 2, ..Default::default() };
    let stepped = client.execution.step_over(request).await.unwrap().into_inner().outcome.unwrap();

    let stop = stepped.stop.unwrap();
    assert_eq!((stop.process_id, stop.stop_number), (second.process_id, 4));
    assert_eq!(stop.location.unwrap().line, program.line("child") + 2);
    let other = client.resume(&session).await.stop.unwrap();
    assert_eq!(other.stop_number, 1, "the one that still stands is shown when the other is gone");
    let end = client.resume(&session).await;
    assert_eq!(
        (end.state(), end.output.unwrap().text.as_str()),
        (SessionState::Exited, "[0, 0]\n")
    );
}

#[tokio::test]
async fn a_child_that_outlives_the_program_is_not_held_by_its_breakpoints() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let text = "import os, subprocess, sys, time\nif len(sys.argv) == 2:\n    \
                subprocess.Popen([sys.executable, __file__, sys.argv[1], 'child'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n    \
                os._exit(0)\nelse:\n    done = open(sys.argv[1], 'w')  # @child\n    done.write('ran')\n    done.close()\n";
    let program = Program::of(text);
    let folder = tempfile::tempdir().unwrap();
    let flag = folder.path().join("flag");
    let launch =
        LaunchConfig { args: vec![flag.to_string_lossy().into_owned()], ..program.launch() };
    let breakpoints = vec![program.breakpoint("child")];
    let start = Some(create_session_request::Start::Launch(launch));
    let request = CreateSessionRequest { breakpoints, start, ..Default::default() };

    client.sessions.create_session(request).await.unwrap();

    eventually("the child has run", async || {
        std::fs::read_to_string(&flag).ok().filter(|text| text == "ran")
    })
    .await;
}

#[tokio::test]
async fn whatever_the_environment_says_the_program_starts() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of("print('started')\n");
    let env = [
        ("LD_DEBUG".into(), "all".into()),
        ("LC_ALL".into(), "C".into()),
        ("PYTHONUTF8".into(), "0".into()),
        ("PYTHONCOERCECLOCALE".into(), "0".into()),
    ];
    let launch = LaunchConfig { env: env.into(), args: vec!["é".into()], ..program.launch() };
    let start = Some(create_session_request::Start::Launch(launch));

    let created =
        client.sessions.create_session(CreateSessionRequest { start, ..Default::default() }).await;

    let outcome = created.unwrap().into_inner().outcome.unwrap();
    assert_eq!((outcome.state(), outcome.exit_code), (SessionState::Exited, Some(0)));
}

#[tokio::test]
async fn a_script_with_a_syntax_error_is_an_outcome_with_the_error_in_its_output() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of("def broken(:\n    pass\n");

    let outcome = client.debug(&program, &[]).await.outcome.unwrap();

    assert_eq!((outcome.state(), outcome.exit_code), (SessionState::Exited, Some(1)));
    assert!(outcome.output.unwrap().text.contains("SyntaxError: invalid syntax"));
}

#[tokio::test]
async fn exits_of_every_kind_tell_code_or_signal() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let ends = [
        ("print('well')", Some(0), 0),
        ("import sys; sys.exit(3)", Some(3), 0),
        ("import os; os._exit(3)", Some(3), 0),
        ("import ctypes; ctypes.string_at(0)", None, 11),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", None, 9),
        ("import os; os.abort()", None, 6),
    ];
    for (text, exit_code, exit_signal) in ends {
        let outcome = client.debug(&Program::of(text), &[]).await.outcome.unwrap();

        let seen = (outcome.state(), outcome.exit_code, outcome.exit_signal);
        assert_eq!(seen, (SessionState::Exited, exit_code, exit_signal), "{text}");
    }
}

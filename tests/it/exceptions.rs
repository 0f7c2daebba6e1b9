//! Which exceptions stop the program, and what is told of them.

use debug_relay::proto::*;

use crate::support::{Client, Program, Server, reason};

const THREE: &str = "def inner(kind):\n    raise kind('from inner')  # @raise\n\ndef outer(kind):\n    return inner(kind)\n\nfor kind in (KeyError, ValueError):\n    try:\n        outer(kind)\n    except LookupError:\n        print('lookup')\n    except ValueError as error:\n        print('value')\n        raise RuntimeError('again') from error  # @again\n";

async fn choose(client: &mut Client, session: &str, filters: &[(&str, &str)]) {
    let filters = filters.iter().map(|(filter, condition)| ExceptionFilter {
        filter: (*filter).into(),
        condition: (*condition).into(),
    });
    let exception_breakpoints = Some(ExceptionBreakpoints { filters: filters.collect() });
    let request =
        SetExceptionBreakpointsRequest { session_id: session.into(), exception_breakpoints };
    client.breakpoints.set_exception_breakpoints(request).await.unwrap();
}

#[tokio::test]
async fn a_raised_exception_stops_once_however_many_frames_it_leaves() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(THREE);
    let launch = LaunchConfig { stop_on_entry: true, ..program.launch() };
    let session = client.launch(launch, vec![]).await.session.unwrap().id;
    choose(&mut client, &session, &[("raised", "")]).await;

    let mut seen = Vec::new();
    let mut outcome = client.resume(&session).await;
    while let Some(stop) = outcome.stop {
        seen.push((stop.exception.unwrap().r#type, stop.location.unwrap().line, stop.stop_number));
        outcome = client.resume(&session).await;
    }

    let (raised, again) = (program.line("raise"), program.line("again"));
    let expected = [("KeyError", raised, 2), ("ValueError", raised, 3), ("RuntimeError", again, 4)];
    let expected = expected.map(|(kind, line, stop)| (kind.to_owned(), line, stop));
    assert_eq!(seen, expected);
    assert_eq!(outcome.exit_code, Some(1));
}

#[tokio::test]
async fn conditions_are_classes_or_expressions() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(THREE);
    for (condition, expected) in [
        ("LookupError", "KeyError"),
        ("exception.args and 'again' in exception.args[0]", "RuntimeError"),
    ] {
        let launch = LaunchConfig { stop_on_entry: true, ..program.launch() };
        let session = client.launch(launch, vec![]).await.session.unwrap().id;
        choose(&mut client, &session, &[("raised", condition)]).await;

        let outcome = client.resume(&session).await;

        assert_eq!(outcome.stop.unwrap().exception.unwrap().r#type, expected, "{condition}");
        assert_ne!(client.resume(&session).await.state(), SessionState::Stopped);
    }
}

#[tokio::test]
async fn exceptions_that_nobody_wants_do_not_end_a_step() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "def quiet():\n    try:\n        raise KeyError('caught')\n    except KeyError:\n        return 1\n\ndef work():\n    first = quiet()  # @first\n    second = 2  # @second\n    try:\n        loud()  # @call\n    except ValueError:\n        third = 3  # @third\n    return third\n\ndef loud():\n    raise ValueError('wanted')  # @loud\n\nwork()\n",
    );
    let session = client.stop_at(&program, "first").await;
    choose(&mut client, &session, &[("raised", "ValueError")]).await;
    let line = |outcome: Outcome| outcome.stop.unwrap().location.unwrap().line;

    assert_eq!(line(client.step_over(&session).await), program.line("second"));
    assert_eq!(line(client.resume(&session).await), program.line("loud"));
    // The exception leaves the function and is caught outside: that is no stop of its own.
    let mut seen = Vec::new();
    for _ in 0..3 {
        seen.push(line(client.step_over(&session).await));
    }
    assert!(seen.contains(&program.line("third")), "{seen:?}");
}

#[tokio::test]
async fn an_exception_out_of_a_library_is_told_from_the_one_before_it() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "from collections import ChainMap\n\ndef work():\n    for number in range(3):\n        try:\n            {}['own']  # @own\n        except KeyError:\n            pass\n        try:\n            ChainMap({})['library']  # @library\n        except KeyError:\n            pass\n\nwork()\n",
    );
    let launch = LaunchConfig { stop_on_entry: true, ..program.launch() };
    let session = client.launch(launch, vec![]).await.session.unwrap().id;
    choose(&mut client, &session, &[("raised", "")]).await;

    let mut seen = Vec::new();
    while let Some(stop) = client.resume(&session).await.stop {
        seen.push(stop.location.unwrap().line);
    }

    let (own, library) = (program.line("own"), program.line("library"));
    assert_eq!(seen, [own, library, own, library, own, library]);
}

#[tokio::test]
async fn the_chain_of_an_exception_is_told() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(THREE);
    let session = client.debug(&program, &[]).await.session.unwrap().id;

    let request = GetExceptionInfoRequest { session_id: session.clone(), thread_id: 0 };
    let told = client.inspection.get_exception_info(request.clone()).await.unwrap().into_inner();

    let exception = told.exception.unwrap();
    assert_eq!((exception.r#type.as_str(), exception.message.as_str()), ("RuntimeError", "again"));
    let causes: Vec<_> =
        told.causes.iter().map(|cause| (cause.r#type.as_str(), cause.message.as_str())).collect();
    assert_eq!(causes, [("ValueError", "from inner")]);
    assert!(told.causes[0].traceback.contains("in inner"), "{:?}", told.causes);

    let other = client.stop_at(&program, "raise").await;
    let request = GetExceptionInfoRequest { session_id: other, ..request };
    let status = client.inspection.get_exception_info(request).await.unwrap_err();
    assert_eq!(reason(&status), ErrorReason::NoException);
}

#[tokio::test]
async fn an_exception_that_leaves_the_callers_code_is_user_unhandled() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "import json\n\ndef hook(pairs):\n    raise ValueError('in hook')  # @hook\n\ntry:\n    json.loads('{\"a\": 1}', object_pairs_hook=hook)\nexcept ValueError:\n    print('caught')\n",
    );
    let launch = LaunchConfig { stop_on_entry: true, ..program.launch() };
    let session = client.launch(launch, vec![]).await.session.unwrap().id;
    choose(&mut client, &session, &[("userUnhandled", "ValueError")]).await;

    let stop = client.resume(&session).await.stop.unwrap();

    let exception = stop.exception.unwrap();
    assert!(exception.is_user_unhandled);
    assert_eq!(
        (exception.r#type.as_str(), stop.location.unwrap().line),
        ("ValueError", program.line("hook"))
    );
    assert_eq!(client.resume(&session).await.output.unwrap().text, "caught\n");
}

#[tokio::test]
async fn what_is_set_and_what_could_be_is_shown() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(THREE);
    let session = client.stop_at(&program, "raise").await;
    let request = GetExceptionBreakpointsRequest { session_id: session.clone() };
    let before =
        client.breakpoints.get_exception_breakpoints(request.clone()).await.unwrap().into_inner();

    choose(&mut client, &session, &[]).await;
    let after = client.breakpoints.get_exception_breakpoints(request).await.unwrap().into_inner();

    let names: Vec<_> = before.offers.iter().map(|offer| offer.filter.as_str()).collect();
    assert_eq!(names, ["uncaught", "raised", "userUnhandled"]);
    assert_eq!(before.exception_breakpoints.unwrap().filters[0].filter, "uncaught");
    assert!(after.exception_breakpoints.unwrap().filters.is_empty());
    assert_eq!(client.debugged_to_the_end(&session).await.exit_code, Some(1));
}

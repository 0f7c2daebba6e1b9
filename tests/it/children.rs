//! Processes that a program starts: followed, stopped, left alone, many at once.

use std::time::Instant;

use debug_relay::proto::*;

use crate::support::{Client, Program, Server};

/// Starts children in one of the ways that Python has.
const WAYS: &str = r#"
import multiprocessing, os, subprocess, sys

def work(number):
    square = number * number  # @child
    return square

def main(way):
    if way == "subprocess":
        subprocess.run([sys.executable, __file__, "child"], check=True)
    elif way == "os.fork":
        child = os.fork()
        if child == 0:
            work(3)
            os._exit(0)
        os.waitpid(child, 0)
    elif way == "pool":
        with multiprocessing.get_context("fork").Pool(2) as pool:
            print(pool.map(work, [3]))
    else:
        process = multiprocessing.get_context(way).Process(target=work, args=(3,))
        process.start()
        process.join()
    print("the end")

if __name__ == "__main__":
    work(3) if sys.argv[1] == "child" else main(sys.argv[1])
"#;

async fn remove_all(client: &mut Client, session: &str) {
    let request =
        RemoveBreakpointsRequest { session_id: session.into(), all: true, ..Default::default() };
    client.breakpoints.remove_breakpoints(request).await.unwrap();
}

#[tokio::test]
async fn children_of_every_kind_stop_at_breakpoints_and_say_who_they_are() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(WAYS);

    for way in ["subprocess", "os.fork", "fork", "spawn", "pool"] {
        let launch = LaunchConfig { args: vec![way.into()], ..program.launch() };
        let created = client.launch(launch, vec![program.breakpoint("child")]).await;

        let session = created.session.unwrap().id;
        let outcome = created.outcome.unwrap();
        let stop = outcome.stop.unwrap_or_else(|| panic!("{way} did not stop"));
        let shown = client.session(&session).await.unwrap();
        let child = shown.processes.iter().find(|one| one.process_id == stop.process_id).unwrap();
        assert_ne!(shown.processes[0].process_id, stop.process_id, "{way}");
        assert_eq!(child.state(), SessionState::Stopped, "{way}");
        let request = ListThreadsRequest { session_id: session.clone() };
        let threads = client.inspection.list_threads(request).await.unwrap().into_inner().threads;
        let current = threads.iter().find(|thread| thread.is_current).unwrap();
        assert_eq!(current.process_id, stop.process_id, "{way}");
        assert!(threads.iter().any(|thread| thread.process_id != stop.process_id), "{way}");
        assert_eq!(client.evaluate(&session, "number").await.unwrap().value, "3", "{way}");
        remove_all(&mut client, &session).await;
        let end = client.resume(&session).await;
        assert_eq!(end.exit_code, Some(0), "{way}: {end:?}");
        assert!(end.output.unwrap().text.contains("the end"), "{way}");
    }
}

#[tokio::test]
async fn conditions_and_log_points_hold_in_children_too() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(WAYS);
    let log = BreakpointSpec {
        log_message: "number is {number}".into(),
        condition: "number == 3".into(),
        ..program.breakpoint("child")
    };

    for way in ["subprocess", "fork", "spawn"] {
        let launch = LaunchConfig { args: vec![way.into()], ..program.launch() };
        let created = client.launch(launch, vec![log.clone()]).await;

        let text = client.text(&created.session.unwrap().id).await;
        assert!(text.contains("number is 3"), "{way}: {text}");
    }
}

#[tokio::test]
async fn children_that_run_free_are_left_alone() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(WAYS);
    let launch = LaunchConfig {
        args: vec!["subprocess".into()],
        children: ChildPolicy::RunFree.into(),
        ..program.launch()
    };

    let outcome = client.launch(launch, vec![program.breakpoint("child")]).await.outcome.unwrap();

    assert_eq!((outcome.state(), outcome.exit_code), (SessionState::Exited, Some(0)));
    assert_eq!(outcome.unhit_breakpoints.len(), 1);
}

#[tokio::test]
async fn thirty_children_at_once_and_children_of_ten_milliseconds_do_no_harm() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "import os, time\n\ndef short():\n    time.sleep(0.01)\n    os._exit(0)\n\nchildren = []\nfor number in range(30):\n    child = os.fork()\n    if child == 0:\n        short()\n    children.append(child)\ncodes = [os.waitpid(child, 0)[1] for child in children]\nprint('codes', sum(codes), len(codes))\n",
    );

    let begun = Instant::now();
    let created = client.launch(program.launch(), vec![]).await;

    let outcome = created.outcome.unwrap();
    assert_eq!(outcome.exit_code, Some(0), "{outcome:?} after {:?}", begun.elapsed());
    assert_eq!(outcome.output.unwrap().text, "codes 0 30\n");
    let shown = client.session(&created.session.unwrap().id).await.unwrap();
    assert!(shown.processes.is_empty(), "{:?}", shown.processes);
}

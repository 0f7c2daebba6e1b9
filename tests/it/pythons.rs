//! The same behaviours with every Python that is here.

use std::path::{Path, PathBuf};

use debug_relay::proto::*;

use crate::support::{Client, Program, Server, values};

const PROGRAM: &str = r#"
import threading

class Counter:
    def __init__(self):
        self.total = 0

    def add(self, amount):
        self.total += amount  # @add
        return self.total

def failing(number):
    if number == 3:
        raise LookupError("three")
    return number

def work():
    counter = Counter()
    for number in range(5):  # @loop
        counter.add(number)
        try:
            failing(number)
        except LookupError:
            pass
    return counter.total  # @end

def beside():
    here = 1  # @beside
    return here

work()
thread = threading.Thread(target=beside)
thread.start()
thread.join()
"#;

/// Every Python that debugpy can debug, by version, each version once.
fn pythons() -> Vec<PathBuf> {
    let name = |minor: u32| format!("python3.{minor}");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let pyenv = std::env::var_os("PYENV_ROOT").map_or(home.join(".pyenv"), PathBuf::from);
    let own = std::fs::read_dir(pyenv.join("versions")).into_iter().flatten().flatten();
    // Real interpreters before the stand-ins of version managers, which may refuse to run.
    let mut folders: Vec<PathBuf> = own.map(|entry| entry.path().join("bin")).collect();
    folders.extend(std::env::split_paths(&path).filter(|folder| !folder.ends_with("shims")));
    let of = |minor| folders.iter().map(|folder| folder.join(name(minor))).find(|it| it.is_file());
    (8..=14).filter_map(of).collect()
}

async fn set(client: &mut Client, session: &str, spec: BreakpointSpec) -> Breakpoint {
    let request = SetBreakpointsRequest {
        session_id: session.into(),
        breakpoints: vec![spec],
        replace_file: false,
    };
    client.breakpoints.set_breakpoints(request).await.unwrap().into_inner().breakpoints.remove(0)
}

async fn clear(client: &mut Client, session: &str) {
    let request =
        RemoveBreakpointsRequest { session_id: session.into(), all: true, ..Default::default() };
    client.breakpoints.remove_breakpoints(request).await.unwrap();
}

/// One session through everything that depends on the interpreter.
async fn behaves(client: &mut Client, python: &Path, program: &Program) {
    let launch = LaunchConfig { python: python.to_string_lossy().into_owned(), ..program.launch() };
    let log = BreakpointSpec {
        log_message: "added {amount}".into(),
        condition: "amount > 2".into(),
        ..program.breakpoint("add")
    };
    let twice = BreakpointSpec { hit_condition: "2".into(), ..program.breakpoint("loop") };
    let created = client.launch(launch, vec![log, twice]).await;
    let session = created.session.unwrap().id;
    let stop = created.outcome.unwrap();
    assert_eq!(stop.stop.as_ref().unwrap().breakpoint_ids, [2], "{stop:?}");
    assert!(values(stop.snapshot.as_ref().unwrap()).contains(&("number", "0")), "{stop:?}");

    // A step, a value, a change of one, and a search.
    let stepped = client.step_over(&session).await;
    assert_eq!(stepped.stop.unwrap().reason(), StopReason::Step);
    assert_eq!(
        client.evaluate(&session, "[number + n for n in (1, 2)]").await.unwrap().value,
        "[2, 3]"
    );
    let request = FindValueRequest {
        session_id: session.clone(),
        query: "total".into(),
        ..Default::default()
    };
    let found = client.inspection.find_value(request).await.unwrap().into_inner().found;
    assert_eq!(found[0].path, "counter.total");

    // A watched value, then a function by its class.
    clear(client, &session).await;
    let data = DataLocation { expression: "counter.total".into(), ..Default::default() };
    let location = Some(breakpoint_spec::Location::Data(data));
    let watch = set(client, &session, BreakpointSpec { location, ..Default::default() }).await;
    assert!(watch.verified, "{watch:?}");
    let changed = client.resume(&session).await.stop.unwrap();
    assert_eq!(
        (changed.reason(), changed.description.as_str()),
        (StopReason::DataBreakpoint, "counter.total: 0 became 1")
    );
    clear(client, &session).await;
    let function = FunctionLocation { name: "Counter.add".into() };
    let location = Some(breakpoint_spec::Location::Function(function));
    set(client, &session, BreakpointSpec { location, ..Default::default() }).await;
    let called = client.resume(&session).await.stop.unwrap();
    assert_eq!(called.reason(), StopReason::FunctionBreakpoint);

    // What never ends, an exception that is caught, and another thread.
    let request = EvaluateRequest {
        session_id: session.clone(),
        expression: "while True: pass".into(),
        context: EvaluateContext::Statement.into(),
        timeout: Some(prost_types::Duration { seconds: 0, nanos: 200_000_000 }),
        ..Default::default()
    };
    client.inspection.evaluate(request).await.unwrap_err();
    clear(client, &session).await;
    let filter = ExceptionFilter { filter: "raised".into(), condition: "LookupError".into() };
    let exception_breakpoints = Some(ExceptionBreakpoints { filters: vec![filter] });
    let request =
        SetExceptionBreakpointsRequest { session_id: session.clone(), exception_breakpoints };
    client.breakpoints.set_exception_breakpoints(request).await.unwrap();
    let raised = client.resume(&session).await.stop.unwrap();
    assert_eq!(raised.exception.unwrap().message, "three");
    set(client, &session, program.breakpoint("beside")).await;
    let beside = client.resume(&session).await.stop.unwrap();
    assert_eq!(beside.location.unwrap().function, "beside");
    // A step of that thread, told by the program itself.
    let request = TraceRequest { session_id: session.clone(), max_steps: 1, ..Default::default() };
    let mut stream = client.execution.trace(request).await.unwrap().into_inner();
    let mut steps = 0;
    while let Some(item) = stream.message().await.unwrap() {
        steps += u32::from(matches!(item.item, Some(trace_response::Item::Record(_))));
    }
    assert_eq!(steps, 1);
    let end = client.debugged_to_the_end(&session).await;
    assert_eq!(end.exit_code, Some(0), "{end:?}");
}

#[tokio::test]
async fn every_python_that_is_here_behaves_alike() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(PROGRAM);
    let pythons = pythons();
    println!("Pythons: {pythons:?}");
    assert!(!pythons.is_empty(), "there is no python3.8 to python3.14 on PATH");

    for python in &pythons {
        println!("with {}", python.display());
        behaves(&mut client, python, &program).await;
    }
}

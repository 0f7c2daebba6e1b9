//! Breakpoints beyond a plain line: counts, log messages, functions, several on a line, changes.

use debug_relay::proto::*;

use crate::support::{Client, Program, Server, reason};

const COUNTING: &str = "def count(limit):\n    total = 0\n    for number in range(limit):\n        total += number  # @add\n    return total\n\nprint(count(10))  # @done\n";

async fn spec_of(
    client: &mut Client,
    session: &str,
    specs: Vec<BreakpointSpec>,
) -> Vec<Breakpoint> {
    let request = SetBreakpointsRequest {
        session_id: session.into(),
        breakpoints: specs,
        replace_file: false,
    };
    client.breakpoints.set_breakpoints(request).await.unwrap().into_inner().breakpoints
}

async fn number(client: &mut Client, session: &str) -> String {
    client.evaluate(session, "number").await.unwrap().value
}

#[tokio::test]
async fn hit_conditions_count_the_passes_at_which_the_condition_holds() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(COUNTING);
    let wishes = [
        ("", "3", vec!["2"]),
        ("", ">=9", vec!["8", "9"]),
        ("number % 2 == 1", "%2", vec!["3", "7"]),
    ];

    for (condition, hit_condition, expected) in wishes {
        let spec = BreakpointSpec {
            condition: condition.into(),
            hit_condition: hit_condition.into(),
            ..program.breakpoint("add")
        };
        let created = client.launch(program.launch(), vec![spec]).await;
        let session = created.session.unwrap().id;
        let mut state = created.outcome.unwrap().state();
        let mut seen = Vec::new();
        while state == SessionState::Stopped {
            seen.push(number(&mut client, &session).await);
            state = client.resume(&session).await.state();
        }
        assert_eq!(seen, expected, "{condition} {hit_condition}");
    }
}

#[tokio::test]
async fn what_is_wrong_with_counts_logs_and_conditions_is_said_and_the_rest_is_set() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(COUNTING);
    let at = || program.breakpoint("add");
    let specs = vec![
        BreakpointSpec { hit_condition: "!=3".into(), ..at() },
        BreakpointSpec { log_message: "{number".into(), ..at() },
        BreakpointSpec { log_message: "{number +}".into(), ..at() },
        BreakpointSpec { condition: "number ==".into(), ..program.breakpoint("done") },
        BreakpointSpec { condition: "nowhere > 1".into(), ..at() },
    ];

    let created = client.launch(program.launch(), specs).await;

    let said: Vec<_> = created.breakpoints.iter().map(|one| one.message.as_str()).collect();
    assert!(said[0].contains("`!=3` is not understood"), "{said:?}");
    assert!(said[1].contains("`{` without a `}`"), "{said:?}");
    assert!(said[2].contains("log expression `number +` does not parse"), "{said:?}");
    assert!(said[3].contains("does not parse"), "{said:?}");
    let unhit = created.outcome.unwrap().unhit_breakpoints;
    let raised = unhit.iter().find(|one| one.id == created.breakpoints[4].id).unwrap();
    assert_eq!(raised.reason(), UnhitReason::ConditionNeverTrue);
    assert!(raised.message.contains("NameError: name 'nowhere' is not defined"), "{raised:?}");
}

#[tokio::test]
async fn log_points_write_to_the_console_and_do_not_stop() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(COUNTING);
    let log = BreakpointSpec {
        log_message: "{number:>3} of {{total}} {total!r}".into(),
        condition: "number > 7".into(),
        ..program.breakpoint("add")
    };

    let created = client.launch(program.launch(), vec![log]).await;

    let outcome = created.outcome.unwrap();
    assert_eq!(outcome.exit_code, Some(0));
    assert!(outcome.unhit_breakpoints.is_empty());
    let session = created.session.unwrap().id;
    let request = GetOutputRequest {
        session_id: session,
        categories: vec![OutputCategory::Console.into()],
        ..Default::default()
    };
    let chunks = client.output.get_output(request).await.unwrap().into_inner().chunks;
    let text: String = chunks.into_iter().map(|chunk| chunk.text).collect();
    assert_eq!(text, "  8 of {total} 28\n  9 of {total} 36\n");
}

#[tokio::test]
async fn several_on_one_line_are_hit_each_for_itself() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(COUNTING);
    let with = |condition: &str| BreakpointSpec {
        condition: condition.into(),
        ..program.breakpoint("add")
    };

    let created = client
        .launch(
            program.launch(),
            vec![with("number == 2"), with("number == 5"), with("number > 4")],
        )
        .await;

    let session = created.session.unwrap().id;
    let ids: Vec<_> = created.breakpoints.iter().map(|one| one.id).collect();
    assert_eq!(created.outcome.unwrap().stop.unwrap().breakpoint_ids, [ids[0]]);
    assert_eq!(client.resume(&session).await.stop.unwrap().breakpoint_ids, [ids[1], ids[2]]);
    assert_eq!(client.resume(&session).await.stop.unwrap().breakpoint_ids, [ids[2]]);
}

#[tokio::test]
async fn functions_are_found_by_name_class_and_module() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "import asyncio\n\nclass One:\n    def work(self):\n        return 1\n\nclass Two:\n    def work(self):\n        return 2\n\ndef plain():\n    return 3\n\nOne().work()\nTwo().work()\nplain()\n",
    );
    let on = |name: &str| {
        let location = breakpoint_spec::Location::Function(FunctionLocation { name: name.into() });
        BreakpointSpec { location: Some(location), ..Default::default() }
    };

    let created = client
        .launch(program.launch(), vec![on("Two.work"), on("__main__.plain"), on("never")])
        .await;

    let session = created.session.unwrap().id;
    let stop = created.outcome.unwrap().stop.unwrap();
    assert_eq!(stop.reason(), StopReason::FunctionBreakpoint);
    assert_eq!(stop.breakpoint_ids, [created.breakpoints[0].id]);
    assert_eq!(stop.location.unwrap().line, 8);
    let plain = client.resume(&session).await.stop.unwrap();
    assert_eq!(plain.location.unwrap().function, "plain");
    let end = client.resume(&session).await;
    assert!(
        end.unhit_breakpoints[0].message.contains("no call of a function of this name was seen")
    );
}

#[tokio::test]
async fn a_temporary_one_stops_once_and_is_gone() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(COUNTING);
    let once = BreakpointSpec { temporary: true, ..program.breakpoint("add") };
    let session = client.launch(program.launch(), vec![once]).await.session.unwrap().id;

    let request = ListBreakpointsRequest { session_id: session.clone(), file: String::new() };
    let left = client.breakpoints.list_breakpoints(request).await.unwrap().into_inner();
    let end = client.resume(&session).await;

    assert!(left.breakpoints.is_empty());
    assert_eq!(end.state(), SessionState::Exited);
}

#[tokio::test]
async fn a_breakpoint_is_changed_by_its_id() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(COUNTING);
    let session = client.stop_at(&program, "add").await;
    let update = |enabled: Option<bool>, condition: Option<&str>| UpdateBreakpointRequest {
        session_id: session.clone(),
        id: 1,
        enabled,
        condition: condition.map(str::to_owned),
        ..Default::default()
    };

    let request = update(None, Some("number == 6"));
    let changed = client.breakpoints.update_breakpoint(request).await.unwrap().into_inner();
    assert!(changed.breakpoint.unwrap().verified);
    client.resume(&session).await;
    assert_eq!(number(&mut client, &session).await, "6");
    let request = update(None, Some("number =="));
    let broken = client.breakpoints.update_breakpoint(request).await.unwrap().into_inner();
    assert!(broken.breakpoint.unwrap().message.contains("does not parse"));
    let request = update(Some(false), Some(""));
    let disabled = client.breakpoints.update_breakpoint(request).await.unwrap().into_inner();
    assert_eq!(disabled.breakpoint.unwrap().message, "disabled");
    assert_eq!(client.resume(&session).await.state(), SessionState::Exited);

    let request = UpdateBreakpointRequest { id: 99, ..update(None, None) };
    let status = client.breakpoints.update_breakpoint(request).await.unwrap_err();
    assert_eq!(reason(&status), ErrorReason::BreakpointNotFound);
}

#[tokio::test]
async fn lines_without_code_name_the_next_that_has_some() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "def f(x):\n    \"\"\"What it does.\n\n    More.\n    \"\"\"\n    y: int\n    if x:\n        return 1\n    else:\n        return 2\n\n\nprint(f(0))\n",
    );
    let session = client.stop_on(&program, 13).await;

    let specs = [3, 6, 9, 11].map(|line| program.breakpoint_on(line)).to_vec();
    let set = spec_of(&mut client, &session, specs).await;

    let lines: Vec<_> = set.iter().map(|one| (one.actual_line, one.verified)).collect();
    assert_eq!(lines, [(7, true), (7, true), (10, true), (13, true)]);
    assert_eq!(set[2].message, "line 9 has no code; it stops at line 10");
}

#[tokio::test]
async fn a_watched_attribute_stops_the_program_where_it_changes() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(
        "class Basket:\n    def __init__(self):\n        self.total = 0\n        self.seen = 0\n\ndef look(basket):\n    basket.seen += 1\n\ndef put(basket, price):\n    basket.total += price  # @change\n    return basket  # @after\n\nbasket = Basket()\nfor price in (0, 5):  # @loop\n    look(basket)\n    put(basket, price)\nbasket.total = 7\nprint('end')  # @end\n",
    );
    let session = client.stop_at(&program, "loop").await;
    let data = DataLocation { expression: "basket.total".into(), ..Default::default() };
    let location = Some(breakpoint_spec::Location::Data(data));
    let watch = BreakpointSpec { location, ..Default::default() };
    let request =
        RemoveBreakpointsRequest { session_id: session.clone(), all: true, ..Default::default() };
    client.breakpoints.remove_breakpoints(request).await.unwrap();

    let set = spec_of(&mut client, &session, vec![watch]).await;
    let first = client.resume(&session).await.stop.unwrap();
    let second = client.resume(&session).await.stop.unwrap();
    let end = client.resume(&session).await;

    assert!(set[0].verified && set[0].message.starts_with("it is 0 now"), "{set:?}");
    assert_eq!(
        (first.reason(), first.description.as_str()),
        (StopReason::DataBreakpoint, "basket.total: 0 became 5")
    );
    assert_eq!(first.location.unwrap().line, program.line("after"));
    assert_eq!(
        (second.description.as_str(), second.location.unwrap().line),
        ("basket.total: 5 became 7", program.line("end"))
    );
    assert_eq!(end.exit_code, Some(0));
}

#[tokio::test]
async fn a_watched_local_stops_in_its_own_call_and_a_value_needs_a_stop() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(COUNTING);
    let data = DataLocation { expression: "total".into(), ..Default::default() };
    let location = Some(breakpoint_spec::Location::Data(data));
    let watch = BreakpointSpec { location, condition: "total > 2".into(), ..Default::default() };
    let created =
        client.launch(program.launch(), vec![watch.clone(), program.breakpoint("add")]).await;
    let session = created.session.unwrap().id;
    assert!(
        created.breakpoints[0].message.contains("set it at a stop"),
        "{:?}",
        created.breakpoints
    );
    let request =
        RemoveBreakpointsRequest { session_id: session.clone(), all: true, ..Default::default() };
    client.breakpoints.remove_breakpoints(request).await.unwrap();

    spec_of(&mut client, &session, vec![watch]).await;
    let stop = client.resume(&session).await.stop.unwrap();

    assert_eq!(stop.reason(), StopReason::DataBreakpoint);
    assert_eq!(client.evaluate(&session, "total").await.unwrap().value, "3");
}

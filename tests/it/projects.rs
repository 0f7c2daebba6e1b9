//! Breakpoints of a project outlive their session, and follow their code.

use debug_relay::proto::*;

use crate::support::{Client, Program, Server};

const SHOP: &str = "\
def total(prices):
    result = 0
    for price in prices:
        result += price  # @add
    return result


print(total([1, 2]))  # @print
";

async fn create(client: &mut Client, request: CreateSessionRequest) -> CreateSessionResponse {
    client.sessions.create_session(request).await.unwrap().into_inner()
}

/// A session of the program's folder, without a program yet.
fn of_project(program: &Program) -> CreateSessionRequest {
    let project_root = program.path.parent().unwrap().to_string_lossy().into_owned();
    CreateSessionRequest { project_root, ..Default::default() }
}

fn project_files(server: &Server) -> Vec<std::path::PathBuf> {
    let folder = std::fs::read_dir(server.state_dir().join("projects"));
    let files = folder.into_iter().flatten().flatten().map(|entry| entry.path());
    files.filter(|path| path.extension().is_some_and(|kind| kind != "lock")).collect()
}

fn lines(breakpoints: &[Breakpoint]) -> Vec<(i32, Restored)> {
    let line = |breakpoint: &Breakpoint| match &breakpoint.spec.as_ref().unwrap().location {
        Some(breakpoint_spec::Location::Line(place)) => place.line,
        _ => 0,
    };
    breakpoints.iter().map(|breakpoint| (line(breakpoint), breakpoint.restored())).collect()
}

#[tokio::test]
async fn breakpoints_come_back_in_the_next_session_and_stop_the_program() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(SHOP);
    let conditional =
        BreakpointSpec { condition: "price == 2".into(), ..program.breakpoint("add") };
    let temporary = BreakpointSpec { temporary: true, ..program.breakpoint("print") };
    let breakpoints = vec![conditional.clone(), temporary];
    let first =
        create(&mut client, CreateSessionRequest { breakpoints, ..of_project(&program) }).await;
    client.delete(&first.session.unwrap().id).await;

    let start = Some(create_session_request::Start::Launch(program.launch()));
    let second = create(&mut client, CreateSessionRequest { start, ..of_project(&program) }).await;

    assert_eq!(lines(&second.breakpoints), [(program.line("add"), Restored::Unmoved)]);
    assert_eq!(second.breakpoints[0].spec.as_ref().unwrap().condition, "price == 2");
    let stop = second.outcome.unwrap().stop.unwrap();
    assert_eq!(stop.breakpoint_ids, [second.breakpoints[0].id]);
    assert!(stop.description.contains("earlier session"), "{}", stop.description);
    let id = second.session.unwrap().id;
    let remove = RemoveBreakpointsRequest { session_id: id, all: true, ..Default::default() };
    client.breakpoints.remove_breakpoints(remove).await.unwrap();
    let third = create(&mut client, of_project(&program)).await;
    assert_eq!(lines(&third.breakpoints), []);
}

#[tokio::test]
async fn a_session_that_does_not_restore_leaves_the_projects_breakpoints_alone() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(SHOP);
    let breakpoints = vec![program.breakpoint("add")];
    create(&mut client, CreateSessionRequest { breakpoints, ..of_project(&program) }).await;

    let apart = CreateSessionRequest {
        restore_breakpoints: Some(false),
        breakpoints: vec![program.breakpoint("print")],
        ..of_project(&program)
    };
    let apart = create(&mut client, apart).await;
    let next = create(&mut client, of_project(&program)).await;

    assert_eq!(lines(&apart.breakpoints), [(program.line("print"), Restored::Unspecified)]);
    assert_eq!(lines(&next.breakpoints), [(program.line("add"), Restored::Unmoved)]);
}

#[tokio::test]
async fn breakpoints_move_with_their_code_and_say_so_and_lost_ones_are_kept() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(SHOP);
    let breakpoints = vec![program.breakpoint("add"), program.breakpoint("print")];
    create(&mut client, CreateSessionRequest { breakpoints, ..of_project(&program) }).await;
    let (add, print) = (program.line("add"), program.line("print"));
    let changed = SHOP.replace("print(total([1, 2]))  # @print\n", "x = 5\n");
    std::fs::write(&program.path, format!("import os\n\n{changed}")).unwrap();

    let next = create(&mut client, of_project(&program)).await;

    assert_eq!(lines(&next.breakpoints), [(add + 2, Restored::Moved), (print, Restored::Lost)]);
    assert!(next.breakpoints[0].message.contains("from line 4 to line 6"), "{next:?}");
    assert!(next.breakpoints[1].message.contains("print(total([1, 2]))"), "{next:?}");
    assert!(!next.breakpoints[1].verified);
    std::fs::write(&program.path, SHOP).unwrap();
    let back = create(&mut client, of_project(&program)).await;
    assert_eq!(lines(&back.breakpoints), [(add, Restored::Moved), (print, Restored::Unmoved)]);
}

#[tokio::test]
async fn two_sessions_of_a_project_share_its_breakpoints_and_a_killed_host_loses_none() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(SHOP);
    let one = create(&mut client, of_project(&program)).await.session.unwrap().id;
    let two = create(&mut client, of_project(&program)).await.session.unwrap().id;
    let set = |session: &str, marker: &str| SetBreakpointsRequest {
        session_id: session.into(),
        breakpoints: vec![program.breakpoint(marker)],
        replace_file: false,
    };

    client.breakpoints.set_breakpoints(set(&one, "add")).await.unwrap();
    client.breakpoints.set_breakpoints(set(&two, "print")).await.unwrap();
    server.host(&one).kill();
    server.host(&two).kill();
    let next = create(&mut client, of_project(&program)).await;

    let expected = ["add", "print"].map(|marker| (program.line(marker), Restored::Unmoved));
    assert_eq!(lines(&next.breakpoints), expected);
}

#[tokio::test]
async fn a_corrupt_file_is_set_aside_with_a_warning() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let program = Program::of(SHOP);
    let breakpoints = vec![program.breakpoint("add")];
    create(&mut client, CreateSessionRequest { breakpoints, ..of_project(&program) }).await;
    let file = project_files(&server).remove(0);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("\"text\": \"result += price  # @add\""), "{text}");
    std::fs::write(&file, &text[..text.len() / 2]).unwrap();

    let next = create(&mut client, of_project(&program)).await;

    assert_eq!(lines(&next.breakpoints), []);
    assert!(next.warnings[0].contains("set aside as"), "{:?}", next.warnings);
    let aside = project_files(&server).into_iter().find(|path| *path != file).unwrap();
    assert_eq!(std::fs::read_to_string(aside).unwrap(), &text[..text.len() / 2]);
}

//! The README, run as it stands: its commands with bash and grpcurl, its answers against the real
//! ones, its tables against the server.

mod answer;
pub mod page;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use debug_relay::proto::{self, GetSessionRequest};
use prost::Message;
use prost_types::FileDescriptorSet;
use tokio::process::Command;
use tonic::{Code, Request, Status};
use tonic_prost::ProstCodec;
use tonic_types::StatusExt;

use crate::cli::user::User;
use crate::source_text::sources;
use crate::support::{Client, LIMIT, Server, tools};

const STORY: &str = "A bug in five calls";

#[tokio::test]
async fn the_story_runs_as_it_is_told() {
    let server = Server::start().await;
    let blocks = page::blocks(&page::section(&page::read(), STORY));
    let (setup, calls) = story(&blocks);
    let shown: Vec<&page::Block> = blocks.iter().filter(|block| block.language == "js").collect();

    let mut answers = Vec::new();
    for call in &calls {
        answers.push(bash(&server, &format!("{setup}\n{call}")).await.succeeded());
    }

    assert_eq!((calls.len(), shown.len()), (5, 5), "five calls, each with its answer");
    for ((call, shown), real) in calls.iter().zip(shown).zip(&answers) {
        let real_json = serde_json::from_str(real).unwrap();
        if let Err(problem) = answer::compare(&answer::parse(&shown.text), &real_json) {
            panic!("the README shows another answer: {problem}\n{call}\n{real}");
        }
    }
}

#[test]
fn the_first_stop_by_command_line_is_as_shown() {
    let blocks = page::blocks(&page::section(&page::read(), "Start"));
    let commands: Vec<&page::Block> =
        blocks.iter().filter(|block| block.language == "sh").collect();
    let shown = blocks.iter().find(|block| block.language == "text").unwrap();
    let user = User::new();
    user.copy_examples();

    let printed = user.script(&commands[0].text).succeeded();
    let then = user.script(&commands[1].text).succeeded();

    let cut = |line: &str| line.trim_end_matches('…').trim_end().to_owned();
    let (real, shown): (Vec<String>, Vec<String>) =
        (printed.lines().map(cut).collect(), shown.text.lines().map(cut).collect());
    assert_eq!(real, shown, "{printed}");
    assert!(then.contains("basket  [] → [5]\n") && then.contains("5  int\n"), "{then}");
}

#[tokio::test]
async fn the_first_stop_by_grpcurl_is_one_call() {
    let server = Server::start().await;
    let (_, rest) = page::read().split_once("<!-- first call -->").map(own).unwrap();
    let call = page::blocks(&rest)[0].text.clone();
    // A user has built the release, and nothing else is on that port.
    let call = call.replace("target/release/debug-relay", "debug-relay");
    let call = call.replace("127.0.0.1:50051", &server.address);

    let answer = bash(&server, &call).await.succeeded();

    assert!(
        answer.contains("STOP_REASON_ENTRY") && answer.contains("examples/basket.py"),
        "{answer}"
    );
}

fn own((first, second): (&str, &str)) -> (String, String) {
    (first.to_owned(), second.to_owned())
}

#[tokio::test]
async fn the_first_answer_of_the_story_is_under_8_kib() {
    let server = Server::start().await;
    let blocks = page::blocks(&page::section(&page::read(), STORY));
    let (setup, calls) = story(&blocks);

    let answer = bash(&server, &format!("{setup}\n{}", calls[0])).await.succeeded();

    assert!(answer.contains("\"snapshot\"") && answer.len() < 8192, "{} bytes", answer.len());
}

#[test]
fn the_program_of_the_story_is_the_one_in_examples() {
    let blocks = page::blocks(&page::section(&page::read(), STORY));
    let program = std::fs::read_to_string(root().join("examples/basket.py")).unwrap();

    let shown = blocks.iter().find(|block| block.language == "python").unwrap();

    let (text, marks): (Vec<&str>, Vec<Option<usize>>) = shown.text.lines().map(unmark).unzip();
    assert!(program.contains(&text.join("\n")), "examples/basket.py is not as shown");
    let marked = marks.iter().position(Option::is_some).expect("a line with its number");
    assert_eq!(program.lines().nth(marks[marked].unwrap() - 1), Some(text[marked]));
}

#[tokio::test]
async fn the_error_is_printed_as_shown_with_its_details_decoded() {
    let server = Server::start().await;
    let page = page::read();
    let (setup, blocks) = (setup(&page), page::blocks(&page::section(&page, "Errors")));
    let [command, shown] = &blocks[..] else { panic!("a command and its error") };

    let printed = bash(&server, &format!("{setup}\n{}", command.text)).await.failed();

    assert!(printed.contains("\"reason\": \"SESSION_NOT_FOUND\""), "{printed}");
    assert_eq!(words(&printed), words(&shown.text));
}

#[tokio::test]
async fn a_refused_create_session_says_why() {
    let server = Server::start().await;
    let setup = setup(&page::read());
    let call = r#"relay SessionService/CreateSession '{
        "project_root": "'"$PWD"'", "launch": {"program": "examples/nothing.py"}}'"#;

    let printed = bash(&server, &format!("{setup}\n{call}")).await.failed();

    assert!(printed.contains("\"reason\": \"PROGRAM_NOT_FOUND\""), "{printed}");
    assert!(printed.contains("examples/nothing.py"), "{printed}");
}

#[tokio::test]
async fn grpcurl_lists_every_service_without_a_token() {
    let server = Server::start().await;
    let list = format!("grpcurl -plaintext {} list", server.address);

    let listed = bash(&server, &list).await.succeeded();

    let listed: Vec<&str> = listed.lines().collect();
    let own = methods().into_keys().map(|service| format!("debugrelay.v1.{service}"));
    for service in own.chain(["grpc.health.v1.Health".into()]) {
        assert!(listed.contains(&service.as_str()), "{service} is not in {listed:?}");
    }
}

#[tokio::test]
async fn grpcurl_describes_the_api_with_its_comments() {
    let server = Server::start().await;
    let describe = |symbol| format!("grpcurl -plaintext {} describe {symbol}", server.address);

    let service = bash(&server, &describe("debugrelay.v1.SessionService")).await.succeeded();
    let message = bash(&server, &describe("debugrelay.v1.LineLocation")).await.succeeded();

    assert!(service.contains("// Makes, starts, shows and ends sessions."), "{service}");
    assert!(service.contains("// Makes a session; with `launch` or `attach`"), "{service}");
    assert!(message.contains("// The line, counted from 1."), "{message}");
}

#[tokio::test]
async fn the_table_of_calls_is_true_and_whole() {
    let server = Server::start().await;
    let client = server.client().await;
    let methods = methods();
    let mut named: BTreeMap<String, Vec<String>> = BTreeMap::new();

    for row in page::table(&page::read(), "calls") {
        let [service, works, missing] = &row[..] else { panic!("three cells in {row:?}") };
        let session = service.to_lowercase();
        create(&server, &session).await;
        for method in list(works) {
            let answer = call(&server, &client, service, &method, &session).await;
            let is_there = answer.as_ref().err().is_none_or(|it| it.code() != Code::Unimplemented);
            assert!(is_there, "the README says that {method} works: {answer:?}");
            named.entry(service.clone()).or_default().push(method);
        }
        create(&server, &format!("{session}-2")).await;
        for mark in list(missing) {
            let method = mark.trim_end_matches("\\*");
            let answer = call(&server, &client, service, method, &format!("{session}-2")).await;
            let reason =
                if mark == method { "NOT_IMPLEMENTED" } else { "NOT_SUPPORTED_BY_ADAPTER" };
            let found = answer.as_ref().err().map(|it| (it.code(), reason_of(it)));
            let expected = (Code::Unimplemented, reason.to_owned());
            assert_eq!(found, Some(expected), "the README says so of {method}");
            named.entry(service.clone()).or_default().push(method.into());
        }
        for left in [session.clone(), format!("{session}-2")] {
            // One of the calls may have been DeleteSession.
            let request = proto::DeleteSessionRequest { session_id: left };
            let _ = server.client().await.sessions.delete_session(request).await;
        }
    }

    let named: BTreeMap<_, BTreeSet<_>> =
        named.into_iter().map(|(service, names)| (service, names.into_iter().collect())).collect();
    let all: BTreeMap<String, BTreeSet<String>> =
        methods.into_iter().map(|(name, methods)| (name, methods.into_keys().collect())).collect();
    assert_eq!(named, all, "every method of every service is in the table");
}

#[test]
fn no_field_of_a_call_that_works_is_refused_as_not_built() {
    let methods: BTreeSet<String> = methods().into_values().flat_map(BTreeMap::into_keys).collect();
    let plain = |text: &str| text.replace('`', "").trim().to_owned();
    let mut refused = BTreeSet::new();
    for file in sources("src/api") {
        let words =
            file.text.split("not_built(\"").skip(1).map(|rest| rest.split('"').next().unwrap());
        refused.extend(words.map(plain).filter(|words| !methods.contains(words)));
    }

    assert_eq!(refused, BTreeSet::new(), "the README must tell of these");
}

#[test]
fn the_map_has_every_folder_of_the_source() {
    let page = page::read();
    let folders = std::fs::read_dir(root().join("src")).unwrap().map(|entry| entry.unwrap().path());

    for folder in folders.filter(|path| path.is_dir()) {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        assert!(page.contains(&format!("\n| `src/{name}/` |")), "the README has no src/{name}/");
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).into()
}

/// The block that defines `relay`, and the calls after it.
fn story(blocks: &[page::Block]) -> (String, Vec<String>) {
    let mut commands = blocks.iter().filter(|block| block.language == "sh");
    let setup = commands.next().expect("a block that defines relay").text.clone();
    (setup, commands.map(|block| block.text.clone()).collect())
}

fn setup(page: &str) -> String {
    story(&page::blocks(&page::section(page, STORY))).0
}

/// Parts a line of the shown program from its mark `# line N`.
fn unmark(line: &str) -> (&str, Option<usize>) {
    match line.split_once("# line ") {
        Some((text, number)) => (text.trim_end(), Some(number.parse().unwrap())),
        None => (line, None),
    }
}

/// Text without regard to how it is spaced and indented.
fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// The parts of a table's cell.
fn list(cell: &str) -> Vec<String> {
    cell.split(", ").filter(|part| !part.is_empty()).map(Into::into).collect()
}

/// How a script came out.
struct Ran(std::process::Output);

impl Ran {
    fn succeeded(self) -> String {
        let errors = String::from_utf8_lossy(&self.0.stderr);
        assert!(self.0.status.success(), "{}: {errors}", self.0.status);
        String::from_utf8(self.0.stdout).unwrap()
    }

    fn failed(self) -> String {
        assert!(!self.0.status.success(), "{}", String::from_utf8_lossy(&self.0.stdout));
        String::from_utf8(self.0.stderr).unwrap()
    }
}

/// Runs a script as a reader would paste it, in the checkout. Where the server is, is told by the
/// variables that the product itself has for this.
async fn bash(server: &Server, script: &str) -> Ran {
    let binary = Path::new(env!("CARGO_BIN_EXE_debug-relay")).parent().unwrap();
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let folders = [binary.into(), tools().join("bin")].into_iter();
    let path = std::env::join_paths(folders.chain(std::env::split_paths(&inherited))).unwrap();
    let mut command = Command::new("bash");
    command.args(["-euo", "pipefail", "-c", script]).current_dir(root()).kill_on_drop(true);
    command.env("PATH", path);
    command.env("DEBUG_RELAY_LISTEN", &server.address);
    command.env("DEBUG_RELAY_RUN_DIR", server.run_dir());
    let ran = tokio::time::timeout(LIMIT, command.output()).await;
    Ran(ran.unwrap_or_else(|_| panic!("never ended: {script}")).unwrap())
}

/// Makes a session without a program.
async fn create(server: &Server, session: &str) {
    let request = proto::CreateSessionRequest {
        session_id: session.into(),
        project_root: root().to_string_lossy().into_owned(),
        ..Default::default()
    };
    server.client().await.sessions.create_session(request).await.unwrap();
}

/// The methods of our services, each with whether its request begins with a session's id.
fn methods() -> BTreeMap<String, BTreeMap<String, bool>> {
    let files = FileDescriptorSet::decode(proto::DESCRIPTORS).unwrap().file;
    let files = || files.iter().filter(|file| file.package() == proto::DOMAIN);
    let scoped: BTreeSet<String> = files()
        .flat_map(|file| &file.message_type)
        .filter(|message| message.field.iter().any(|field| field.name() == "session_id"))
        .map(|message| format!(".{}.{}", proto::DOMAIN, message.name()))
        .collect();
    let services = files().flat_map(|file| &file.service);
    let own = services.map(|service| {
        let methods = service.method.iter();
        let methods = methods.map(|it| (it.name().into(), scoped.contains(it.input_type())));
        (service.name().into(), methods.collect())
    });
    own.collect()
}

/// Calls any method, with nothing but the session's id if it wants one. A stream that has begun has
/// answered.
async fn call(
    server: &Server,
    client: &Client,
    service: &str,
    method: &str,
    session: &str,
) -> Result<(), Status> {
    let is_scoped = methods()[service][method];
    let session_id = if is_scoped { session.into() } else { String::new() };
    let mut request = Request::new(GetSessionRequest { session_id });
    let bearer = format!("Bearer {}", server.token()).parse().unwrap();
    request.metadata_mut().insert("authorization", bearer);
    let path = format!("/{}.{service}/{method}", proto::DOMAIN).parse().unwrap();
    let mut grpc = tonic::client::Grpc::new(client.channel.clone());
    grpc.ready().await.unwrap();
    let codec = ProstCodec::<GetSessionRequest, ()>::default();
    let mut answer = grpc.server_streaming(request, path, codec).await?.into_inner();
    match tokio::time::timeout(Duration::from_secs(1), answer.message()).await {
        Ok(message) => message.map(drop),
        Err(_) => Ok(()),
    }
}

fn reason_of(status: &Status) -> String {
    status.get_error_details().error_info().map(|info| info.reason.clone()).unwrap_or_default()
}

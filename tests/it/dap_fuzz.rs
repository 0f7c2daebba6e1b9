//! The wire protocol of debuggers under hostile bytes: any cut, any length, any mutation. What was
//! once seen or thought of is in tests/corpus/dap and runs always; proptest makes up the rest.
//! `PROPTEST_CASES` and `PROPTEST_RNG_SEED` choose how much and what.

mod making;

use std::path::Path;

use bytes::{Bytes, BytesMut};
use debug_relay::dap::{self, Codec, CodecError, MAX_BODY, MAX_HEADER, Message, types};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::RngSeed;
use tokio_util::codec::Decoder;

use crate::source_text::{name, sources};
use making::{crooked_stream, header, mutation};

/// A body limit that random lengths lie around.
const SMALL_BODY: usize = 64;
/// More than one read gives; nobody frames more than that without decoding.
const CHUNK: usize = 8 * 1024;

/// Reads a body as each type that is read from a debugger; the list of their names.
macro_rules! readers {
    ($($name:ident),* $(,)?) => {
        const READ: &[&str] = &[$(stringify!($name)),*];

        fn read_as_every_type(message: &Message) {
            match message {
                Message::Response(response) => { $(let _ = response.body::<types::$name>();)* }
                Message::Event(event) => { $(let _ = event.body::<types::$name>();)* }
                Message::Request(_) => {}
            }
        }
    };
}
readers!(
    BoundBreakpoint,
    BreakpointsSet,
    Capabilities,
    CompletionItem,
    CompletionList,
    Evaluated,
    ExceptionFilter,
    ExceptionFound,
    ExceptionText,
    FrameSource,
    Module,
    ModuleChanged,
    MoveTarget,
    MoveTargets,
    Nothing,
    Output,
    ProcessStarted,
    PydevdAuthorized,
    PydevdProcess,
    PydevdSystem,
    Scope,
    ScopeList,
    StackFrame,
    StackFrames,
    Stopped,
    Thread,
    ThreadChanged,
    ThreadList,
    Variable,
    VariableList,
);

/// The same cases every time, unless a seed is given.
fn config() -> ProptestConfig {
    let mut config = ProptestConfig { failure_persistence: None, ..Default::default() };
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(1);
    }
    config
}

/// The entries of a file of the corpus, one a line. `\xNN` is a byte, all else is itself.
fn corpus(file: &str) -> Vec<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/dap").join(file);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(unescaped).collect()
}

fn unescaped(line: &str) -> Vec<u8> {
    let mut parts = line.split("\\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    bytes
}

/// What a stream came to.
#[derive(Debug, PartialEq)]
struct Decoded {
    bodies: Vec<Bytes>,
    error: Option<String>,
}

/// Feeds a stream in pieces, as a connection would, and checks what is held after each.
fn decode<'a>(max_body: usize, pieces: impl IntoIterator<Item = &'a [u8]>) -> Decoded {
    let mut codec = Codec::new(max_body);
    let mut input = BytesMut::new();
    let mut bodies = Vec::new();
    for piece in pieces {
        for chunk in piece.chunks(CHUNK) {
            input.extend_from_slice(chunk);
            loop {
                match codec.decode(&mut input) {
                    Ok(Some(body)) => {
                        assert!(body.len() <= max_body, "a body of {} bytes", body.len());
                        bodies.push(body);
                    }
                    Ok(None) => break,
                    Err(error) => return Decoded { bodies, error: Some(error.to_string()) },
                }
            }
            let most = MAX_HEADER.max(max_body);
            assert!(input.len() < most, "{} bytes wait, of at most {most}", input.len());
            // The buffer of a vector doubles.
            let room = 2 * (most + CHUNK);
            assert!(input.capacity() <= room, "room for {} bytes", input.capacity());
        }
    }
    Decoded { bodies, error: None }
}

/// Cuts a stream at these places.
fn cut<'a>(stream: &'a [u8], cuts: &[Index]) -> Vec<&'a [u8]> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
    places.extend([0, stream.len()]);
    places.sort_unstable();
    places.windows(2).map(|pair| &stream[pair[0]..pair[1]]).collect()
}

fn parse_whole(bytes: &[u8]) {
    if let Ok(message) = dap::parse(bytes) {
        read_as_every_type(&message);
    }
}

#[test]
fn every_type_that_is_read_from_a_debugger_is_among_those_tried() {
    let files = sources("src/dap");
    let file = files.iter().find(|file| file.path.ends_with("types.rs")).unwrap();
    let derived = file.text.split("#[derive(").skip(1);
    let read = derived.filter(|item| item.split(')').next().unwrap().contains("Deserialize"));

    let mut names: Vec<&str> =
        read.map(|item| name(item.split("pub struct ").nth(1).unwrap())).collect();
    names.sort_unstable();

    assert_eq!(names, READ);
}

#[test]
fn every_message_that_was_really_seen_is_understood() {
    for bytes in corpus("real.txt") {
        let message = dap::parse(&bytes);

        let message = message.unwrap_or_else(|error| panic!("{error}: {}", bytes.escape_ascii()));
        read_as_every_type(&message);
    }
}

#[test]
fn hostile_messages_of_the_corpus_are_errors_or_messages_and_no_panic() {
    for bytes in corpus("hostile.txt") {
        parse_whole(&bytes);
    }
}

#[test]
fn nesting_without_end_is_no_stack_without_end() {
    const DEPTH: usize = 50_000;
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("{\"body\":", "}")] {
        let nested = format!("{}0{}", open.repeat(DEPTH), close.repeat(DEPTH));
        let unclosed = open.repeat(DEPTH);
        for inner in [nested, unclosed] {
            parse_whole(inner.as_bytes());
            parse_whole(format!(r#"{{"type":"event","event":"x","body":{inner}}}"#).as_bytes());
            let body = format!(r#"{{"stackFrames":{inner},"variables":{inner}}}"#);
            let text = format!(r#"{{"type":"response","request_seq":1,"body":{body}}}"#);
            parse_whole(text.as_bytes());
        }
    }
}

#[test]
fn streams_of_the_corpus_come_to_the_same_however_they_are_cut() {
    for stream in corpus("streams.txt") {
        let whole = decode(MAX_BODY, [&stream[..]]);
        let bytes = decode(MAX_BODY, stream.chunks(1));

        assert_eq!(bytes, whole, "{}", stream.escape_ascii());
        for body in &whole.bodies {
            parse_whole(body);
        }
    }
}

#[test]
fn a_header_of_the_longest_length_is_taken_however_it_is_cut_and_one_byte_more_is_not() {
    for (length, is_taken) in [(MAX_HEADER, true), (MAX_HEADER + 1, false)] {
        let rest = "Content-Length: 2\r\nX: \r\n\r\n";
        let filler = "y".repeat(length - rest.len());
        let stream = format!("Content-Length: 2\r\nX: {filler}\r\n\r\n{{}}").into_bytes();

        for cut in length - 10..=stream.len() {
            let (first, second) = stream.split_at(cut);
            let decoded = decode(SMALL_BODY, [first, second]);

            assert_eq!(decoded.bodies.len() == 1, is_taken, "{length} bytes, cut at {cut}");
            assert_eq!(decoded.error.is_none(), is_taken, "{length} bytes, cut at {cut}");
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn frames_cut_anywhere_give_the_same_messages(
        frames in vec((header(), vec(any::<u8>(), 0..3000)), 0..6),
        cuts in vec(any::<Index>(), 0..12),
    ) {
        let mut stream = Vec::new();
        for ((before, after), body) in &frames {
            stream.extend_from_slice(before);
            stream.extend_from_slice(body.len().to_string().as_bytes());
            stream.extend_from_slice(after);
            stream.extend_from_slice(body);
        }

        let decoded = decode(MAX_BODY, cut(&stream, &cuts));

        prop_assert_eq!(decoded.error, None);
        let bodies: Vec<&[u8]> = frames.iter().map(|(_, body)| &body[..]).collect();
        prop_assert_eq!(decoded.bodies, bodies);
    }

    #[test]
    fn bytes_without_sense_end_in_an_error_or_wait_for_more(
        stream in prop_oneof![vec(any::<u8>(), 0..3 * MAX_HEADER), crooked_stream()],
        cuts in vec(any::<Index>(), 0..12),
    ) {
        let pieces = decode(SMALL_BODY, cut(&stream, &cuts));

        prop_assert_eq!(pieces, decode(SMALL_BODY, [&stream[..]]));
    }

    #[test]
    fn a_length_over_the_limit_is_refused_before_anything_is_held_for_it(length in SMALL_BODY + 1..) {
        let mut input = BytesMut::from(format!("Content-Length: {length}\r\n\r\n").as_bytes());

        let refused = Codec::new(SMALL_BODY).decode(&mut input);

        let is_refused = matches!(refused, Err(CodecError::BodyTooLong { limit: SMALL_BODY, .. }));
        prop_assert!(is_refused);
        prop_assert!(input.capacity() < 1024);
    }

    #[test]
    fn mutated_messages_are_errors_or_messages_and_no_panic(
        original in select([corpus("real.txt"), corpus("hostile.txt")].concat()),
        mutations in vec(mutation(), 1..6),
    ) {
        let mut bytes = original;
        for mutation in &mutations {
            mutation.apply(&mut bytes);
            bytes.truncate(1 << 20);
        }

        parse_whole(&bytes);
        let framed = decode(MAX_BODY, [&dap::frame(&bytes)[..]]);
        prop_assert_eq!(framed.bodies, [bytes]);
    }

    #[test]
    fn text_without_sense_is_an_error_or_a_message_and_no_panic(bytes in vec(any::<u8>(), 0..200)) {
        parse_whole(&bytes);
        let quoted = String::from_utf8_lossy(&bytes);
        for text in [format!("{quoted:?}"), format!("\"{quoted}\"")] {
            let message = format!(r#"{{"type":"event","event":{text},"body":{{"output":{text}}}}}"#);
            parse_whole(message.as_bytes());
        }
    }
}

//! The wire protocol of debuggers under hostile bytes: any cut, any length, any mutation. What was
//! once seen or thought of is in tests/corpus/dap and runs always; proptest makes up the rest.
//! `PROPTEST_CASES` and `PROPTEST_RNG_SEED` choose how much and what.

use std::path::Path;

use bytes::{Bytes, BytesMut};
use debug_relay::dap::{self, Codec, CodecError, MAX_BODY, MAX_HEADER, Message, types};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::RngSeed;
use tokio_util::codec::Decoder;

use crate::source_text::{name, sources};

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

/// A header with other lines around the length, up to the longest that is taken.
fn header() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    let near_the_limit = MAX_HEADER - 80..MAX_HEADER - 30;
    let other = prop_oneof![3 => 0..40_usize, 1 => near_the_limit];
    (other, any::<bool>(), any::<bool>()).prop_map(|(size, is_before, is_lower)| {
        let name = if is_lower { "content-length" } else { "Content-Length" };
        let other = match size {
            0 => String::new(),
            size => format!("X: {}\r\n", "y".repeat(size)),
        };
        let (before, after) =
            if is_before { (other, String::new()) } else { (String::new(), other) };
        (format!("{before}{name}: ").into_bytes(), format!("\r\n{after}\r\n").into_bytes())
    })
}

const ODD_LENGTHS: &[&str] = &[
    "-1",
    "+1",
    "",
    " ",
    "0x10",
    "1e3",
    "٣",
    "NaN",
    "1_000",
    "4294967296",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
];

/// Lengths that are none, or too many, or just within or over the limit.
fn length() -> impl Strategy<Value = String> {
    prop_oneof![
        select(ODD_LENGTHS).prop_map(str::to_owned),
        (0..2 * SMALL_BODY).prop_map(|length| length.to_string()),
        any::<u64>().prop_map(|length| length.to_string()),
        any::<i64>().prop_map(|length| length.to_string()),
        (0..2 * MAX_HEADER).prop_map(|zeros| "0".repeat(zeros)),
    ]
}

/// Streams with the form of frames and with something wrong in it.
fn crooked_stream() -> impl Strategy<Value = Vec<u8>> {
    let body = vec(any::<u8>(), 0..2 * SMALL_BODY);
    let end = select(&["\r\n\r\n", "\n\n", "\r\n", "\r\r", "\r\n\r\n\r\n", ""][..]);
    let again =
        select(&["", "Content-Length: 3\r\n", "Content-Length\r\n", "\u{fffd}: \u{0}\r\n"][..]);
    let piece = (length(), again, end, body).prop_map(|(length, again, end, body)| {
        [format!("{again}Content-Length: {length}{end}").as_bytes(), &body].concat()
    });
    vec(piece, 1..5).prop_map(|pieces| pieces.concat())
}

#[derive(Debug, Clone)]
enum Mutation {
    FlipBit(Index, u8),
    Truncate(Index),
    Remove(Index, Index),
    Repeat(Index, Index, usize),
    Insert(Index, &'static [u8]),
    ReplaceNumber(Index, &'static str),
    ReplaceText(Index, &'static str),
    Nest(Index, usize),
}

const PIECES: &[&[u8]] = &[
    b"\\ud800",
    b"\\udfff",
    b"\\ud83d\\ude00",
    b"\\u",
    b"\\",
    b"\"",
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\0",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"null",
    b"1e999",
    b"\"body\":",
    b"\"type\":\"event\",",
];
const NUMBERS: &[&str] = &[
    "-1",
    "-0",
    "0.5",
    "1e400",
    "-1e-400",
    "2147483648",
    "-2147483649",
    "4294967296",
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551616",
    "100000000000000000000000000000000000000000000000000000000000000",
    "null",
    "\"1\"",
    "[]",
    "{}",
];
const TEXTS: &[&str] = &[
    "\"\"",
    "\"\\ud800\"",
    "\"\\udc00\\ud800\"",
    "\"\\u0000\"",
    "null",
    "0",
    "[]",
    "{}",
    "\"event\"",
    "\"response\"",
    "\"request\"",
    "\"\u{10ffff}\"",
];

fn mutation() -> impl Strategy<Value = Mutation> {
    let place = any::<Index>;
    prop_oneof![
        (place(), 0..8_u8).prop_map(|(at, bit)| Mutation::FlipBit(at, bit)),
        place().prop_map(Mutation::Truncate),
        (place(), place()).prop_map(|(from, to)| Mutation::Remove(from, to)),
        (place(), place(), 1..20_usize).prop_map(|(from, to, n)| Mutation::Repeat(from, to, n)),
        (place(), select(PIECES)).prop_map(|(at, piece)| Mutation::Insert(at, piece)),
        (place(), select(NUMBERS)).prop_map(|(at, text)| Mutation::ReplaceNumber(at, text)),
        (place(), select(TEXTS)).prop_map(|(at, text)| Mutation::ReplaceText(at, text)),
        (place(), 1..5000_usize).prop_map(|(at, depth)| Mutation::Nest(at, depth)),
    ]
}

impl Mutation {
    fn apply(&self, bytes: &mut Vec<u8>) {
        let between = |from: &Index, to: &Index| {
            let (from, to) = (from.index(bytes.len() + 1), to.index(bytes.len() + 1));
            from.min(to)..from.max(to)
        };
        match self {
            Self::FlipBit(at, bit) if !bytes.is_empty() => {
                let at = at.index(bytes.len());
                bytes[at] ^= 1 << bit;
            }
            Self::FlipBit(..) => {}
            Self::Truncate(at) => bytes.truncate(at.index(bytes.len() + 1)),
            Self::Remove(from, to) => drop(bytes.drain(between(from, to))),
            Self::Repeat(from, to, times) => {
                let range = between(from, to);
                let (at, piece) = (range.start, bytes[range].repeat(*times));
                bytes.splice(at..at, piece);
            }
            Self::Insert(at, piece) => {
                let at = at.index(bytes.len() + 1);
                bytes.splice(at..at, piece.iter().copied());
            }
            Self::ReplaceNumber(which, text) => {
                replace(bytes, *which, text, |byte| byte.is_ascii_digit() || byte == b'-');
            }
            Self::ReplaceText(which, text) => {
                replace(bytes, *which, text, |byte| byte == b'"' || byte.is_ascii_alphabetic());
            }
            Self::Nest(which, depth) => {
                let nested = format!("{}{}", "[{\"a\":".repeat(*depth), "}]".repeat(*depth));
                replace(bytes, *which, &nested, |byte| byte.is_ascii_digit());
            }
        }
    }
}

/// Puts `text` in place of one run of bytes of a kind.
fn replace(bytes: &mut Vec<u8>, which: Index, text: &str, is_of_kind: impl Fn(u8) -> bool) {
    let is_start = |at: &usize| is_of_kind(bytes[*at]) && (*at == 0 || !is_of_kind(bytes[*at - 1]));
    let starts: Vec<usize> = (0..bytes.len()).filter(is_start).collect();
    if starts.is_empty() {
        return;
    }
    let start = starts[which.index(starts.len())];
    let length = bytes[start..].iter().take_while(|byte| is_of_kind(**byte)).count();
    bytes.splice(start..start + length, text.bytes());
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

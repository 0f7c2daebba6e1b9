//! Strategies for what a hostile debugger might send: headers, streams, and changes to real messages.

use debug_relay::dap::MAX_HEADER;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::SMALL_BODY;

/// A header with other lines around the length, up to the longest that is taken.
pub fn header() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
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
pub fn length() -> impl Strategy<Value = String> {
    prop_oneof![
        select(ODD_LENGTHS).prop_map(str::to_owned),
        (0..2 * SMALL_BODY).prop_map(|length| length.to_string()),
        any::<u64>().prop_map(|length| length.to_string()),
        any::<i64>().prop_map(|length| length.to_string()),
        (0..2 * MAX_HEADER).prop_map(|zeros| "0".repeat(zeros)),
    ]
}

/// Streams with the form of frames and with something wrong in it.
pub fn crooked_stream() -> impl Strategy<Value = Vec<u8>> {
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
pub enum Mutation {
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

pub fn mutation() -> impl Strategy<Value = Mutation> {
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
    pub fn apply(&self, bytes: &mut Vec<u8>) {
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

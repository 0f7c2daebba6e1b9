//! Readers of a session's output: one who reads and checks every byte, and one who never reads.

use std::time::{Duration, Instant};

use debug_relay::proto::stream_output_response::Item;
use debug_relay::proto::*;
use tonic::Streaming;

use crate::support::server::Caller;
use crate::{LINE, LINES};

/// What the program writes again and again.
pub fn block() -> Vec<u8> {
    let line = |number| format!("{number:07} {}\n", "x".repeat(LINE - 9));
    (0..LINES).map(line).collect::<String>().into_bytes()
}

/// Begins to read from the first byte.
pub async fn begin(caller: &Caller, session: &str) -> Streaming<StreamOutputResponse> {
    let request = StreamOutputRequest {
        session_id: session.into(),
        max_bytes: 1 << 20,
        data_only: true,
        ..Default::default()
    };
    caller.output().stream_output(caller.request(request)).await.expect("a stream").into_inner()
}

/// Reads to the end, and fails unless every byte comes once, in order, as it was written, or is
/// announced as missing. Tells how long that took, and how many were missing.
pub async fn read_all(
    mut stream: Streaming<StreamOutputResponse>,
    total: u64,
    begun: Instant,
) -> (Duration, u64) {
    // Twice, so that what begins anywhere in it can be compared at once.
    let block = block();
    let blocks = block.repeat(2);
    let (mut next, mut missed) = (0, 0);
    while let Some(message) = stream.message().await.expect("a stream to the end") {
        let chunk = match message.item.expect("an item") {
            Item::Chunk(chunk) => chunk,
            Item::Gap(gap) => {
                assert_eq!(gap.from_offset, next, "the offset of a gap");
                missed += gap.to_offset - gap.from_offset;
                next = gap.to_offset;
                continue;
            }
        };
        assert_eq!(chunk.offset, next, "the offset of a chunk");
        assert_eq!(chunk.category(), OutputCategory::Stdout);
        for part in chunk.data.chunks(block.len()) {
            let start = (next % block.len() as u64) as usize;
            assert!(part == &blocks[start..start + part.len()], "other bytes at {next}");
            next += part.len() as u64;
        }
    }
    assert_eq!(next, total, "all that was written");
    (begun.elapsed(), missed)
}

/// Fails unless the session has all of the output, and still knows its end.
pub async fn check_end(caller: &Caller, session: &str, total: u64) {
    let request = GetOutputRequest {
        session_id: session.into(),
        after_offset: total - LINE as u64,
        ..Default::default()
    };
    let page = caller.output().get_output(caller.request(request)).await;
    let page = page.expect("a page").into_inner();
    assert!(page.end && page.gap.is_none() && page.next_offset == total, "{page:?}");
    let text: String = page.chunks.into_iter().map(|chunk| chunk.text).collect();
    assert!(block().ends_with(text.as_bytes()) && text.len() == LINE, "{text:?}");
}

//! What the callers have seen of one session, and whether it can be true.

use std::sync::Arc;
use std::time::Duration;

use debug_relay::proto::event::Payload;
use debug_relay::proto::*;
use tokio::sync::Mutex;
use tonic::Code;

use super::count;
use super::ground::{CALL_LIMIT, Ground};
use crate::support::Random;

/// The notes of one session.
pub struct Story {
    pub id: String,
    /// A caller has deleted it: what was not read by then is gone for good.
    pub is_deleted: bool,
    pub events: Arc<Mutex<EventNotes>>,
    pub output: Arc<Mutex<OutputNotes>>,
}

#[derive(Default)]
pub struct EventNotes {
    last: u64,
    is_over: bool,
    problems: Vec<String>,
}

#[derive(Default)]
pub struct OutputNotes {
    next: u64,
    /// Bytes of standard output, while none is missing.
    written: Option<usize>,
    problems: Vec<String>,
}

impl EventNotes {
    fn take(&mut self, ground: &Ground, event: &Event) {
        count(&ground.counts.events, 1);
        let first = match &event.payload {
            Some(Payload::Gap(gap)) => {
                count(&ground.counts.gaps, 1);
                gap.from_sequence
            }
            _ => event.sequence,
        };
        if first != self.last + 1 {
            self.problems.push(format!("event {first} came after {}", self.last));
        }
        self.last = event.sequence;
        self.is_over = matches!(event.payload, Some(Payload::Terminated(_)));
    }
}

impl OutputNotes {
    pub fn new() -> Self {
        Self { written: Some(0), ..Default::default() }
    }

    fn take(&mut self, ground: &Ground, chunk: &OutputChunk) {
        if chunk.offset != self.next {
            self.problems.push(format!("output at {} came after {}", chunk.offset, self.next));
        }
        self.next = chunk.offset + chunk.data.len() as u64;
        count(&ground.counts.output_bytes, chunk.data.len() as u64);
        if chunk.category() != OutputCategory::Stdout {
            return;
        }
        if let Some(written) = &mut self.written {
            let end = *written + chunk.data.len();
            if expected().get(*written..end) != Some(&chunk.data[..]) {
                let shown = String::from_utf8_lossy(&chunk.data[..chunk.data.len().min(40)]);
                self.problems.push(format!("at {written} the program did not write {shown:?}"));
            }
            *written = end;
        }
    }

    fn miss(&mut self, ground: &Ground, gap: &OutputGap) {
        count(&ground.counts.gaps, 1);
        if gap.from_offset != self.next {
            self.problems.push(format!("a gap at {} came after {}", gap.from_offset, self.next));
        }
        self.next = gap.to_offset;
        self.written = None;
    }
}

/// What the program of the course writes: the numbers, a line each.
fn expected() -> &'static [u8] {
    static TEXT: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
    TEXT.get_or_init(|| {
        (0..200_000).flat_map(|number| format!("{number}\n").into_bytes()).collect()
    })
}

/// Reads the events of a session, by streams and by polls, each broken off at random and gone on with
/// from the last number.
pub async fn read_events(
    ground: Arc<Ground>,
    id: String,
    notes: Arc<Mutex<EventNotes>>,
    mut random: Random,
) {
    loop {
        count(&ground.counts.resumed_streams, 1);
        let mut client = ground.client().await;
        let mut notes = notes.lock().await;
        let left = random.between(1, 200);
        let after_sequence = notes.last;
        if random.chance(50) {
            let request = StreamEventsRequest {
                session_id: id.clone(),
                after_sequence,
                ..Default::default()
            };
            let Ok(stream) = client.events.stream_events(request).await else { continue };
            let mut stream = stream.into_inner();
            for _ in 0..left {
                let Ok(Some(message)) = stream.message().await else { break };
                notes.take(&ground, &message.event.unwrap());
            }
        } else {
            let wait = Some(prost_types::Duration { seconds: 1, nanos: 0 });
            let limit = random.between(1, 50) as u32;
            let request = ListEventsRequest {
                session_id: id.clone(),
                after_sequence,
                wait,
                limit,
                ..Default::default()
            };
            let Ok(page) = client.events.list_events(request).await else { continue };
            for event in page.into_inner().events {
                notes.take(&ground, &event);
            }
        }
        drop(notes);
        tokio::time::sleep(Duration::from_millis(random.between(0, 30))).await;
    }
}

/// The same for the output.
pub async fn read_output(
    ground: Arc<Ground>,
    id: String,
    notes: Arc<Mutex<OutputNotes>>,
    mut random: Random,
) {
    loop {
        count(&ground.counts.resumed_streams, 1);
        let mut client = ground.client().await;
        let mut notes = notes.lock().await;
        let request = StreamOutputRequest {
            session_id: id.clone(),
            after_offset: notes.next,
            max_bytes: random.between(1, 5000) as u32,
            include_data: true,
            ..Default::default()
        };
        let Ok(stream) = client.output.stream_output(request).await else { continue };
        let mut stream = stream.into_inner();
        for _ in 0..random.between(1, 300) {
            let Ok(Some(message)) = stream.message().await else { break };
            match message.item.unwrap() {
                stream_output_response::Item::Chunk(chunk) => notes.take(&ground, &chunk),
                stream_output_response::Item::Gap(gap) => notes.miss(&ground, &gap),
            }
        }
        drop((notes, stream));
        tokio::time::sleep(Duration::from_millis(random.between(0, 30))).await;
    }
}

impl Story {
    /// Reads on to the end what has not been deleted, deletes it, and tells what is wrong.
    pub async fn close(self, ground: &Ground) -> Vec<String> {
        let (mut events, mut output) = (self.events.lock().await, self.output.lock().await);
        if !self.is_deleted {
            let closing = finish(ground, &self.id, &mut events, &mut output);
            if tokio::time::timeout(CALL_LIMIT, closing).await.is_err() {
                events.problems.push("it could not be read to its end".into());
            }
        }
        let problems = events.problems.iter().chain(&output.problems);
        problems.map(|problem| format!("session {}: {problem}", self.id)).collect()
    }
}

async fn finish(ground: &Ground, id: &str, events: &mut EventNotes, output: &mut OutputNotes) {
    let mut client = ground.client().await;
    let terminate =
        TerminateSessionRequest { session_id: id.into(), force: true, ..Default::default() };
    match client.sessions.terminate_session(terminate).await {
        Ok(_) => {}
        Err(status) if status.code() == Code::NotFound => {
            events.problems.push("it is gone, and nobody deleted it".into());
            return;
        }
        Err(status) => events.problems.push(format!("it could not be ended: {status:?}")),
    }
    let session = client.session(id).await.unwrap();
    if session.state() == SessionState::Lost {
        count(&ground.counts.lost_sessions, 1);
        if session.failure.is_empty() {
            events.problems.push("it is lost, and nobody knows why".into());
        }
    }
    loop {
        let request = ListEventsRequest {
            session_id: id.into(),
            after_sequence: events.last,
            limit: 1000,
            ..Default::default()
        };
        let page = client.events.list_events(request).await.unwrap().into_inner();
        if page.events.is_empty() {
            break;
        }
        page.events.iter().for_each(|event| events.take(ground, event));
    }
    if events.last != session.last_sequence || !events.is_over {
        let problem = format!("its events end at {} of {}", events.last, session.last_sequence);
        events.problems.push(problem);
    }
    loop {
        let request = GetOutputRequest {
            session_id: id.into(),
            after_offset: output.next,
            include_data: true,
            ..Default::default()
        };
        let page = client.output.get_output(request).await.unwrap().into_inner();
        page.gap.iter().for_each(|gap| output.miss(ground, gap));
        page.chunks.iter().for_each(|chunk| output.take(ground, chunk));
        if page.end {
            break;
        }
    }
    let written = session.counters.unwrap().output_bytes;
    if output.next != written && session.state() != SessionState::Lost {
        output.problems.push(format!("its output ends at {} of {written}", output.next));
    }
    client.delete(id).await;
}

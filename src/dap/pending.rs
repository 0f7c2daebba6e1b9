//! Requests that wait for their answer: each has a number, a deadline and somebody who waits.

use std::collections::HashMap;
use std::time::Duration;

use bytes::Bytes;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::codec::frame;

/// A request on its way, as its owner wants to remember it.
pub struct Awaited<W> {
    pub command: &'static str,
    pub limit: Duration,
    pub waiter: W,
    deadline: Instant,
}

/// The open requests of one connection.
pub struct Pending<W> {
    last_seq: i64,
    open: HashMap<i64, Awaited<W>>,
}

impl<W> Default for Pending<W> {
    fn default() -> Self {
        Self { last_seq: 0, open: HashMap::new() }
    }
}

impl<W> Pending<W> {
    /// Takes note of a request and returns the number it must be sent with.
    pub fn open(&mut self, command: &'static str, limit: Duration, waiter: W) -> i64 {
        self.last_seq += 1;
        let deadline = Instant::now() + limit;
        self.open.insert(self.last_seq, Awaited { command, limit, waiter, deadline });
        self.last_seq
    }

    /// Whoever waits for answer `seq`. A second answer, or one that came too late, finds nobody.
    pub fn take(&mut self, seq: i64) -> Option<Awaited<W>> {
        self.open.remove(&seq)
    }

    /// When the next request runs out of time.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.open.values().map(|awaited| awaited.deadline).min()
    }

    /// Takes out every request whose time is over.
    pub fn take_expired(&mut self, now: Instant) -> Vec<Awaited<W>> {
        self.open
            .extract_if(|_, awaited| awaited.deadline <= now)
            .map(|(_, awaited)| awaited)
            .collect()
    }

    /// Takes out every request: nobody will answer any more.
    pub fn take_all(&mut self) -> Vec<Awaited<W>> {
        self.open.drain().map(|(_, awaited)| awaited).collect()
    }
}

/// The frame of one request; `arguments` is JSON already.
pub fn encode_request(seq: i64, command: &str, arguments: &RawValue) -> Bytes {
    let body = format!(
        r#"{{"seq":{seq},"type":"request","command":"{command}","arguments":{}}}"#,
        arguments.get()
    );
    frame(body.as_bytes())
}

/// The frame that turns down a request of the adapter.
pub fn encode_refusal(seq: i64, request_seq: i64, command: &str) -> Bytes {
    #[derive(Serialize)]
    struct Refusal<'a> {
        seq: i64,
        r#type: &'a str,
        request_seq: i64,
        success: bool,
        command: &'a str,
        message: &'a str,
    }
    let refusal = Refusal {
        seq,
        r#type: "response",
        request_seq,
        success: false,
        command,
        message: "not supported",
    };
    frame(&serde_json::to_vec(&refusal).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_finds_its_request_once() {
        let mut pending = Pending::default();
        let first = pending.open("next", Duration::from_secs(1), "first");
        let second = pending.open("next", Duration::from_secs(1), "second");

        assert_eq!(pending.take(second).unwrap().waiter, "second");
        assert!(pending.take(second).is_none());
        assert_eq!(pending.take(first).unwrap().waiter, "first");
    }

    #[tokio::test(start_paused = true)]
    async fn only_what_is_overdue_expires() {
        let mut pending = Pending::default();
        pending.open("slow", Duration::from_secs(60), ());
        pending.open("quick", Duration::from_secs(1), ());
        tokio::time::advance(Duration::from_secs(2)).await;

        let expired = pending.take_expired(Instant::now());

        assert_eq!(expired.iter().map(|awaited| awaited.command).collect::<Vec<_>>(), ["quick"]);
        assert!(pending.next_deadline().unwrap() > Instant::now());
    }

    #[test]
    fn a_request_is_one_frame_of_json() {
        let arguments = RawValue::from_string(r#"{"threadId":1}"#.into()).unwrap();

        let frame = encode_request(4, "next", &arguments);

        let body = r#"{"seq":4,"type":"request","command":"next","arguments":{"threadId":1}}"#;
        assert_eq!(frame, format!("Content-Length: {}\r\n\r\n{body}", body.len()));
    }
}

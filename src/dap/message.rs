//! The envelope of every message: answer, event or request of the adapter. Bodies stay raw, so
//! what we do not know costs nothing and passes by.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// One message from an adapter.
#[derive(Debug)]
pub enum Message {
    Response(Response),
    Event(Event),
    /// A request of the adapter to us (`runInTerminal`, `startDebugging`).
    Request(ReverseRequest),
}

#[derive(Debug, Deserialize)]
pub struct Response {
    pub request_seq: i64,
    #[serde(default)]
    pub success: bool,
    #[serde(default)]
    pub command: String,
    /// Why it failed.
    #[serde(default)]
    pub message: Option<String>,
    #[serde(default)]
    body: Option<Box<RawValue>>,
}

#[derive(Debug, Deserialize)]
pub struct Event {
    pub event: String,
    #[serde(default)]
    body: Option<Box<RawValue>>,
}

#[derive(Debug, Deserialize)]
pub struct ReverseRequest {
    pub seq: i64,
    pub command: String,
}

#[derive(Deserialize)]
struct Kind<'a> {
    #[serde(rename = "type", borrow)]
    kind: std::borrow::Cow<'a, str>,
}

/// Reads one message body.
pub fn parse(bytes: &[u8]) -> Result<Message, serde_json::Error> {
    parse_strictly(bytes).or_else(|error| match std::str::from_utf8(bytes) {
        Ok(text) => parse_strictly(mend_surrogates(text).as_bytes()),
        Err(_) => Err(error),
    })
}

fn parse_strictly(bytes: &[u8]) -> Result<Message, serde_json::Error> {
    let kind: Kind = serde_json::from_slice(bytes)?;
    match kind.kind.as_ref() {
        "response" => serde_json::from_slice(bytes).map(Message::Response),
        "event" => serde_json::from_slice(bytes).map(Message::Event),
        "request" => serde_json::from_slice(bytes).map(Message::Request),
        other => Err(serde::de::Error::custom(format!(
            "{other:?} is neither response, event nor request"
        ))),
    }
}

impl Response {
    /// The body as `T`; a missing body is read as an empty one.
    pub fn body<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        read_body(self.body.as_deref())
    }
}

impl Event {
    /// The body as `T`; a missing body is read as an empty one.
    pub fn body<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        read_body(self.body.as_deref())
    }
}

fn read_body<T: DeserializeOwned>(body: Option<&RawValue>) -> Result<T, serde_json::Error> {
    let text = body.map_or("{}", RawValue::get);
    let text = if text == "null" { "{}" } else { text };
    serde_json::from_str(text).or_else(|error| {
        let mended = mend_surrogates(text);
        if mended == text { Err(error) } else { serde_json::from_str(&mended) }
    })
}

/// Replaces `\ud800` to `\udfff` escapes that are no pair. Python's json writes bytes that are not
/// UTF-8 so, and serde_json refuses a whole message for one of them.
fn mend_surrogates(text: &str) -> String {
    let mut mended = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        mended.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = match (escaped_unit(rest), rest.get(6..).and_then(escaped_unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => {
                mended.push_str(&rest[..12]);
                12
            }
            (Some(0xd800..=0xdfff), _) => {
                mended.push_str("\\ufffd");
                6
            }
            _ => {
                // A backslash and what it escapes; the next character is never a plain backslash.
                let length = 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
                mended.push_str(&rest[..length]);
                length
            }
        };
        rest = &rest[taken..];
    }
    mended.push_str(rest);
    mended
}

/// The code unit of a `\uXXXX` escape at the start of `text`.
fn escaped_unit(text: &str) -> Option<u16> {
    text.strip_prefix("\\u")?.get(..4).and_then(|hex| u16::from_str_radix(hex, 16).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn each_kind_is_told_apart() {
        let response =
            br#"{"type":"response","seq":2,"request_seq":7,"success":true,"body":{"x":1}}"#;
        let event = br#"{"seq":1,"type":"event","event":"stopped"}"#;
        let request = br#"{"seq":3,"type":"request","command":"runInTerminal","arguments":{}}"#;

        assert!(matches!(parse(response), Ok(Message::Response(r)) if r.request_seq == 7));
        assert!(matches!(parse(event), Ok(Message::Event(e)) if e.event == "stopped"));
        assert!(matches!(parse(request), Ok(Message::Request(r)) if r.command == "runInTerminal"));
    }

    #[test]
    fn what_is_no_message_is_an_error_and_no_panic() {
        for bytes in ["", "{}", "[]", "null", r#"{"type":"poem"}"#, r#"{"type":"event"}"#, "\u{0}"]
        {
            assert!(parse(bytes.as_bytes()).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn a_missing_or_null_body_reads_as_an_empty_one() {
        for text in
            [r#"{"type":"event","event":"e"}"#, r#"{"type":"event","event":"e","body":null}"#]
        {
            let Ok(Message::Event(event)) = parse(text.as_bytes()) else { panic!("no event") };

            assert_eq!(event.body::<Value>().unwrap(), json!({}));
        }
    }

    #[test]
    fn a_lone_surrogate_in_the_envelope_does_not_lose_the_message() {
        let text = r#"{"type":"response","request_seq":1,"success":false,"message":"\udcff bad"}"#;

        let Ok(Message::Response(response)) = parse(text.as_bytes()) else { panic!("no response") };

        assert_eq!(response.message.as_deref(), Some("\u{fffd} bad"));
    }

    #[test]
    fn lone_surrogates_are_replaced_and_pairs_are_kept() {
        let text =
            r#"{"type":"event","event":"output","body":{"bad":"a\udcffb\ud83d\ude00 \\udcff"}}"#;
        let Ok(Message::Event(event)) = parse(text.as_bytes()) else { panic!("no event") };

        let body: Value = event.body().unwrap();

        assert_eq!(body["bad"], "a\u{fffd}b\u{1f600} \\udcff");
    }
}

//! The little of gRPC's wire format that a gateway must read: the frame around a message, and one
//! text field of it.

use bytes::{BufMut, Bytes, BytesMut};

use crate::error::Error;
use crate::proto;

/// A frame's flag and length.
const PREFIX: usize = 5;

/// The one message of a request, without its frame.
pub fn message(body: &Bytes) -> Result<Bytes, Error> {
    let problem = || Error::invalid("request", "it is no whole gRPC message");
    let prefix = body.get(..PREFIX).ok_or_else(problem)?;
    if prefix[0] != 0 {
        return Err(Error::CompressionNotSupported);
    }
    let length = u32::from_be_bytes([prefix[1], prefix[2], prefix[3], prefix[4]]) as usize;
    if body.len() != PREFIX + length {
        return Err(problem());
    }
    Ok(body.slice(PREFIX..))
}

/// The next whole message of a stream, if it is there.
pub fn take_message(stream: &mut BytesMut) -> Option<Bytes> {
    let length = stream.get(1..PREFIX)?;
    let length = u32::from_be_bytes([length[0], length[1], length[2], length[3]]) as usize;
    if stream.len() < PREFIX + length {
        return None;
    }
    let mut frame = stream.split_to(PREFIX + length).freeze();
    Some(frame.split_off(PREFIX))
}

/// A frame around a message.
pub fn frame(message: &[u8]) -> Bytes {
    let mut frame = BytesMut::with_capacity(PREFIX + message.len());
    frame.put_u8(0);
    frame.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
    frame.extend_from_slice(message);
    frame.freeze()
}

/// Field 1 of a message, as text: every session-scoped request has its session's id there. The last
/// one counts, as protobuf has it. None for what is no protobuf at all.
pub fn first_field(message: &Bytes) -> Option<String> {
    proto::first_text(message)
}

/// The message with field 1 set: a later value replaces an earlier one.
pub fn with_first_field(message: &Bytes, value: &str) -> Bytes {
    let mut changed = BytesMut::from(&message[..]);
    prost::encoding::string::encode(1, &value.to_owned(), &mut changed);
    changed.freeze()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::{CreateSessionRequest, GetVariablesRequest};
    use prost::Message;

    #[test]
    fn the_session_is_read_whatever_else_the_message_holds() {
        let request = GetVariablesRequest {
            session_id: "s-1".into(),
            variables_reference: 9,
            count: 3,
            ..Default::default()
        };

        assert_eq!(first_field(&request.encode_to_vec().into()).as_deref(), Some("s-1"));
        assert_eq!(first_field(&Bytes::new()).as_deref(), Some(""));
        assert_eq!(first_field(&Bytes::from_static(b"\xff\xff\xff")), None);
    }

    #[test]
    fn a_session_that_is_put_in_replaces_the_one_that_was_there() {
        let request = CreateSessionRequest {
            session_id: "old".into(),
            name: "kept".into(),
            ..Default::default()
        };

        let changed = with_first_field(&request.encode_to_vec().into(), "new");

        let decoded = CreateSessionRequest::decode(changed).unwrap();
        assert_eq!((decoded.session_id.as_str(), decoded.name.as_str()), ("new", "kept"));
    }

    #[test]
    fn messages_of_a_stream_are_taken_one_by_one_when_they_are_whole() {
        let stream = [frame(b"one"), frame(b""), frame(b"three")].concat();
        for cut in 0..stream.len() {
            let mut buffer = BytesMut::from(&stream[..cut]);
            let mut taken = Vec::new();
            taken.extend(std::iter::from_fn(|| take_message(&mut buffer)));
            buffer.extend_from_slice(&stream[cut..]);
            taken.extend(std::iter::from_fn(|| take_message(&mut buffer)));

            assert_eq!(taken, ["one", "", "three"]);
        }
    }

    #[test]
    fn frames_are_taken_whole_or_not_at_all() {
        assert_eq!(message(&frame(b"abc")).unwrap(), "abc");
        assert!(message(&Bytes::from_static(b"")).is_err());
        assert!(message(&Bytes::from_static(b"\0\0\0\0\x05abc")).is_err());
        assert_eq!(
            message(&Bytes::from_static(b"\x01\0\0\0\0")),
            Err(Error::CompressionNotSupported)
        );
    }
}

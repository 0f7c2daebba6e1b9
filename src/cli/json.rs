//! Messages as JSON, as protobuf maps it and grpcurl prints it.

use std::sync::LazyLock;

use prost_reflect::{DescriptorPool, DynamicMessage};
use serde::Serialize;

use crate::proto::DESCRIPTORS;

/// The contract; None only if the build was broken, which tests would show.
static POOL: LazyLock<Option<DescriptorPool>> =
    LazyLock::new(|| DescriptorPool::decode(DESCRIPTORS).ok());

/// In one line, or indented for people who look at it.
pub fn text<M: prost::Name>(message: &M, is_indented: bool) -> String {
    let transcoded = || {
        let descriptor = POOL.as_ref()?.get_message_by_name(&M::full_name())?;
        let message =
            DynamicMessage::decode(descriptor, message.encode_to_vec().as_slice()).ok()?;
        let mut text = Vec::new();
        // Straight into text: a map in between would sort the fields by their names.
        let written = match is_indented {
            true => message.serialize(&mut serde_json::Serializer::pretty(&mut text)),
            false => message.serialize(&mut serde_json::Serializer::new(&mut text)),
        };
        written.ok()?;
        String::from_utf8(text).ok()
    };
    transcoded().unwrap_or_else(|| "null".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::{GetSessionResponse, Session, SessionState};

    #[test]
    fn messages_look_as_grpcurl_prints_them() {
        let session = Session {
            id: "s".into(),
            state: SessionState::Stopped.into(),
            last_sequence: 7,
            exit_code: Some(0),
            created_time: Some(prost_types::Timestamp { seconds: 1, nanos: 0 }),
            ..Default::default()
        };

        let shown = text(&GetSessionResponse { session: Some(session) }, false);

        let expected = r#"{"session":{"id":"s","state":"SESSION_STATE_STOPPED","exitCode":0,"#
            .to_owned()
            + r#""createdTime":"1970-01-01T00:00:01Z","lastSequence":"7"}}"#;
        assert_eq!(shown, expected);
    }
}

//! Frames of the Debug Adapter Protocol: `Content-Length: N`, a blank line, N bytes of JSON.
//! Knows nothing of what the bytes mean. Everything a peer may make us hold is bounded.

use bytes::{Bytes, BytesMut};
use tokio_util::codec::Decoder;

/// A header with its blank line. None of any adapter seen comes near this.
pub const MAX_HEADER: usize = 4 * 1024;

/// A variable of 10 MB crosses the wire as one message, so the limit lies well above.
pub const MAX_BODY: usize = 64 * 1024 * 1024;

#[derive(Debug, thiserror::Error)]
pub enum CodecError {
    #[error("a header is longer than {MAX_HEADER} bytes")]
    HeaderTooLong,
    #[error("a header has no valid Content-Length")]
    NoLength,
    #[error("a message of {length} bytes is over the limit of {limit}")]
    BodyTooLong { length: usize, limit: usize },
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// Cuts a byte stream into message bodies.
pub struct Codec {
    max_body: usize,
    awaited: Option<usize>,
}

impl Codec {
    pub fn new(max_body: usize) -> Self {
        Self { max_body, awaited: None }
    }

    /// Takes bodies up to this size from now on.
    pub fn allow(&mut self, max_body: usize) {
        self.max_body = max_body;
    }
}

impl Default for Codec {
    fn default() -> Self {
        Self::new(MAX_BODY)
    }
}

impl Decoder for Codec {
    type Item = Bytes;
    type Error = CodecError;

    fn decode(&mut self, input: &mut BytesMut) -> Result<Option<Bytes>, CodecError> {
        if self.awaited.is_none() {
            self.awaited = take_header(input)?;
        }
        let Some(length) = self.awaited else { return Ok(None) };
        if self.max_body < length {
            return Err(CodecError::BodyTooLong { length, limit: self.max_body });
        }
        if input.len() < length {
            input.reserve(length - input.len());
            return Ok(None);
        }
        self.awaited = None;
        Ok(Some(input.split_to(length).freeze()))
    }
}

/// One whole frame around `body`.
pub fn frame(body: &[u8]) -> Bytes {
    let mut frame = BytesMut::with_capacity(body.len() + 32);
    frame.extend_from_slice(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
    frame.extend_from_slice(body);
    frame.freeze()
}

fn take_header(input: &mut BytesMut) -> Result<Option<usize>, CodecError> {
    // What lies behind the limit does not count, however much has come at once.
    let first = &input[..input.len().min(MAX_HEADER)];
    let Some(end) = first.windows(4).position(|four| four == b"\r\n\r\n") else {
        return if input.len() < MAX_HEADER { Ok(None) } else { Err(CodecError::HeaderTooLong) };
    };
    let header = input.split_to(end + 4);
    let header = std::str::from_utf8(&header[..end]).map_err(|_| CodecError::NoLength)?;
    header
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.trim().eq_ignore_ascii_case("content-length"))
        .and_then(|(_, length)| length.trim().parse().ok())
        .map(Some)
        .ok_or(CodecError::NoLength)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode_all(codec: &mut Codec, input: &mut BytesMut) -> Vec<Bytes> {
        std::iter::from_fn(|| codec.decode(input).unwrap()).collect()
    }

    #[test]
    fn a_stream_cut_at_any_byte_gives_the_same_messages() {
        let stream = [frame(b"{\"a\":1}"), frame(b""), frame(b"{\"long\":\"body\"}")].concat();
        let whole = decode_all(&mut Codec::default(), &mut BytesMut::from(&stream[..]));
        assert_eq!(whole.len(), 3);

        for cut in 0..=stream.len() {
            let mut codec = Codec::default();
            let mut input = BytesMut::from(&stream[..cut]);
            let mut parts = decode_all(&mut codec, &mut input);
            input.extend_from_slice(&stream[cut..]);
            parts.extend(decode_all(&mut codec, &mut input));

            assert_eq!(parts, whole, "cut at byte {cut}");
        }
    }

    #[test]
    fn header_names_are_read_in_any_case_and_beside_other_headers() {
        let mut input = BytesMut::from(&b"content-type: json\r\nCONTENT-LENGTH:2\r\n\r\n{}"[..]);

        assert_eq!(decode_all(&mut Codec::default(), &mut input), [Bytes::from_static(b"{}")]);
    }

    #[test]
    fn a_body_over_the_limit_is_refused_before_it_is_read() {
        let mut input = BytesMut::from(&b"Content-Length: 11\r\n\r\n"[..]);

        let refused = Codec::new(10).decode(&mut input);

        assert!(matches!(refused, Err(CodecError::BodyTooLong { length: 11, limit: 10 })));
    }

    #[test]
    fn an_endless_header_is_refused() {
        let mut input = BytesMut::from(&vec![b'x'; MAX_HEADER][..]);

        assert!(matches!(Codec::default().decode(&mut input), Err(CodecError::HeaderTooLong)));
    }

    #[test]
    fn garbage_for_a_length_is_refused() {
        for header in ["Content-Length: many\r\n\r\n", "Content-Length: -1\r\n\r\n", "\r\n\r\n"] {
            let mut input = BytesMut::from(header.as_bytes());

            assert!(matches!(Codec::default().decode(&mut input), Err(CodecError::NoLength)));
        }
    }
}

//! The way between gateway and host: gRPC calls on a Unix socket, one at a time on a connection, in
//! frames of our own. A second HTTP stack costs more than all the rest of the way, and has driver
//! tasks between those who call and the socket. Knows neither gateway nor host.
//!
//! A frame is the length of its content (4 bytes, big endian), a kind (1 byte) and the content. The
//! gateway sends `Call`; the host answers with `Head`, then any number of `Data`, then `End`. Who has
//! heard enough hangs up. Hosts outlive their gateways, also those of an older version: a kind keeps
//! its meaning for ever.

mod headers;

use std::io;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use http::HeaderMap;
use tokio_util::codec::Decoder;

/// No `Data` is longer, so that no reader has to hold more.
pub const MAX_DATA: usize = 64 * 1024;
/// What head and trailers of a call may have in all.
pub const MAX_HEADERS: usize = 64 * 1024;

const PREFIX: usize = 5;

const CALL: u8 = 1;
const HEAD: u8 = 2;
const HEAD_ONLY: u8 = 3;
const DATA: u8 = 4;
const END: u8 = 5;
const END_WITH_TRAILERS: u8 = 6;

#[derive(Debug, Clone, PartialEq)]
pub enum Frame {
    Call(Call),
    Head {
        headers: HeaderMap,
        /// Neither `Data` nor `End` follows.
        is_all: bool,
    },
    Data(Bytes),
    End(Option<HeaderMap>),
}

/// One call of a method, with its one message in gRPC's own frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub path: String,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// The frame of a call up to its body, which follows as it is.
pub fn begin_call(call: &Call) -> BytesMut {
    let mut out = BytesMut::with_capacity(512);
    let start = begin(&mut out, CALL);
    headers::put_text(&mut out, call.path.as_bytes());
    headers::put(&mut out, &call.headers);
    end(&mut out, start, call.body.len());
    out
}

pub fn put_head(out: &mut BytesMut, headers: &HeaderMap, is_all: bool) {
    let start = begin(out, if is_all { HEAD_ONLY } else { HEAD });
    headers::put(out, headers);
    end(out, start, 0);
}

/// The frame of a piece of at most [`MAX_DATA`] up to the piece itself, which follows as it is.
pub fn put_data_prefix(out: &mut BytesMut, length: usize) {
    let start = begin(out, DATA);
    end(out, start, length);
}

pub fn put_end(out: &mut BytesMut, trailers: Option<&HeaderMap>) {
    let start = begin(out, if trailers.is_some() { END_WITH_TRAILERS } else { END });
    if let Some(trailers) = trailers {
        headers::put(out, trailers);
    }
    end(out, start, 0);
}

fn begin(out: &mut BytesMut, kind: u8) -> usize {
    let start = out.len();
    out.put_u32(0);
    out.put_u8(kind);
    start
}

/// Writes the length of the frame that began at `start`, of which `more` bytes are still to come.
fn end(out: &mut BytesMut, start: usize, more: usize) {
    let length = out.len() - start - PREFIX + more;
    // No limit of ours lets a message reach 4 GiB; a reader refuses whatever is past its own.
    let length = u32::try_from(length).unwrap_or(u32::MAX);
    out[start..start + 4].copy_from_slice(&length.to_be_bytes());
}

/// Takes frames out of a stream.
#[derive(Debug)]
pub struct Codec {
    /// What the content of a frame may be long.
    limit: usize,
}

impl Codec {
    pub fn new(limit: usize) -> Self {
        Self { limit }
    }
}

impl Decoder for Codec {
    type Item = Frame;
    type Error = io::Error;

    fn decode(&mut self, input: &mut BytesMut) -> io::Result<Option<Frame>> {
        let Some(prefix) = input.get(..PREFIX) else { return Ok(None) };
        let length = u32::from_be_bytes([prefix[0], prefix[1], prefix[2], prefix[3]]) as usize;
        let kind = prefix[4];
        if self.limit < length {
            return Err(broken(format!("a frame of {length} bytes; {} are taken", self.limit)));
        }
        if input.len() < PREFIX + length {
            input.reserve(PREFIX + length - input.len());
            return Ok(None);
        }
        input.advance(PREFIX);
        let mut content = input.split_to(length).freeze();
        let frame = match kind {
            CALL => {
                let path = headers::take_text(&mut content)?;
                let path = String::from_utf8(path.to_vec()).map_err(broken)?;
                let headers = headers::take(&mut content)?;
                Frame::Call(Call { path, headers, body: content })
            }
            HEAD | HEAD_ONLY => {
                Frame::Head { headers: headers::take(&mut content)?, is_all: kind == HEAD_ONLY }
            }
            DATA => Frame::Data(content),
            END => Frame::End(None),
            END_WITH_TRAILERS => Frame::End(Some(headers::take(&mut content)?)),
            unknown => return Err(broken(format!("a frame of the unknown kind {unknown}"))),
        };
        Ok(Some(frame))
    }
}

fn broken(problem: impl ToString) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(entries: &[(&'static str, &'static [u8])]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in entries {
            headers.append(*name, http::HeaderValue::from_bytes(value).unwrap());
        }
        headers
    }

    fn conversation() -> (BytesMut, Vec<Frame>) {
        let asked = headers(&[("te", b"trailers"), ("x", b"one"), ("x", b"two"), ("y", b"\xff")]);
        let (body, trailers) =
            (Bytes::from_static(b"\0\0\0\0\0"), headers(&[("grpc-status", b"0")]));
        let call = Call { path: "/a.B/C".into(), headers: asked, body };
        let mut stream = begin_call(&call);
        stream.extend_from_slice(&call.body);
        put_head(&mut stream, &HeaderMap::new(), false);
        put_data_prefix(&mut stream, 3);
        stream.extend_from_slice(b"abc");
        put_data_prefix(&mut stream, 0);
        put_end(&mut stream, Some(&trailers));
        put_head(&mut stream, &trailers, true);
        put_end(&mut stream, None);
        let frames = vec![
            Frame::Call(call),
            Frame::Head { headers: HeaderMap::new(), is_all: false },
            Frame::Data(Bytes::from_static(b"abc")),
            Frame::Data(Bytes::new()),
            Frame::End(Some(trailers.clone())),
            Frame::Head { headers: trailers, is_all: true },
            Frame::End(None),
        ];
        (stream, frames)
    }

    #[test]
    fn frames_are_the_same_wherever_the_stream_is_cut() {
        let (stream, frames) = conversation();
        for cut in 0..=stream.len() {
            let (mut codec, mut buffer, mut taken) =
                (Codec::new(1000), BytesMut::new(), Vec::new());
            for part in [&stream[..cut], &stream[cut..]] {
                buffer.extend_from_slice(part);
                while let Some(frame) = codec.decode(&mut buffer).unwrap() {
                    taken.push(frame);
                }
            }
            assert_eq!(taken, frames, "cut at {cut}");
        }
    }

    #[test]
    fn broken_frames_are_errors_and_cost_no_memory() {
        let whole = conversation().0;
        for (index, byte) in
            (0..whole.len()).flat_map(|index| [0, 1, 7, 255].map(|byte| (index, byte)))
        {
            let mut buffer = BytesMut::from(&whole[..]);
            buffer[index] = byte;
            let mut codec = Codec::new(1000);
            // Some changes make another valid frame; none may panic.
            while let Ok(Some(_)) = codec.decode(&mut buffer) {}
            assert!(buffer.capacity() < 4096);
        }
        let mut huge = BytesMut::from(&b"\xff\xff\xff\xff\x04"[..]);
        assert!(Codec::new(1000).decode(&mut huge).is_err());
    }
}

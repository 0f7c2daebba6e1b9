//! Headers on the wire: how many, then name and value of each, with their lengths before them.

use std::io;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use http::{HeaderMap, HeaderName, HeaderValue};

use super::broken;

pub fn put(out: &mut BytesMut, headers: &HeaderMap) {
    // A map holds at most 32,768 entries.
    out.put_u16(headers.len() as u16);
    for (name, value) in headers {
        put_text(out, name.as_str().as_bytes());
        put_text(out, value.as_bytes());
    }
}

pub fn take(input: &mut Bytes) -> io::Result<HeaderMap> {
    let count = input.try_get_u16().map_err(broken)?;
    let mut headers = HeaderMap::with_capacity(usize::from(count.min(64)));
    for _ in 0..count {
        let name = HeaderName::from_bytes(&take_text(input)?).map_err(broken)?;
        let value = HeaderValue::from_maybe_shared(take_text(input)?).map_err(broken)?;
        headers.append(name, value);
    }
    Ok(headers)
}

pub fn put_text(out: &mut BytesMut, text: &[u8]) {
    // What callers and statuses may have in headers is bounded far below 4 GiB.
    out.put_u32(text.len() as u32);
    out.extend_from_slice(text);
}

pub fn take_text(input: &mut Bytes) -> io::Result<Bytes> {
    let length = input.try_get_u32().map_err(broken)? as usize;
    match length <= input.len() {
        true => Ok(input.split_to(length)),
        false => Err(broken("a text that goes past its frame")),
    }
}

//! The trace that a caller's call belongs to, as W3C's `traceparent` tells.

use std::fmt;

/// The header, and the metadata, that carries it.
pub const TRACEPARENT: &str = "traceparent";

/// A trace and the caller's span in it, both in hex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceContext<'a> {
    pub trace_id: &'a str,
    pub span_id: &'a str,
    pub flags: u8,
}

impl<'a> TraceContext<'a> {
    /// Reads `00-TRACE-SPAN-FLAGS`. What is not of that form is no trace, as the standard has it.
    pub fn parse(text: &'a str) -> Option<Self> {
        let mut parts = text.split('-');
        let (version, trace_id, span_id, flags) =
            (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let is_hex = |text: &str, length: usize| {
            let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
            text.len() == length && text.bytes().all(is_digit)
        };
        let is_zero = |text: &str| text.bytes().all(|byte| byte == b'0');
        let is_well = is_hex(version, 2)
            && version != "ff"
            && (version != "00" || parts.next().is_none())
            && is_hex(trace_id, 32)
            && is_hex(span_id, 16)
            && is_hex(flags, 2)
            && !is_zero(trace_id)
            && !is_zero(span_id);
        let flags = u8::from_str_radix(flags, 16).ok()?;
        is_well.then_some(Self { trace_id, span_id, flags })
    }
}

impl fmt::Display for TraceContext<'_> {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "00-{}-{}-{:02x}", self.trace_id, self.span_id, self.flags)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_trace_is_read_and_written() {
        let context = TraceContext::parse(TRACE).unwrap();

        assert_eq!(context.trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!((context.span_id, context.flags), ("00f067aa0ba902b7", 1));
        assert_eq!(context.to_string(), TRACE);
        assert!(TraceContext::parse(&TRACE.replacen("00", "01", 1)).is_some());
    }

    #[test]
    fn what_is_no_trace_is_none() {
        let zero = "00-00000000000000000000000000000000-00f067aa0ba902b7-01";
        for nonsense in ["", "00", "x", zero, &TRACE.to_uppercase(), &format!("{TRACE}-more")] {
            assert_eq!(TraceContext::parse(nonsense), None, "{nonsense}");
        }
        for cut in 0..TRACE.len() {
            assert_eq!(TraceContext::parse(&TRACE[..cut]), None, "{cut}");
        }
        assert_eq!(TraceContext::parse(&TRACE.replacen("00", "ff", 1)), None);
    }
}

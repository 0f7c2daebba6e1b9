//! The wire protocol of debug adapters: frames, envelopes, typed messages, pending requests.
//! Knows nothing of sessions or of us.

mod codec;
mod message;
mod pending;
pub mod types;

pub use codec::{Codec, CodecError, MAX_BODY, MAX_HEADER, frame};
pub use message::{Event, Message, Response, ReverseRequest, parse};
pub use pending::{Pending, encode_refusal, encode_request};

//! The contract, generated from proto/debugrelay/v1.

#![allow(clippy::all, missing_docs, rustdoc::all)]

tonic::include_proto!("debugrelay.v1");

/// Every file of the contract with its comments, for reflection and for tests.
pub const DESCRIPTORS: &[u8] = tonic::include_file_descriptor_set!("debugrelay");

/// The package, which is also the domain of errors.
pub const DOMAIN: &str = "debugrelay.v1";

/// Field 1 of a message, as text: every request about a session has its id there. None for what is no
/// protobuf at all, or has something else there.
pub fn first_text(message: &[u8]) -> Option<String> {
    // Decoding into this leaves every other field unread.
    #[derive(prost::Message)]
    struct First {
        #[prost(string, tag = "1")]
        text: String,
    }
    <First as prost::Message>::decode(message).ok().map(|first| first.text)
}

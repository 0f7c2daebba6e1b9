//! The contract, generated from proto/debugrelay/v1.

#![allow(clippy::all, missing_docs, rustdoc::all)]

tonic::include_proto!("debugrelay.v1");

/// Every file of the contract with its comments, for reflection and for tests.
pub const DESCRIPTORS: &[u8] = tonic::include_file_descriptor_set!("debugrelay");

/// The package, which is also the domain of errors.
pub const DOMAIN: &str = "debugrelay.v1";

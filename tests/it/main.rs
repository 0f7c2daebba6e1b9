//! One test binary: the real server, real hosts, real debugpy, real sockets.

// A test that cannot go on has failed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod programs;
mod proto_rules;
mod raw_calls;
mod source_text;
mod spares;
mod support;

mod architecture;
mod archives;
mod attaching;
mod breakpoints;
mod children;
mod cli;
mod cli_access;
mod config;
mod confines;
mod contract;
mod dap_fuzz;
mod debugging;
mod dialling;
mod docs;
mod doctor;
mod documents_reasons;
mod errors;
mod exceptions;
mod gateway;
mod hostile;
mod inspection;
mod kinds;
mod launching;
mod lifecycle;
mod limits;
mod mended;
mod moves;
mod operating;
mod owners;
mod points;
mod projects;
mod proxied;
mod pythons;
mod readme;
mod recovery;
mod rights;
mod scripted;
mod serve;
mod session_tokens;
mod stories;
mod streams;
mod telling;
mod tls;
mod traced;
mod traces;
mod values;

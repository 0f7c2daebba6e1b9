//! debug-relay gives programs a debugger: a gRPC service with one process per session.
//!
//! ```text
//! caller ─gRPC/TCP─▶ gateway ─hop/Unix socket─▶ host ▶ api ▶ session ▶ dap ▶ program
//! caller ◀── events and output, read by number ────────────────┘
//! ```
//!
//! # Invariants
//!
//! - The host is the session: [`gateway`] holds no session state, and may be killed at any moment.
//! - One task owns a session's state; calls, answers and events reach it through one queue, in the
//!   order they came ([`session`]).
//! - Handles carry their stop, so a stale one is an error and never another frame's data.
//! - Events and output are numbered; what a reader missed is announced, never skipped.
//! - No process outlives its session: a guard stands between [`host`] and program.
//! - Every error has one row in `api/status.rs`: a code, a reason, its facts, a hint.
//!
//! A part uses only parts beneath it; the table is in `tests/it/architecture.rs`.

pub mod adapters;
pub mod api;
pub mod archive;
pub mod auth;
pub mod build;
pub mod cli;
pub mod clock;
pub mod config;
pub mod confines;
pub mod dap;
pub mod doctor;
pub mod error;
pub mod gateway;
pub mod hop;
pub mod host;
pub mod id;
pub mod limits;
pub mod proto;
pub mod session;
pub mod store;
pub mod telemetry;

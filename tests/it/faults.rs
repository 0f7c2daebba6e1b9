//! Everything may die at any moment: for a while sessions are made, driven, read and ended while
//! gateway, hosts, guards, programs and streams are killed at random. Then the notes of the callers
//! must prove that nothing was lost unannounced, and nothing may be left behind.
//!
//! DEBUG_RELAY_FAULT_SECONDS sets how long, DEBUG_RELAY_SEED which course.

// A test that cannot go on has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, dead_code, unused_imports)]

mod chaos;
mod support;

use chaos::Course;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_dies_nothing_is_lost_unannounced_and_nothing_is_left_behind() {
    let course = Course::from_environment(60);

    let report = chaos::run(&course).await;

    println!("{report}");
    assert!(report.problems.is_empty(), "seed {}: {:#?}", course.seed, report.problems);
    assert!(report.has_seen_everything(), "too little happened: {report}");
}

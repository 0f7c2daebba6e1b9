//! A session of the relay that is stepped through: a call a step, by way of gateway and host.

use std::time::{Duration, Instant};

use debug_relay::proto::*;

use super::course::{Program, Seen};
use super::server::Caller;

/// A session that is stopped. Whoever made it deletes it, or ends its server.
pub struct RelaySession {
    pub id: String,
    changes_only: bool,
}

impl RelaySession {
    /// Makes a session and the program in it; the time is until its first stop is shown.
    pub async fn create(
        caller: &Caller,
        program: &Program,
        changes_only: bool,
    ) -> (Duration, Seen, Self) {
        Self::create_at(caller, &program.file(), program.start, changes_only).await
    }

    /// The same with any program, and any line of it.
    pub async fn create_at(
        caller: &Caller,
        file: &str,
        line: i64,
        changes_only: bool,
    ) -> (Duration, Seen, Self) {
        let line = i32::try_from(line).expect("a small file");
        let place = LineLocation { file: file.into(), line, column: 0 };
        let location = Some(breakpoint_spec::Location::Line(place));
        let target = Some(launch_config::Target::Program(file.into()));
        let launch = LaunchConfig { target, ..Default::default() };
        let request = caller.request(CreateSessionRequest {
            breakpoints: vec![BreakpointSpec { location, ..Default::default() }],
            start: Some(create_session_request::Start::Launch(launch)),
            ..Default::default()
        });
        let mut sessions = caller.sessions();

        let begun = Instant::now();
        let created = sessions.create_session(request).await;
        let took = begun.elapsed();

        let created = created.expect("a session").into_inner();
        let id = created.session.expect("a session").id;
        let seen = seen(created.outcome.expect("an outcome"), 1, false);
        (took, seen, Self { id, changes_only })
    }

    /// One step over a line, in one call; it must lead to stop `number`.
    pub async fn step(&self, caller: &Caller, number: u64) -> (Duration, Seen) {
        let snapshot = SnapshotOptions { changes_only: self.changes_only, ..Default::default() };
        let request = caller.request(StepOverRequest {
            session_id: self.id.clone(),
            wait: Some(WaitOptions { snapshot: Some(snapshot), timeout: None }),
            ..Default::default()
        });
        let mut execution = caller.execution();

        let begun = Instant::now();
        let stepped = execution.step_over(request).await;
        let took = begun.elapsed();

        let outcome = stepped.expect("a step").into_inner().outcome.expect("an outcome");
        (took, seen(outcome, number, self.changes_only))
    }

    /// One call that asks nothing of the debugger.
    pub async fn get(&self, caller: &Caller) -> Duration {
        let request = caller.request(GetSessionRequest { session_id: self.id.clone() });
        let mut sessions = caller.sessions();

        let begun = Instant::now();
        let found = sessions.get_session(request).await;
        let took = begun.elapsed();

        let session = found.expect("a session").into_inner().session.expect("a session");
        assert_eq!((session.id.as_str(), session.state()), (&*self.id, SessionState::Stopped));
        took
    }

    pub async fn delete(&self, caller: &Caller) {
        let request = caller.request(DeleteSessionRequest { session_id: self.id.clone() });
        caller.sessions().delete_session(request).await.expect("an end");
    }
}

fn seen(outcome: Outcome, number: u64, changes_only: bool) -> Seen {
    assert_eq!(outcome.state(), SessionState::Stopped, "{outcome:?}");
    let stop = outcome.stop.expect("a stop");
    assert_eq!(stop.stop_number, number, "the number of the stop");
    let place = stop.location.expect("a place");
    let snapshot = outcome.snapshot.expect("a snapshot");
    let top = snapshot.frames.first().map(|frame| frame.line);
    assert_eq!(top, (!changes_only).then_some(place.line), "the top frame");
    let changed = snapshot.changes.into_iter().map(|change| (change.name, change.after));
    let scopes = snapshot.scopes.into_iter();
    let shown = scopes.flat_map(|scope| scope.variables).map(|one| (one.name, one.value));
    Seen {
        line: place.line.into(),
        variables: if changes_only { changed.collect() } else { shown.collect() },
    }
}

//! What a process under the debugger and the session around it can be, as pure tables: no clock,
//! no I/O, no catch-all. The actor is the only caller.

use crate::proto::SessionState;

/// The life of one process under the debugger. It changes when we *send*, because a halt may
/// overtake the answer to the request that caused it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    /// Connected, not yet told to run.
    Starting,
    Running,
    /// Told to run on from this stop; the answer is on its way.
    Resuming {
        stop: u64,
    },
    Stopped {
        stop: u64,
    },
    Ended,
}

/// What can happen to a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Breakpoints are set and it was told to begin.
    Configured,
    /// We sent a request to run on.
    Asked,
    /// The debugger took that request.
    Accepted,
    /// The debugger turned that request down.
    Refused,
    /// It stopped; the number is the session's next.
    Halted { stop: u64 },
    /// The debugger says that it runs, without our asking.
    RanOn,
    /// The connection or the process is over.
    Gone,
}

impl Life {
    pub fn after(self, signal: Signal) -> Self {
        use Life::*;
        use Signal::*;
        match (self, signal) {
            (Ended, _) | (_, Gone) => Ended,

            (Starting, Configured) => Running,
            (Starting, Halted { stop }) => Stopped { stop },
            (Starting, Asked | Accepted | Refused | RanOn) => Starting,

            (Running, Halted { stop }) => Stopped { stop },
            (Running, Configured | Asked | Accepted | Refused | RanOn) => Running,

            (Stopped { stop }, Asked) => Resuming { stop },
            // A second thread halted at the same time: the newer stop is the one to look at.
            (Stopped { .. }, Halted { stop }) => Stopped { stop },
            (Stopped { .. }, RanOn) => Running,
            // The answer came after the halt that it led to.
            (Stopped { stop }, Configured | Accepted | Refused) => Stopped { stop },

            (Resuming { .. }, Accepted) => Running,
            // Nothing ran, so what was read at this stop still holds.
            (Resuming { stop }, Refused) => Stopped { stop },
            // This halt overtook the answer to our request.
            (Resuming { .. }, Halted { stop }) => Stopped { stop },
            (Resuming { .. }, RanOn) => Running,
            (Resuming { stop }, Configured | Asked) => Resuming { stop },
        }
    }

    /// The stop at which it stands, if it stands.
    pub fn stop(self) -> Option<u64> {
        match self {
            Life::Stopped { stop } => Some(stop),
            Life::Starting | Life::Running | Life::Resuming { .. } | Life::Ended => None,
        }
    }

    pub fn state(self) -> SessionState {
        match self {
            Life::Starting => SessionState::Starting,
            Life::Running | Life::Resuming { .. } => SessionState::Running,
            Life::Stopped { .. } => SessionState::Stopped,
            Life::Ended => SessionState::Exited,
        }
    }
}

/// How far the session as a whole has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Created,
    /// The program is started; no process of it has been let run.
    Starting,
    Live,
    Ended(End),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Exited,
    Terminated,
    Detached,
    Failed,
}

impl Phase {
    /// The session's state: any process that stands makes it STOPPED.
    pub fn state(self, lives: impl IntoIterator<Item = Life>) -> SessionState {
        match self {
            Phase::Created => SessionState::Created,
            Phase::Starting => SessionState::Starting,
            Phase::Live if lives.into_iter().any(|life| life.stop().is_some()) => {
                SessionState::Stopped
            }
            Phase::Live => SessionState::Running,
            Phase::Ended(End::Exited) => SessionState::Exited,
            Phase::Ended(End::Terminated) => SessionState::Terminated,
            Phase::Ended(End::Detached) => SessionState::Detached,
            Phase::Ended(End::Failed) => SessionState::Failed,
        }
    }

    pub fn is_over(self) -> bool {
        matches!(self, Phase::Ended(_))
    }
}

/// The state's name as callers know it.
pub fn name(state: SessionState) -> &'static str {
    let name = state.as_str_name();
    name.strip_prefix("SESSION_STATE_").unwrap_or(name)
}

/// Nothing more will happen in a session of this state.
pub fn is_over(state: SessionState) -> bool {
    match state {
        SessionState::Exited
        | SessionState::Terminated
        | SessionState::Detached
        | SessionState::Failed
        | SessionState::Lost => true,
        SessionState::Unspecified
        | SessionState::Created
        | SessionState::Starting
        | SessionState::Running
        | SessionState::Stopped => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_halt_that_overtakes_the_answer_is_kept_when_the_answer_comes() {
        let life = Life::Stopped { stop: 1 }.after(Signal::Asked);

        let halted = life.after(Signal::Halted { stop: 2 });

        assert_eq!(halted, Life::Stopped { stop: 2 });
        assert_eq!(halted.after(Signal::Accepted), Life::Stopped { stop: 2 });
    }

    #[test]
    fn a_refused_resume_keeps_the_stop() {
        let life = Life::Stopped { stop: 3 }.after(Signal::Asked).after(Signal::Refused);

        assert_eq!(life, Life::Stopped { stop: 3 });
    }

    #[test]
    fn nothing_brings_an_ended_process_back() {
        use Signal::*;
        for signal in [Configured, Asked, Accepted, Refused, Halted { stop: 9 }, RanOn, Gone] {
            assert_eq!(Life::Ended.after(signal), Life::Ended);
        }
    }

    #[test]
    fn one_process_that_stands_makes_the_session_stopped() {
        let lives = [Life::Running, Life::Stopped { stop: 1 }];

        assert_eq!(Phase::Live.state(lives), SessionState::Stopped);
        assert_eq!(Phase::Live.state([Life::Running]), SessionState::Running);
        assert_eq!(Phase::Ended(End::Exited).state(lives), SessionState::Exited);
    }
}

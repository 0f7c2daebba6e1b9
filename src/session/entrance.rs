//! Where processes and their messages come into a session.

use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};

use super::input::Input;
use super::targets::ProcessIdentity;
use crate::dap::Message;
use crate::id::TargetId;

/// The way for one connection's messages into the session.
pub struct Feed {
    inputs: mpsc::Sender<Input>,
    target: TargetId,
}

/// Where processes come into a session.
#[derive(Clone)]
pub struct Entrance {
    inputs: mpsc::Sender<Input>,
}

impl Entrance {
    pub(super) fn new(inputs: mpsc::Sender<Input>) -> Self {
        Self { inputs }
    }

    pub(super) async fn child_lost(&self) {
        let _ = self.inputs.send(Input::ChildLost).await;
    }

    /// Takes in a process that has a connection; none when the session is gone.
    pub async fn connect(
        &self,
        identity: ProcessIdentity,
        outgoing: mpsc::Sender<Bytes>,
    ) -> Option<Feed> {
        let (reply, answer) = oneshot::channel();
        self.inputs.send(Input::Connected { identity, outgoing, reply }).await.ok()?;
        Some(Feed { inputs: self.inputs.clone(), target: answer.await.ok()? })
    }
}

impl Feed {
    /// Passes a message on; false when the session is gone.
    pub async fn deliver(&self, message: Message) -> bool {
        self.inputs.send(Input::Message { target: self.target, message }).await.is_ok()
    }

    /// Says that the connection is over.
    pub async fn close(self, reason: String) {
        let _ = self.inputs.send(Input::Closed { target: self.target, reason }).await;
    }
}

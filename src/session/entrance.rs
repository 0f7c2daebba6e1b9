//! Where processes and their messages come into a session.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::{mpsc, oneshot, watch};

use super::input::Input;
use super::targets::ProcessIdentity;
use super::view::View;
use crate::dap::Message;
use crate::id::TargetId;
use crate::proto::SessionState;

/// The way for one connection's messages into the session.
pub struct Feed {
    inputs: mpsc::Sender<Input>,
    target: TargetId,
}

/// Where processes come into a session.
#[derive(Clone)]
pub struct Entrance {
    inputs: mpsc::Sender<Input>,
    shown: watch::Receiver<Arc<View>>,
}

impl Entrance {
    pub(super) fn new(inputs: mpsc::Sender<Input>, shown: watch::Receiver<Arc<View>>) -> Self {
        Self { inputs, shown }
    }

    /// There is a program, or one is being started, whose processes may come.
    pub fn is_wanted(&self) -> bool {
        let view = self.shown.borrow();
        view.state != SessionState::Created && !view.is_over()
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

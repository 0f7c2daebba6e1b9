//! A program that writes a great many small pieces is told to gather them, for as long as it does: a
//! piece at a time, most of its time would go into writing. Otherwise each piece is there at once.

use super::actor::Actor;
use super::input::Input;
use super::program::Drain;
use super::targets::Waiter;
use crate::adapters::debugpy;
use crate::dap::types::Evaluate;

impl Actor {
    /// Begins to listen to the readers of a program's output.
    pub(super) fn watch_flood(&self, streams: &[Drain]) {
        // Standard output, or the terminal: what is gathered goes there.
        if let Some(stream) = streams.first() {
            let (own, run) = (self.own.clone(), self.run);
            let mut is_flooding = stream.is_flooding.clone();
            tokio::spawn(async move {
                while is_flooding.changed().await.is_ok() {
                    let is_flooding = *is_flooding.borrow_and_update();
                    let Some(own) = own.upgrade() else { return };
                    if own.send(Input::Flood { run, is_flooding }).await.is_err() {
                        return;
                    }
                }
            });
        }
    }

    /// Which process of the program it is cannot be known: they share their streams.
    pub(super) fn gather_output(&mut self, is_flooding: bool) {
        tracing::debug!(is_flooding, "output");
        for id in self.configured_targets() {
            let expression = debugpy::gather_output(is_flooding);
            // Not "repl": debugpy 1.8 would wait there for whatever hangs in another "repl".
            let request = Evaluate { expression, frame_id: None, context: "watch" };
            self.send(id, &request, Waiter::Nobody);
        }
    }
}

//! What moves on a terminal while a call takes long. In a pipe there is nothing.

use std::convert::Infallible;
use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::connect::Server;
use super::context::quick;
use crate::proto::ListAdaptersRequest;

/// Most calls are over sooner, and show nothing.
const PATIENCE: Duration = Duration::from_millis(300);
const TICK: Duration = Duration::from_millis(100);
const LOOK: Duration = Duration::from_millis(500);

/// Does the work; `words` tell what is waited for, and the server, if given, whether it is still
/// installing a debugger.
pub async fn watched<T>(words: &str, server: Option<&Server>, work: impl Future<Output = T>) -> T {
    if !std::io::stderr().is_terminal() {
        return work.await;
    }
    let mut work = std::pin::pin!(work);
    if let Ok(done) = tokio::time::timeout(PATIENCE, &mut work).await {
        return done;
    }
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed:.dim} {wide_msg}") {
        bar.set_style(style);
    }
    bar.set_message(words.to_owned());
    bar.enable_steady_tick(TICK);
    let looking = async {
        let Some(server) = server else { return std::future::pending::<Infallible>().await };
        loop {
            let said = provisioning(server).await;
            bar.set_message(said.unwrap_or_else(|| words.to_owned()));
            tokio::time::sleep(LOOK).await;
        }
    };
    let done = tokio::select! {
        done = work => done,
        never = looking => match never {},
    };
    bar.finish_and_clear();
    done
}

async fn provisioning(server: &Server) -> Option<String> {
    let answer = server.server().list_adapters(quick(ListAdaptersRequest {})).await.ok()?;
    let adapters = answer.into_inner().adapters;
    adapters.into_iter().find(|adapter| !adapter.found).map(|adapter| adapter.message)
}

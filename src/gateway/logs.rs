//! What is logged, changed while the server runs: here and in all hosts.

use std::time::Duration;

use http_body_util::BodyExt;

use super::hosts::{Host, Hosts};
use super::list;
use crate::error::{Error, Result};
use crate::proto::{SetLogFilterRequest, SetLogFilterResponse};
use crate::telemetry;

/// A host that takes longer hangs, and logs what it did.
const ASK_LIMIT: Duration = Duration::from_secs(2);

pub async fn set_filter(hosts: &Hosts, filter: &str) -> Result<SetLogFilterResponse> {
    let previous = telemetry::set_filter(filter)
        .map_err(|problem| Error::invalid("filter", format!("it is no filter: {problem}")))?;
    let now = telemetry::filter();
    tracing::info!(filter = now, previous, "what is logged was changed");
    let living = hosts.all();
    let told = living.iter().filter(|host| !host.has_ended()).map(|host| tell(host, &now));
    futures_util::future::join_all(told).await;
    Ok(SetLogFilterResponse { previous })
}

async fn tell(host: &Host, filter: &str) {
    let request = SetLogFilterRequest { filter: filter.to_owned() };
    let call = list::listing("/debugrelay.v1.ServerService/SetLogFilter", &request);
    let asked = async { host.link.call(call).await?.collect().await.map_err(Error::internal) };
    if !matches!(tokio::time::timeout(ASK_LIMIT, asked).await, Ok(Ok(_))) {
        tracing::warn!(session = %host.id, "its host logs what it did");
    }
}

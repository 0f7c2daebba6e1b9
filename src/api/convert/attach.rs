//! Programs that run already, as callers name them.

use super::json_object;
use crate::error::{Error, Result};
use crate::proto::attach_config::Target;
use crate::proto::{AttachConfig, Endpoint};
use crate::session::{AttachPlan, AttachTarget};

/// What to attach to.
pub fn attach(config: Option<AttachConfig>) -> Result<AttachPlan> {
    let config = config.ok_or(Error::MissingField { field: "attach" })?;
    let target = match config.target.ok_or(Error::MissingField { field: "attach.process_id" })? {
        Target::ProcessId(pid) => {
            let pid = u32::try_from(pid).ok().filter(|pid| 0 < *pid);
            let problem = "it is no process id";
            AttachTarget::Process(pid.ok_or(Error::invalid("attach.process_id", problem))?)
        }
        Target::Connect(endpoint) => {
            let (host, port) = address("attach.connect.port", endpoint)?;
            AttachTarget::Connect { host, port }
        }
        Target::Listen(endpoint) => {
            let (host, port) = address("attach.listen.port", endpoint)?;
            // Whoever dials there runs code here, and no secret keeps strangers out.
            let is_loopback = host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
            if !is_loopback && host != "localhost" {
                let problem = "it must be a loopback address; use a tunnel for other machines";
                return Err(Error::invalid("attach.listen.host", problem));
            }
            AttachTarget::Listen { host, port }
        }
    };
    let mappings = config.path_mappings.into_iter();
    let path_mappings: Vec<_> =
        mappings.map(|mapping| (mapping.local_root, mapping.remote_root)).collect();
    if path_mappings.iter().any(|(local, remote)| local.is_empty() || remote.is_empty()) {
        let problem = "each needs a local_root and a remote_root";
        return Err(Error::invalid("attach.path_mappings", problem));
    }
    Ok(AttachPlan {
        target,
        path_mappings,
        just_my_code: config.just_my_code.unwrap_or(true),
        options: config.adapter_options.map(json_object).unwrap_or_default(),
    })
}

fn address(field: &str, endpoint: Endpoint) -> Result<(String, u16)> {
    let port = u16::try_from(endpoint.port).ok().filter(|port| 0 < *port);
    let port = port.ok_or_else(|| Error::invalid(field, "it must be 1 to 65535"))?;
    let host = if endpoint.host.is_empty() { "127.0.0.1".into() } else { endpoint.host };
    Ok((host, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_one_process_or_one_address() {
        let plan = |target| attach(Some(AttachConfig { target, ..Default::default() }));
        let endpoint = |port| Endpoint { host: String::new(), port };

        let connect = plan(Some(Target::Connect(endpoint(5678)))).unwrap().target;
        assert_eq!(connect, AttachTarget::Connect { host: "127.0.0.1".into(), port: 5678 });
        for wrong in [
            plan(Some(Target::ProcessId(-1))),
            plan(Some(Target::ProcessId(i64::MAX))),
            plan(Some(Target::Listen(endpoint(0)))),
            plan(Some(Target::Connect(endpoint(70_000)))),
        ] {
            assert!(matches!(wrong, Err(Error::Invalid { .. })), "{wrong:?}");
        }
        assert!(matches!(plan(None), Err(Error::MissingField { .. })));
    }
}

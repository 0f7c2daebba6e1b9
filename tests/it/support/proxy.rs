//! A real proxy in front of two replicas, with the very files of `deploy/`.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tonic::transport::{Channel, Endpoint};

use super::{Server, eventually, tools};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    HaProxy,
    /// The replica follows from the session's id.
    Envoy,
    /// The caller is told the replica, and tells it again.
    EnvoyStateful,
}

pub struct Proxy {
    child: Child,
    folder: tempfile::TempDir,
}

impl Proxy {
    /// Starts one, and returns when it listens.
    pub async fn start(kind: Kind, replicas: [&Server; 2]) -> Self {
        let folder = tempfile::Builder::new().prefix("dr").tempdir().unwrap();
        let mut command = match kind {
            Kind::HaProxy => haproxy(folder.path(), replicas),
            Kind::Envoy => envoy("envoy.yaml", folder.path(), replicas),
            Kind::EnvoyStateful => envoy("envoy-stateful.yaml", folder.path(), replicas),
        };
        let log = std::fs::File::create(folder.path().join("log")).unwrap();
        let child = command
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap_or_else(|error| panic!("{kind:?} is missing, scripts/setup-tools: {error}"));
        let mut proxy = Self { child, folder };
        eventually("the proxy listens", async || {
            assert!(matches!(proxy.child.try_wait(), Ok(None)), "{}", proxy.log());
            proxy.connect().await
        })
        .await;
        proxy
    }

    /// A connection of its own; None while nobody listens.
    pub async fn connect(&self) -> Option<Channel> {
        let uri = format!("unix://{}", self.folder.path().join("s").display());
        Endpoint::from_shared(uri).unwrap().connect().await.ok()
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn deployed(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy").join(name)
}

fn haproxy(folder: &Path, replicas: [&Server; 2]) -> Command {
    let mut command = Command::new(tools().join("bin/haproxy"));
    command.arg("-db").arg("-f").arg(deployed("haproxy/haproxy.cfg"));
    command.env("RELAY_BIND", format!("unix@{}", folder.join("s").display()));
    for (number, replica) in replicas.iter().enumerate() {
        let metrics = replica.metrics_address();
        let port = metrics.rsplit(':').next().unwrap();
        command.env(format!("RELAY_{number}"), &replica.address);
        command.env(format!("RELAY_CHECK_{number}"), port);
    }
    command
}

fn envoy(file: &str, folder: &Path, replicas: [&Server; 2]) -> Command {
    let mut text = std::fs::read_to_string(deployed("envoy").join(file)).unwrap();
    let bind = "socket_address: {address: 127.0.0.1, port_value: 50050}";
    assert!(text.contains(bind));
    text = text.replace(bind, &format!("pipe: {{path: {}}}", folder.join("s").display()));
    for (port, replica) in ["50051", "50052"].iter().zip(replicas) {
        let real = replica.address.rsplit(':').next().unwrap();
        let port = format!("port_value: {port}");
        assert!(text.contains(&port));
        text = text.replace(&port, &format!("port_value: {real}"));
    }
    let path = folder.join("envoy.yaml");
    std::fs::write(&path, text).unwrap();
    let mut command = Command::new(tools().join("bin/envoy"));
    command.args(["--disable-hot-restart", "--concurrency", "1", "-l", "warning", "-c"]).arg(path);
    command
}

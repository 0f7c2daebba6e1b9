//! A bare tonic server in a process of its own, and unary calls to it: the floor of any gRPC.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tokio::net::TcpListener;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Channel, Endpoint};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

/// What this program is told to be the server.
pub const ROLE: &str = "--bare-server";

/// A server that answers health checks and nothing else.
pub struct Bare {
    child: Child,
    client: HealthClient<Channel>,
}

impl Bare {
    pub async fn start() -> Self {
        let program = std::env::current_exe().expect("this program");
        let mut child =
            Command::new(program).arg(ROLE).stdout(Stdio::piped()).spawn().expect("a server");
        let mut line = String::new();
        let output = child.stdout.take().expect("a pipe");
        BufReader::new(output).read_line(&mut line).expect("an address");
        let endpoint = Endpoint::from_shared(format!("http://{}", line.trim()));
        let endpoint = endpoint.expect("an address").tcp_nodelay(true);
        let client = HealthClient::new(endpoint.connect().await.expect("a server"));
        Self { child, client }
    }

    pub async fn call(&mut self) -> Duration {
        let begun = Instant::now();
        let answer = self.client.check(HealthCheckRequest::default()).await;
        let took = begun.elapsed();
        answer.expect("an answer");
        took
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Serves until it is killed.
pub async fn serve() {
    let (_reporter, health) = tonic_health::server::health_reporter();
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    println!("{}", listener.local_addr().expect("an address"));
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let server = tonic::transport::Server::builder().add_service(health);
    server.serve_with_incoming(incoming).await.expect("a server");
}

//! A bare tonic server in a process of its own that answers GetSession with the same message as a host,
//! and calls to it: the floor of any gRPC.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use debug_relay::proto::session_service_client::SessionServiceClient;
use debug_relay::proto::session_service_server::{SessionService, SessionServiceServer};
use debug_relay::proto::*;
use prost::Message;
use tokio::net::TcpListener;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Response, Status};

use crate::support::server::Caller;

/// A server that answers with one session, whatever it is asked for.
pub struct Bare {
    child: Child,
    client: SessionServiceClient<Channel>,
    caller: Caller,
    _answer: tempfile::NamedTempFile,
}

impl Bare {
    pub async fn start(answer: &GetSessionResponse, caller: &Caller) -> Self {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), answer.encode_to_vec()).expect("a file");
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .arg("--bare-server")
            .arg(file.path())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a server");
        let mut line = String::new();
        let output = child.stdout.take().expect("a pipe");
        BufReader::new(output).read_line(&mut line).expect("an address");
        let endpoint = Endpoint::from_shared(format!("http://{}", line.trim()));
        let endpoint = endpoint.expect("an address").tcp_nodelay(true);
        let client = SessionServiceClient::new(endpoint.connect().await.expect("a server"));
        Self { child, client, caller: caller.clone(), _answer: file }
    }

    pub async fn call(&mut self) -> Duration {
        let request = self.caller.request(GetSessionRequest { session_id: "bare".into() });
        let begun = Instant::now();
        let answer = self.client.get_session(request).await;
        let took = begun.elapsed();
        assert!(answer.expect("an answer").into_inner().session.is_some());
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
pub async fn serve(answer: &std::path::Path) {
    let answer = std::fs::read(answer).expect("a file");
    let answer = GetSessionResponse::decode(answer.as_slice()).expect("a message");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    println!("{}", listener.local_addr().expect("an address"));
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let service = SessionServiceServer::new(OneAnswer(answer));
    let server = tonic::transport::Server::builder().add_service(service);
    server.serve_with_incoming(incoming).await.expect("a server");
}

struct OneAnswer(GetSessionResponse);

macro_rules! others {
    ($($name:ident: $request:ty => $response:ty),* $(,)?) => {
        #[tonic::async_trait]
        impl SessionService for OneAnswer {
            async fn get_session(
                &self,
                _: Request<GetSessionRequest>,
            ) -> Result<Response<GetSessionResponse>, Status> {
                Ok(Response::new(self.0.clone()))
            }

            $(async fn $name(&self, _: Request<$request>) -> Result<Response<$response>, Status> {
                Err(Status::unimplemented("it is measured with GetSession"))
            })*
        }
    };
}
others!(
    create_session: CreateSessionRequest => CreateSessionResponse,
    create_session_token: CreateSessionTokenRequest => CreateSessionTokenResponse,
    list_session_tokens: ListSessionTokensRequest => ListSessionTokensResponse,
    revoke_session_token: RevokeSessionTokenRequest => RevokeSessionTokenResponse,
    launch: LaunchRequest => LaunchResponse,
    attach: AttachRequest => AttachResponse,
    restart: RestartRequest => RestartResponse,
    list_sessions: ListSessionsRequest => ListSessionsResponse,
    detach: DetachRequest => DetachResponse,
    terminate_session: TerminateSessionRequest => TerminateSessionResponse,
    delete_session: DeleteSessionRequest => DeleteSessionResponse,
);

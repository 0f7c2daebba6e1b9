//! A debugger that a test plays line by line, for what a real one will not do on demand.

use debug_relay::dap::{Codec, frame};
use debug_relay::proto::*;
use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixListener;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio_util::codec::FramedRead;
use tonic::Status;

use super::{Client, LIMIT, Program};

/// The debugger's side of one connection.
pub struct Adapter {
    reader: FramedRead<OwnedReadHalf, Codec>,
    writer: OwnedWriteHalf,
    secret: String,
    seq: i64,
}

/// A launch whose debugger the test plays.
pub struct Scripted {
    listener: UnixListener,
    launch: LaunchConfig,
    _folder: tempfile::TempDir,
}

impl Scripted {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("adapter.sock");
        let listener = UnixListener::bind(&socket).unwrap();
        let launch = LaunchConfig {
            python: Program::named("scripted_peer.py").file(),
            env: [("SCRIPTED_SOCKET".into(), socket.to_string_lossy().into_owned())].into(),
            ..Program::named("loop.py").launch()
        };
        Self { listener, launch, _folder: folder }
    }

    /// CreateSession with this launch.
    pub async fn create(&self, client: &mut Client) -> Result<CreateSessionResponse, Status> {
        self.create_as("", client).await
    }

    /// The same with a session's id of the test's choice.
    pub async fn create_as(
        &self,
        session: &str,
        client: &mut Client,
    ) -> Result<CreateSessionResponse, Status> {
        let start = Some(create_session_request::Start::Launch(self.launch.clone()));
        let timeout = Some(prost_types::Duration { seconds: 20, nanos: 0 });
        let wait = Some(WaitOptions { timeout, snapshot: None });
        let session_id = session.into();
        let request = CreateSessionRequest { session_id, start, wait, ..Default::default() };
        Ok(client.sessions.create_session(request).await?.into_inner())
    }

    /// Takes the program's connection.
    pub async fn accept(&self) -> Adapter {
        let accepted = tokio::time::timeout(LIMIT, self.listener.accept()).await;
        let (stream, _) = accepted.expect("the program dials").unwrap();
        let (mut reader, writer) = stream.into_split();
        let mut secret = String::new();
        while !secret.ends_with('\n') {
            secret.push(char::from(reader.read_u8().await.unwrap()));
        }
        let reader = FramedRead::new(reader, Codec::default());
        Adapter { reader, writer, secret: secret.trim().into(), seq: 0 }
    }

    /// A session that is stopped at line 5 of loop.py, and its debugger.
    pub async fn stopped(&self, client: &mut Client) -> (String, Adapter) {
        let play = async {
            let mut adapter = self.accept().await;
            adapter.begin().await;
            adapter.stop(5).await;
            adapter.locals(&[("item", "1")]).await;
            adapter
        };
        let (created, adapter) = tokio::join!(self.create(client), play);
        let created = created.unwrap();
        assert_eq!(created.outcome.unwrap().state(), SessionState::Stopped);
        (created.session.unwrap().id, adapter)
    }
}

impl Adapter {
    /// The next request, which must be this one.
    pub async fn receive(&mut self, command: &str) -> Value {
        let body = tokio::time::timeout(LIMIT, self.reader.next()).await;
        let body =
            body.unwrap_or_else(|_| panic!("{command} never came")).expect("a message").unwrap();
        let request: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(request["command"], command, "{request}");
        request
    }

    /// The host has hung up.
    pub async fn is_hung_up_on(&mut self) -> bool {
        tokio::time::timeout(LIMIT, self.reader.next()).await.expect("an end").is_none()
    }

    pub async fn answer(&mut self, request: &Value, body: Value) {
        let command = &request["command"];
        self.send(json!({"type": "response", "request_seq": request["seq"], "success": true, "command": command, "body": body})).await;
    }

    pub async fn refuse(&mut self, request: &Value, message: &str) {
        let command = &request["command"];
        self.send(json!({"type": "response", "request_seq": request["seq"], "success": false, "command": command, "message": message})).await;
    }

    pub async fn event(&mut self, event: &str, body: Value) {
        self.send(json!({"type": "event", "event": event, "body": body})).await;
    }

    pub async fn send(&mut self, mut message: Value) {
        self.seq += 1;
        message["seq"] = self.seq.into();
        self.send_raw(&frame(message.to_string().as_bytes())).await;
    }

    pub async fn send_raw(&mut self, bytes: &[u8]) {
        self.writer.write_all(bytes).await.unwrap();
    }

    /// Shows a secret, right or wrong.
    pub async fn authorize(&mut self, secret: Option<&str>) {
        let request = self.receive("pydevdAuthorize").await;
        let secret = secret.unwrap_or(&self.secret).to_owned();
        self.answer(&request, json!({"clientAccessToken": secret})).await;
    }

    /// Everything up to the point where the program runs.
    pub async fn begin(&mut self) {
        self.authorize(None).await;
        let request = self.receive("pydevdSystemInfo").await;
        self.answer(&request, json!({"process": {"pid": 1, "ppid": 0, "executable": "python"}}))
            .await;
        let request = self.receive("initialize").await;
        self.answer(&request, json!({})).await;
        let request = self.receive("attach").await;
        self.event("initialized", json!({})).await;
        self.answer(&request, json!({})).await;
        for command in ["setDebuggerProperty", "setExceptionBreakpoints", "configurationDone"] {
            let request = self.receive(command).await;
            self.answer(&request, json!({})).await;
        }
    }

    /// Stops in `add`, on `line`, and answers for the stack.
    pub async fn stop(&mut self, line: i32) {
        self.event(
            "stopped",
            json!({"reason": "breakpoint", "threadId": 1, "allThreadsStopped": true}),
        )
        .await;
        self.stack(line).await;
    }

    pub async fn stack(&mut self, line: i32) {
        let request = self.receive("stackTrace").await;
        let file = Program::named("loop.py").file();
        let top =
            json!({"id": 2, "name": "add", "line": line, "column": 1, "source": {"path": file}});
        self.answer(&request, json!({"stackFrames": [top], "totalFrames": 1})).await;
    }

    /// Takes our module in.
    pub async fn take_probe(&mut self) {
        let request = self.receive("evaluate").await;
        assert!(request["arguments"]["frameId"].is_null(), "{request}");
        self.answer(&request, json!({"result": ""})).await;
    }

    /// Answers for the scopes and variables of a snapshot.
    pub async fn locals(&mut self, variables: &[(&str, &str)]) {
        let request = self.receive("scopes").await;
        self.answer(&request, json!({"scopes": [{"name": "Locals", "variablesReference": 9}]}))
            .await;
        let request = self.receive("variables").await;
        let variables: Vec<_> = variables
            .iter()
            .map(|(name, value)| json!({"name": name, "value": value, "type": "int", "variablesReference": 0}))
            .collect();
        self.answer(&request, json!({"variables": variables})).await;
    }
}

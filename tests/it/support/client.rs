//! Generated clients of every service, on one connection, with a token.

use debug_relay::proto::breakpoint_service_client::BreakpointServiceClient;
use debug_relay::proto::bridge_service_client::BridgeServiceClient;
use debug_relay::proto::event_service_client::EventServiceClient;
use debug_relay::proto::execution_service_client::ExecutionServiceClient;
use debug_relay::proto::inspection_service_client::InspectionServiceClient;
use debug_relay::proto::output_service_client::OutputServiceClient;
use debug_relay::proto::server_service_client::ServerServiceClient;
use debug_relay::proto::session_service_client::SessionServiceClient;
use debug_relay::proto::*;
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};
use tonic_types::StatusExt;

use super::Program;

#[derive(Clone, Default)]
pub struct Bearer {
    token: Option<String>,
    /// By which a proxy finds the replica.
    pin: Option<(&'static str, String)>,
}

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(token) = &self.token {
            request
                .metadata_mut()
                .insert("authorization", format!("Bearer {token}").parse().unwrap());
        }
        if let Some((name, value)) = &self.pin {
            request.metadata_mut().insert(*name, value.parse().unwrap());
        }
        Ok(request)
    }
}

type Authorized = InterceptedService<Channel, Bearer>;

#[derive(Clone)]
pub struct Client {
    pub channel: Channel,
    pub sessions: SessionServiceClient<Authorized>,
    pub breakpoints: BreakpointServiceClient<Authorized>,
    pub bridge: BridgeServiceClient<Authorized>,
    pub execution: ExecutionServiceClient<Authorized>,
    pub inspection: InspectionServiceClient<Authorized>,
    pub events: EventServiceClient<Authorized>,
    pub output: OutputServiceClient<Authorized>,
    pub server: ServerServiceClient<Authorized>,
}

impl Client {
    pub async fn connect(address: &str, token: Option<&str>) -> Self {
        Self::try_connect(address, token).await.expect("a server that answers")
    }

    /// None when nobody answers.
    pub async fn try_connect(address: &str, token: Option<&str>) -> Option<Self> {
        let uri = match address.strip_prefix("unix:") {
            Some(path) => format!("unix://{path}"),
            None => format!("http://{address}"),
        };
        let channel = Endpoint::from_shared(uri).unwrap().connect().await.ok()?;
        Some(Self::on(channel, token))
    }

    /// All services on this connection.
    pub fn on(channel: Channel, token: Option<&str>) -> Self {
        Self::with(channel, Bearer { token: token.map(str::to_owned), pin: None })
    }

    /// The same, with a header for a proxy on every call.
    pub fn pinned(self, token: Option<&str>, name: &'static str, value: &str) -> Self {
        let pin = Some((name, value.to_owned()));
        Self::with(self.channel, Bearer { token: token.map(str::to_owned), pin })
    }

    fn with(channel: Channel, bearer: Bearer) -> Self {
        let authorized = || InterceptedService::new(channel.clone(), bearer.clone());
        Self {
            sessions: SessionServiceClient::new(authorized()),
            breakpoints: BreakpointServiceClient::new(authorized()),
            bridge: BridgeServiceClient::new(authorized()),
            execution: ExecutionServiceClient::new(authorized()),
            inspection: InspectionServiceClient::new(authorized()),
            events: EventServiceClient::new(authorized()),
            output: OutputServiceClient::new(authorized()),
            server: ServerServiceClient::new(authorized()),
            channel,
        }
    }

    /// Makes a session with this launch and waits for its first stop or its end.
    pub async fn launch(
        &mut self,
        launch: LaunchConfig,
        breakpoints: Vec<BreakpointSpec>,
    ) -> CreateSessionResponse {
        let start = Some(create_session_request::Start::Launch(launch));
        let request = CreateSessionRequest { breakpoints, start, ..Default::default() };
        self.sessions.create_session(request).await.unwrap().into_inner()
    }

    /// Makes a session and runs `program` to its first stop or its end.
    pub async fn debug(&mut self, program: &Program, markers: &[&str]) -> CreateSessionResponse {
        let breakpoints = markers.iter().map(|marker| program.breakpoint(marker)).collect();
        self.launch(program.launch(), breakpoints).await
    }

    /// Stops at a line and returns only the session's id.
    pub async fn stop_on(&mut self, program: &Program, line: i32) -> String {
        let created = self.launch(program.launch(), vec![program.breakpoint_on(line)]).await;
        assert_eq!(created.outcome.unwrap().state(), SessionState::Stopped);
        created.session.unwrap().id
    }

    /// As [`Self::debug`], and returns only the session's id.
    pub async fn stop_at(&mut self, program: &Program, marker: &str) -> String {
        let created = self.debug(program, &[marker]).await;
        assert_eq!(created.outcome.unwrap().state(), SessionState::Stopped);
        created.session.unwrap().id
    }

    /// A stopped session that ends when nobody calls it for a second.
    pub async fn short_lived(&mut self) -> String {
        let program = Program::named("loop.py");
        let request = CreateSessionRequest {
            idle_timeout: Some(prost_types::Duration { seconds: 1, nanos: 0 }),
            breakpoints: vec![program.breakpoint("add")],
            start: Some(create_session_request::Start::Launch(program.launch())),
            ..Default::default()
        };
        self.sessions.create_session(request).await.unwrap().into_inner().session.unwrap().id
    }

    pub async fn step_over(&mut self, session: &str) -> Outcome {
        let request = StepOverRequest { session_id: session.into(), ..Default::default() };
        self.execution.step_over(request).await.unwrap().into_inner().outcome.unwrap()
    }

    /// Runs on to the next stop or the end.
    pub async fn resume(&mut self, session: &str) -> Outcome {
        let request = ContinueRequest { session_id: session.into(), ..Default::default() };
        self.execution.r#continue(request).await.unwrap().into_inner().outcome.unwrap()
    }

    /// Takes all breakpoints away and runs to the end.
    pub async fn debugged_to_the_end(&mut self, session: &str) -> Outcome {
        let request = RemoveBreakpointsRequest {
            session_id: session.into(),
            all: true,
            ..Default::default()
        };
        self.breakpoints.remove_breakpoints(request).await.unwrap();
        self.resume(session).await
    }

    pub async fn session(&mut self, session: &str) -> Result<Session, Status> {
        let request = GetSessionRequest { session_id: session.into() };
        Ok(self.sessions.get_session(request).await?.into_inner().session.unwrap())
    }

    pub async fn delete(&mut self, session: &str) {
        self.sessions
            .delete_session(DeleteSessionRequest { session_id: session.into() })
            .await
            .unwrap();
    }

    pub async fn evaluate(
        &mut self,
        session: &str,
        expression: &str,
    ) -> Result<EvaluateResponse, Status> {
        let request = EvaluateRequest {
            session_id: session.into(),
            expression: expression.into(),
            ..Default::default()
        };
        Ok(self.inspection.evaluate(request).await?.into_inner())
    }

    /// Everything that the program has written.
    pub async fn text(&mut self, session: &str) -> String {
        let request = GetOutputRequest { session_id: session.into(), ..Default::default() };
        let chunks = self.output.get_output(request).await.unwrap().into_inner().chunks;
        chunks.into_iter().map(|chunk| chunk.text).collect()
    }
}

/// The reason that a failed call gives.
pub fn reason(status: &Status) -> ErrorReason {
    let details = status.get_error_details();
    let info = details.error_info().unwrap_or_else(|| panic!("no ErrorInfo in {status:?}"));
    assert_eq!(info.domain, "debugrelay.v1");
    assert!(info.metadata.contains_key("hint"), "no hint in {status:?}");
    ErrorReason::from_str_name(&format!("ERROR_REASON_{}", info.reason))
        .unwrap_or_else(|| panic!("{} is no ErrorReason", info.reason))
}

/// The variables of the first scope; debugpy sorts them by name.
pub fn values(snapshot: &Snapshot) -> Vec<(&str, &str)> {
    let variables = &snapshot.scopes[0].variables;
    variables.iter().map(|variable| (variable.name.as_str(), variable.value.as_str())).collect()
}

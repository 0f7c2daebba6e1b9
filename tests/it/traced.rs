//! Traces of callers, sent on by OTLP to a collector.

use std::sync::{Arc, Mutex};

use debug_relay::proto::*;
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::trace::v1::Span;
use rustix::process::Signal;
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};

use crate::support::{Program, Server, ServerOptions};

#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Vec<Span>>>);

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let resources = request.into_inner().resource_spans.into_iter();
        let scopes = resources.flat_map(|resource| resource.scope_spans);
        self.0.lock().unwrap().extend(scopes.flat_map(|scope| scope.spans));
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test]
async fn calls_are_spans_below_those_of_their_callers() {
    let collector = Collector::default();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let serving = tonic::transport::Server::builder()
        .add_service(TraceServiceServer::new(collector.clone()))
        .serve_with_incoming(TcpListenerStream::new(listener));
    let serving = tokio::spawn(serving);
    // Whatever is logged, calls are traced.
    let arguments = ["--otlp-endpoint", &endpoint, "--log", "error"].map(String::from).to_vec();
    let mut server = Server::with(ServerOptions { arguments, ..Default::default() }).await;
    let mut client = server.client().await;
    let session = client.stop_at(&Program::named("loop.py"), "add").await;
    let (trace, span) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");

    let mut request = Request::new(GetSessionRequest { session_id: session.clone() });
    let context = format!("00-{trace}-{span}-01").parse().unwrap();
    request.metadata_mut().insert("traceparent", context);
    client.sessions.get_session(request).await.unwrap();
    client.delete(&session).await;
    drop(client);
    // What is left is sent at the end.
    tokio::task::spawn_blocking(move || assert!(server.end_by(Signal::TERM).success()))
        .await
        .unwrap();

    serving.abort();
    let spans = collector.0.lock().unwrap().clone();
    let traced = spans.iter().find(|one| hex(&one.trace_id) == trace).expect("the caller's trace");
    assert_eq!(hex(&traced.parent_span_id), span);
    assert_eq!(traced.name, "debugrelay.v1.SessionService/GetSession");
    let has = |name: &str, value: &str| {
        let found = traced.attributes.iter().find(|one| one.key == name);
        found.is_some_and(|found| format!("{:?}", found.value).contains(value))
    };
    assert!(has("session", &session) && has("code", "OK"), "{traced:?}");
    let others = spans.iter().filter(|one| one.parent_span_id.is_empty()).count();
    assert!(2 <= others, "{spans:?}");
}

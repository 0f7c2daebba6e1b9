//! Traces for a collector, over OTLP: a span for every call, below the span of its caller.

use std::time::Duration;

use opentelemetry::trace::{
    SpanContext, SpanId, TraceContextExt, TraceFlags, TraceId, TraceState, TracerProvider,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithTonicConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use tonic::transport::ClientTlsConfig;
use tracing_opentelemetry::OpenTelemetrySpanExt;

use super::TraceContext;

/// A collector that takes longer is not waited for.
const EXPORT_LIMIT: Duration = Duration::from_secs(5);
const NAME: &str = "debug-relay";

/// Sends spans in the background. What cannot be sent is dropped: nobody waits for a collector.
pub struct Exporter(SdkTracerProvider);

impl Exporter {
    pub(super) fn new(endpoint: &str) -> Result<Self, String> {
        let exporter = SpanExporter::builder().with_tonic().with_endpoint(endpoint);
        let exporter = match endpoint.starts_with("https://") {
            true => exporter.with_tls_config(ClientTlsConfig::new().with_native_roots()),
            false => exporter,
        };
        let exporter = exporter
            .with_timeout(EXPORT_LIMIT)
            .build()
            .map_err(|error| format!("traces cannot be sent to {endpoint}: {error}"))?;
        let resource = Resource::builder()
            .with_service_name(NAME)
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .build();
        let provider = SdkTracerProvider::builder();
        Ok(Self(provider.with_batch_exporter(exporter).with_resource(resource).build()))
    }

    pub(super) fn tracer(&self) -> SdkTracer {
        self.0.tracer(NAME)
    }

    /// Sends what is left.
    pub fn end(self) {
        let _ = self.0.shutdown_with_timeout(EXPORT_LIMIT);
    }
}

/// Puts a span below that of the caller.
pub fn adopt(span: &tracing::Span, caller: &TraceContext) {
    let (Ok(trace_id), Ok(span_id)) =
        (TraceId::from_hex(caller.trace_id), SpanId::from_hex(caller.span_id))
    else {
        return;
    };
    let flags = TraceFlags::new(caller.flags);
    let context = SpanContext::new(trace_id, span_id, flags, true, TraceState::default());
    // Fails only where nothing is exported.
    let _ = span.set_parent(Context::new().with_remote_span_context(context));
}

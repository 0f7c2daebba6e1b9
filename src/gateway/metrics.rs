//! What is counted, for Prometheus: calls as they happen; sessions, memory and pools when somebody
//! asks.

use std::fmt::Write;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

use crate::build;

/// In seconds: from a status call to a long wait.
const BUCKETS: [f64; 12] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1.0, 5.0, 30.0, 300.0, 3600.0];

type Method = [(&'static str, &'static str); 1];
type MethodAndCode = [(&'static str, &'static str); 2];
type MethodAndReason = [(&'static str, String); 2];
type Fraction = Gauge<f64, AtomicU64>;

/// How a call came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub code: &'static str,
    /// Empty where there is none.
    pub reason: String,
}

impl Outcome {
    pub const OK: Self = Self { code: "OK", reason: String::new() };
    pub const CANCELLED: Self = Self { code: "CANCELLED", reason: String::new() };
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct StateLabel {
    pub state: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct KindLabel {
    pub kind: &'static str,
}

pub struct Metrics {
    registry: Registry,
    begun: Family<Method, Counter>,
    handled: Family<MethodAndCode, Counter>,
    errors: Family<MethodAndReason, Counter>,
    duration: Family<Method, Histogram>,
    pub in_flight: Gauge,
    pub observed: Observed,
}

/// What is looked at when somebody asks.
#[derive(Default, Clone)]
pub struct Observed {
    pub sessions: Family<StateLabel, Gauge>,
    pub memory: Family<KindLabel, Gauge>,
    pub processes: Gauge,
    pub output_kept: Gauge,
    pub output_fullest: Fraction,
    pub events_kept: Gauge,
    pub events_fullest: Fraction,
    pub gaps: Counter,
    pub unanswered: Gauge,
    pub spares_ready: Gauge,
    pub spares_wanted: Gauge,
    pub spares_taken: Counter,
    pub spares_missed: Counter,
    pub adopted: Gauge,
    pub adoption_lost: Gauge,
    pub adoption_seconds: Fraction,
    pub connections: Gauge,
    pub connections_turned_away: Family<KindLabel, Counter>,
    pub is_draining: Gauge,
    pub sessions_limit: Gauge,
    pub open_files: Gauge,
    pub certificate_expires: Gauge,
    pub uptime: Fraction,
}

impl Metrics {
    pub fn new() -> Self {
        let mut registry = Registry::with_prefix("debug_relay");
        let (begun, handled, errors) = (Family::default(), Family::default(), Family::default());
        let duration: Family<Method, Histogram> =
            Family::new_with_constructor(|| Histogram::new(BUCKETS));
        let in_flight = Gauge::default();
        registry.register("rpc_started", "Calls that have come in", begun.clone());
        registry.register(
            "rpc_handled",
            "Calls that are over, by how they came out",
            handled.clone(),
        );
        registry.register("rpc_errors", "Calls that failed, by reason", errors.clone());
        registry.register_with_unit(
            "rpc_duration",
            "How long calls took; of streams, to their end",
            Unit::Seconds,
            duration.clone(),
        );
        registry.register("rpc_in_flight", "Calls under way", in_flight.clone());
        let observed = Observed::default();
        observed.register(&mut registry);
        let facts = vec![("version", build::VERSION), ("commit", build::COMMIT)];
        registry.register("build", "What this server is", Info::new(facts));
        Self { registry, begun, handled, errors, duration, in_flight, observed }
    }

    pub fn begun(&self, method: &'static str) {
        self.begun.get_or_create(&[("method", method)]).inc();
        self.in_flight.inc();
    }

    pub fn over(&self, method: &'static str, outcome: &Outcome, took: Duration) {
        self.in_flight.dec();
        self.duration.get_or_create(&[("method", method)]).observe(took.as_secs_f64());
        self.handled.get_or_create(&[("method", method), ("code", outcome.code)]).inc();
        if !outcome.reason.is_empty() {
            let labels = [("method", method.to_owned()), ("reason", outcome.reason.clone())];
            self.errors.get_or_create(&labels).inc();
        }
    }

    /// In the text form that Prometheus reads.
    pub fn text(&self) -> String {
        let mut text = String::new();
        if let Err(error) = encode(&mut text, &self.registry) {
            let _ = write!(text, "# {error}");
        }
        text
    }
}

impl Observed {
    fn register(&self, registry: &mut Registry) {
        let all = self.clone();
        registry.register("sessions", "Sessions that can be listed, by state", all.sessions);
        registry.register_with_unit(
            "memory",
            "Memory that is resident, of the gateway, all hosts with their guards, all programs, and spares",
            Unit::Bytes,
            all.memory,
        );
        registry.register("program_processes", "Processes of all programs", all.processes);
        registry.register_with_unit(
            "output_kept",
            "Output that hosts hold",
            Unit::Bytes,
            all.output_kept,
        );
        registry.register(
            "output_ring_fullest",
            "How full the fullest ring of output is, 0 to 1",
            all.output_fullest,
        );
        registry.register("events_kept", "Events that hosts hold", all.events_kept);
        registry.register(
            "events_ring_fullest",
            "How full the fullest ring of events is, 0 to 1",
            all.events_fullest,
        );
        registry.register("gaps", "Gaps that readers were told of", all.gaps);
        registry.register(
            "hosts_unanswered",
            "Hosts that did not answer when asked",
            all.unanswered,
        );
        registry.register("spares_ready", "Interpreters that wait", all.spares_ready);
        registry.register("spares_wanted", "How many are to wait", all.spares_wanted);
        registry.register("spares_taken", "Sessions that got one", all.spares_taken);
        registry.register("spares_missed", "Sessions that found none", all.spares_missed);
        registry.register("adopted_sessions", "Sessions taken over at the start", all.adopted);
        registry.register(
            "adoption_dead_sessions",
            "Sessions found at the start whose host was gone",
            all.adoption_lost,
        );
        registry.register_with_unit(
            "adoption",
            "How long taking over took",
            Unit::Seconds,
            all.adoption_seconds,
        );
        registry.register("connections", "Connections that are open", all.connections);
        registry.register(
            "connections_turned_away",
            "Connections that were refused for want of room, or displaced by others",
            all.connections_turned_away,
        );
        registry.register(
            "sessions_limit",
            "How many sessions may be open (limits.sessions)",
            all.sessions_limit,
        );
        registry.register("open_files", "Files that the gateway has open", all.open_files);
        registry.register_with_unit(
            "certificate_expiry_timestamp",
            "Until when the certificate of TLS is good; 0 without TLS",
            Unit::Seconds,
            all.certificate_expires,
        );
        registry.register("draining", "1 when the server is told to end", all.is_draining);
        registry.register_with_unit("uptime", "How long it runs", Unit::Seconds, all.uptime);
    }
}

/// Brings a counter to what was counted elsewhere.
pub fn catch_up(counter: &Counter, total: u64) {
    counter.inc_by(total.saturating_sub(counter.get()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_by_method_code_and_reason() {
        let metrics = Metrics::new();
        for _ in 0..3 {
            metrics.begun("a.B/C");
        }

        metrics.over("a.B/C", &Outcome::OK, Duration::from_millis(1));
        let refused = Outcome { code: "NOT_FOUND", reason: "SESSION_NOT_FOUND".into() };
        metrics.over("a.B/C", &refused, Duration::from_millis(1));

        let text = metrics.text();
        for line in [
            "debug_relay_rpc_started_total{method=\"a.B/C\"} 3",
            "debug_relay_rpc_handled_total{method=\"a.B/C\",code=\"OK\"} 1",
            "debug_relay_rpc_errors_total{method=\"a.B/C\",reason=\"SESSION_NOT_FOUND\"} 1",
            "debug_relay_rpc_duration_seconds_count{method=\"a.B/C\"} 2",
            "debug_relay_rpc_in_flight 1",
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
    }
}

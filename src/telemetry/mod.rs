//! Logs, always on standard error: text for people, JSON for machines. What is logged can be changed
//! while the process runs. Calls carry the trace of their callers; traces can be sent elsewhere.

mod otlp;
mod trace_context;

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use serde::{Deserialize, Serialize};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, reload};

pub use otlp::{Exporter, adopt};
pub use trace_context::{TRACEPARENT, TraceContext};

/// The target of the spans that are exported: one for each call.
pub const CALLS: &str = "debug_relay::calls";
const DEFAULT_FILTER: &str = "info";

/// How logs are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// Lines for people, coloured on a terminal.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// What is logged, and how.
#[derive(Debug, Clone, Default, clap::Args, Serialize, Deserialize)]
pub struct LogOptions {
    /// What to log.
    #[arg(long)]
    pub log: Option<String>,
    /// How to write it.
    #[arg(long, value_enum, default_value_t)]
    pub log_format: LogFormat,
}

impl LogOptions {
    /// As the arguments of a host.
    pub fn arguments(&self) -> Vec<String> {
        let format = match self.log_format {
            LogFormat::Text => "text",
            LogFormat::Json => "json",
        };
        let filter = self.log.iter().flat_map(|log| ["--log".to_owned(), log.clone()]);
        filter.chain(["--log-format".to_owned(), format.to_owned()]).collect()
    }
}

/// The filter of this process, and the way to change it.
struct Filter {
    format: LogFormat,
    handle: reload::Handle<EnvFilter, Registry>,
    first: String,
    current: Mutex<String>,
}

static FILTER: OnceLock<Filter> = OnceLock::new();
static EXPORTS: AtomicBool = AtomicBool::new(false);

/// Begins to log. With an address for traces it must be called inside of a runtime.
pub fn start(options: &LogOptions, otlp: Option<&str>) -> Result<Option<Exporter>, String> {
    let asked = options.log.clone().or_else(|| std::env::var("RUST_LOG").ok());
    let first = asked.filter(|text| is_filter(text)).unwrap_or_else(|| DEFAULT_FILTER.into());
    let (filter, handle) = reload::Layer::new(EnvFilter::new(&first));
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let lines = match options.log_format {
        LogFormat::Text => lines.with_ansi(std::io::stderr().is_terminal()).boxed(),
        LogFormat::Json => lines.json().boxed(),
    };
    let exporter = otlp.map(Exporter::new).transpose()?;
    EXPORTS.store(exporter.is_some(), Ordering::Relaxed);
    let traces = exporter.as_ref().map(|exporter| {
        let only_calls = Targets::new().with_target(CALLS, tracing::Level::INFO);
        tracing_opentelemetry::layer().with_tracer(exporter.tracer()).with_filter(only_calls)
    });
    let registry = tracing_subscriber::registry().with(lines.with_filter(filter)).with(traces);
    // A second call in one process changes nothing.
    if registry.try_init().is_ok() {
        let _ = FILTER.set(Filter {
            format: options.log_format,
            handle,
            current: Mutex::new(first.clone()),
            first,
        });
    }
    Ok(exporter)
}

/// Traces are sent elsewhere.
pub fn is_exporting() -> bool {
    EXPORTS.load(Ordering::Relaxed)
}

/// Whether a text says what to log.
pub fn is_filter(text: &str) -> bool {
    !text.trim().is_empty() && EnvFilter::builder().parse(text).is_ok()
}

/// What is logged now.
pub fn filter() -> String {
    let current =
        |filter: &Filter| filter.current.lock().unwrap_or_else(PoisonError::into_inner).clone();
    FILTER.get().map(current).unwrap_or_else(|| DEFAULT_FILTER.into())
}

/// What this process logs, and how: for those that it starts.
pub fn options() -> LogOptions {
    let log_format = FILTER.get().map(|filter| filter.format).unwrap_or_default();
    LogOptions { log: Some(filter()), log_format }
}

/// Chooses what is logged from now on; an empty text means what it was at the start. Tells what was
/// logged before, or what is wrong.
pub fn set_filter(text: &str) -> Result<String, String> {
    let Some(filter) = FILTER.get() else { return Err("this process does not log".into()) };
    let text = if text.trim().is_empty() { &filter.first } else { text };
    let wanted = EnvFilter::builder().parse(text).map_err(|error| error.to_string())?;
    let mut current = filter.current.lock().unwrap_or_else(PoisonError::into_inner);
    filter.handle.reload(wanted).map_err(|error| error.to_string())?;
    Ok(std::mem::replace(&mut current, text.to_owned()))
}

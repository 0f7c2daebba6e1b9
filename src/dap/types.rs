//! Typed arguments and answers of the requests we send, and bodies of the events we read.
//! Reading is lenient: a missing field is its default, an unknown one passes by.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Ties arguments to their command and to the body of its answer.
pub trait Request: Serialize {
    const COMMAND: &'static str;
    type Answer: DeserializeOwned;
}

/// An answer of which nothing is read.
#[derive(Debug, Default, Deserialize)]
pub struct Nothing {}

macro_rules! request {
    ($command:literal, $arguments:ty, $answer:ty) => {
        impl Request for $arguments {
            const COMMAND: &'static str = $command;
            type Answer = $answer;
        }
    };
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Initialize {
    #[serde(rename = "clientID")]
    pub client_id: &'static str,
    #[serde(rename = "adapterID")]
    pub adapter_id: String,
    pub path_format: &'static str,
    pub lines_start_at1: bool,
    pub columns_start_at1: bool,
    pub supports_variable_type: bool,
}
request!("initialize", Initialize, Capabilities);

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Capabilities {
    pub supports_function_breakpoints: bool,
    pub supports_goto_targets_request: bool,
    pub supports_step_in_targets_request: bool,
    pub supports_completions_request: bool,
    pub exception_breakpoint_filters: Vec<ExceptionFilter>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct ExceptionFilter {
    pub filter: String,
}

/// Arguments are the adapter's own and come from its profile.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct Attach(pub serde_json::Value);
request!("attach", Attach, Nothing);

/// The same, for a process that is to stop at its first line.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct Launch(pub serde_json::Value);
request!("launch", Launch, Nothing);

/// debugpy's own; what it may hold comes from its profile.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct SetDebuggerProperty(pub serde_json::Value);
request!("setDebuggerProperty", SetDebuggerProperty, Nothing);

#[derive(Debug, Serialize)]
pub struct ConfigurationDone {}
request!("configurationDone", ConfigurationDone, Nothing);

#[derive(Debug, Clone, Serialize)]
pub struct Source {
    pub path: String,
}

#[derive(Debug, Serialize)]
pub struct SetBreakpoints {
    pub source: Source,
    pub breakpoints: Vec<SourceBreakpoint>,
}
request!("setBreakpoints", SetBreakpoints, BreakpointsSet);

#[derive(Debug, Serialize)]
pub struct SourceBreakpoint {
    pub line: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
}

#[derive(Debug, Serialize)]
pub struct SetFunctionBreakpoints {
    pub breakpoints: Vec<FunctionBreakpoint>,
}
request!("setFunctionBreakpoints", SetFunctionBreakpoints, BreakpointsSet);

#[derive(Debug, Serialize)]
pub struct FunctionBreakpoint {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct BreakpointsSet {
    pub breakpoints: Vec<BoundBreakpoint>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct BoundBreakpoint {
    pub id: Option<i64>,
    pub verified: bool,
    pub message: Option<String>,
    pub line: Option<i32>,
}

#[derive(Debug, Serialize)]
pub struct SetExceptionBreakpoints {
    pub filters: Vec<String>,
}
request!("setExceptionBreakpoints", SetExceptionBreakpoints, Nothing);

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Disconnect {
    pub terminate_debuggee: bool,
}
request!("disconnect", Disconnect, Nothing);

#[derive(Debug, Serialize)]
pub struct Terminate {}
request!("terminate", Terminate, Nothing);

macro_rules! thread_request {
    ($command:literal, $name:ident) => {
        #[derive(Debug, Serialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            pub thread_id: i64,
        }
        request!($command, $name, Nothing);
    };
}
thread_request!("continue", Continue);
thread_request!("next", Next);
thread_request!("stepOut", StepOut);
thread_request!("pause", Pause);

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepIn {
    pub thread_id: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_id: Option<i64>,
}
request!("stepIn", StepIn, Nothing);

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepInTargets {
    pub frame_id: i64,
}
request!("stepInTargets", StepInTargets, MoveTargets);

#[derive(Debug, Serialize)]
pub struct GotoTargets {
    pub source: Source,
    pub line: i32,
}
request!("gotoTargets", GotoTargets, MoveTargets);

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct MoveTargets {
    pub targets: Vec<MoveTarget>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct MoveTarget {
    pub id: i64,
    pub label: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Goto {
    pub thread_id: i64,
    pub target_id: i64,
}
request!("goto", Goto, Nothing);

#[derive(Debug, Serialize)]
pub struct Threads {}
request!("threads", Threads, ThreadList);

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ThreadList {
    pub threads: Vec<Thread>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Thread {
    pub id: i64,
    pub name: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StackTrace {
    pub thread_id: i64,
    pub start_frame: u32,
    pub levels: u32,
}
request!("stackTrace", StackTrace, StackFrames);

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct StackFrames {
    pub stack_frames: Vec<StackFrame>,
    pub total_frames: Option<u32>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct StackFrame {
    pub id: i64,
    pub name: String,
    pub line: i32,
    pub column: i32,
    pub source: Option<FrameSource>,
    pub presentation_hint: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct FrameSource {
    pub path: Option<String>,
    pub name: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Scopes {
    pub frame_id: i64,
}
request!("scopes", Scopes, ScopeList);

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ScopeList {
    pub scopes: Vec<Scope>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Scope {
    pub name: String,
    pub variables_reference: i64,
    pub expensive: bool,
    pub presentation_hint: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Variables {
    pub variables_reference: i64,
}
request!("variables", Variables, VariableList);

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct VariableList {
    pub variables: Vec<Variable>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Variable {
    pub name: String,
    pub value: String,
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub evaluate_name: Option<String>,
    pub variables_reference: i64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Evaluate {
    pub expression: String,
    /// None means beside all threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame_id: Option<i64>,
    pub context: &'static str,
}
request!("evaluate", Evaluate, Evaluated);

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Evaluated {
    pub result: String,
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub variables_reference: i64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Completions {
    pub frame_id: i64,
    pub text: String,
    pub column: i32,
}
request!("completions", Completions, CompletionList);

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct CompletionList {
    pub targets: Vec<CompletionItem>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct CompletionItem {
    pub label: String,
    pub text: Option<String>,
    #[serde(rename = "type")]
    pub kind: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExceptionInfo {
    pub thread_id: i64,
}
request!("exceptionInfo", ExceptionInfo, ExceptionFound);

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ExceptionFound {
    pub exception_id: String,
    pub description: Option<String>,
    pub break_mode: Option<String>,
    pub details: Option<ExceptionText>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ExceptionText {
    pub stack_trace: Option<String>,
    pub type_name: Option<String>,
    pub message: Option<String>,
}

// Bodies of events.

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Stopped {
    pub reason: String,
    pub description: Option<String>,
    pub text: Option<String>,
    pub thread_id: Option<i64>,
    pub all_threads_stopped: bool,
    pub hit_breakpoint_ids: Vec<i64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ThreadChanged {
    pub reason: String,
    pub thread_id: i64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ProcessStarted {
    pub name: String,
    pub system_process_id: Option<i64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ModuleChanged {
    pub reason: String,
    pub module: Module,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Module {
    pub name: String,
    pub path: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Output {
    pub category: Option<String>,
    pub output: String,
}

// debugpy's own, spoken before `initialize` on a connection that the program opened.

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PydevdAuthorize {
    pub debug_server_access_token: Option<String>,
}
request!("pydevdAuthorize", PydevdAuthorize, PydevdAuthorized);

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct PydevdAuthorized {
    pub client_access_token: Option<String>,
}

#[derive(Debug, Serialize)]
pub struct PydevdSystemInfo {}
request!("pydevdSystemInfo", PydevdSystemInfo, PydevdSystem);

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct PydevdSystem {
    pub process: PydevdProcess,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct PydevdProcess {
    pub pid: i64,
    pub ppid: i64,
}

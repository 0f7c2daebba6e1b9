package debugrelay

import (
	"strings"

	pb "github.com/debug-relay/debug-relay/clients/go/debugrelaypb"
)

// Messages of the server that are used as they are.
type (
	// SessionInfo is a session as the server shows it.
	SessionInfo = pb.Session
	// SessionToken is what is known of a token of a session, the token itself not.
	SessionToken = pb.SessionToken
	// ServerInfo is what Relay.Info tells.
	ServerInfo = pb.GetInfoResponse
	// Breakpoint is a breakpoint as it is now: where it is bound, and how often it was hit.
	Breakpoint = pb.Breakpoint
	// Thread is a thread of the program.
	Thread = pb.Thread
	// Frame is one frame of a stack.
	Frame = pb.StackFrame
	// Variable is a variable, or a member of one.
	Variable = pb.Variable
	// Stop is one stop of the program.
	Stop = pb.StopInfo
	// Exception is an exception of the program.
	Exception = pb.ExceptionDetails
	// Findings are what FindValue has found.
	Findings = pb.FindValueResponse
	// TraceRecord is what was seen after one step of Trace.
	TraceRecord = pb.TraceRecord
	// CollectRow is what was seen at one hit of Collect.
	CollectRow = pb.CollectRow
)

// State is what a session is doing.
type State = pb.SessionState

// States of a session.
const (
	Created    = pb.SessionState_SESSION_STATE_CREATED
	Starting   = pb.SessionState_SESSION_STATE_STARTING
	Running    = pb.SessionState_SESSION_STATE_RUNNING
	Stopped    = pb.SessionState_SESSION_STATE_STOPPED
	Exited     = pb.SessionState_SESSION_STATE_EXITED
	Terminated = pb.SessionState_SESSION_STATE_TERMINATED
	Detached   = pb.SessionState_SESSION_STATE_DETACHED
	Failed     = pb.SessionState_SESSION_STATE_FAILED
	Lost       = pb.SessionState_SESSION_STATE_LOST
)

// StopReason is why a program stopped.
type StopReason = pb.StopReason

// Reasons for a stop.
const (
	StopBreakpoint         = pb.StopReason_STOP_REASON_BREAKPOINT
	StopStep               = pb.StopReason_STOP_REASON_STEP
	StopPause              = pb.StopReason_STOP_REASON_PAUSE
	StopEntry              = pb.StopReason_STOP_REASON_ENTRY
	StopException          = pb.StopReason_STOP_REASON_EXCEPTION
	StopFunctionBreakpoint = pb.StopReason_STOP_REASON_FUNCTION_BREAKPOINT
	StopDataBreakpoint     = pb.StopReason_STOP_REASON_DATA_BREAKPOINT
	StopGoto               = pb.StopReason_STOP_REASON_GOTO
	StopRunToLine          = pb.StopReason_STOP_REASON_RUN_TO_LINE
	StopOther              = pb.StopReason_STOP_REASON_OTHER
)

// EventType is the kind of an event.
type EventType = pb.EventType

// Kinds of events.
const (
	EventStateChanged      = pb.EventType_EVENT_TYPE_STATE_CHANGED
	EventStopped           = pb.EventType_EVENT_TYPE_STOPPED
	EventContinued         = pb.EventType_EVENT_TYPE_CONTINUED
	EventOutput            = pb.EventType_EVENT_TYPE_OUTPUT
	EventBreakpointChanged = pb.EventType_EVENT_TYPE_BREAKPOINT_CHANGED
	EventThread            = pb.EventType_EVENT_TYPE_THREAD
	EventProcess           = pb.EventType_EVENT_TYPE_PROCESS
	EventModule            = pb.EventType_EVENT_TYPE_MODULE
	EventExited            = pb.EventType_EVENT_TYPE_EXITED
	EventTerminated        = pb.EventType_EVENT_TYPE_TERMINATED
	EventAdapterMessage    = pb.EventType_EVENT_TYPE_ADAPTER_MESSAGE
	EventGap               = pb.EventType_EVENT_TYPE_GAP
)

// Category is where output comes from.
type Category = pb.OutputCategory

// Categories of output.
const (
	Stdout  = pb.OutputCategory_OUTPUT_CATEGORY_STDOUT
	Stderr  = pb.OutputCategory_OUTPUT_CATEGORY_STDERR
	Console = pb.OutputCategory_OUTPUT_CATEGORY_CONSOLE
)

// word is an enum's value for people: SESSION_STATE_STOPPED is "stopped".
func word(value interface{ String() string }, prefix string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(value.String(), prefix)), "_", " ")
}

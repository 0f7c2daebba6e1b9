package debugrelay

// Reason is why a call failed. It is an error itself, so that errors.Is finds it.
type Reason string

func (r Reason) Error() string { return string(r) }

// Reasons that only this client gives.
const (
	// ReasonUnreachable says that no server answers.
	ReasonUnreachable Reason = "UNREACHABLE"
	// ReasonCallEnded says that the context ended the call, or that its time was over.
	ReasonCallEnded Reason = "CALL_ENDED"
	// ReasonProgramRaised says that an expression raised, in Value.Err.
	ReasonProgramRaised Reason = "PROGRAM_RAISED"
)

// Reasons that the server gives. Their facts are in proto/debugrelay/v1/error.proto.
const (
	// There is no such session, or it is not yours.
	ReasonSessionNotFound Reason = "SESSION_NOT_FOUND"
	// The chosen session_id is taken.
	ReasonSessionExists Reason = "SESSION_EXISTS"
	// The session's host process died.
	ReasonSessionLost Reason = "SESSION_LOST"
	// The session's state does not allow it.
	ReasonWrongState Reason = "WRONG_STATE"
	// The program must be stopped for this.
	ReasonNotStopped Reason = "NOT_STOPPED"
	// The session has no program yet.
	ReasonNotStarted Reason = "NOT_STARTED"
	// The session has a program already.
	ReasonAlreadyStarted Reason = "ALREADY_STARTED"
	// A field has a value that is not allowed.
	ReasonInvalidArgument Reason = "INVALID_ARGUMENT"
	// A required field is not set.
	ReasonMissingField Reason = "MISSING_FIELD"
	// The program's file is not there.
	ReasonProgramNotFound Reason = "PROGRAM_NOT_FOUND"
	// The interpreter is not there.
	ReasonInterpreterNotFound Reason = "INTERPRETER_NOT_FOUND"
	// The interpreter is too old.
	ReasonInterpreterUnsupported Reason = "INTERPRETER_UNSUPPORTED"
	// The working directory is not there.
	ReasonWorkingDirectoryNotFound Reason = "WORKING_DIRECTORY_NOT_FOUND"
	// The project root is not there.
	ReasonProjectRootNotFound Reason = "PROJECT_ROOT_NOT_FOUND"
	// The program ended before the debugger had it, or could not be started.
	ReasonLaunchFailed Reason = "LAUNCH_FAILED"
	// The debugger is not installed and could not be.
	ReasonDebuggerUnavailable Reason = "DEBUGGER_UNAVAILABLE"
	// There is no debugger of this name.
	ReasonUnknownAdapter Reason = "UNKNOWN_ADAPTER"
	// There is no such breakpoint.
	ReasonBreakpointNotFound Reason = "BREAKPOINT_NOT_FOUND"
	// There is no such thread.
	ReasonThreadNotFound Reason = "THREAD_NOT_FOUND"
	// The handle belongs to an earlier stop.
	ReasonStaleHandle Reason = "STALE_HANDLE"
	// The handle was never given out.
	ReasonUnknownHandle Reason = "UNKNOWN_HANDLE"
	// The debugger cannot do this.
	ReasonNotSupportedByAdapter Reason = "NOT_SUPPORTED_BY_ADAPTER"
	// This version of the server cannot do this yet.
	ReasonNotImplemented Reason = "NOT_IMPLEMENTED"
	// There is no such method.
	ReasonUnknownMethod Reason = "UNKNOWN_METHOD"
	// The debugger did not answer in time.
	ReasonAdapterTimeout Reason = "ADAPTER_TIMEOUT"
	// The debugger refused.
	ReasonAdapterError Reason = "ADAPTER_ERROR"
	// The program ended during the call.
	ReasonAdapterGone Reason = "ADAPTER_GONE"
	// The call has no valid token: none, a wrong one, or one that has expired or was taken back.
	ReasonUnauthenticated Reason = "UNAUTHENTICATED"
	// The caller is known and may not do this: its token is for looking only, or for one session, or is
	// no admin's.
	ReasonPermissionDenied Reason = "PERMISSION_DENIED"
	// The session's host process cannot be reached or died during the call.
	ReasonHostUnavailable Reason = "HOST_UNAVAILABLE"
	// The session's host process did not start.
	ReasonHostStartFailed Reason = "HOST_START_FAILED"
	// An expression or a condition is too long.
	ReasonRequestTooLarge Reason = "REQUEST_TOO_LARGE"
	// A limit of the server is reached; its settings can raise it.
	ReasonLimitExceeded Reason = "LIMIT_EXCEEDED"
	// The request is compressed.
	ReasonCompressionNotSupported Reason = "COMPRESSION_NOT_SUPPORTED"
	// The server is told to end and makes no new sessions. Another replica does, or the next server.
	ReasonShuttingDown Reason = "SHUTTING_DOWN"
	// A defect of the server.
	ReasonInternal Reason = "INTERNAL"
	// The program takes no more input.
	ReasonInputClosed Reason = "INPUT_CLOSED"
	// The program did not stop at an exception.
	ReasonNoException Reason = "NO_EXCEPTION"
	// The expression did not end in time and was interrupted; the program stands where it stood and
	// can be used.
	ReasonEvaluationInterrupted Reason = "EVALUATION_INTERRUPTED"
	// The program could not be taken under the debugger: there is no such process, it is no Python,
	// nobody listens.
	ReasonAttachFailed Reason = "ATTACH_FAILED"
	// Another call is still at work in the stopped program, such as a long Evaluate.
	ReasonBusy Reason = "BUSY"
	// The thread waits in a call that is not Python's, such as a lock, and cannot be stepped until
	// that returns.
	ReasonThreadInCall Reason = "THREAD_IN_CALL"
	// The server's settings allow no program, project root or working directory there.
	ReasonPathNotAllowed Reason = "PATH_NOT_ALLOWED"
	// The server's settings do not allow this interpreter.
	ReasonInterpreterNotAllowed Reason = "INTERPRETER_NOT_ALLOWED"
	// The session has as many tokens as it may have.
	ReasonTooManyTokens Reason = "TOO_MANY_TOKENS"
	// The server's disk is full, or not writable.
	ReasonStorageFailed Reason = "STORAGE_FAILED"
)

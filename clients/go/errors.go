package debugrelay

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const errorDomain = "debugrelay.v1"

// Error tells why a call failed, and what to do about it.
//
// errors.Is finds the Reason in it, and context.Canceled and context.DeadlineExceeded when the
// caller's context ended the call. status.Code and status.FromError of gRPC work as well.
type Error struct {
	// Code is the gRPC code.
	Code codes.Code
	// Reason is why, for programs.
	Reason Reason
	// Message is what happened, for people.
	Message string
	// Hint is what to do.
	Hint string
	// Facts are what the message tells of: session_id, state, path and so on.
	Facts map[string]string
	// Fields are the fields of the request that are wrong, each with why.
	Fields map[string]string

	status *status.Status
	cause  error
}

// Error is the message, then the hint.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + " " + e.Hint
}

// Is makes errors.Is(err, ReasonNotStopped) work.
func (e *Error) Is(target error) bool {
	reason, ok := target.(Reason)
	return ok && reason == e.Reason
}

// Unwrap is the context's error, when that ended the call.
func (e *Error) Unwrap() error { return e.cause }

// GRPCStatus is the answer as gRPC has it.
func (e *Error) GRPCStatus() *status.Status {
	if e.status == nil {
		return status.New(e.Code, e.Message)
	}
	return e.status
}

// failure makes an *Error of what a call ended with. ctx is the call's.
func (r *Relay) failure(ctx context.Context, err error) error {
	if failed := (*Error)(nil); err == nil || errors.As(err, &failed) {
		return err
	}
	answer := status.Convert(err)
	failed := &Error{Code: answer.Code(), Message: answer.Message(), status: answer}
	if failed.readDetails(answer) {
		return failed
	}

	// No server has said this: it comes from gRPC or from the context.
	switch failed.Code {
	case codes.Canceled, codes.DeadlineExceeded:
		failed.Reason = ReasonCallEnded
		failed.cause = ctx.Err()
		if errors.Is(failed.cause, context.DeadlineExceeded) {
			failed.Message = fmt.Sprintf("the server at %s did not answer in time.", r.place.address)
		} else if failed.cause != nil {
			failed.Message = "the call was cancelled."
		}
	case codes.Unavailable:
		failed.Reason = ReasonUnreachable
		failed.Message = fmt.Sprintf("no server answers at %s (%s): %s.",
			r.place.address, r.place.source, strings.TrimSuffix(answer.Message(), "."))
		failed.Hint = r.place.whenGone()
	}
	return failed
}

// brokenOff tells of a call that had reached the server, if that is how it ended.
func brokenOff(err error) error {
	if failed, ok := err.(*Error); ok && failed.Reason == ReasonUnreachable {
		failed.Message = "the connection broke during the call: " + failed.status.Message() + "."
		failed.Hint = "The server may have done it: ask Session.Info or WaitForStop before you repeat it."
	}
	return err
}

// readDetails is true when the answer is one of debug-relay.
func (e *Error) readDetails(answer *status.Status) bool {
	ours := false
	for _, detail := range answer.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			if detail.Domain != errorDomain {
				continue
			}
			ours = true
			e.Reason = Reason(detail.Reason)
			e.Facts = make(map[string]string)
			for name, fact := range detail.Metadata {
				e.Facts[name] = fact
			}
			e.Hint = e.Facts["hint"]
			delete(e.Facts, "hint")
		case *errdetails.BadRequest:
			e.Fields = make(map[string]string)
			for _, violation := range detail.FieldViolations {
				e.Fields[violation.Field] = violation.Description
			}
		}
	}
	e.Message = strings.TrimSpace(strings.TrimSuffix(e.Message, e.Hint))
	return ours
}

// misuse is a mistake in the arguments that is seen before anything is sent.
func misuse(format string, arguments ...any) error {
	return &Error{
		Code:    codes.InvalidArgument,
		Reason:  ReasonInvalidArgument,
		Message: fmt.Sprintf(format, arguments...),
	}
}

package debugrelay

import (
	"context"

	"google.golang.org/protobuf/proto"

	pb "github.com/debug-relay/debug-relay/clients/go/debugrelaypb"
)

// Break sets one breakpoint from text, as the function Break reads it.
func (s *Session) Break(ctx context.Context, text string) (*Breakpoint, error) {
	set, err := s.SetBreakpoints(ctx, Break(text))
	if err != nil {
		return nil, err
	}
	return set[0], nil
}

// SetBreakpoints adds breakpoints, and answers with them in their order. One that cannot bind is no
// error: its message says why.
func (s *Session) SetBreakpoints(ctx context.Context, specs ...BreakpointSpec) ([]*Breakpoint, error) {
	wanted, err := messages(specs)
	if err != nil {
		return nil, err
	}
	answer, err := ask(ctx, s.relay, answerMargin, s.relay.breakpoints.SetBreakpoints,
		&pb.SetBreakpointsRequest{SessionId: s.id, Breakpoints: wanted})
	return answer.GetBreakpoints(), err
}

// Breakpoints are all breakpoints, by id.
func (s *Session) Breakpoints(ctx context.Context) ([]*Breakpoint, error) {
	answer, err := ask(ctx, s.relay, answerMargin, s.relay.breakpoints.ListBreakpoints,
		&pb.ListBreakpointsRequest{SessionId: s.id})
	return answer.GetBreakpoints(), err
}

// BreakpointChange is a change of a breakpoint. Whoever misses one makes it:
//
//	debugrelay.BreakpointChange(func(r *debugrelaypb.UpdateBreakpointRequest) { … })
type BreakpointChange func(*pb.UpdateBreakpointRequest)

// Enable makes a breakpoint stop the program, or not.
func Enable(enabled bool) BreakpointChange {
	return func(r *pb.UpdateBreakpointRequest) { r.Enabled = &enabled }
}

// Condition is the new condition; "" removes it.
func Condition(condition string) BreakpointChange {
	return func(r *pb.UpdateBreakpointRequest) { r.Condition = proto.String(condition) }
}

// HitCondition is the new hit condition; "" removes it.
func HitCondition(condition string) BreakpointChange {
	return func(r *pb.UpdateBreakpointRequest) { r.HitCondition = proto.String(condition) }
}

// LogMessage is the new log message; "" removes it.
func LogMessage(message string) BreakpointChange {
	return func(r *pb.UpdateBreakpointRequest) { r.LogMessage = proto.String(message) }
}

// UpdateBreakpoint changes one breakpoint.
func (s *Session) UpdateBreakpoint(ctx context.Context, id uint64, changes ...BreakpointChange) (*Breakpoint, error) {
	request := &pb.UpdateBreakpointRequest{SessionId: s.id, Id: id}
	for _, change := range changes {
		change(request)
	}
	answer, err := ask(ctx, s.relay, answerMargin, s.relay.breakpoints.UpdateBreakpoint, request)
	return answer.GetBreakpoint(), err
}

// RemoveBreakpoints removes those with these ids, and answers with them.
func (s *Session) RemoveBreakpoints(ctx context.Context, ids ...uint64) ([]*Breakpoint, error) {
	return s.remove(ctx, &pb.RemoveBreakpointsRequest{SessionId: s.id, Ids: ids})
}

// RemoveBreakpointsIn removes those in a file, and answers with them.
func (s *Session) RemoveBreakpointsIn(ctx context.Context, file string) ([]*Breakpoint, error) {
	return s.remove(ctx, &pb.RemoveBreakpointsRequest{SessionId: s.id, File: file})
}

// RemoveAllBreakpoints removes them all, and answers with them.
func (s *Session) RemoveAllBreakpoints(ctx context.Context) ([]*Breakpoint, error) {
	return s.remove(ctx, &pb.RemoveBreakpointsRequest{SessionId: s.id, All: true})
}

func (s *Session) remove(ctx context.Context, request *pb.RemoveBreakpointsRequest) ([]*Breakpoint, error) {
	answer, err := ask(ctx, s.relay, answerMargin, s.relay.breakpoints.RemoveBreakpoints, request)
	return answer.GetBreakpoints(), err
}

// SetExceptions chooses the exceptions that stop the program, in place of those that did, for
// example "uncaught" and "raised if KeyError, ValueError".
func (s *Session) SetExceptions(ctx context.Context, filters ...string) error {
	_, err := ask(ctx, s.relay, answerMargin, s.relay.breakpoints.SetExceptionBreakpoints,
		&pb.SetExceptionBreakpointsRequest{SessionId: s.id, ExceptionBreakpoints: exceptionBreakpoints(filters)})
	return err
}

// Exceptions are the exceptions that stop the program, as SetExceptions takes them.
func (s *Session) Exceptions(ctx context.Context) ([]string, error) {
	answer, err := ask(ctx, s.relay, answerMargin, s.relay.breakpoints.GetExceptionBreakpoints,
		&pb.GetExceptionBreakpointsRequest{SessionId: s.id})
	var filters []string
	for _, filter := range answer.GetExceptionBreakpoints().GetFilters() {
		text := filter.GetFilter()
		if filter.GetCondition() != "" {
			text += " if " + filter.GetCondition()
		}
		filters = append(filters, text)
	}
	return filters, err
}

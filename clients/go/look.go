package debugrelay

import (
	"context"
	"iter"

	pb "github.com/debug-relay/debug-relay/clients/go/debugrelaypb"
)

// pageSize is how many frames or variables are asked for at once; the server allows 1000.
const pageSize = 500

// Snapshot is what there is to see at the present stop.
func (s *Session) Snapshot(ctx context.Context, options ...SnapshotOption) (*Snapshot, error) {
	wanted := gather(options)
	answer, err := ask(ctx, s.relay, answerMargin, s.relay.inspection.GetSnapshot, &pb.GetSnapshotRequest{
		SessionId: s.id, ThreadId: wanted.thread, Options: wanted.snapshotOptions(),
	})
	if err != nil {
		return nil, err
	}
	return &Snapshot{Message: answer.GetSnapshot()}, nil
}

// Threads are the threads of all processes of the session.
func (s *Session) Threads(ctx context.Context) ([]*Thread, error) {
	answer, err := ask(ctx, s.relay, answerMargin, s.relay.inspection.ListThreads,
		&pb.ListThreadsRequest{SessionId: s.id})
	return answer.GetThreads(), err
}

// StackOption is for Session.Stack.
type StackOption interface {
	apply(*call)
	stack()
}

// Stack is the whole stack of a thread, innermost frame first. It works while the program runs, too.
func (s *Session) Stack(ctx context.Context, options ...StackOption) ([]*Frame, error) {
	wanted := gather(options)
	var frames []*Frame
	for {
		page, err := ask(ctx, s.relay, answerMargin, s.relay.inspection.GetStackTrace, &pb.GetStackTraceRequest{
			SessionId: s.id, ThreadId: wanted.thread, Start: uint32(len(frames)), Count: pageSize,
		})
		if err != nil {
			return nil, err
		}
		frames = append(frames, page.Frames...)
		if len(page.Frames) == 0 || int(page.TotalFrames) <= len(frames) {
			return frames, nil
		}
	}
}

// Scopes are the groups of variables of a frame, whose references Variables takes.
func (s *Session) Scopes(ctx context.Context, frame *Frame) ([]*pb.Scope, error) {
	answer, err := ask(ctx, s.relay, answerMargin, s.relay.inspection.GetScopes,
		&pb.GetScopesRequest{SessionId: s.id, FrameId: frame.GetFrameId()})
	return answer.GetScopes(), err
}

// Holder is what has members: a *Variable, a *Value, a scope.
type Holder interface{ GetVariablesReference() uint64 }

// VariablesOption is a setting of Session.Variables. Whoever misses one makes it:
//
//	debugrelay.VariablesOption(func(r *debugrelaypb.GetVariablesRequest) { … })
type VariablesOption func(*pb.GetVariablesRequest)

// Variables are the variables of a scope or the members of a value, however many there are. They
// are read as they are asked for.
func (s *Session) Variables(ctx context.Context, holder Holder, options ...VariablesOption) iter.Seq2[*Variable, error] {
	return func(yield func(*Variable, error) bool) {
		request := &pb.GetVariablesRequest{SessionId: s.id, VariablesReference: holder.GetVariablesReference(), Count: pageSize}
		for _, option := range options {
			option(request)
		}
		if request.VariablesReference == 0 {
			return
		}
		for {
			page, err := ask(ctx, s.relay, answerMargin, s.relay.inspection.GetVariables, request)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, variable := range page.Variables {
				if !yield(variable, nil) {
					return
				}
			}
			request.Start += uint32(len(page.Variables))
			if len(page.Variables) == 0 || page.TotalVariables <= request.Start {
				return
			}
		}
	}
}

// FindValue searches names and values that can be reached from a frame, and answers with
// expressions that lead there.
func (s *Session) FindValue(ctx context.Context, query string, options ...FindOption) (*Findings, error) {
	request := &pb.FindValueRequest{SessionId: s.id, Query: query}
	for _, option := range options {
		option(request)
	}
	limit := request.Timeout.AsDuration() + answerMargin
	return ask(ctx, s.relay, limit, s.relay.inspection.FindValue, request)
}

// FindOption is a setting of Session.FindValue. Whoever misses one makes it:
//
//	debugrelay.FindOption(func(r *debugrelaypb.FindValueRequest) { … })
type FindOption func(*pb.FindValueRequest)

// AtMost bounds how much is found.
func AtMost(results uint32) FindOption {
	return func(r *pb.FindValueRequest) { r.MaxResults = results }
}

// Exception is the exception that the program stopped at, then those that led to it.
func (s *Session) Exception(ctx context.Context) ([]*Exception, error) {
	answer, err := ask(ctx, s.relay, answerMargin, s.relay.inspection.GetExceptionInfo,
		&pb.GetExceptionInfoRequest{SessionId: s.id})
	if err != nil {
		return nil, err
	}
	return append([]*Exception{answer.GetException()}, answer.GetCauses()...), nil
}

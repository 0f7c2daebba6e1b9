package debugrelay

import (
	"context"
	"strconv"

	"google.golang.org/grpc"

	pb "github.com/debug-relay/debug-relay/clients/go/debugrelaypb"
)

// moved is an answer with an outcome.
type moved interface{ GetOutcome() *pb.Outcome }

// move makes a call whose answer has an outcome.
func move[Request any, Answer moved](
	ctx context.Context, session *Session, wanted *call,
	method func(context.Context, Request, ...grpc.CallOption) (Answer, error), request Request,
) (*Outcome, error) {
	answer, err := ask(ctx, session.relay, wanted.waitLimit(answerMargin), method, request)
	if err != nil {
		return nil, err
	}
	return newOutcome(answer.GetOutcome()), nil
}

// Continue runs on until the next stop or the end.
func (s *Session) Continue(ctx context.Context, options ...MoveOption) (*Outcome, error) {
	wanted := gather(options)
	return move(ctx, s, wanted, s.relay.execution.Continue, &pb.ContinueRequest{
		SessionId: s.id, ThreadId: wanted.thread, Wait: wanted.waitOptions(),
	})
}

// Pause stops a program that runs.
func (s *Session) Pause(ctx context.Context, options ...MoveOption) (*Outcome, error) {
	wanted := gather(options)
	return move(ctx, s, wanted, s.relay.execution.Pause, &pb.PauseRequest{
		SessionId: s.id, ThreadId: wanted.thread, Wait: wanted.waitOptions(),
	})
}

// StepOver runs to the next line of the same function, or of its caller at the end.
func (s *Session) StepOver(ctx context.Context, options ...StepOption) (*Outcome, error) {
	wanted := gather(options)
	return move(ctx, s, wanted, s.relay.execution.StepOver, &pb.StepOverRequest{
		SessionId: s.id, ThreadId: wanted.thread, Wait: wanted.waitOptions(), Count: wanted.count,
	})
}

// StepInto runs to the next line, into a function if one is called.
func (s *Session) StepInto(ctx context.Context, options ...StepOption) (*Outcome, error) {
	wanted := gather(options)
	return move(ctx, s, wanted, s.relay.execution.StepInto, &pb.StepIntoRequest{
		SessionId: s.id, ThreadId: wanted.thread, Wait: wanted.waitOptions(), Count: wanted.count,
	})
}

// StepOut runs until the current function has returned.
func (s *Session) StepOut(ctx context.Context, options ...MoveOption) (*Outcome, error) {
	wanted := gather(options)
	return move(ctx, s, wanted, s.relay.execution.StepOut, &pb.StepOutRequest{
		SessionId: s.id, ThreadId: wanted.thread, Wait: wanted.waitOptions(),
	})
}

// RunTo runs until "file:line" is reached, or any other stop. A line alone is one of the file of
// the present stop.
func (s *Session) RunTo(ctx context.Context, place string, options ...MoveOption) (*Outcome, error) {
	line, err := parseLine(place)
	if err != nil {
		return nil, err
	}
	wanted := gather(options)
	return move(ctx, s, wanted, s.relay.execution.RunToLine, &pb.RunToLineRequest{
		SessionId: s.id, ThreadId: wanted.thread, Wait: wanted.waitOptions(), File: line.File, Line: line.Line,
	})
}

// Goto sets the line of the current function that runs next, without running what lies between.
func (s *Session) Goto(ctx context.Context, line int, options ...MoveOption) (*Outcome, error) {
	wanted := gather(options)
	return move(ctx, s, wanted, s.relay.execution.Goto, &pb.GotoRequest{
		SessionId: s.id, ThreadId: wanted.thread, Wait: wanted.waitOptions(), Line: int32(line),
	})
}

// WaitForStop waits for a stop or the end, and moves nothing. A program that is stopped already is
// an outcome at once; WaitForStopAfter waits for the next.
func (s *Session) WaitForStop(ctx context.Context, options ...MoveOption) (*Outcome, error) {
	return s.WaitForStopAfter(ctx, nil, options...)
}

// WaitForStopAfter waits for a stop that comes after the given one.
func (s *Session) WaitForStopAfter(ctx context.Context, stop *Stop, options ...MoveOption) (*Outcome, error) {
	wanted := gather(options)
	return move(ctx, s, wanted, s.relay.execution.WaitForStop, &pb.WaitForStopRequest{
		SessionId: s.id, AfterStop: stop.GetStopNumber(), Wait: wanted.waitOptions(),
	})
}

// Restart ends the program, if it still runs, and starts it again with the same settings.
func (s *Session) Restart(ctx context.Context, options ...MoveOption) (*Outcome, error) {
	wanted := gather(options)
	return move(ctx, s, wanted, s.relay.sessions.Restart, &pb.RestartRequest{
		SessionId: s.id, Wait: wanted.waitOptions(),
	})
}

// parseLine reads "file:line", or a line alone.
func parseLine(place string) (*pb.LineLocation, error) {
	if line, err := strconv.ParseInt(place, 10, 32); err == nil {
		return &pb.LineLocation{Line: int32(line)}, nil
	}
	spec := Break(place)
	line := spec.message.GetLine()
	if line == nil || spec.message.GetCondition() != "" {
		return nil, misuse("%q is no place: write \"file:line\" or a line's number.", place)
	}
	return line, nil
}

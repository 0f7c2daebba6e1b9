package debugrelay

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"

	pb "github.com/debug-relay/debug-relay/clients/go/debugrelaypb"
)

// Run is a program that runs and tells what is seen: rows, and how it came out in the end.
type Run[Row any] struct {
	rows    iter.Seq2[*Row, error]
	outcome *Outcome
}

// Rows can be read once. They come as they are seen; a break of the loop ends the run. A broken
// connection is an error: the program may have moved on.
func (r *Run[Row]) Rows() iter.Seq2[*Row, error] { return r.rows }

// Outcome is how it came out. Nil until all rows are read.
func (r *Run[Row]) Outcome() *Outcome { return r.outcome }

type (
	// TraceOption is for Session.Trace.
	TraceOption interface {
		apply(*call)
		trace()
	}
	// TraceSetting is something about a trace. Whoever misses one makes it:
	//
	//	debugrelay.TraceSetting(func(r *debugrelaypb.TraceRequest) { … })
	TraceSetting func(*pb.TraceRequest)
	// UntilSetting is where a trace ends.
	UntilSetting string
	// CollectOption is for Session.Collect.
	CollectOption interface {
		apply(*call)
		collect()
	}
	// CollectSetting is something about a collection. Whoever misses one makes it:
	//
	//	debugrelay.CollectSetting(func(r *debugrelaypb.CollectRequest) { … })
	CollectSetting func(*pb.CollectRequest)
	// TimeSetting is how long a run may take.
	TimeSetting time.Duration
)

// For ends the run after this time. Without it that is 60 s.
func For(limit time.Duration) TimeSetting { return TimeSetting(limit) }

// Into steps into calls.
func Into() TraceSetting {
	return func(r *pb.TraceRequest) { r.Step = pb.StepKind_STEP_KIND_INTO }
}

// MaxSteps ends the trace after this many steps. Without it that is 1000.
func MaxSteps(steps uint64) TraceSetting {
	return func(r *pb.TraceRequest) { r.MaxSteps = steps }
}

// Until ends the trace when "file:line" is reached, or a line alone in any file.
func Until(place string) UntilSetting { return UntilSetting(place) }

// UntilTrue ends the trace when this expression is true.
func UntilTrue(condition string) TraceSetting {
	return func(r *pb.TraceRequest) { r.UntilCondition = condition }
}

// MaxHits ends the collection after this many rows. Without it that is 1000.
func MaxHits(hits uint64) CollectSetting {
	return func(r *pb.CollectRequest) { r.MaxHits = hits }
}

// WithChanges tells what changed since the hit before in the same place.
func WithChanges() CollectSetting {
	return func(r *pb.CollectRequest) { r.Changes = true }
}

// WithStack has so many frames of the stack in each row.
func WithStack(frames uint32) CollectSetting {
	return func(r *pb.CollectRequest) { r.MaxFrames = frames }
}

func (s TraceSetting) apply(c *call)   { s(&c.traceRequest) }
func (TraceSetting) trace()            {}
func (u UntilSetting) apply(c *call)   { c.until = string(u) }
func (UntilSetting) trace()            {}
func (s CollectSetting) apply(c *call) { s(&c.collectRequest) }
func (CollectSetting) collect()        {}
func (t TimeSetting) apply(c *call)    { limit := time.Duration(t); c.time = &limit }
func (TimeSetting) trace()             {}
func (TimeSetting) collect()           {}

// Trace steps many times and tells what was seen after each step.
func (s *Session) Trace(ctx context.Context, options ...TraceOption) *Run[TraceRecord] {
	wanted := gather(options)
	request := &wanted.traceRequest
	request.SessionId, request.ThreadId = s.id, wanted.thread
	request.Expressions = append(request.Expressions, wanted.expressions...)
	if wanted.time != nil {
		request.Timeout = durationpb.New(*wanted.time)
	}
	return run(ctx, s.relay, func(ctx context.Context) (grpc.ServerStreamingClient[pb.TraceResponse], error) {
		if wanted.until != "" {
			var err error
			if request.Until, err = parseLine(wanted.until); err != nil {
				return nil, err
			}
		}
		return s.relay.execution.Trace(ctx, request)
	}, (*pb.TraceResponse).GetRecord)
}

// Collect runs on and tells what was seen at each hit of the places that Break names, without
// leaving the program stopped.
func (s *Session) Collect(ctx context.Context, options ...CollectOption) *Run[CollectRow] {
	wanted := gather(options)
	request := &wanted.collectRequest
	request.SessionId = s.id
	request.Expressions = append(request.Expressions, wanted.expressions...)
	if wanted.time != nil {
		request.Timeout = durationpb.New(*wanted.time)
	}
	return run(ctx, s.relay, func(ctx context.Context) (grpc.ServerStreamingClient[pb.CollectResponse], error) {
		places, err := messages(wanted.places)
		if err != nil {
			return nil, err
		}
		request.Locations = append(request.Locations, places...)
		return s.relay.execution.Collect(ctx, request)
	}, (*pb.CollectResponse).GetRow)
}

// run reads rows until the last message, which has the outcome instead.
func run[Message, Row any, Pointer interface {
	*Message
	GetOutcome() *pb.Outcome
}](
	ctx context.Context, relay *Relay,
	open func(context.Context) (grpc.ServerStreamingClient[Message], error),
	row func(Pointer) *Row,
) *Run[Row] {
	run := &Run[Row]{}
	run.rows = func(yield func(*Row, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		stream, err := open(ctx)
		for err == nil {
			var message *Message
			if message, err = stream.Recv(); err != nil {
				break
			}
			if outcome := Pointer(message).GetOutcome(); outcome != nil {
				run.outcome = newOutcome(outcome)
			} else if !yield(row(message), nil) {
				return
			}
		}
		if !errors.Is(err, io.EOF) {
			yield(nil, relay.failure(ctx, err))
		}
	}
	return run
}

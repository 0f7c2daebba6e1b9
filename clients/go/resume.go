package debugrelay

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const (
	firstPause   = 20 * time.Millisecond
	longestPause = time.Second
)

// outage is the time from a break until the server is heard again.
type outage struct {
	patience time.Duration
	since    time.Time
	pause    time.Duration
}

// wait pauses before the next attempt. It is false when there should be none: err is no break, the
// patience is at its end, or the caller's.
func (o *outage) wait(ctx context.Context, err error) bool {
	if !isBreak(err) || ctx.Err() != nil {
		return false
	}
	if o.since.IsZero() {
		o.since = time.Now()
	}
	if o.patience <= time.Since(o.since) {
		return false
	}
	o.pause = min(max(2*o.pause, firstPause), longestPause)
	timer := time.NewTimer(o.pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// answered ends the outage. The pause stays, so that a server which answers and breaks, over and
// over, is not asked without a pause.
func (o *outage) answered() { o.since = time.Time{} }

// delivered says that all is well.
func (o *outage) delivered() { *o = outage{patience: o.patience} }

// isBreak is true for what a later attempt may not meet again.
func isBreak(err error) bool {
	var failed *Error
	if !errors.As(err, &failed) {
		return false
	}
	switch failed.Code {
	case codes.Unavailable:
		return true
	case codes.Internal, codes.Canceled:
		// Said by no server: gRPC's words for a stream that was cut.
		return failed.Facts == nil
	}
	return false
}

// follow reads a stream to its end, and opens it anew when it breaks. open asks for what comes
// after all that take has seen.
func follow[Message, Item any](
	ctx context.Context, relay *Relay,
	open func(context.Context) (grpc.ServerStreamingClient[Message], error),
	take func(*Message) Item,
) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		outage := outage{patience: relay.patience}
		for {
			stream, err := open(ctx)
			if err == nil {
				// Without headers the stream has failed already, and Recv tells why.
				if headers, _ := stream.Header(); headers != nil {
					outage.answered()
				}
			}
			for err == nil {
				var message *Message
				if message, err = stream.Recv(); err == nil {
					outage.delivered()
					if !yield(take(message), nil) {
						return
					}
				}
			}
			if errors.Is(err, io.EOF) {
				return
			}
			err = relay.failure(ctx, err)
			if !outage.wait(ctx, err) {
				if ctx.Err() != nil && isBreak(err) {
					err = relay.failure(ctx, status.FromContextError(ctx.Err()).Err())
				}
				var nothing Item
				yield(nothing, err)
				return
			}
		}
	}
}

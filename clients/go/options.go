package debugrelay

import (
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	pb "github.com/debug-relay/debug-relay/clients/go/debugrelaypb"
)

// call gathers what the options of one call say.
type call struct {
	session        pb.CreateSessionRequest
	launch         pb.LaunchConfig
	attach         pb.AttachConfig
	traceRequest   pb.TraceRequest
	collectRequest pb.CollectRequest
	wait           *time.Duration
	snapshot       pb.SnapshotOptions
	expressions    []string
	places         []BreakpointSpec
	thread         uint64
	count          uint32
	until          string
	time           *time.Duration
}

// The calls that take options. A setting has a method for each that it is good for.
type (
	// DebugOption is for Relay.Debug, DebugModule and DebugCode.
	DebugOption interface {
		apply(*call)
		debug()
	}
	// CreateOption is for Relay.Create.
	CreateOption interface {
		apply(*call)
		create()
	}
	// LaunchOption is for Session.Launch.
	LaunchOption interface {
		apply(*call)
		start()
	}
	// AttachOption is for Relay.Attach.
	AttachOption interface {
		apply(*call)
		join()
	}
	// MoveOption is for calls that move the program or wait for it.
	MoveOption interface {
		apply(*call)
		move()
	}
	// StepOption is for StepOver and StepInto.
	StepOption interface {
		apply(*call)
		step()
	}
	// SnapshotOption is for Session.Snapshot.
	SnapshotOption interface {
		apply(*call)
		look()
	}
)

func gather[Option interface{ apply(*call) }](options []Option) *call {
	gathered := &call{}
	for _, option := range options {
		option.apply(gathered)
	}
	return gathered
}

// WaitSetting is how long a call waits for the program.
type WaitSetting time.Duration

// Wait says how long a call waits for the program to stop or end. Without it that is 30 s, and
// for Attach not at all. When it is over, the outcome says TimedOut and nothing is lost.
func Wait(limit time.Duration) WaitSetting { return WaitSetting(limit) }

func (w WaitSetting) apply(c *call) { limit := time.Duration(w); c.wait = &limit }
func (WaitSetting) debug()          {}
func (WaitSetting) start()          {}
func (WaitSetting) join()           {}
func (WaitSetting) move()           {}
func (WaitSetting) step()           {}

// SnapshotSetting changes what the snapshot in an answer holds. Whoever misses one makes it:
//
//	debugrelay.SnapshotSetting(func(o *debugrelaypb.SnapshotOptions) { … })
type SnapshotSetting func(*pb.SnapshotOptions)

func (s SnapshotSetting) apply(c *call) { s(&c.snapshot) }
func (SnapshotSetting) debug()          {}
func (SnapshotSetting) start()          {}
func (SnapshotSetting) join()           {}
func (SnapshotSetting) move()           {}
func (SnapshotSetting) step()           {}
func (SnapshotSetting) look()           {}

// ChangesOnly asks only for what changed since the previous stop in the same function.
func ChangesOnly() SnapshotSetting {
	return func(o *pb.SnapshotOptions) { o.ChangesOnly = true }
}

// NoSnapshot asks for the stop and the output alone.
func NoSnapshot() SnapshotSetting {
	return func(o *pb.SnapshotOptions) { o.Skip = true }
}

// OnlyNames asks for variables with these names.
func OnlyNames(names ...string) SnapshotSetting {
	return func(o *pb.SnapshotOptions) { o.Names = append(o.Names, names...) }
}

// Depth is how deep to look into values: 1 is the variables themselves, 2 their members too.
func Depth(levels uint32) SnapshotSetting {
	return func(o *pb.SnapshotOptions) { o.MaxDepth = &levels }
}

// MaxFrames bounds the stack.
func MaxFrames(count uint32) SnapshotSetting {
	return func(o *pb.SnapshotOptions) { o.MaxFrames = &count }
}

// MaxBytes bounds the whole snapshot, as JSON.
func MaxBytes(size uint32) SnapshotSetting {
	return func(o *pb.SnapshotOptions) { o.MaxBytes = &size }
}

// Reveal shows values that look like secrets.
func Reveal() SnapshotSetting {
	return func(o *pb.SnapshotOptions) { o.Reveal = true }
}

// ExpressionsSetting is what to evaluate at a stop, a step or a hit.
type ExpressionsSetting []string

// Expressions are evaluated in the top frame: once for a snapshot, at each step of Trace, at each
// hit of Collect.
func Expressions(expressions ...string) ExpressionsSetting { return expressions }

func (e ExpressionsSetting) apply(c *call) { c.expressions = append(c.expressions, e...) }
func (ExpressionsSetting) debug()          {}
func (ExpressionsSetting) start()          {}
func (ExpressionsSetting) join()           {}
func (ExpressionsSetting) move()           {}
func (ExpressionsSetting) step()           {}
func (ExpressionsSetting) look()           {}
func (ExpressionsSetting) trace()          {}
func (ExpressionsSetting) collect()        {}

// ThreadSetting names a thread.
type ThreadSetting uint64

// InThread names the thread to move or to look at. Without it that is the one that stopped last.
func InThread(id uint64) ThreadSetting { return ThreadSetting(id) }

func (t ThreadSetting) apply(c *call) { c.thread = uint64(t) }
func (ThreadSetting) move()           {}
func (ThreadSetting) step()           {}
func (ThreadSetting) look()           {}
func (ThreadSetting) stack()          {}
func (ThreadSetting) trace()          {}

// CountSetting is how many steps to make.
type CountSetting uint32

// Count makes so many steps in one call.
func Count(steps uint32) CountSetting { return CountSetting(steps) }

func (n CountSetting) apply(c *call) { c.count = uint32(n) }
func (CountSetting) step()           {}

func (c *call) waitOptions() *pb.WaitOptions {
	options := &pb.WaitOptions{Snapshot: c.snapshotOptions()}
	if c.wait != nil {
		options.Timeout = durationpb.New(*c.wait)
	}
	return options
}

func (c *call) snapshotOptions() *pb.SnapshotOptions {
	c.snapshot.Expressions = append(c.snapshot.Expressions, c.expressions...)
	return &c.snapshot
}

// waitLimit is the time that a call needs at most, its wait included.
func (c *call) waitLimit(margin time.Duration) time.Duration {
	if c.wait != nil {
		return *c.wait + margin
	}
	return 30*time.Second + margin
}

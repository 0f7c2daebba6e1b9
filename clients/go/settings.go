package debugrelay

import (
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	pb "github.com/debug-relay/debug-relay/clients/go/debugrelaypb"
)

// SessionSetting is something about a new session. Whoever misses one makes it:
//
//	debugrelay.SessionSetting(func(r *debugrelaypb.CreateSessionRequest) { … })
type SessionSetting func(*pb.CreateSessionRequest)

func (s SessionSetting) apply(c *call) { s(&c.session) }
func (SessionSetting) debug()          {}
func (SessionSetting) create()         {}
func (SessionSetting) join()           {}

// ID chooses the session's id: 1 to 40 of a-z, 0-9, "-" and "_". Without it a random one is made.
func ID(id string) SessionSetting {
	return func(r *pb.CreateSessionRequest) { r.SessionId = id }
}

// Name is a name for people.
func Name(name string) SessionSetting {
	return func(r *pb.CreateSessionRequest) { r.Name = name }
}

// ProjectRoot is the folder that relative paths of breakpoints start from. Without it that is the
// working directory.
func ProjectRoot(folder string) SessionSetting {
	return func(r *pb.CreateSessionRequest) { r.ProjectRoot = folder }
}

// Label marks the session, to find it by.
func Label(name, value string) SessionSetting {
	return func(r *pb.CreateSessionRequest) {
		if r.Labels == nil {
			r.Labels = make(map[string]string)
		}
		r.Labels[name] = value
	}
}

// StopAtExceptions chooses the exceptions that stop the program, for example "uncaught" and
// "raised if KeyError, ValueError"; none means that none does. Without it uncaught ones do.
func StopAtExceptions(filters ...string) SessionSetting {
	return func(r *pb.CreateSessionRequest) { r.ExceptionBreakpoints = exceptionBreakpoints(filters) }
}

// KeepBreakpoints sets the breakpoints that earlier sessions of the project have left, each where its
// code is now, and keeps those of this one for later sessions. Without it a session is for itself.
func KeepBreakpoints() SessionSetting {
	return func(r *pb.CreateSessionRequest) { r.RestoreBreakpoints = proto.Bool(true) }
}

// IdleTimeout ends the session when nobody calls it for so long.
func IdleTimeout(limit time.Duration) SessionSetting {
	return func(r *pb.CreateSessionRequest) { r.IdleTimeout = durationpb.New(limit) }
}

// EndWhenAbandoned ends the session when nobody calls it for so long.
func EndWhenAbandoned(lease time.Duration) SessionSetting {
	return func(r *pb.CreateSessionRequest) {
		r.OnOwnerLoss, r.Lease = pb.OwnerLossPolicy_OWNER_LOSS_POLICY_TERMINATE, durationpb.New(lease)
	}
}

// ResumeWhenAbandoned lets a stopped program run on when nobody calls for so long.
func ResumeWhenAbandoned(lease time.Duration) SessionSetting {
	return func(r *pb.CreateSessionRequest) {
		r.OnOwnerLoss, r.Lease = pb.OwnerLossPolicy_OWNER_LOSS_POLICY_RESUME, durationpb.New(lease)
	}
}

// LaunchSetting is something about how a program is started. Whoever misses one makes it:
//
//	debugrelay.LaunchSetting(func(c *debugrelaypb.LaunchConfig) { … })
type LaunchSetting func(*pb.LaunchConfig)

func (s LaunchSetting) apply(c *call) { s(&c.launch) }
func (LaunchSetting) debug()          {}
func (LaunchSetting) start()          {}

// Args are the program's arguments.
func Args(args ...string) LaunchSetting {
	return func(c *pb.LaunchConfig) { c.Args = append(c.Args, args...) }
}

// Dir is the program's working directory. Without it that is the project root.
func Dir(folder string) LaunchSetting {
	return func(c *pb.LaunchConfig) { c.Cwd = folder }
}

// Env adds a variable to the program's environment.
func Env(name, value string) LaunchSetting {
	return func(c *pb.LaunchConfig) {
		if c.Env == nil {
			c.Env = make(map[string]string)
		}
		c.Env[name] = value
	}
}

// Python is the interpreter: a path, a venv's folder or a command name.
func Python(python string) LaunchSetting {
	return func(c *pb.LaunchConfig) { c.Python = python }
}

// PythonArgs are arguments of the interpreter, for example "-O".
func PythonArgs(args ...string) LaunchSetting {
	return func(c *pb.LaunchConfig) { c.PythonArgs = append(c.PythonArgs, args...) }
}

// StopOnEntry stops at the program's first line.
func StopOnEntry() LaunchSetting {
	return func(c *pb.LaunchConfig) { c.StopOnEntry = true }
}

// Stdin is the program's whole input. Without it the input stays open for WriteInput.
func Stdin(text string) LaunchSetting {
	return func(c *pb.LaunchConfig) { c.Stdin = []byte(text) }
}

// Terminal gives the program a terminal in place of pipes.
func Terminal() LaunchSetting {
	return func(c *pb.LaunchConfig) { c.Console = pb.Console_CONSOLE_PTY }
}

// ChildrenRunFree leaves processes that the program starts without the debugger.
func ChildrenRunFree() LaunchSetting {
	return func(c *pb.LaunchConfig) { c.Children = pb.ChildPolicy_CHILD_POLICY_RUN_FREE }
}

// ChildrenStopAtStart stops processes that the program starts at their first line.
func ChildrenStopAtStart() LaunchSetting {
	return func(c *pb.LaunchConfig) { c.Children = pb.ChildPolicy_CHILD_POLICY_STOP_AT_START }
}

// AttachSetting is something about how a program is taken. Whoever misses one makes it:
//
//	debugrelay.AttachSetting(func(c *debugrelaypb.AttachConfig) { … })
type AttachSetting func(*pb.AttachConfig)

func (s AttachSetting) apply(c *call) { s(&c.attach) }
func (AttachSetting) join()           {}

// PathMapping tells where files of the program are here.
func PathMapping(local, remote string) AttachSetting {
	return func(c *pb.AttachConfig) {
		c.PathMappings = append(c.PathMappings, &pb.PathMapping{LocalRoot: local, RemoteRoot: remote})
	}
}

// CodeSetting is whose code is debugged.
type CodeSetting struct{}

// AllCode stops and steps in libraries, too.
func AllCode() CodeSetting { return CodeSetting{} }

func (CodeSetting) apply(c *call) { c.launch.JustMyCode, c.attach.JustMyCode = new(bool), new(bool) }
func (CodeSetting) debug()        {}
func (CodeSetting) start()        {}
func (CodeSetting) join()         {}

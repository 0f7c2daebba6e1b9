package debugrelay

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strconv"
	"time"

	"google.golang.org/protobuf/proto"

	pb "github.com/debug-relay/debug-relay/clients/go/debugrelaypb"
)

// Debug starts a program under the debugger and runs it to its first stop, or to its end. A
// relative path starts from the working directory.
func (r *Relay) Debug(ctx context.Context, program string, options ...DebugOption) (*Session, *Outcome, error) {
	wanted := gather(options)
	if err := wanted.setProgram(program); err != nil {
		return nil, nil, err
	}
	return r.debug(ctx, wanted)
}

// DebugModule does the same with a module, as python -m does.
func (r *Relay) DebugModule(ctx context.Context, module string, options ...DebugOption) (*Session, *Outcome, error) {
	wanted := gather(options)
	wanted.launch.Target = &pb.LaunchConfig_Module{Module: module}
	return r.debug(ctx, wanted)
}

// DebugCode does the same with source text, as python -c does.
func (r *Relay) DebugCode(ctx context.Context, code string, options ...DebugOption) (*Session, *Outcome, error) {
	wanted := gather(options)
	wanted.launch.Target = &pb.LaunchConfig_Code{Code: code}
	return r.debug(ctx, wanted)
}

func (r *Relay) debug(ctx context.Context, wanted *call) (*Session, *Outcome, error) {
	wanted.session.Start = &pb.CreateSessionRequest_Launch{Launch: &wanted.launch}
	wanted.session.Wait = wanted.waitOptions()
	return r.create(ctx, wanted)
}

// Create makes a session without a program. Session.Launch starts one.
func (r *Relay) Create(ctx context.Context, options ...CreateOption) (*Session, error) {
	session, _, err := r.create(ctx, gather(options))
	return session, err
}

// Target is a program that runs already.
type Target func(*pb.AttachConfig) error

// Process is a process of the server's machine.
func Process(pid int) Target {
	return func(c *pb.AttachConfig) error {
		c.Target = &pb.AttachConfig_ProcessId{ProcessId: int64(pid)}
		return nil
	}
}

// Endpoint is a program that waits for a debugger at "host:port", as after debugpy --listen.
func Endpoint(address string) Target {
	return func(c *pb.AttachConfig) error {
		endpoint, err := parseEndpoint(address)
		c.Target = &pb.AttachConfig_Connect{Connect: endpoint}
		return err
	}
}

// Listen is a program that will call debugpy.connect with this "host:port".
func Listen(address string) Target {
	return func(c *pb.AttachConfig) error {
		endpoint, err := parseEndpoint(address)
		c.Target = &pb.AttachConfig_Listen{Listen: endpoint}
		return err
	}
}

func parseEndpoint(address string) (*pb.Endpoint, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, misuse("%q is no host:port.", address)
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, misuse("%q is no host:port: %s is no port.", address, port)
	}
	return &pb.Endpoint{Host: host, Port: uint32(number)}, nil
}

// Attach takes a program that runs already. It does not wait for a stop unless Wait says so.
func (r *Relay) Attach(ctx context.Context, target Target, options ...AttachOption) (*Session, *Outcome, error) {
	wanted := gather(options)
	if err := target(&wanted.attach); err != nil {
		return nil, nil, err
	}
	wanted.session.Start = &pb.CreateSessionRequest_Attach{Attach: &wanted.attach}
	wanted.session.Wait = wanted.waitOptions()
	return r.create(ctx, wanted)
}

func (r *Relay) create(ctx context.Context, wanted *call) (*Session, *Outcome, error) {
	request := &wanted.session
	breakpoints, err := messages(wanted.places)
	if err != nil {
		return nil, nil, err
	}
	request.Breakpoints = append(request.Breakpoints, breakpoints...)
	if request.ProjectRoot, err = absolute(request.ProjectRoot); err != nil {
		return nil, nil, err
	}
	// A session that another call may have asked for is not ours alone.
	isOurs := request.SessionId == "" && request.RequestId == ""
	if request.SessionId == "" {
		// A proxy must know which session it is about before there is one.
		if request.SessionId, err = newSessionID(r.caller.GetOwner(), request.RequestId); err != nil {
			return nil, nil, err
		}
	}
	if request.RestoreBreakpoints == nil {
		// What a program debugs should not depend on what was debugged before.
		request.RestoreBreakpoints = proto.Bool(false)
	}
	if request.RequestId == "" {
		if request.RequestId, err = newRequestID(); err != nil {
			return nil, nil, err
		}
	}
	session := &Session{relay: r, id: request.SessionId}

	answer, err := r.createOnce(ctx, request, wanted.waitLimit(startMargin))
	if errors.Is(err, ReasonCallEnded) && isOurs {
		// The caller will not hear of the session, so nobody else would end it.
		session.Delete(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	session.id, session.token = answer.GetSession().GetId(), answer.GetSessionToken()
	session.breakpoints, session.warnings = answer.GetBreakpoints(), answer.GetWarnings()
	return session, newOutcome(answer.GetOutcome()), nil
}

// createOnce asks again when the connection breaks, which the request's id makes safe.
func (r *Relay) createOnce(
	ctx context.Context, request *pb.CreateSessionRequest, limit time.Duration,
) (*pb.CreateSessionResponse, error) {
	outage := outage{patience: min(r.patience, callPatience)}
	for {
		answer, err := ask(ctx, r, limit, r.sessions.CreateSession, request)
		if err == nil || !outage.wait(ctx, err) {
			return answer, err
		}
	}
}

// Launch starts a program in a session that has none.
func (s *Session) Launch(ctx context.Context, program string, options ...LaunchOption) (*Outcome, error) {
	wanted := gather(options)
	if err := wanted.setProgram(program); err != nil {
		return nil, err
	}
	answer, err := ask(ctx, s.relay, wanted.waitLimit(startMargin), s.relay.sessions.Launch, &pb.LaunchRequest{
		SessionId: s.id, Launch: &wanted.launch, Wait: wanted.waitOptions(),
	})
	return newOutcome(answer.GetOutcome()), err
}

func (c *call) setProgram(program string) error {
	path, err := absolute(program)
	c.launch.Target = &pb.LaunchConfig_Program{Program: path}
	return err
}

// absolute is the working directory for "".
func absolute(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", misuse("there is no working directory: %v.", err)
	}
	return path, nil
}

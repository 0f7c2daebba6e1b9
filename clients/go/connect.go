package debugrelay

import (
	"context"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/peer"

	pb "github.com/debug-relay/debug-relay/clients/go/debugrelaypb"
)

const (
	// connectLimit is how long Connect waits for the first word of the server.
	connectLimit = 5 * time.Second
	// answerMargin is how much longer a call's deadline is than what it waits for. The server
	// gives the debugger 30 s for an answer, and should be the one to say that they are over.
	answerMargin = 40 * time.Second
	// startMargin is the same for calls that start a program: the server may have to install
	// the debugger first.
	startMargin = 3 * time.Minute
	// defaultPatience is how long a stream tries to go on after a break.
	defaultPatience = 60 * time.Second
	// callPatience is the same for a single call.
	callPatience = 3 * time.Second
	// maxAnswer bounds one message. A value may have a million characters.
	maxAnswer = 256 << 20
)

// Relay is a connection to a debug-relay server. It can be used by many goroutines at once.
type Relay struct {
	conn     *grpc.ClientConn
	place    place
	patience time.Duration
	// caller is whom the server takes this client for.
	caller *pb.Caller

	sessions    pb.SessionServiceClient
	breakpoints pb.BreakpointServiceClient
	execution   pb.ExecutionServiceClient
	inspection  pb.InspectionServiceClient
	events      pb.EventServiceClient
	output      pb.OutputServiceClient
	server      pb.ServerServiceClient
}

type connecting struct {
	address, token string
	tls            tlsFiles
	patience       time.Duration
	dial           []grpc.DialOption
}

// ConnectOption is a setting of Connect.
type ConnectOption func(*connecting)

// Address says where the server is: "host:port", "https://host:port" for one that speaks TLS, or
// "unix:/path". Without it, the variable DEBUG_RELAY_ADDRESS is asked, then the run folder of this user's
// server, then 127.0.0.1:50051.
func Address(address string) ConnectOption {
	return func(c *connecting) { c.address = address }
}

// Token is the server's token, or one for a session. Without it, the variable DEBUG_RELAY_TOKEN is asked,
// then, for a server of this machine, the run folder, unless a Certificate says who calls.
func Token(token string) ConnectOption {
	return func(c *connecting) { c.token = token }
}

// CA is a file with the certificates of those who vouch for the server, PEM. With it, TLS is spoken.
// Without it, the variable DEBUG_RELAY_CA names the file. A server that speaks TLS all the same is
// checked by those whom this machine trusts.
func CA(file string) ConnectOption {
	return func(c *connecting) { c.tls.ca = file }
}

// Certificate is files with the certificate that says who calls, its chain included, and with its key,
// PEM. With it, TLS is spoken. Without it, the variables DEBUG_RELAY_CERT and DEBUG_RELAY_KEY name the
// files. They are read again for every connection.
func Certificate(cert, key string) ConnectOption {
	return func(c *connecting) { c.tls.cert, c.tls.key = cert, key }
}

// ServerName is the name in the server's certificate, if it is not that of the address.
func ServerName(name string) ConnectOption {
	return func(c *connecting) { c.tls.serverName = name }
}

// ResumeFor says how long a stream tries to go on after a break. Without it that is 60 s; 0 means
// that a break ends the stream.
func ResumeFor(limit time.Duration) ConnectOption {
	return func(c *connecting) { c.patience = limit }
}

// DialOptions are more settings of the gRPC connection; they win over those of this package.
func DialOptions(options ...grpc.DialOption) ConnectOption {
	return func(c *connecting) { c.dial = append(c.dial, options...) }
}

// Connect finds the server and makes sure that it answers. ctx is for this call only.
func Connect(ctx context.Context, options ...ConnectOption) (*Relay, error) {
	wanted := connecting{patience: defaultPatience}
	for _, option := range options {
		option(&wanted)
	}
	place, err := find(wanted)
	if err != nil {
		return nil, err
	}
	dial, err := dialOptions(place)
	if err != nil {
		return nil, err
	}
	conn, err := grpc.NewClient(place.address, append(dial, wanted.dial...)...)
	if err != nil {
		return nil, &Error{
			Reason:  ReasonUnreachable,
			Message: "the address " + place.address + " (" + place.source + ") cannot be used: " + err.Error() + ".",
			Hint:    "An address is host:port, https://host:port or unix:/path.",
			cause:   err,
		}
	}
	relay := &Relay{
		conn:        conn,
		place:       place,
		patience:    wanted.patience,
		sessions:    pb.NewSessionServiceClient(conn),
		breakpoints: pb.NewBreakpointServiceClient(conn),
		execution:   pb.NewExecutionServiceClient(conn),
		inspection:  pb.NewInspectionServiceClient(conn),
		events:      pb.NewEventServiceClient(conn),
		output:      pb.NewOutputServiceClient(conn),
		server:      pb.NewServerServiceClient(conn),
	}
	info, err := ask(ctx, relay, connectLimit, relay.server.GetInfo, &pb.GetInfoRequest{})
	if err != nil {
		conn.Close()
		return nil, err
	}
	relay.caller = info.GetCaller()
	return relay, nil
}

func dialOptions(place place) ([]grpc.DialOption, error) {
	transport := insecure.NewCredentials()
	if place.tls != nil {
		var err error
		if transport, err = place.tls.credentials(); err != nil {
			return nil, err
		}
	}
	pin := pin(sessionOf(place.token))
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(transport),
		grpc.WithPerRPCCredentials(bearer{place}),
		grpc.WithChainUnaryInterceptor(pin.unary),
		grpc.WithChainStreamInterceptor(pin.stream),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswer)),
		grpc.WithDefaultServiceConfig(repeatReads),
		grpc.WithDisableServiceConfig(),
		grpc.WithNoProxy(),
		// A server that is started again is back within a second, not within gRPC's two minutes.
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff: backoff.Config{
				BaseDelay: 50 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: time.Second,
			},
			MinConnectTimeout: connectLimit,
		}),
		// So that a stream notices a connection that broke without a word.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 30 * time.Second, Timeout: 20 * time.Second}),
	}
	if isUnix(place.address) {
		// grpc-go would send the path, which is no authority, and servers refuse that.
		options = append(options, grpc.WithAuthority("localhost"))
	}
	return options, nil
}

// Close ends the connection. Sessions stay as they are.
func (r *Relay) Close() error { return r.conn.Close() }

// Conn is the connection below, for the generated clients of package debugrelaypb.
func (r *Relay) Conn() *grpc.ClientConn { return r.conn }

// Address is where the server was found.
func (r *Relay) Address() string { return r.place.address }

// Info tells about the server: version, limits, sessions and debuggers; and whom it takes the caller for.
func (r *Relay) Info(ctx context.Context) (*ServerInfo, error) {
	return ask(ctx, r, answerMargin, r.server.GetInfo, &pb.GetInfoRequest{})
}

// ask makes one call that ends within limit, and translates its error.
func ask[Request, Answer any](
	ctx context.Context, relay *Relay, limit time.Duration,
	method func(context.Context, Request, ...grpc.CallOption) (Answer, error), request Request,
) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var server peer.Peer
	answer, err := method(ctx, request, grpc.Peer(&server))
	err = relay.failure(ctx, err)
	if server.Addr != nil {
		err = brokenOff(err)
	}
	return answer, err
}

// bearer sends the token with every call, as long as the server is there that it is for.
type bearer struct{ place place }

func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	if b.place.token == "" || b.place.isForOwn && !b.place.isOwn() {
		return nil, nil
	}
	return map[string]string{"authorization": "Bearer " + b.place.token}, nil
}

func (b bearer) RequireTransportSecurity() bool { return false }

// repeatReads makes gRPC repeat calls that change nothing, or change the same thing when they are
// repeated, while the server is away for a moment.
var repeatReads = `{"methodConfig": [{
	"name": [` + strings.Join([]string{
	methods("SessionService", "GetSession", "ListSessions", "TerminateSession", "DeleteSession", "ListSessionTokens"),
	methods("BreakpointService", "SetBreakpoints", "ListBreakpoints", "GetExceptionBreakpoints", "SetExceptionBreakpoints"),
	methods("ExecutionService", "WaitForStop"),
	methods("InspectionService", "GetSnapshot", "FindValue", "ListThreads", "GetStackTrace", "GetScopes",
		"GetVariables", "GetExceptionInfo", "GetSource", "ListModules", "ListLoadedSources"),
	methods("EventService", "ListEvents"),
	methods("OutputService", "GetOutput"),
}, ", ") + `],
	"retryPolicy": {
		"maxAttempts": 4, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 3,
		"retryableStatusCodes": ["UNAVAILABLE"]
	}
}]}`

func methods(service string, names ...string) string {
	var entries []string
	for _, name := range names {
		entries = append(entries, `{"service": "debugrelay.v1.`+service+`", "method": "`+name+`"}`)
	}
	return strings.Join(entries, ", ")
}

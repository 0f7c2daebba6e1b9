package debugrelay

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// sessionHeader names the session that a call is about. By it, a proxy finds the session's replica.
const sessionHeader = "debug-relay-session"

// idLetters are the server's own: letters and digits that nobody takes for one another.
const idLetters = "abcdefghijkmnpqrstuvwxyz23456789"

// tokenPrefix begins the token of a session. The session's id follows, then a secret.
const tokenPrefix = "drs_"

var sessionID = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,39}$`)

// newSessionID is an id for a new session, as the server would make it. For one request of one owner it
// is always the same, so that a proxy sends a repeat to the replica that has the session already.
func newSessionID(owner, requestID string) (string, error) {
	hash := sha256.Sum256([]byte(owner + "\n" + requestID))
	drawn, err := hash[:], error(nil)
	if requestID == "" {
		drawn, err = draw()
	}
	id := "s-"
	for _, each := range drawn[:8] {
		id += string(idLetters[int(each)%len(idLetters)])
	}
	return id, err
}

// newRequestID is an id for one request, which makes it safe to repeat.
func newRequestID() (string, error) {
	drawn, err := draw()
	return fmt.Sprintf("%x", drawn), err
}

// draw is 16 random bytes that nobody can guess.
func draw() ([]byte, error) {
	drawn := make([]byte, 16)
	if _, err := rand.Read(drawn); err != nil {
		return drawn, misuse("there is nothing to make an id from: %v.", err)
	}
	return drawn, nil
}

// sessionOf is the session that a token is for. Empty for a token that is not for one.
func sessionOf(token string) string {
	rest, isOfSession := strings.CutPrefix(token, tokenPrefix)
	end := strings.LastIndex(rest, "_")
	if !isOfSession || end < 0 || !sessionID.MatchString(rest[:end]) {
		return ""
	}
	return rest[:end]
}

// pin puts the session that a call is about into its headers, also for the generated clients. It is
// itself the session of calls that name none: only the replica of a session knows its token.
type pin string

func (p pin) unary(
	ctx context.Context, method string, request, answer any, conn *grpc.ClientConn,
	invoke grpc.UnaryInvoker, options ...grpc.CallOption,
) error {
	return invoke(p.about(ctx, request), method, request, answer, conn, options...)
}

func (p pin) stream(
	ctx context.Context, description *grpc.StreamDesc, conn *grpc.ClientConn, method string,
	open grpc.Streamer, options ...grpc.CallOption,
) (grpc.ClientStream, error) {
	if description.ClientStreams {
		return open(p.about(ctx, nil), description, conn, method, options...)
	}
	return &lateStream{ctx: ctx, open: func(request any) (grpc.ClientStream, error) {
		return open(p.about(ctx, request), description, conn, method, options...)
	}}, nil
}

// about is the context of a call with this request. A header of the caller's own wins, and what is no
// id is left to the server.
func (p pin) about(ctx context.Context, request any) context.Context {
	id := string(p)
	if named, ok := request.(interface{ GetSessionId() string }); ok && sessionID.MatchString(named.GetSessionId()) {
		id = named.GetSessionId()
	}
	if given, _ := metadata.FromOutgoingContext(ctx); id == "" || len(given.Get(sessionHeader)) != 0 {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, sessionHeader, id)
}

// lateStream is opened when its request is sent, since headers go first and the request says which.
type lateStream struct {
	grpc.ClientStream
	ctx  context.Context
	open func(request any) (grpc.ClientStream, error)
}

func (s *lateStream) SendMsg(request any) error {
	if s.ClientStream == nil {
		stream, err := s.open(request)
		if err != nil {
			return err
		}
		s.ClientStream = stream
	}
	return s.ClientStream.SendMsg(request)
}

func (s *lateStream) Context() context.Context {
	if s.ClientStream == nil {
		return s.ctx
	}
	return s.ClientStream.Context()
}

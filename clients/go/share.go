package debugrelay

import (
	"context"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	pb "github.com/debug-relay/debug-relay/clients/go/debugrelaypb"
)

// Share is a token that reaches one session, and nothing else.
type Share struct {
	// Token is for whoever it is shared with: Connect with it, then Relay.Session. It is told here and
	// never again.
	Token string
	// Info is what is known of it.
	Info *SessionToken
}

// String names it, without telling the token.
func (s *Share) String() string { return s.Info.GetId() }

// ShareOption is a setting of Session.Share. Whoever misses one makes it:
//
//	debugrelay.ShareOption(func(r *debugrelaypb.CreateSessionTokenRequest) { … })
type ShareOption func(*pb.CreateSessionTokenRequest)

// ReadOnly makes a token for looking: no moves, no Evaluate, no Expressions, no Reveal.
func ReadOnly() ShareOption {
	return func(r *pb.CreateSessionTokenRequest) { r.ReadOnly = true }
}

// ValidFor is how long the token holds. Without it that is as long as the session is there.
func ValidFor(limit time.Duration) ShareOption {
	return func(r *pb.CreateSessionTokenRequest) { r.Ttl = durationpb.New(limit) }
}

// ShareName is a name by which people know the token again.
func ShareName(name string) ShareOption {
	return func(r *pb.CreateSessionTokenRequest) { r.Name = name }
}

// Token is the token that came with the session when it was made. It may do everything there, except
// share it. Empty for a session that was there already.
func (s *Session) Token() string { return s.token }

// Share makes a token for this session. Only who made the session, and admins, may.
func (s *Session) Share(ctx context.Context, options ...ShareOption) (*Share, error) {
	request := &pb.CreateSessionTokenRequest{SessionId: s.id}
	for _, option := range options {
		option(request)
	}
	answer, err := ask(ctx, s.relay, answerMargin, s.relay.sessions.CreateSessionToken, request)
	if err != nil {
		return nil, err
	}
	return &Share{Token: answer.GetToken(), Info: answer.GetInfo()}, nil
}

// Shares are the tokens that hold, oldest first. The first is mostly that of who made the session.
func (s *Session) Shares(ctx context.Context) ([]*SessionToken, error) {
	answer, err := ask(ctx, s.relay, answerMargin, s.relay.sessions.ListSessionTokens,
		&pb.ListSessionTokensRequest{SessionId: s.id})
	return answer.GetTokens(), err
}

// Revoke takes back the token with this id. Calls and streams that were made with it end at once.
func (s *Session) Revoke(ctx context.Context, id string) error {
	_, err := ask(ctx, s.relay, answerMargin, s.relay.sessions.RevokeSessionToken,
		&pb.RevokeSessionTokenRequest{SessionId: s.id, TokenId: id})
	return err
}

// RevokeAll takes all tokens of the session back, and tells how many there were.
func (s *Session) RevokeAll(ctx context.Context) (int, error) {
	answer, err := ask(ctx, s.relay, answerMargin, s.relay.sessions.RevokeSessionToken,
		&pb.RevokeSessionTokenRequest{SessionId: s.id, All: true})
	return int(answer.GetRevoked()), err
}

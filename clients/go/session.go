package debugrelay

import (
	"context"
	"errors"
	"iter"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	pb "github.com/debug-relay/debug-relay/clients/go/debugrelaypb"
)

// deleteLimit is how long Delete takes at most when its context is over already.
const deleteLimit = 15 * time.Second

// Session is a program under the debugger. It lives in the server: any number of Session values,
// in any number of processes, can be of the same one.
type Session struct {
	relay       *Relay
	id          string
	token       string
	breakpoints []*Breakpoint
	warnings    []string
}

// ID is the session's id.
func (s *Session) ID() string { return s.id }

// Initial are the breakpoints that the session began with: those asked for, in their order, then
// those that earlier sessions of the project have left.
func (s *Session) Initial() []*Breakpoint { return s.breakpoints }

// Warnings are what a person should know about how the session began.
func (s *Session) Warnings() []string { return s.warnings }

// Session is the session with this id, which may be "" when the token is one of a session.
func (r *Relay) Session(ctx context.Context, id string) (*Session, error) {
	if id == "" {
		id = r.caller.GetSessionId()
	}
	session := &Session{relay: r, id: id}
	if _, err := session.Info(ctx); err != nil {
		return nil, err
	}
	return session, nil
}

// ListOption chooses sessions. All that are given must fit. Whoever misses one makes it:
//
//	debugrelay.ListOption(func(r *debugrelaypb.ListSessionsRequest) { … })
type ListOption func(*pb.ListSessionsRequest)

// InState chooses sessions in one of these states.
func InState(states ...State) ListOption {
	return func(r *pb.ListSessionsRequest) { r.States = append(r.States, states...) }
}

// WithLabel chooses sessions with this label.
func WithLabel(name, value string) ListOption {
	return func(r *pb.ListSessionsRequest) {
		if r.Labels == nil {
			r.Labels = make(map[string]string)
		}
		r.Labels[name] = value
	}
}

// Sessions are all sessions, oldest first.
func (r *Relay) Sessions(ctx context.Context, options ...ListOption) iter.Seq2[*SessionInfo, error] {
	return func(yield func(*SessionInfo, error) bool) {
		request := &pb.ListSessionsRequest{}
		for _, option := range options {
			option(request)
		}
		for {
			page, err := ask(ctx, r, answerMargin, r.sessions.ListSessions, request)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, session := range page.Sessions {
				if !yield(session, nil) {
					return
				}
			}
			if page.NextPageToken == "" {
				return
			}
			request.PageToken = page.NextPageToken
		}
	}
}

// Info is the session as it is now.
func (s *Session) Info(ctx context.Context) (*SessionInfo, error) {
	answer, err := ask(ctx, s.relay, answerMargin, s.relay.sessions.GetSession, &pb.GetSessionRequest{SessionId: s.id})
	return answer.GetSession(), err
}

// Detach leaves the program running without the debugger.
func (s *Session) Detach(ctx context.Context) error {
	_, err := ask(ctx, s.relay, answerMargin, s.relay.sessions.Detach, &pb.DetachRequest{SessionId: s.id})
	return err
}

// TerminateOption says how a program is ended.
type TerminateOption func(*pb.TerminateSessionRequest)

// Force ends the program at once, without SIGTERM first.
func Force() TerminateOption {
	return func(r *pb.TerminateSessionRequest) { r.Force = true }
}

// Grace is how long the program has after SIGTERM. Without it that is 2 s.
func Grace(limit time.Duration) TerminateOption {
	return func(r *pb.TerminateSessionRequest) { r.Grace = durationpb.New(limit) }
}

// Terminate ends the program and all that it started. Output and events stay readable.
func (s *Session) Terminate(ctx context.Context, options ...TerminateOption) (*SessionInfo, error) {
	request := &pb.TerminateSessionRequest{SessionId: s.id}
	for _, option := range options {
		option(request)
	}
	limit := request.Grace.AsDuration() + answerMargin
	answer, err := ask(ctx, s.relay, limit, s.relay.sessions.TerminateSession, request)
	return answer.GetSession(), err
}

// Delete ends the program if needed and forgets the session; a program that was attached to runs
// on. It works with a context that is over, too, so that it can be deferred. A session that is
// gone already is no error.
func (s *Session) Delete(ctx context.Context) error {
	limit := answerMargin
	if ctx.Err() != nil {
		ctx, limit = context.WithoutCancel(ctx), deleteLimit
	}
	_, err := ask(ctx, s.relay, limit, s.relay.sessions.DeleteSession, &pb.DeleteSessionRequest{SessionId: s.id})
	if errors.Is(err, ReasonSessionNotFound) {
		return nil
	}
	return err
}

package debugrelay

import (
	"context"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/durationpb"

	pb "github.com/debug-relay/debug-relay/clients/go/debugrelaypb"
)

// Value is what an expression came to. What it raised is no error of the call, but is told here.
type Value struct {
	// Message is all that the server said.
	Message *pb.EvaluateResponse
}

// Text is the value as the language shows it. Empty when the expression raised.
func (v *Value) Text() string { return v.Message.GetValue() }

// Type is the name of the value's type.
func (v *Value) Type() string { return v.Message.GetType() }

// Raised is the traceback of what the expression raised instead. Empty when it did not.
func (v *Value) Raised() string { return v.Message.GetError() }

// Err is an error when the expression raised, for callers who want one.
func (v *Value) Err() error {
	if v.Raised() == "" {
		return nil
	}
	return &Error{Code: codes.Unknown, Reason: ReasonProgramRaised, Message: v.Raised()}
}

// GetVariablesReference makes a Value good for Session.Variables.
func (v *Value) GetVariablesReference() uint64 { return v.Message.GetVariablesReference() }

// String is the text, or what was raised.
func (v *Value) String() string {
	if v.Raised() != "" {
		return v.Raised()
	}
	return v.Text()
}

// EvaluateSetting is something about an evaluation. Whoever misses one makes it:
//
//	debugrelay.EvaluateSetting(func(r *debugrelaypb.EvaluateRequest) { … })
type EvaluateSetting func(*pb.EvaluateRequest)

// AsStatement allows statements, such as an assignment.
func AsStatement() EvaluateSetting {
	return func(r *pb.EvaluateRequest) { r.Context = pb.EvaluateContext_EVALUATE_CONTEXT_STATEMENT }
}

// InFrame evaluates in another frame than the top one.
func InFrame(frame *Frame) EvaluateSetting {
	return func(r *pb.EvaluateRequest) { r.FrameId = frame.GetFrameId() }
}

// Within is how long the expression may take. Without it that is 10 s.
func Within(limit time.Duration) EvaluateSetting {
	return func(r *pb.EvaluateRequest) { r.Timeout = durationpb.New(limit) }
}

// Evaluate evaluates an expression in the top frame of the thread that stopped last.
func (s *Session) Evaluate(ctx context.Context, expression string, settings ...EvaluateSetting) (*Value, error) {
	request := &pb.EvaluateRequest{SessionId: s.id, Expression: expression}
	for _, setting := range settings {
		setting(request)
	}
	limit := request.Timeout.AsDuration() + answerMargin
	answer, err := ask(ctx, s.relay, limit, s.relay.inspection.Evaluate, request)
	if err != nil {
		return nil, err
	}
	return &Value{Message: answer}, nil
}

// Set gives what an expression names, for example "self.total", another value. Both are Python.
func (s *Session) Set(ctx context.Context, expression, value string) (*Variable, error) {
	answer, err := ask(ctx, s.relay, answerMargin, s.relay.inspection.SetExpression, &pb.SetExpressionRequest{
		SessionId: s.id, Expression: expression, Value: value,
	})
	return answer.GetVariable(), err
}

package debugrelay

import (
	"fmt"
	"strings"

	pb "github.com/debug-relay/debug-relay/clients/go/debugrelaypb"
)

// Snapshot is what there is to see at one stop.
type Snapshot struct {
	// Message is all that the server said.
	Message *pb.Snapshot
}

// Frames are the stack, innermost first.
func (s *Snapshot) Frames() []*Frame { return s.Message.GetFrames() }

// Source are the lines around the current one, each with its number.
func (s *Snapshot) Source() string { return s.Message.GetSource().GetText() }

// Variables are the local variables of the top frame.
func (s *Snapshot) Variables() []*Variable {
	// The server fills in the first scope, which is that of the locals.
	if scopes := s.Message.GetScopes(); len(scopes) != 0 {
		return scopes[0].GetVariables()
	}
	return nil
}

// Locals are the local variables of the top frame, as the language shows them.
func (s *Snapshot) Locals() map[string]string {
	locals := make(map[string]string)
	for _, variable := range s.Variables() {
		locals[variable.GetName()] = variable.GetValue()
	}
	return locals
}

// Changes are the variables that changed since the previous stop in the same function.
func (s *Snapshot) Changes() []Change { return Changes(s.Message.GetChanges()) }

// Values are the answers to Expressions, by expression. What one raised stands in place of its
// value.
func (s *Snapshot) Values() map[string]string { return Values(s.Message.GetExpressions()) }

// Values are the answers to expressions in a TraceRecord or a CollectRow, by expression. What one
// raised stands in place of its value.
func Values(results []*pb.ExpressionResult) map[string]string {
	values := make(map[string]string)
	for _, result := range results {
		values[result.GetExpression()] = result.GetValue()
		if result.GetError() != "" {
			values[result.GetExpression()] = result.GetError()
		}
	}
	return values
}

// String tells the snapshot to people: the source, the variables and what changed.
func (s *Snapshot) String() string {
	var lines []string
	if source := strings.TrimRight(s.Source(), "\n"); source != "" {
		lines = append(lines, source)
	}
	for _, variable := range s.Variables() {
		lines = append(lines, fmt.Sprintf("  %s = %s", variable.GetName(), variable.GetValue()))
	}
	for _, change := range s.Changes() {
		lines = append(lines, "  "+change.String())
	}
	for _, result := range s.Message.GetExpressions() {
		lines = append(lines, fmt.Sprintf("  %s = %s", result.GetExpression(), result.GetValue()+result.GetError()))
	}
	return strings.Join(lines, "\n")
}

// Change is a variable that changed between two stops.
type Change struct {
	Name string
	// Before is empty for a new variable, After for one that is gone.
	Before, After string
	// New and Gone tell of variables that were not there before, or are no longer.
	New, Gone bool
}

// Changes are the changes in a TraceRecord or a CollectRow.
func Changes(messages []*pb.VariableChange) []Change {
	var all []Change
	for _, message := range messages {
		all = append(all, Change{
			Name:   message.GetName(),
			Before: message.GetBefore(),
			After:  message.GetAfter(),
			New:    message.GetKind() == pb.ChangeKind_CHANGE_KIND_NEW,
			Gone:   message.GetKind() == pb.ChangeKind_CHANGE_KIND_GONE,
		})
	}
	return all
}

// String is "name: before → after".
func (c Change) String() string {
	switch {
	case c.New:
		return fmt.Sprintf("%s: new, %s", c.Name, c.After)
	case c.Gone:
		return fmt.Sprintf("%s: gone, was %s", c.Name, c.Before)
	default:
		return fmt.Sprintf("%s: %s → %s", c.Name, c.Before, c.After)
	}
}

package debugrelay

import (
	"fmt"
	"strings"

	pb "github.com/debug-relay/debug-relay/clients/go/debugrelaypb"
)

// Outcome is how a call that moved the program, or waited for it, came out.
type Outcome struct {
	// Message is all that the server said.
	Message *pb.Outcome
}

// newOutcome is nil for no outcome, so that what comes with an error cannot be mistaken.
func newOutcome(message *pb.Outcome) *Outcome {
	if message == nil {
		return nil
	}
	return &Outcome{Message: message}
}

// State is what the session is doing now.
func (o *Outcome) State() State { return o.Message.GetState() }

// Stopped is true when the program stands still and can be looked at.
func (o *Outcome) Stopped() bool { return o.State() == Stopped }

// TimedOut is true when the wait was over before the program stopped or ended.
func (o *Outcome) TimedOut() bool { return o.Message.GetTimedOut() }

// Stop tells where and why the program stopped. Nil when it did not.
func (o *Outcome) Stop() *Stop { return o.Message.GetStop() }

// Reason is why the program stopped.
func (o *Outcome) Reason() StopReason { return o.Stop().GetReason() }

// Location is where the program stopped.
func (o *Outcome) Location() Location { return newLocation(o.Stop().GetLocation()) }

// Exception is the exception that the program stopped at. Nil when it did not.
func (o *Outcome) Exception() *Exception { return o.Stop().GetException() }

// ExitCode is the program's exit code, and true, when it has ended by exiting.
func (o *Outcome) ExitCode() (int, bool) {
	return int(o.Message.GetExitCode()), o.Message != nil && o.Message.ExitCode != nil
}

// Output is what the program wrote since it was last resumed: the end of it, at most 2 KiB.
func (o *Outcome) Output() string { return o.Message.GetOutput().GetText() }

// Hint is what to do next, when that is not plain.
func (o *Outcome) Hint() string { return o.Message.GetHint() }

// Snapshot is what there is to see at the stop.
func (o *Outcome) Snapshot() *Snapshot { return &Snapshot{Message: o.Message.GetSnapshot()} }

// Locals are the local variables of the top frame, as the language shows them.
func (o *Outcome) Locals() map[string]string { return o.Snapshot().Locals() }

// Changes are the variables that changed since the previous stop in the same function.
func (o *Outcome) Changes() []Change { return o.Snapshot().Changes() }

// Values are the answers to Expressions, by expression.
func (o *Outcome) Values() map[string]string { return o.Snapshot().Values() }

// String tells the outcome to people.
func (o *Outcome) String() string {
	if o == nil {
		return "nothing"
	}
	var text strings.Builder
	text.WriteString(o.headline())
	if exception := o.Exception(); exception != nil {
		fmt.Fprintf(&text, "\n%s: %s", exception.GetType(), exception.GetMessage())
	}
	if body := o.Snapshot().String(); body != "" {
		text.WriteString("\n" + body)
	}
	if output := o.Output(); output != "" {
		text.WriteString("\noutput:\n" + strings.TrimSuffix(output, "\n"))
	}
	if o.Hint() != "" {
		text.WriteString("\n" + o.Hint())
	}
	return text.String()
}

func (o *Outcome) headline() string {
	state := word(o.State(), "SESSION_STATE_")
	if o.Stopped() {
		return fmt.Sprintf("%s at %s (%s)", state, o.Location(), word(o.Reason(), "STOP_REASON_"))
	}
	if code, ok := o.ExitCode(); ok {
		return fmt.Sprintf("%s with code %d", state, code)
	}
	if signal := o.Message.GetExitSignal(); signal != 0 {
		return fmt.Sprintf("%s by signal %d", state, signal)
	}
	if failure := o.Message.GetFailure(); failure != "" {
		return state + ": " + failure
	}
	if o.TimedOut() {
		return state + " when the wait was over"
	}
	return state
}

// Location is a place in the program's source.
type Location struct {
	File     string
	Line     int
	Function string
}

func newLocation(message *pb.Location) Location {
	return Location{File: message.GetFile(), Line: int(message.GetLine()), Function: message.GetFunction()}
}

// String is "file:line in function".
func (l Location) String() string {
	if l.Function == "" {
		return fmt.Sprintf("%s:%d", l.File, l.Line)
	}
	return fmt.Sprintf("%s:%d in %s", l.File, l.Line, l.Function)
}

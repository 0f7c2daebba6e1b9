package debugrelay

import (
	"regexp"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	pb "github.com/debug-relay/debug-relay/clients/go/debugrelaypb"
)

// BreakpointSpec is what is wanted of a breakpoint. It is an option of Debug, Create, Attach and
// Collect, and an argument of Session.SetBreakpoints.
type BreakpointSpec struct {
	message *pb.BreakpointSpec
	err     error
}

var (
	lineForm     = regexp.MustCompile(`(?s)^(.+?):(\d+)(?:\s+(if|log)\s+(.+))?$`)
	functionForm = regexp.MustCompile(`(?s)^([\pL_][\pL\pN_.<>]*)(?:\s+(if|log)\s+(.+))?$`)
)

// Break reads a breakpoint from text: "app.py:12", "app.py:12 if x > 3", or, to write instead of
// stopping, "app.py:12 log x is {x}". In place of a line it can be on a function: "total",
// "Basket.add", "shop.total". A relative file starts from the project root. What is wrong with the
// text is an error of the call that gets it.
func Break(text string) BreakpointSpec {
	text = strings.TrimSpace(text)
	if form := lineForm.FindStringSubmatch(text); form != nil {
		line, err := strconv.ParseInt(form[2], 10, 32)
		if err != nil || line < 1 {
			return BreakpointSpec{err: misuse("%q is no breakpoint: %s is no line.", text, form[2])}
		}
		return Spec(&pb.BreakpointSpec{
			Location: &pb.BreakpointSpec_Line{Line: &pb.LineLocation{File: form[1], Line: int32(line)}},
		}).andSo(form[3], form[4])
	}
	// "app.py" could be the function py of a module app, and is a file whose line was forgotten.
	if form := functionForm.FindStringSubmatch(text); form != nil && !strings.HasSuffix(form[1], ".py") {
		return Spec(&pb.BreakpointSpec{
			Location: &pb.BreakpointSpec_Function{Function: &pb.FunctionLocation{Name: form[1]}},
		}).andSo(form[2], form[3])
	}
	return BreakpointSpec{err: misuse(
		"%q is no breakpoint: write \"file:line\", \"file:line if condition\" or a function's name.", text)}
}

// andSo adds what follows "if" or "log".
func (b BreakpointSpec) andSo(word, text string) BreakpointSpec {
	switch word {
	case "if":
		return b.If(text)
	case "log":
		return b.Log(text)
	default:
		return b
	}
}

// Watch stops after a line that changed a value, for example "self.total". It is set at a stop,
// and slows the program: see docs/python.md.
func Watch(expression string) BreakpointSpec {
	return Spec(&pb.BreakpointSpec{
		Location: &pb.BreakpointSpec_Data{Data: &pb.DataLocation{Expression: expression}},
	})
}

// Spec takes a breakpoint as the server's message.
func Spec(message *pb.BreakpointSpec) BreakpointSpec {
	return BreakpointSpec{message: proto.Clone(message).(*pb.BreakpointSpec)}
}

// If stops only when the condition is true.
func (b BreakpointSpec) If(condition string) BreakpointSpec {
	return b.with(func(m *pb.BreakpointSpec) { m.Condition = condition })
}

// Hits stops only at certain passes: "5", ">=5", "%2".
func (b BreakpointSpec) Hits(condition string) BreakpointSpec {
	return b.with(func(m *pb.BreakpointSpec) { m.HitCondition = condition })
}

// Log writes a text to the output instead of stopping, for example "{name!r} owes {total:.2f}".
func (b BreakpointSpec) Log(message string) BreakpointSpec {
	return b.with(func(m *pb.BreakpointSpec) { m.LogMessage = message })
}

// Once removes the breakpoint after its first stop.
func (b BreakpointSpec) Once() BreakpointSpec {
	return b.with(func(m *pb.BreakpointSpec) { m.Temporary = true })
}

// Disabled keeps the breakpoint without stopping at it.
func (b BreakpointSpec) Disabled() BreakpointSpec {
	return b.with(func(m *pb.BreakpointSpec) { m.Enabled = new(bool) })
}

// with changes a copy, so that a spec can be the base of several.
func (b BreakpointSpec) with(change func(*pb.BreakpointSpec)) BreakpointSpec {
	if b.err != nil {
		return b
	}
	changed := Spec(b.message)
	change(changed.message)
	return changed
}

func (b BreakpointSpec) apply(c *call) { c.places = append(c.places, b) }
func (BreakpointSpec) debug()          {}
func (BreakpointSpec) create()         {}
func (BreakpointSpec) join()           {}
func (BreakpointSpec) collect()        {}

// messages is the first mistake, or all specs for the wire.
func messages(specs []BreakpointSpec) ([]*pb.BreakpointSpec, error) {
	var all []*pb.BreakpointSpec
	for _, spec := range specs {
		if spec.err != nil {
			return nil, spec.err
		}
		if spec.message == nil {
			return nil, misuse("a BreakpointSpec is empty: make it with Break.")
		}
		all = append(all, spec.message)
	}
	return all, nil
}

// exceptionBreakpoints reads "raised" and "raised if KeyError".
func exceptionBreakpoints(filters []string) *pb.ExceptionBreakpoints {
	chosen := &pb.ExceptionBreakpoints{}
	for _, text := range filters {
		filter, condition, _ := strings.Cut(text, " if ")
		chosen.Filters = append(chosen.Filters, &pb.ExceptionFilter{
			Filter: strings.TrimSpace(filter), Condition: strings.TrimSpace(condition),
		})
	}
	return chosen
}

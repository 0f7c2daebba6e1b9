package debugrelay_test

import (
	"slices"
	"strings"
	"testing"

	debugrelay "github.com/debug-relay/debug-relay/clients/go"
	"github.com/debug-relay/debug-relay/clients/go/debugrelaypb"
)

func TestBreakpointsAreReadFromText(t *testing.T) {
	ctx := testContext(t)
	relay := connect(t)
	session := must(relay.Create(ctx, debugrelay.ProjectRoot("testdata")))(t)
	defer session.Delete(ctx)

	for text, want := range map[string]struct {
		file, function, condition, message string
		line                               int32
	}{
		"shop.py:12":                       {file: "/shop.py", line: 12},
		"shop.py:12 if x > 3":              {file: "/shop.py", line: 12, condition: "x > 3"},
		"shop.py:12 if a if b else c[1:2]": {file: "/shop.py", line: 12, condition: "a if b else c[1:2]"},
		"shop.py:12 log if {x} logs":       {file: "/shop.py", line: 12, message: "if {x} logs"},
		"/what if/x:y.py:7":                {file: "/what if/x:y.py", line: 7},
		"Basket.add":                       {function: "Basket.add"},
		" fill  if prices ":                {function: "fill", condition: "prices"},
	} {
		set := must(session.Break(ctx, text))(t).GetSpec()

		if !strings.HasSuffix(set.GetLine().GetFile(), want.file) || set.GetLine().GetLine() != want.line ||
			set.GetFunction().GetName() != want.function || set.GetCondition() != want.condition || set.GetLogMessage() != want.message {
			t.Errorf("%q was read as %v", text, set)
		}
	}
}

func TestTextThatIsNoBreakpointIsRefused(t *testing.T) {
	relay := connect(t)

	for _, text := range []string{"", "shop.py", "shop.py:", "shop.py:0", "shop.py:99999999999", "12", "a b", "x.py:1 iff y"} {
		_, _, err := relay.Debug(testContext(t), "testdata/shop.py", debugrelay.Break(text).If("x").Once())

		if failed, ok := err.(*debugrelay.Error); !ok || failed.Reason != debugrelay.ReasonInvalidArgument ||
			!strings.Contains(failed.Message, "no breakpoint") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := relay.Create(testContext(t), debugrelay.BreakpointSpec{}); err == nil {
		t.Error("an empty one was taken")
	}
}

func TestBreakpointsCountLogAndGoAway(t *testing.T) {
	ctx := testContext(t)
	relay := connect(t)
	sum := debugrelay.Break(line(t, "shop.py", "sum"))
	session, first := debug(t, relay, "shop.py",
		sum.Hits("2"),
		debugrelay.Break(line(t, "shop.py", "add")).Log("price {price}"),
		debugrelay.Break(line(t, "shop.py", "append")).Disabled(),
		debugrelay.Break("main").Once())

	second := must(session.Continue(ctx))(t)
	end := must(session.Continue(ctx))(t)
	output := must(session.Output(ctx, debugrelay.OnlyFrom(debugrelay.Console)))(t)
	left := must(session.Breakpoints(ctx))(t)

	if first.Location().Function != "main" || second.Locals()["price"] != "2" || end.State() != debugrelay.Exited {
		t.Errorf("%v, then %v, then %v", first, second, end)
	}
	if output.Text != "price 1\nprice 2\nprice 3\nprice 4\n" {
		t.Errorf("logged %q", output.Text)
	}
	if len(left) != 3 {
		t.Errorf("%d are left", len(left))
	}
}

func TestABreakpointIsChangedAndRemoved(t *testing.T) {
	ctx := testContext(t)
	relay := connect(t)
	session, _ := debug(t, relay, "shop.py", debugrelay.StopOnEntry())
	set := must(session.SetBreakpoints(ctx,
		debugrelay.Break(line(t, "shop.py", "sum")), debugrelay.Break(line(t, "shop.py", "add")), debugrelay.Break("fill"),
		debugrelay.Spec(&debugrelaypb.BreakpointSpec{Location: &debugrelaypb.BreakpointSpec_Function{
			Function: &debugrelaypb.FunctionLocation{Name: "main"},
		}})))(t)

	changed := must(session.UpdateBreakpoint(ctx, set[0].GetId(), debugrelay.Condition("price == 3"),
		debugrelay.HitCondition("1"), debugrelay.LogMessage(""), debugrelay.Enable(true)))(t)
	removed := must(session.RemoveBreakpoints(ctx, set[1].GetId(), set[2].GetId(), set[3].GetId()))(t)
	stop := must(session.Continue(ctx))(t)
	inFile := must(session.RemoveBreakpointsIn(ctx, "testdata/shop.py"))(t)
	rest := must(session.RemoveAllBreakpoints(ctx))(t)

	if changed.GetSpec().GetCondition() != "price == 3" || len(removed) != 3 {
		t.Errorf("changed to %v, removed %v", changed, removed)
	}
	if stop.Locals()["price"] != "3" || len(inFile) != 1 || len(rest) != 0 {
		t.Errorf("%v; then removed %v and %v", stop, inFile, rest)
	}
}

func TestAWatchedValueStopsTheProgramWhenItChanges(t *testing.T) {
	ctx := testContext(t)
	relay := connect(t)
	session, _ := debug(t, relay, "shop.py", debugrelay.Break(line(t, "shop.py", "sum")).Once())

	must(session.SetBreakpoints(ctx, debugrelay.Watch("self.total")))(t)
	stop := must(session.Continue(ctx))(t)

	if stop.Reason() != debugrelay.StopDataBreakpoint {
		t.Errorf("it came out so: %v", stop)
	}
}

func TestExceptionsAreChosen(t *testing.T) {
	ctx := testContext(t)
	relay := connect(t)
	session, ignored := debug(t, relay, "shop.py", debugrelay.Args("--crash"), debugrelay.StopAtExceptions())

	err := session.SetExceptions(ctx, "raised if KeyError, ValueError")
	chosen := must(session.Exceptions(ctx))(t)
	stop := must(session.Restart(ctx))(t)

	if ignored.State() != debugrelay.Exited || err != nil {
		t.Errorf("with none: %v; chosen: %v", ignored, err)
	}
	if !slices.Equal(chosen, []string{"raised if KeyError, ValueError"}) || stop.Reason() != debugrelay.StopException {
		t.Errorf("%v are chosen, and %v", chosen, stop)
	}
}

func TestBreakpointsOfTheProjectComeBackWhenTheyAreAskedFor(t *testing.T) {
	ctx := testContext(t)
	relay := connect(t)
	root := debugrelay.ProjectRoot(t.TempDir())
	first := must(relay.Create(ctx, root, debugrelay.KeepBreakpoints(), debugrelay.Break("fill")))(t)
	defer first.Delete(ctx)

	second := must(relay.Create(ctx, root, debugrelay.KeepBreakpoints()))(t)
	defer second.Delete(ctx)
	third := must(relay.Create(ctx, root))(t)
	defer third.Delete(ctx)

	if kept := second.Initial(); len(kept) != 1 || kept[0].GetSpec().GetFunction().GetName() != "fill" {
		t.Errorf("the second has %v", kept)
	}
	if len(third.Initial()) != 0 || len(second.Warnings()) != 0 {
		t.Errorf("the third has %v", third.Initial())
	}
}

package debugrelay_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	debugrelay "github.com/debug-relay/debug-relay/clients/go"
)

func TestDebugAnswersWithTheWholeStop(t *testing.T) {
	relay := connect(t)

	session, outcome := debug(t, relay, "shop.py", debugrelay.Break(line(t, "shop.py", "append")),
		debugrelay.Expressions("price * 100", "nothing"))

	if !outcome.Stopped() || outcome.Reason() != debugrelay.StopBreakpoint || outcome.TimedOut() {
		t.Errorf("the outcome is %v", outcome)
	}
	place := outcome.Location()
	if place.Function != "add" || place.Line != lineNumber(t, "shop.py", "append") ||
		place.File != must(filepath.Abs("testdata/shop.py"))(t) {
		t.Errorf("it stopped at %v", place)
	}
	if outcome.Locals()["price"] != "1" || outcome.Values()["price * 100"] != "100" ||
		!strings.Contains(outcome.Values()["nothing"], "NameError") {
		t.Errorf("locals %v, values %v", outcome.Locals(), outcome.Values())
	}
	if _, ended := outcome.ExitCode(); ended {
		t.Error("it has an exit code")
	}
	if set := session.Initial(); len(set) != 1 || !set[0].GetVerified() {
		t.Errorf("breakpoints %v", set)
	}
}

func TestArgumentsEnvironmentAndInputReachTheProgram(t *testing.T) {
	relay := connect(t)
	code := "import os, sys; print(sys.argv[1:], os.environ['COLOUR'], os.getcwd(), sys.stdin.read())"
	folder := must(filepath.EvalSymlinks(t.TempDir()))(t)

	session, outcome, err := relay.DebugCode(testContext(t), code, debugrelay.Args("-v", "two words"),
		debugrelay.Env("COLOUR", "blue"), debugrelay.Dir(folder), debugrelay.Stdin("hello"))
	if err != nil {
		t.Fatal(err)
	}
	defer session.Delete(context.Background())

	if want := fmt.Sprintf("['-v', 'two words'] blue %s hello\n", folder); outcome.Output() != want {
		t.Errorf("it wrote %q, not %q", outcome.Output(), want)
	}
}

func TestAModuleIsDebugged(t *testing.T) {
	relay := connect(t)

	session, outcome, err := relay.DebugModule(testContext(t), "shop", debugrelay.Dir("testdata"))
	if err != nil {
		t.Fatal(err)
	}
	defer session.Delete(context.Background())

	if outcome.Output() != "total 10\n" {
		t.Errorf("the outcome is %v", outcome)
	}
}

func TestStepsTellWhatChanged(t *testing.T) {
	ctx := testContext(t)
	relay := connect(t)
	session, _ := debug(t, relay, "shop.py", debugrelay.Break(line(t, "shop.py", "add")).Once())

	into := must(session.StepInto(ctx))(t)
	out := must(session.StepOut(ctx))(t)
	over := must(session.StepOver(ctx, debugrelay.Count(2), debugrelay.ChangesOnly()))(t)

	if into.Location().Function != "add" || out.Location().Function != "fill" {
		t.Errorf("into %v, out to %v", into.Location(), out.Location())
	}
	change := debugrelay.Change{Name: "price", Before: "1", After: "2"}
	if !slices.Contains(over.Changes(), change) || len(over.Snapshot().Frames()) != 0 {
		t.Errorf("changes %v", over.Changes())
	}
	if change.String() != "price: 1 → 2" {
		t.Errorf("a change is told as %q", change)
	}
}

func TestTheNextLineIsChosen(t *testing.T) {
	ctx := testContext(t)
	relay := connect(t)
	session, _ := debug(t, relay, "shop.py", debugrelay.StopOnEntry())

	run := must(session.RunTo(ctx, line(t, "shop.py", "append")))(t)
	same := must(session.RunTo(ctx, fmt.Sprint(lineNumber(t, "shop.py", "sum"))))(t)
	jump := must(session.Goto(ctx, lineNumber(t, "shop.py", "append")))(t)
	_, err := session.RunTo(ctx, "shop.py")

	if run.Reason() != debugrelay.StopRunToLine || same.Location().Line != lineNumber(t, "shop.py", "sum") {
		t.Errorf("%v, then %v", run, same)
	}
	if jump.Reason() != debugrelay.StopGoto || jump.Location().Line != lineNumber(t, "shop.py", "append") {
		t.Errorf("the jump ended so: %v", jump)
	}
	if err == nil || !strings.Contains(err.Error(), "file:line") {
		t.Errorf("a place without a line: %v", err)
	}
}

func TestARunningProgramIsPausedAndRunsOn(t *testing.T) {
	ctx := testContext(t)
	relay := connect(t)
	session, started := debug(t, relay, "forever.py", debugrelay.Wait(0))
	must(session.WaitForOutput(ctx, limit))(t)

	paused := must(session.Pause(ctx))(t)
	again := must(session.WaitForStop(ctx))(t)
	running := must(session.Continue(ctx, debugrelay.Wait(time.Millisecond)))(t)
	next := must(session.WaitForStopAfter(ctx, paused.Stop(), debugrelay.Wait(time.Millisecond)))(t)

	if started.Stopped() || !paused.Stopped() || paused.Reason() != debugrelay.StopPause {
		t.Errorf("%v, then %v", started, paused)
	}
	if again.Stop().GetStopNumber() != paused.Stop().GetStopNumber() {
		t.Errorf("the stop is %v, not %v", again, paused)
	}
	if !running.TimedOut() || running.State() != debugrelay.Running || !next.TimedOut() {
		t.Errorf("%v, then %v", running, next)
	}
}

func TestAnEndHasItsExitCodeAndACrashItsException(t *testing.T) {
	ctx := testContext(t)
	relay := connect(t)
	session, crash := debug(t, relay, "shop.py", debugrelay.Args("--crash"))

	exceptions := must(session.Exception(ctx))(t)
	end := must(session.Continue(ctx))(t)
	again := must(session.Restart(ctx))(t)

	if crash.Reason() != debugrelay.StopException || crash.Exception().GetType() != "ValueError" ||
		!strings.Contains(crash.String(), "ValueError: the till is broken") {
		t.Errorf("the crash: %v", crash)
	}
	if len(exceptions) != 1 || exceptions[0].GetMessage() != "the till is broken" {
		t.Errorf("exceptions %v", exceptions)
	}
	if code, ok := end.ExitCode(); code != 1 || !ok || end.State() != debugrelay.Exited {
		t.Errorf("the end: %v", end)
	}
	if again.Reason() != debugrelay.StopException {
		t.Errorf("started again: %v", again)
	}
}

func TestASessionIsMadeFirstAndStartedLater(t *testing.T) {
	ctx := testContext(t)
	relay := connect(t)
	session := must(relay.Create(ctx, debugrelay.Name("later"),
		debugrelay.Label("test", t.Name()), debugrelay.Break("Basket.add")))(t)
	defer session.Delete(ctx)

	created := must(session.Info(ctx))(t)
	outcome := must(session.Launch(ctx, "testdata/shop.py"))(t)
	ended := must(session.Terminate(ctx, debugrelay.Force()))(t)
	var listed []string
	for info, err := range relay.Sessions(ctx, debugrelay.WithLabel("test", t.Name()), debugrelay.InState(debugrelay.Terminated)) {
		listed = append(listed, must(info, err)(t).GetId())
	}

	if created.GetState() != debugrelay.Created || created.GetName() != "later" {
		t.Errorf("created: %v", created)
	}
	if outcome.Reason() != debugrelay.StopFunctionBreakpoint || outcome.Location().Function != "add" {
		t.Errorf("launched: %v", outcome)
	}
	if ended.GetState() != debugrelay.Terminated || !slices.Equal(listed, []string{session.ID()}) {
		t.Errorf("ended: %v; listed: %v", ended, listed)
	}
}

func TestAllPagesOfSessionsAreListed(t *testing.T) {
	ctx := testContext(t)
	relay := connect(t)
	var made []string
	for range 3 {
		session := must(relay.Create(ctx, debugrelay.Label("test", t.Name())))(t)
		defer session.Delete(ctx)
		made = append(made, session.ID())
	}

	var listed []string
	for info, err := range relay.Sessions(ctx, debugrelay.WithLabel("test", t.Name()), pagesOfOne) {
		listed = append(listed, must(info, err)(t).GetId())
	}

	if !slices.Equal(listed, made) {
		t.Errorf("listed %v, made %v", listed, made)
	}
}

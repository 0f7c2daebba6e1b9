package debugrelay_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	debugrelay "github.com/debug-relay/debug-relay/clients/go"
	"github.com/debug-relay/debug-relay/clients/go/debugrelaypb"
)

func pagesOfOne(request *debugrelaypb.ListSessionsRequest) { request.PageSize = 1 }

func TestWhatAnExpressionRaisesIsNoError(t *testing.T) {
	ctx := testContext(t)
	relay := connect(t)
	session, _ := debug(t, relay, "shop.py", debugrelay.Break(line(t, "shop.py", "sum")))

	value := must(session.Evaluate(ctx, "self.prices"))(t)
	raised := must(session.Evaluate(ctx, "1 / 0"))(t)
	statement := must(session.Evaluate(ctx, "price = 9", debugrelay.AsStatement(), debugrelay.Within(time.Second)))(t)

	if value.Text() != "[1]" || value.Type() != "list" || value.String() != "[1]" || value.Raised() != "" {
		t.Errorf("the value is %v", value)
	}
	if !strings.Contains(raised.Raised(), "ZeroDivisionError") || raised.String() != raised.Raised() ||
		!errors.Is(raised.Err(), debugrelay.ReasonProgramRaised) || value.Err() != nil {
		t.Errorf("it raised %q", raised.Raised())
	}
	if statement.Raised() != "" || must(session.Evaluate(ctx, "price"))(t).Text() != "9" {
		t.Errorf("the statement did nothing: %v", statement)
	}
}

func TestAValueIsSetAndFound(t *testing.T) {
	ctx := testContext(t)
	relay := connect(t)
	session, _ := debug(t, relay, "shop.py", debugrelay.Break(line(t, "shop.py", "sum")))

	set := must(session.Set(ctx, "self.total", "4000 + 242"))(t)
	found := must(session.FindValue(ctx, "4242", debugrelay.AtMost(1)))(t)

	if set.GetValue() != "4242" {
		t.Errorf("set to %v", set)
	}
	if len(found.GetFound()) != 1 || found.GetFound()[0].GetPath() != "self.total" {
		t.Errorf("found %v", found)
	}
}

func TestFramesOfTheStackAreLookedInto(t *testing.T) {
	ctx := testContext(t)
	relay := connect(t)
	session, _ := debug(t, relay, "shop.py", debugrelay.Break(line(t, "shop.py", "append")))

	threads := must(session.Threads(ctx))(t)
	stack := must(session.Stack(ctx, debugrelay.InThread(threads[0].GetThreadId())))(t)
	outer := must(session.Evaluate(ctx, "prices", debugrelay.InFrame(stack[1])))(t)
	scopes := must(session.Scopes(ctx, stack[1]))(t)
	snapshot := must(session.Snapshot(ctx, debugrelay.OnlyNames("price"), debugrelay.MaxFrames(2)))(t)

	var names []string
	for _, frame := range stack {
		names = append(names, frame.GetName())
	}
	if !slices.Equal(names, []string{"add", "fill", "main", "<module>"}) {
		t.Errorf("the stack is %v", names)
	}
	if outer.Text() != "[1, 2, 3, 4]" || len(scopes) == 0 {
		t.Errorf("prices %v, scopes %v", outer, scopes)
	}
	if len(snapshot.Locals()) != 1 || len(snapshot.Frames()) != 2 || !strings.Contains(snapshot.Source(), ">12") {
		t.Errorf("the snapshot is %v", snapshot)
	}
}

func TestMembersAreReadPageByPage(t *testing.T) {
	ctx := testContext(t)
	relay := connect(t)
	session, _ := debug(t, relay, "shop.py", debugrelay.Break(line(t, "shop.py", "append")))
	value := must(session.Evaluate(ctx, "list(range(1203))"))(t)

	indexed := func(r *debugrelaypb.GetVariablesRequest) {
		r.Filter = debugrelaypb.VariableFilter_VARIABLE_FILTER_INDEXED
	}
	var last string
	count := 0
	for member, err := range session.Variables(ctx, value, indexed) {
		last = must(member, err)(t).GetValue()
		count++
	}
	for range session.Variables(ctx, value) {
		break
	}

	if count != 1203 || last != "1202" {
		t.Errorf("%d members, the last is %s", count, last)
	}
}

func TestATraceTellsEveryStepAndItsOutcome(t *testing.T) {
	ctx := testContext(t)
	relay := connect(t)
	session, _ := debug(t, relay, "shop.py", debugrelay.Break(line(t, "shop.py", "main")))

	trace := session.Trace(ctx, debugrelay.Into(), debugrelay.MaxSteps(50), debugrelay.UntilTrue("price == 2"),
		debugrelay.Expressions("price"), debugrelay.For(limit))
	var functions []string
	for step, err := range trace.Rows() {
		step = must(step, err)(t)
		functions = append(functions, step.GetLocation().GetFunction())
	}

	if !slices.Contains(functions, "add") || !slices.Contains(functions, "fill") {
		t.Errorf("it stepped through %v", functions)
	}
	if outcome := trace.Outcome(); outcome == nil || outcome.Locals()["price"] != "2" {
		t.Errorf("it came out so: %v", trace.Outcome())
	}
}

func TestATraceEndsAtALine(t *testing.T) {
	ctx := testContext(t)
	relay := connect(t)
	session, _ := debug(t, relay, "shop.py", debugrelay.Break(line(t, "shop.py", "main")))

	trace := session.Trace(ctx, debugrelay.Into(), debugrelay.Until(line(t, "shop.py", "sum")))
	for step, err := range trace.Rows() {
		must(step, err)(t)
	}

	if trace.Outcome().Location().Line != lineNumber(t, "shop.py", "sum") {
		t.Errorf("it came out so: %v", trace.Outcome())
	}
	for _, err := range session.Trace(ctx, debugrelay.Until("nowhere")).Rows() {
		if !errors.Is(err, debugrelay.ReasonInvalidArgument) {
			t.Errorf("until nowhere: %v", err)
		}
	}
}

func TestACollectionTellsEveryHitAndItsOutcome(t *testing.T) {
	ctx := testContext(t)
	relay := connect(t)
	session, _ := debug(t, relay, "shop.py", debugrelay.StopOnEntry())

	collection := session.Collect(ctx, debugrelay.Break(line(t, "shop.py", "sum")+" if price > 1"),
		debugrelay.Expressions("price"), debugrelay.WithStack(1), debugrelay.MaxHits(100), debugrelay.For(limit))
	var prices []string
	for row, err := range collection.Rows() {
		prices = append(prices, debugrelay.Values(must(row, err)(t).GetExpressions())["price"])
	}

	if !slices.Equal(prices, []string{"2", "3", "4"}) {
		t.Errorf("the prices are %v", prices)
	}
	if outcome := collection.Outcome(); outcome == nil || outcome.State() != debugrelay.Exited {
		t.Errorf("it came out so: %v", collection.Outcome())
	}
}

func TestARunThatIsRefusedTellsWhy(t *testing.T) {
	ctx := testContext(t)
	relay := connect(t)
	session := must(relay.Create(ctx))(t)
	defer session.Delete(ctx)

	for _, err := range session.Trace(ctx).Rows() {
		if failed, ok := err.(*debugrelay.Error); !ok || failed.Reason != debugrelay.ReasonNotStarted {
			t.Errorf("the trace ended with %v", err)
		}
	}
	for _, err := range session.Collect(ctx, debugrelay.Break("nowhere.py")).Rows() {
		if failed, ok := err.(*debugrelay.Error); !ok || failed.Reason != debugrelay.ReasonInvalidArgument {
			t.Errorf("the collection ended with %v", err)
		}
	}
}

func TestErrorOutputIsReadByItself(t *testing.T) {
	ctx := testContext(t)
	relay := connect(t)
	code := "import sys; print('out'); print('err', file=sys.stderr); sys.stdout.buffer.write(b'\\xff')"
	session, _, err := relay.DebugCode(ctx, code)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Delete(ctx)

	all := must(session.Output(ctx))(t)
	stderr := must(session.Output(ctx, debugrelay.OnlyFrom(debugrelay.Stderr)))(t)
	rest := must(session.Output(ctx, debugrelay.FromOffset(all.Next-1)))(t)

	if len(all.Text) != 9 || all.Next != 9 || stderr.Text != "err\n" || len(rest.Text) != 1 {
		t.Errorf("all %+v, errors %+v, rest %+v", all, stderr, rest)
	}
}

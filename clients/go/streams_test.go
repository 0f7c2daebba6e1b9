package debugrelay_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	debugrelay "github.com/debug-relay/debug-relay/clients/go"
)

func TestEventsComeWithoutAHoleHoweverOftenTheConnectionIsCut(t *testing.T) {
	ctx := testContext(t)
	proxy := newProxy(t, shared.address)
	relay := through(t, proxy.address)
	session, outcome := debug(t, relay, "shop.py", debugrelay.Break(line(t, "shop.py", "add")))
	for outcome.Stopped() {
		outcome = must(session.Continue(ctx))(t)
	}

	var last debugrelay.Event
	for event, err := range session.Events(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if event.Sequence() != last.Sequence()+1 {
			t.Fatalf("%v follows %v", event, last)
		}
		last = event
		proxy.cut()
	}

	if last.Type() != debugrelay.EventTerminated {
		t.Errorf("the last event is %v", last)
	}
	if proxy.cuts < 10 {
		t.Errorf("only %d cuts", proxy.cuts)
	}
}

func TestEventsThatHappenDuringABreakAreNotMissed(t *testing.T) {
	ctx := testContext(t)
	proxy := newProxy(t, shared.address)
	far, near := through(t, proxy.address), connect(t)
	started, _ := debug(t, near, "adder.py", debugrelay.Wait(0), debugrelay.Break(line(t, "adder.py", "add")))
	watched := must(far.Session(ctx, started.ID()))(t)

	var totals []string
	for event, err := range watched.Events(ctx, debugrelay.Only(debugrelay.EventStopped, debugrelay.EventOutput)) {
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case event.Output() == "ready\n":
			proxy.cut()
			must(started.WriteInput(ctx, "1\n2\n3\n"))(t)
		case event.Stop() != nil && len(totals) < 2:
			proxy.cut()
			must(started.Continue(ctx))(t)
		case event.Stop() != nil:
			if err := started.CloseInput(ctx); err != nil {
				t.Fatal(err)
			}
			must(started.Continue(ctx))(t)
		default:
			totals = append(totals, event.Output())
		}
	}

	if got := strings.Join(totals, ""); got != "total 1\ntotal 3\ntotal 6\n" {
		t.Errorf("output by events: %q", got)
	}
}

func TestOutputIsWholeHoweverOftenTheConnectionIsCut(t *testing.T) {
	ctx := testContext(t)
	proxy := newProxy(t, shared.address)
	far, near := through(t, proxy.address), connect(t)
	session, _ := debug(t, near, "adder.py", debugrelay.Wait(0))
	watched := must(far.Session(ctx, session.ID()))(t)

	var read strings.Builder
	wrote := 0
	for chunk, err := range watched.StreamOutput(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if chunk.Missing() || chunk.Offset != uint64(read.Len()) {
			t.Fatalf("%d bytes are followed by those from %d to %d", read.Len(), chunk.Offset, chunk.Next)
		}
		read.WriteString(chunk.String())
		if !strings.HasSuffix(read.String(), "\n") {
			continue
		}
		if wrote++; wrote <= 10 {
			must(session.WriteInput(ctx, fmt.Sprintln(wrote)))(t)
		} else if err := session.CloseInput(ctx); err != nil {
			t.Fatal(err)
		}
		proxy.cut()
	}

	if want := "ready\n"; !strings.HasPrefix(read.String(), want) || !strings.HasSuffix(read.String(), "total 55\n") {
		t.Errorf("read %q", read.String())
	}
	if all := must(session.Output(ctx))(t); all.Text != read.String() || !all.End {
		t.Errorf("the stream had %q, and there is %q", read.String(), all.Text)
	}
}

func TestStreamsOutliveAServerThatIsKilledAndStartedAgain(t *testing.T) {
	ctx := testContext(t)
	server := ownServer(t)
	t.Setenv("DEBUG_RELAY_RUN_DIR", server.runDir())
	relay := connect(t)
	session, _ := debug(t, relay, "adder.py", debugrelay.Wait(0))
	restarted, whole := make(chan error, 1), make(chan string, 1)
	go func() {
		var text strings.Builder
		for chunk, err := range session.StreamOutput(ctx) {
			text.WriteString(chunk.String())
			if err != nil {
				text.WriteString(err.Error())
			}
		}
		whole <- text.String()
	}()

	var last debugrelay.Event
	for event, err := range session.Events(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if event.Sequence() != last.Sequence()+1 {
			t.Fatalf("%v follows %v", event, last)
		}
		last = event
		if event.Output() == "ready\n" {
			go func() {
				server.stop(syscall.SIGKILL)
				err := server.start(server.address)
				if err == nil {
					err = finish(ctx, session.ID(), "40\n2\n")
				}
				restarted <- err
			}()
		}
	}

	if err := <-restarted; err != nil {
		t.Fatal(err)
	}
	if last.Type() != debugrelay.EventTerminated {
		t.Errorf("the last event is %v", last)
	}
	if text := <-whole; text != "ready\ntotal 40\ntotal 42\n" {
		t.Errorf("the output is %q", text)
	}
}

// finish writes the last input of a session. The connection is a new one: the old ones may not yet have
// noticed that the server is back, and what writes is not repeated.
func finish(ctx context.Context, id, text string) error {
	relay, err := debugrelay.Connect(ctx)
	if err != nil {
		return err
	}
	defer relay.Close()
	session, err := relay.Session(ctx, id)
	if err != nil {
		return err
	}
	if _, err := session.WriteInput(ctx, text); err != nil {
		return err
	}
	return session.CloseInput(ctx)
}

func TestAServerThatEndsInPeaceLeavesItsStreamsToTheNext(t *testing.T) {
	ctx := testContext(t)
	server := ownServer(t)
	server.restart(t, func() { server.leavesSessions = true })
	t.Setenv("DEBUG_RELAY_RUN_DIR", server.runDir())
	relay := connect(t)
	session, _ := debug(t, relay, "adder.py", debugrelay.Wait(0))

	var last debugrelay.Event
	for event, err := range session.Events(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		if event.Sequence() != last.Sequence()+1 {
			t.Fatalf("%v follows %v", event, last)
		}
		last = event
		if event.Output() == "ready\n" {
			server.restart(t, func() { server.leavesSessions = false })
			if err := finish(ctx, session.ID(), ""); err != nil {
				t.Fatal(err)
			}
		}
	}

	if last.Type() != debugrelay.EventTerminated {
		t.Errorf("the last event is %v", last)
	}
}

func TestEventsOfAllSessionsComeInOneStream(t *testing.T) {
	ctx := testContext(t)
	proxy := newProxy(t, shared.address)
	relay := through(t, proxy.address)
	label := debugrelay.Label("test", t.Name())
	first, _ := debug(t, relay, "shop.py", label)
	var second *debugrelay.Session

	last := make(map[string]uint64)
	for event, err := range relay.AllEvents(ctx, debugrelay.OfLabel("test", t.Name())) {
		if err != nil {
			t.Fatal(err)
		}
		if event.Sequence() != last[event.SessionID]+1 {
			t.Fatalf("%v follows %d", event, last[event.SessionID])
		}
		last[event.SessionID] = event.Sequence()
		proxy.cut()
		if event.Type() != debugrelay.EventTerminated {
			continue
		}
		if second != nil {
			break
		}
		second, _ = debug(t, relay, "shop.py", label)
	}

	if len(last) != 2 || last[first.ID()] == 0 || last[second.ID()] == 0 {
		t.Errorf("events of %v", last)
	}
}

func TestAStreamEndsWhenTheServerStaysAway(t *testing.T) {
	ctx := testContext(t)
	server := ownServer(t)
	t.Setenv("DEBUG_RELAY_RUN_DIR", server.runDir())
	relay := connect(t, debugrelay.ResumeFor(200*time.Millisecond))
	session, _, err := relay.Debug(ctx, "testdata/adder.py", debugrelay.Wait(0))
	if err != nil {
		t.Fatal(err)
	}

	var failed error
	for event, err := range session.Events(ctx) {
		if event.Output() == "ready\n" {
			server.stop(syscall.SIGKILL)
		}
		failed = err
	}

	if !errors.Is(failed, debugrelay.ReasonUnreachable) {
		t.Errorf("the stream ended with %v", failed)
	}
	// A server that was killed leaves its sessions to the next.
	if err := errors.Join(server.start(server.address), session.Delete(ctx)); err != nil {
		t.Error(err)
	}
}

func TestWhatIsNoLongerKeptIsAnnounced(t *testing.T) {
	ctx := testContext(t)
	t.Setenv("DEBUG_RELAY_LIMITS_OUTPUT_BYTES", "64KiB")
	t.Setenv("DEBUG_RELAY_LIMITS_EVENTS", "100")
	server := ownServer(t)
	t.Setenv("DEBUG_RELAY_RUN_DIR", server.runDir())
	relay := connect(t)
	code := "import sys\nfor n in range(200): print('x' * 999); a = n\n"
	session, outcome, err := relay.DebugCode(ctx, code, debugrelay.StopOnEntry())
	if err != nil {
		t.Fatal(err)
	}
	defer session.Delete(ctx)
	for range 60 {
		outcome = must(session.StepOver(ctx, debugrelay.NoSnapshot()))(t)
	}
	must(session.Continue(ctx))(t)

	var gap, next uint64
	for chunk, err := range session.StreamOutput(ctx) {
		if err != nil || chunk.Offset != next {
			t.Fatalf("%d is followed by %d, %v", next, chunk.Offset, err)
		}
		if next = chunk.Next; chunk.Missing() {
			gap += chunk.Next - chunk.Offset
		}
	}
	read := must(session.Output(ctx))(t)
	var first debugrelay.Event
	for event, err := range session.Events(ctx) {
		if first = event; err != nil {
			t.Fatal(err)
		}
		break
	}

	if next != 200_000 || gap == 0 || read.MissingBytes != gap || uint64(len(read.Text))+gap != next {
		t.Errorf("%d bytes, of which %d are missing, and then %d", next, gap, read.MissingBytes)
	}
	if from, to, ok := first.Gap(); !ok || from != 1 || to != first.Sequence() {
		t.Errorf("the first event is %v, at %v", first, outcome)
	}
}

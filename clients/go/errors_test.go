package debugrelay_test

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	debugrelay "github.com/debug-relay/debug-relay/clients/go"
	"github.com/debug-relay/debug-relay/clients/go/debugrelaypb"
)

func TestAnErrorHasReasonFactsAndHint(t *testing.T) {
	relay := connect(t)

	_, err := relay.Session(testContext(t), "nobody")

	var failed *debugrelay.Error
	if !errors.As(err, &failed) {
		t.Fatalf("the error is %v", err)
	}
	if failed.Code != codes.NotFound || failed.Reason != debugrelay.ReasonSessionNotFound {
		t.Errorf("code %v, reason %v", failed.Code, failed.Reason)
	}
	if failed.Facts["session_id"] != "nobody" || failed.Facts["hint"] != "" {
		t.Errorf("facts %v", failed.Facts)
	}
	if failed.Message != "there is no session nobody." || failed.Hint == "" ||
		err.Error() != failed.Message+" "+failed.Hint {
		t.Errorf("message %q, hint %q, error %q", failed.Message, failed.Hint, err)
	}
	if status.Code(err) != codes.NotFound || len(status.Convert(err).Details()) == 0 {
		t.Errorf("for gRPC it is %v", status.Convert(err))
	}
}

func TestReasonsAreFoundByErrorsIs(t *testing.T) {
	relay := connect(t)
	session, _ := debug(t, relay, "forever.py", debugrelay.Wait(0))

	_, err := session.StepOver(testContext(t))

	if !errors.Is(err, debugrelay.ReasonNotStopped) || errors.Is(err, debugrelay.ReasonWrongState) {
		t.Errorf("the error is %v", err)
	}
}

func TestABadFieldIsNamed(t *testing.T) {
	relay := connect(t)

	_, err := relay.Create(testContext(t), debugrelay.ID("No Such Id"))

	var failed *debugrelay.Error
	if !errors.As(err, &failed) || failed.Reason != debugrelay.ReasonInvalidArgument || failed.Fields["session_id"] == "" {
		t.Errorf("the error is %#v", err)
	}
}

func TestEveryReasonOfTheServerHasAName(t *testing.T) {
	source := readFile(t, "reasons.go")

	for _, name := range debugrelaypb.ErrorReason_name {
		word := strings.TrimPrefix(name, "ERROR_REASON_")
		if word != "UNSPECIFIED" && !strings.Contains(source, ` Reason = "`+word+`"`) {
			t.Errorf("%s has no constant", word)
		}
	}
}

func TestACancelledContextEndsACall(t *testing.T) {
	relay := connect(t)
	session, _ := debug(t, relay, "adder.py", debugrelay.Wait(0))
	ctx, cancel := context.WithCancel(testContext(t))
	ended := make(chan error, 1)

	go func() {
		_, err := session.WaitForStop(ctx)
		ended <- err
	}()
	cancel()

	if err := <-ended; !errors.Is(err, context.Canceled) || !errors.Is(err, debugrelay.ReasonCallEnded) {
		t.Errorf("the error is %v", err)
	}
}

func TestADeadlineEndsACall(t *testing.T) {
	relay := connect(t)
	session, _ := debug(t, relay, "adder.py", debugrelay.Wait(0))
	ctx, cancel := context.WithTimeout(testContext(t), 50*time.Millisecond)
	defer cancel()

	_, err := session.WaitForStop(ctx)

	if !errors.Is(err, context.DeadlineExceeded) || status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("the error is %v", err)
	}
}

func TestACancelledContextEndsAStream(t *testing.T) {
	relay := connect(t)
	session, _ := debug(t, relay, "adder.py", debugrelay.Wait(0))
	ctx, cancel := context.WithCancel(testContext(t))
	defer cancel()

	var last error
	for event, err := range session.Events(ctx) {
		last = err
		if event.Output() == "ready\n" {
			cancel()
		}
	}

	if !errors.Is(last, context.Canceled) {
		t.Errorf("the stream ended with %v", last)
	}
}

func TestAStreamThatWaitsForAServerIsEndedByItsContext(t *testing.T) {
	server := ownServer(t)
	t.Setenv("DEBUG_RELAY_RUN_DIR", server.runDir())
	relay := connect(t)
	session, _, err := relay.Debug(testContext(t), "testdata/adder.py", debugrelay.Wait(0))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(testContext(t))
	defer cancel()

	var last error
	for event, err := range session.Events(ctx) {
		last = err
		if event.Output() == "ready\n" {
			server.stop(syscall.SIGKILL)
			time.AfterFunc(100*time.Millisecond, cancel)
		}
	}

	if !errors.Is(last, context.Canceled) {
		t.Errorf("the stream ended with %v", last)
	}
	if err := errors.Join(server.start(server.address), session.Delete(ctx)); err != nil {
		t.Error(err)
	}
}

func TestASessionIsDeletedThoughItsContextIsOver(t *testing.T) {
	relay := connect(t)
	ctx, cancel := context.WithCancel(testContext(t))
	session, _, err := relay.Debug(ctx, "testdata/adder.py", debugrelay.Wait(0))
	if err != nil {
		t.Fatal(err)
	}
	cancel()

	if err := session.Delete(ctx); err != nil {
		t.Fatal(err)
	}

	if _, err := session.Info(testContext(t)); !errors.Is(err, debugrelay.ReasonSessionNotFound) {
		t.Errorf("the session is still there: %v", err)
	}
	if err := session.Delete(testContext(t)); err != nil {
		t.Errorf("deleted again: %v", err)
	}
}

func TestACallThatWasCutOffSaysThatTheServerMayHaveDoneIt(t *testing.T) {
	proxy := newProxy(t, shared.address)
	far, near := through(t, proxy.address), connect(t)
	session, outcome := debug(t, near, "adder.py", debugrelay.StopOnEntry())
	cutOff := must(far.Session(testContext(t), session.ID()))(t)

	ended := make(chan error, 1)
	go func() {
		_, err := cutOff.Continue(testContext(t))
		ended <- err
	}()
	for event, err := range session.Events(testContext(t), debugrelay.After(outcome.Message.GetSequence())) {
		if err != nil {
			t.Fatal(err)
		}
		if event.Type() == debugrelay.EventContinued {
			break
		}
	}
	proxy.cut()

	err := <-ended
	if !errors.Is(err, debugrelay.ReasonUnreachable) || !strings.Contains(err.Error(), "broke during the call") {
		t.Errorf("the error is %v", err)
	}
}

func TestReadsAreRepeatedWhenTheConnectionBreaks(t *testing.T) {
	proxy := newProxy(t, shared.address)
	far, near := through(t, proxy.address), connect(t)
	session, _ := debug(t, near, "adder.py", debugrelay.Break(line(t, "adder.py", "add")), debugrelay.Wait(0))
	watched := must(far.Session(testContext(t), session.ID()))(t)
	stopped := make(chan error, 1)

	proxy.cutNextCall(func() {
		_, err := watched.WaitForStop(testContext(t))
		stopped <- err
	})
	must(session.WriteInput(testContext(t), "1\n"))(t)

	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

func TestASessionIsMadeOnceThoughTheConnectionBreaksMeanwhile(t *testing.T) {
	ctx := testContext(t)
	proxy := newProxy(t, shared.address)
	far, near := through(t, proxy.address), connect(t)
	made := make(chan error, 1)

	go func() {
		session, outcome, err := far.Debug(ctx, "testdata/adder.py",
			debugrelay.Label("test", t.Name()), debugrelay.Break(line(t, "adder.py", "add")))
		if err == nil && !outcome.Stopped() {
			err = errors.New(outcome.String())
		}
		if err == nil {
			err = session.Delete(ctx)
		}
		made <- err
	}()
	sessions := make(map[string]bool)
	for event, err := range near.AllEvents(ctx, debugrelay.OfLabel("test", t.Name())) {
		if err != nil {
			t.Fatal(err)
		}
		sessions[event.SessionID] = true
		if event.Output() == "ready\n" {
			proxy.cut()
			session := must(near.Session(ctx, event.SessionID))(t)
			must(session.WriteInput(ctx, "1\n"))(t)
		}
		if event.Type() == debugrelay.EventTerminated {
			break
		}
	}

	if err := <-made; err != nil {
		t.Error(err)
	}
	if len(sessions) != 1 {
		t.Errorf("there were %d sessions", len(sessions))
	}
}

func TestADebugCallThatIsCancelledLeavesNoSession(t *testing.T) {
	relay := connect(t)
	ctx, cancel := context.WithCancel(testContext(t))
	defer cancel()
	begun := make(chan error, 1)

	go func() {
		_, _, err := relay.Debug(ctx, "testdata/adder.py", debugrelay.Label("test", t.Name()))
		begun <- err
	}()
	for event, err := range relay.AllEvents(testContext(t), debugrelay.OfLabel("test", t.Name())) {
		if err != nil {
			t.Fatal(err)
		}
		if event.Output() == "ready\n" {
			cancel()
			break
		}
	}

	if err := <-begun; !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	for session, err := range relay.Sessions(testContext(t), debugrelay.WithLabel("test", t.Name())) {
		t.Errorf("there is %v, %v", session, err)
	}
}

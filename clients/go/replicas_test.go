package debugrelay_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"testing"

	"google.golang.org/grpc/metadata"

	debugrelay "github.com/debug-relay/debug-relay/clients/go"
	"github.com/debug-relay/debug-relay/clients/go/debugrelaypb"
)

// twoReplicas are two servers behind a proxy, which take the same token.
func twoReplicas(t *testing.T) *front {
	t.Helper()
	one, two := ownServer(t), ownServer(t)
	token := readFile(t, filepath.Join(one.runDir(), "token"))
	two.restart(t, func() {
		if err := os.WriteFile(filepath.Join(two.runDir(), "token"), []byte(token), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	t.Setenv("DEBUG_RELAY_RUN_DIR", one.runDir())
	return newFront(t, one.address, two.address)
}

func TestEveryCallAboutASessionGoesToItsReplica(t *testing.T) {
	ctx := testContext(t)
	front := twoReplicas(t)
	relay := through(t, front.address)
	// The proxy sends the first two to different replicas; the third has an id that the client makes.
	for _, options := range [][]debugrelay.DebugOption{{debugrelay.ID("story-1")}, {debugrelay.ID("story-2")}, nil} {
		front.taken()
		session, _, err := relay.Debug(ctx, "testdata/shop.py", append(options, debugrelay.StopOnEntry())...)
		if err != nil {
			t.Fatal(err)
		}
		must(session.StepOver(ctx))(t)
		must(session.Evaluate(ctx, "1"))(t)
		must(session.Shares(ctx))(t)
		for _, err := range session.Trace(ctx, debugrelay.MaxSteps(1)).Rows() {
			must(0, err)(t)
		}
		raw := must(debugrelaypb.NewEventServiceClient(relay.Conn()).StreamEvents(ctx,
			&debugrelaypb.StreamEventsRequest{SessionId: session.ID(), Limit: 1}))(t)
		must(raw.Recv())(t)
		for _, err := range session.Collect(ctx, debugrelay.Break(line(t, "shop.py", "add"))).Rows() {
			must(0, err)(t)
		}
		for _, err := range session.Events(ctx) {
			must(0, err)(t)
		}
		for _, err := range session.StreamOutput(ctx) {
			must(0, err)(t)
		}
		if err := session.Delete(ctx); err != nil {
			t.Fatal(err)
		}

		calls := front.taken()
		for _, call := range calls {
			if call.session != session.ID() {
				t.Errorf("%s of %s has the header %q", call.name, session.ID(), call.session)
			}
		}
		if calls[0].name != "CreateSession" || len(calls) != 10 {
			t.Errorf("the calls are %v", calls)
		}
	}
}

func TestTheTokenOfASessionFindsItsReplica(t *testing.T) {
	ctx := testContext(t)
	front := twoReplicas(t)
	relay := through(t, front.address)

	for _, id := range []string{"story-1", "story_2"} {
		session := must(relay.Create(ctx, debugrelay.ID(id)))(t)
		holder := connect(t, debugrelay.Address(front.address), debugrelay.Token(session.Token()))
		if own := must(holder.Session(ctx, ""))(t); own.ID() != id {
			t.Errorf("the token of %s is for %s", id, own.ID())
		}
	}

	if told := front.named("GetInfo"); !slices.Equal(told, []string{"", "story-1", "story_2"}) {
		t.Errorf("GetInfo had the headers %q", told)
	}
}

func TestARequestThatIsRepeatedMakesOneSession(t *testing.T) {
	ctx := testContext(t)
	front := twoReplicas(t)
	request := func(id string) debugrelay.SessionSetting {
		return func(r *debugrelaypb.CreateSessionRequest) { r.RequestId = id }
	}

	for _, id := range []string{"job-1", "job-2", "job-3"} {
		first := must(through(t, front.address).Create(ctx, request(id)))(t)
		again := must(through(t, front.address).Create(ctx, request(id)))(t)
		if first.ID() != again.ID() {
			t.Errorf("%s made %s and %s", id, first.ID(), again.ID())
		}
	}
}

func TestNewIdsHaveTheFormOfTheServersOwn(t *testing.T) {
	ctx := testContext(t)
	relay := connect(t)
	form := regexp.MustCompile(`^s-[a-km-np-z2-9]{8}$`)

	one, two := must(relay.Create(ctx))(t), must(relay.Create(ctx))(t)
	defer one.Delete(ctx)
	defer two.Delete(ctx)
	// Every client makes the same of one request.
	named := must(relay.Create(ctx, debugrelay.SessionSetting(func(r *debugrelaypb.CreateSessionRequest) {
		r.RequestId = "job-7"
	})))(t)
	defer named.Delete(ctx)

	if one.ID() == two.ID() || !form.MatchString(one.ID()) || !form.MatchString(two.ID()) {
		t.Errorf("the ids are %s and %s", one.ID(), two.ID())
	}
	if named.ID() != "s-jeakimmt" {
		t.Errorf("the id of job-7 is %s", named.ID())
	}
}

func TestAHeaderOfTheCallersOwnWins(t *testing.T) {
	front := newFront(t, shared.address)
	relay := through(t, front.address)
	ctx := metadata.AppendToOutgoingContext(testContext(t), "debug-relay-session", "other")

	_, err := relay.Session(ctx, "nobody")

	if told := front.named("GetSession"); !slices.Equal(told, []string{"other"}) || !errors.Is(err, debugrelay.ReasonSessionNotFound) {
		t.Errorf("the headers are %q, the error is %v", told, err)
	}
}

func TestAServerThatIsToldToEndMakesNoNewSessions(t *testing.T) {
	ctx := testContext(t)
	server := ownServer(t, "--drain", "10m")
	front := newFront(t, server.address)
	t.Setenv("DEBUG_RELAY_RUN_DIR", server.runDir())
	relay := through(t, front.address)
	session, _ := debug(t, relay, "forever.py", debugrelay.Wait(0))
	front.taken()

	server.process.Signal(syscall.SIGTERM)
	for !must(relay.Info(ctx))(t).GetDraining() {
	}
	_, err := relay.Create(ctx)
	paused := must(session.Pause(ctx))(t)

	if !errors.Is(err, debugrelay.ReasonShuttingDown) || !paused.Stopped() {
		t.Errorf("the error is %v; the old session is %v", err, paused)
	}
	// It was asked again for a moment, always for the same session.
	if asked := front.named("CreateSession"); len(asked) < 2 || len(slices.Compact(asked)) != 1 {
		t.Errorf("it was asked for %v", asked)
	}
}

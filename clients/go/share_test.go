package debugrelay_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	debugrelay "github.com/debug-relay/debug-relay/clients/go"
)

func TestTheTokenOfANewSessionReachesThatSessionAlone(t *testing.T) {
	ctx := testContext(t)
	relay := connect(t)
	session, _ := debug(t, relay, "shop.py", debugrelay.StopOnEntry())
	other := must(relay.Create(ctx))(t)
	defer other.Delete(ctx)

	holder := connect(t, debugrelay.Token(session.Token()))
	own := must(holder.Session(ctx, ""))(t)
	must(own.StepOver(ctx))(t)
	_, otherErr := holder.Session(ctx, other.ID())
	_, createErr := holder.Create(ctx)

	if own.ID() != session.ID() || own.Token() != "" {
		t.Errorf("the token is for %s", own.ID())
	}
	for info, err := range holder.Sessions(ctx) {
		if err != nil || info.GetId() != session.ID() {
			t.Errorf("it sees %v, %v", info, err)
		}
	}
	if !errors.Is(otherErr, debugrelay.ReasonSessionNotFound) || !errors.Is(createErr, debugrelay.ReasonPermissionDenied) {
		t.Errorf("another session: %v; a new one: %v", otherErr, createErr)
	}
}

func TestWhoMayOnlyLookChangesNothing(t *testing.T) {
	ctx := testContext(t)
	session, _ := debug(t, connect(t), "shop.py", debugrelay.Break(line(t, "shop.py", "append")))
	share := must(session.Share(ctx, debugrelay.ReadOnly()))(t)
	watched := must(connect(t, debugrelay.Token(share.Token)).Session(ctx, ""))(t)

	snapshot := must(watched.Snapshot(ctx))(t)
	for name, call := range map[string]func() error{
		"Continue":    func() error { _, err := watched.Continue(ctx); return err },
		"Evaluate":    func() error { _, err := watched.Evaluate(ctx, "1"); return err },
		"Expressions": func() error { _, err := watched.Snapshot(ctx, debugrelay.Expressions("1")); return err },
		"Break":       func() error { _, err := watched.Break(ctx, "shop.py:1"); return err },
		"Share":       func() error { _, err := watched.Share(ctx); return err },
		"Delete":      func() error { return watched.Delete(ctx) },
	} {
		if err := call(); !errors.Is(err, debugrelay.ReasonPermissionDenied) {
			t.Errorf("%s: %v", name, err)
		}
	}

	if snapshot.Locals()["price"] != "1" {
		t.Errorf("it sees %v", snapshot.Locals())
	}
}

func TestTokensAreListedWithoutThemselves(t *testing.T) {
	ctx := testContext(t)
	session := must(connect(t).Create(ctx))(t)
	defer session.Delete(ctx)

	share := must(session.Share(ctx, debugrelay.ReadOnly(), debugrelay.ValidFor(time.Hour), debugrelay.ShareName("for a friend")))(t)
	listed := must(session.Shares(ctx))(t)

	if len(listed) != 2 || listed[0].GetName() != "created" || listed[1].GetName() != "for a friend" ||
		listed[1].GetId() != share.Info.GetId() || !listed[1].GetReadOnly() || listed[1].GetExpireTime() == nil {
		t.Errorf("listed %v", listed)
	}
	if shown := fmt.Sprint(share); strings.Contains(shown, share.Token) || shown != share.Info.GetId() {
		t.Errorf("it is shown as %s", shown)
	}
}

func TestATokenThatIsTakenBackEndsItsStreamsAtOnce(t *testing.T) {
	ctx := testContext(t)
	session, _ := debug(t, connect(t), "adder.py", debugrelay.Wait(0))
	share := must(session.Share(ctx))(t)
	front := newFront(t, shared.address)
	friend := connect(t, debugrelay.Address(front.address), debugrelay.Token(share.Token))
	watched := must(friend.Session(ctx, ""))(t)

	var last error
	for event, err := range watched.Events(ctx) {
		if last = err; event.Output() == "ready\n" {
			if err := session.Revoke(ctx, share.Info.GetId()); err != nil {
				t.Fatal(err)
			}
		}
	}
	_, later := watched.Info(ctx)

	if !errors.Is(last, debugrelay.ReasonUnauthenticated) || !errors.Is(later, debugrelay.ReasonUnauthenticated) {
		t.Errorf("the stream ended with %v, and then %v", last, later)
	}
	if opened := front.named("StreamEvents"); len(opened) != 1 {
		t.Errorf("it was opened %d times", len(opened))
	}
}

func TestATokenEndsWithItsTime(t *testing.T) {
	ctx := testContext(t)
	session, _ := debug(t, connect(t), "adder.py", debugrelay.Wait(0))
	share := must(session.Share(ctx, debugrelay.ValidFor(time.Second)))(t)

	err := watch(ctx, share.Token)

	if !errors.Is(err, debugrelay.ReasonUnauthenticated) {
		t.Errorf("it ended with %v", err)
	}
}

// watch reads all output of the session that the token is for.
func watch(ctx context.Context, token string) error {
	relay, err := debugrelay.Connect(ctx, debugrelay.Token(token))
	if err != nil {
		return err
	}
	defer relay.Close()
	session, err := relay.Session(ctx, "")
	if err != nil {
		return err
	}
	for _, err = range session.StreamOutput(ctx) {
	}
	return err
}

func TestAllTokensAreTakenBack(t *testing.T) {
	ctx := testContext(t)
	session := must(connect(t).Create(ctx))(t)
	defer session.Delete(ctx)
	must(session.Share(ctx))(t)

	count := must(session.RevokeAll(ctx))(t)
	_, err := debugrelay.Connect(ctx, debugrelay.Token(session.Token()))

	if left := must(session.Shares(ctx))(t); count != 2 || len(left) != 0 || !errors.Is(err, debugrelay.ReasonUnauthenticated) {
		t.Errorf("%d are taken back, %v are left, and the session's own leads to %v", count, left, err)
	}
	if err := session.Revoke(ctx, "t-unknown"); !errors.Is(err, debugrelay.ReasonInvalidArgument) {
		t.Errorf("one that is not there: %v", err)
	}
}

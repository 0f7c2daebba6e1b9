package debugrelay_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	debugrelay "github.com/debug-relay/debug-relay/clients/go"
)

func TestAServerIsFoundByItsRunFolder(t *testing.T) {
	relay := connect(t)

	if relay.Address() != shared.address {
		t.Errorf("found %s, not %s", relay.Address(), shared.address)
	}
	if info := must(relay.Info(testContext(t)))(t); info.GetAddress() != shared.address {
		t.Errorf("the server says that it is at %s", info.GetAddress())
	}
}

func TestTheRunFolderIsBelowTheRuntimeFolder(t *testing.T) {
	base := t.TempDir()
	if err := os.Symlink(shared.runDir(), filepath.Join(base, "debug-relay")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DEBUG_RELAY_RUN_DIR", "")
	t.Setenv("XDG_RUNTIME_DIR", base)

	relay := connect(t)

	if relay.Address() != shared.address {
		t.Errorf("found %s, not %s", relay.Address(), shared.address)
	}
}

func TestTheEnvironmentWinsOverTheRunFolderAndAnOptionOverBoth(t *testing.T) {
	ctx := testContext(t)
	token := must(os.ReadFile(filepath.Join(shared.runDir(), "token")))(t)
	folder := runFolder(t, `{"address": "127.0.0.1:1"}`, "wrong")
	t.Setenv("DEBUG_RELAY_RUN_DIR", folder)
	named := runFolder(t, string(must(os.ReadFile(filepath.Join(shared.runDir(), "server.json")))(t)), "wrong")

	_, fromFolder := debugrelay.Connect(ctx)
	_, stranger := debugrelay.Connect(ctx, debugrelay.Address(shared.address))
	t.Setenv("DEBUG_RELAY_RUN_DIR", named)
	_, tokenFromFolder := debugrelay.Connect(ctx, debugrelay.Address(shared.address))
	t.Setenv("DEBUG_RELAY_RUN_DIR", folder)
	t.Setenv("DEBUG_RELAY_ADDRESS", shared.address)
	t.Setenv("DEBUG_RELAY_TOKEN", strings.TrimSpace(string(token)))
	fromEnvironment, err := debugrelay.Connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer fromEnvironment.Close()
	_, givenAddress := debugrelay.Connect(ctx, debugrelay.Address("127.0.0.1:1"))
	_, givenToken := debugrelay.Connect(ctx, debugrelay.Token("wrong"))

	for name, claim := range map[string]bool{
		"address from the folder": errors.Is(fromFolder, debugrelay.ReasonUnreachable),
		"no token for a stranger": stranger != nil && strings.Contains(stranger.Error(), "no `authorization`"),
		"token from the folder":   tokenFromFolder != nil && strings.Contains(tokenFromFolder.Error(), "not known here"),
		"given address":           errors.Is(givenAddress, debugrelay.ReasonUnreachable),
		"given token":             errors.Is(givenToken, debugrelay.ReasonUnauthenticated),
	} {
		if !claim {
			t.Errorf("%s is not used", name)
		}
	}
}

func TestTheTokenOfThisMachineIsNotSentToOthers(t *testing.T) {
	_, port, err := net.SplitHostPort(shared.address)
	if err != nil {
		t.Fatal(err)
	}

	// This leads to the server, but is no address of this machine alone.
	_, err = debugrelay.Connect(testContext(t), debugrelay.Address("0.0.0.0:"+port))

	if !errors.Is(err, debugrelay.ReasonUnauthenticated) {
		t.Errorf("the answer is %v", err)
	}
}

func TestWhenNobodyAnswersTheErrorTellsHowToStartAServer(t *testing.T) {
	t.Setenv("DEBUG_RELAY_RUN_DIR", runFolder(t, `{"address": "127.0.0.1:1"}`, "token"))

	_, err := debugrelay.Connect(testContext(t))

	if err == nil || !strings.HasSuffix(err.Error(), "debug-relay serve") {
		t.Errorf("the error is %v", err)
	}
	if err != nil && !strings.Contains(err.Error(), "server.json") {
		t.Errorf("the error does not tell where the address comes from: %v", err)
	}
}

func TestABrokenServerFileIsNamed(t *testing.T) {
	for _, text := range []string{"{", "{}", `{"address": 7}`} {
		t.Setenv("DEBUG_RELAY_RUN_DIR", runFolder(t, text, "token"))

		_, err := debugrelay.Connect(testContext(t))

		if err == nil || !strings.Contains(err.Error(), "server.json cannot be used") {
			t.Errorf("%s: the error is %v", text, err)
		}
	}
}

func TestAnAddressThatIsNoneIsRefused(t *testing.T) {
	_, err := debugrelay.Connect(testContext(t), debugrelay.Address("nowhere\x00"))

	if !errors.Is(err, debugrelay.ReasonUnreachable) {
		t.Errorf("the error is %v", err)
	}
}

func TestAServerOnAUnixSocketIsFound(t *testing.T) {
	server := ownServer(t)
	if err := server.stop(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := server.start("unix:" + filepath.Join(server.folder, "socket")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DEBUG_RELAY_RUN_DIR", server.runDir())

	relay := connect(t)
	_, outcome := debug(t, relay, "shop.py")

	if outcome.Output() != "total 10\n" || !strings.HasPrefix(relay.Address(), "unix:") {
		t.Errorf("at %s: %v", relay.Address(), outcome)
	}
}

// runFolder is a run folder with these files.
func runFolder(t *testing.T, server, token string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{"server.json": server, "token": token} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

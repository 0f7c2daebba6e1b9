package debugrelay_test

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	debugrelay "github.com/debug-relay/debug-relay/clients/go"
)

const (
	ada = "spiffe://example.org/ada"
	bob = "spiffe://example.org/bob"
)

// tlsServer is a server that speaks TLS, to callers with and without certificates. Connect finds it by
// itself.
func tlsServer(t *testing.T, authority *authority) *server {
	t.Helper()
	cert, key := authority.ofServer(t)
	server := ownServer(t, "--tls-cert", cert, "--tls-key", key, "--tls-client-ca", authority.file, "--tls-client-optional")
	t.Setenv("DEBUG_RELAY_RUN_DIR", server.runDir())
	return server
}

func TestAProgramIsDebuggedOverTLSAndStreamsGoOnAfterACut(t *testing.T) {
	ctx := testContext(t)
	authority := newAuthority(t)
	proxy := newProxy(t, tlsServer(t, authority).address)
	relay := connect(t, debugrelay.Address(proxy.address), debugrelay.CA(authority.file))
	session, outcome := debug(t, relay, "shop.py")

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

	if outcome.Output() != "total 10\n" || last.Type() != debugrelay.EventTerminated {
		t.Errorf("%v, and the last event is %v", outcome, last)
	}
}

func TestAServerOfThisMachineTellsThatItSpeaksTLS(t *testing.T) {
	authority := newAuthority(t)
	server := tlsServer(t, authority)

	_, untrusted := debugrelay.Connect(testContext(t))
	t.Setenv("DEBUG_RELAY_CA", authority.file)
	relay := connect(t)

	if info := must(relay.Info(testContext(t)))(t); info.GetCaller().GetOwner() != "server" || relay.Address() != server.address {
		t.Errorf("at %s the caller is %v", relay.Address(), info.GetCaller())
	}
	if !errors.Is(untrusted, debugrelay.ReasonUnreachable) || !strings.Contains(untrusted.Error(), "does this machine vouch for it?") {
		t.Errorf("without the authority: %v", untrusted)
	}
}

// A process reads only once whom it may trust, so this is one of its own.
func TestThoseAreAskedWhomThisMachineTrusts(t *testing.T) {
	if address := os.Getenv("TRUSTED_SERVER"); address != "" {
		t.Setenv("DEBUG_RELAY_RUN_DIR", os.Getenv("TRUSTED_RUN_DIR"))
		connect(t)
		connect(t, debugrelay.Address("https://"+address+"/"))
		return
	}
	authority := newAuthority(t)
	server := tlsServer(t, authority)
	again := exec.CommandContext(testContext(t), must(os.Executable())(t), "-test.run=^"+t.Name()+"$")
	again.Env = append(os.Environ(), "SSL_CERT_FILE="+authority.file,
		"TRUSTED_SERVER="+server.address, "TRUSTED_RUN_DIR="+server.runDir())

	if output, err := again.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, output)
	}
}

func TestTheServerMayHaveAnotherNameThanItsAddress(t *testing.T) {
	authority := newAuthority(t)
	tlsServer(t, authority)

	connect(t, debugrelay.CA(authority.file), debugrelay.ServerName("relay.test"))
	_, err := debugrelay.Connect(testContext(t), debugrelay.CA(authority.file), debugrelay.ServerName("other.test"))

	if !errors.Is(err, debugrelay.ReasonUnreachable) || !strings.Contains(err.Error(), "other.test") {
		t.Errorf("the error is %v", err)
	}
}

func TestAServerThatNobodyVouchesForIsLeftAlone(t *testing.T) {
	server := tlsServer(t, newAuthority(t))
	stranger := newAuthority(t)

	_, wrong := debugrelay.Connect(testContext(t), debugrelay.CA(stranger.file))
	_, plain := debugrelay.Connect(testContext(t), debugrelay.Address(server.address))

	if !errors.Is(wrong, debugrelay.ReasonUnreachable) || !strings.Contains(wrong.Error(), stranger.file) {
		t.Errorf("with another authority: %v", wrong)
	}
	if !errors.Is(plain, debugrelay.ReasonUnreachable) {
		t.Errorf("without TLS: %v", plain)
	}
}

func TestTheTokenOfThisMachineIsNotSentToOthersWithTLSEither(t *testing.T) {
	authority := newAuthority(t)
	_, port, err := net.SplitHostPort(tlsServer(t, authority).address)
	if err != nil {
		t.Fatal(err)
	}

	// This leads to the server, but is no address of this machine alone.
	_, err = debugrelay.Connect(testContext(t), debugrelay.Address("https://0.0.0.0:"+port),
		debugrelay.CA(authority.file), debugrelay.ServerName("relay.test"))

	if !errors.Is(err, debugrelay.ReasonUnauthenticated) {
		t.Errorf("the answer is %v", err)
	}
}

func TestTwoCertificatesDoNotSeeEachOthersSessions(t *testing.T) {
	ctx := testContext(t)
	authority := newAuthority(t)
	// The token in its run folder would let everybody see everything.
	tlsServer(t, authority)
	sessions, relays := make(map[string]string), make(map[string]*debugrelay.Relay)
	for _, uri := range []string{ada, bob} {
		cert, key := authority.ofCaller(t, uri)
		relays[uri] = connect(t, debugrelay.CA(authority.file), debugrelay.Certificate(cert, key))
		sessions[uri] = must(relays[uri].Create(ctx))(t).ID()
	}

	for uri, relay := range relays {
		if owner := must(relay.Info(ctx))(t).GetCaller().GetOwner(); owner != uri {
			t.Errorf("%s is taken for %s", uri, owner)
		}
		for info, err := range relay.Sessions(ctx) {
			if err != nil || info.GetId() != sessions[uri] {
				t.Errorf("%s sees %v, %v", uri, info, err)
			}
		}
	}
	if _, err := relays[bob].Session(ctx, sessions[ada]); !errors.Is(err, debugrelay.ReasonSessionNotFound) {
		t.Errorf("the error is %v", err)
	}
}

func TestTheEnvironmentNamesACertificateWhichIsReadAgain(t *testing.T) {
	authority := newAuthority(t)
	proxy := newProxy(t, tlsServer(t, authority).address)
	cert, key := authority.ofCaller(t, ada)
	t.Setenv("DEBUG_RELAY_ADDRESS", proxy.address)
	t.Setenv("DEBUG_RELAY_CA", authority.file)
	t.Setenv("DEBUG_RELAY_CERT", cert)
	t.Setenv("DEBUG_RELAY_KEY", key)
	relay := connect(t)
	session := must(relay.Create(testContext(t)))(t)

	newCert, newKey := authority.ofCaller(t, bob)
	for from, to := range map[string]string{newCert: cert, newKey: key} {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	before := must(session.Info(testContext(t)))(t)
	proxy.cut()
	_, err := session.Info(testContext(t))

	if before.GetId() != session.ID() || !errors.Is(err, debugrelay.ReasonSessionNotFound) {
		t.Errorf("%v, then %v", before, err)
	}
}

func TestAMissingCertificateIsThoughtOf(t *testing.T) {
	authority := newAuthority(t)
	cert, key := authority.ofServer(t)
	server := ownServer(t, "--tls-cert", cert, "--tls-key", key, "--tls-client-ca", authority.file)

	_, err := debugrelay.Connect(testContext(t), debugrelay.Address(server.address), debugrelay.CA(authority.file))

	if err == nil || !strings.HasSuffix(err.Error(), "Does it want a Certificate?") {
		t.Errorf("the error is %v", err)
	}
}

func TestFilesThatCannotBeUsedAreNamed(t *testing.T) {
	authority := newAuthority(t)
	cert, key := authority.ofServer(t)
	missing := filepath.Join(t.TempDir(), "missing")

	for says, option := range map[string]debugrelay.ConnectOption{
		missing + ": no such file":       debugrelay.CA(missing),
		key + " has no certificates":     debugrelay.CA(key),
		"give both":                      debugrelay.Certificate(cert, ""),
		"are no certificate and its key": debugrelay.Certificate(authority.file, key),
	} {
		_, err := debugrelay.Connect(testContext(t), option)

		if !errors.Is(err, debugrelay.ReasonInvalidArgument) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: the error is %v", says, err)
		}
	}
}

func TestAUnixSocketHasNoTLS(t *testing.T) {
	server := ownServer(t)
	server.restart(t, func() { server.address = "unix:" + filepath.Join(server.folder, "socket") })
	t.Setenv("DEBUG_RELAY_RUN_DIR", server.runDir())
	t.Setenv("DEBUG_RELAY_CA", "missing")
	t.Setenv("DEBUG_RELAY_CERT", "missing")
	t.Setenv("DEBUG_RELAY_KEY", "missing")

	relay := connect(t)

	if !strings.HasPrefix(relay.Address(), "unix:") {
		t.Errorf("it is at %s", relay.Address())
	}
}

package debugrelay_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	debugrelay "github.com/debug-relay/debug-relay/clients/go"
)

// limit is for anything that a test waits for.
const limit = 60 * time.Second

// shared is the server of all tests that do not harm theirs. Connect finds it by itself.
var shared *server

func TestMain(m *testing.M) {
	for _, name := range []string{"ADDRESS", "TOKEN", "CA", "CERT", "KEY"} {
		os.Unsetenv("DEBUG_RELAY_" + name)
	}
	os.Exit(func() int {
		var err error
		if shared, err = startServer(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		os.Setenv("DEBUG_RELAY_RUN_DIR", shared.runDir())
		code := m.Run()
		if err := shared.remove(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return code
	}())
}

// server is a real debug-relay in folders of its own.
type server struct {
	folder  string
	address string
	process *os.Process
	ended   chan error
	log     string
	// leavesSessions makes the next start one whose sessions outlive it.
	leavesSessions bool
	flags          []string
}

func startServer(flags ...string) (*server, error) {
	// Sockets are in there, and their paths must be short: no t.TempDir().
	folder, err := os.MkdirTemp("/tmp", "drgo")
	if err != nil {
		return nil, err
	}
	started := &server{folder: folder, log: filepath.Join(folder, "log"), flags: flags}
	if err := started.start("127.0.0.1:0"); err != nil {
		os.RemoveAll(folder)
		return nil, err
	}
	return started, nil
}

// ownServer is a server that the test may kill, with these flags.
func ownServer(t *testing.T, flags ...string) *server {
	t.Helper()
	own, err := startServer(flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := own.remove(); err != nil {
			t.Error(err)
		}
	})
	return own
}

func (s *server) runDir() string { return filepath.Join(s.folder, "r") }

// start starts the server on the address, and returns when it serves.
func (s *server) start(address string) error {
	binary, err := findBinary()
	if err != nil {
		return err
	}
	log, err := os.OpenFile(s.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	command := exec.Command(binary, "serve", "--listen", address, "--run-dir", s.runDir(),
		"--state-dir", filepath.Join(s.folder, "s"), "--debugpy", filepath.Join(repository(), ".tools/debugpy"),
		fmt.Sprintf("--stop-sessions=%t", !s.leavesSessions))
	command.Args = append(command.Args, s.flags...)
	command.Env = append(os.Environ(), "DEBUG_RELAY_CONFIG=/dev/null")
	command.Stderr = log
	// A test run that is killed takes its servers with it.
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	greeting, err := command.StdoutPipe()
	if err != nil {
		return err
	}

	begun, ended := make(chan error, 1), make(chan error, 1)
	go func() {
		// Pdeathsig is sent when the thread that started the process ends, so it must not.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := command.Start()
		begun <- err
		if err == nil {
			_, err := command.Process.Wait()
			ended <- err
		}
	}()
	if err := <-begun; err != nil {
		return err
	}
	s.process, s.ended = command.Process, ended

	found := make(chan string, 1)
	go func() {
		defer close(found)
		lines := bufio.NewScanner(greeting)
		for lines.Scan() {
			if before, after, ok := strings.Cut(lines.Text(), " listens on "); ok && before != "" {
				address = after
			}
			if strings.HasPrefix(strings.TrimSpace(lines.Text()), "try ") {
				found <- address
				return
			}
		}
	}()
	select {
	case address, ok := <-found:
		if ok {
			s.address = address
			return nil
		}
		text, _ := os.ReadFile(s.log)
		return fmt.Errorf("debug-relay serve ended before it served:\n%s", text)
	case <-time.After(limit):
		s.process.Kill()
		return fmt.Errorf("debug-relay serve did not greet within %s", limit)
	}
}

// stop sends the signal and waits for the end.
func (s *server) stop(signal syscall.Signal) error {
	if s.process == nil {
		return nil
	}
	s.process.Signal(signal)
	select {
	case err := <-s.ended:
		s.process = nil
		return err
	case <-time.After(limit):
		s.process.Kill()
		return fmt.Errorf("debug-relay serve did not end within %s of %s", limit, signal)
	}
}

// restart ends the server in peace and starts it on the same address, changed.
func (s *server) restart(t *testing.T, change func()) {
	t.Helper()
	if err := s.stop(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	change()
	if err := s.start(s.address); err != nil {
		t.Fatal(err)
	}
}

// remove ends the server and all that it started, and its folder.
func (s *server) remove() error {
	if err := s.stop(syscall.SIGTERM); err != nil {
		return err
	}
	// Interpreters that wait for programs notice the end by themselves, a moment later.
	tick, over := time.NewTicker(10*time.Millisecond), time.After(limit)
	defer tick.Stop()
	for {
		left := processesWith(s.folder)
		if len(left) == 0 {
			return os.RemoveAll(s.folder)
		}
		select {
		case <-tick.C:
		case <-over:
			return fmt.Errorf("processes are left:\n%s", strings.Join(left, "\n"))
		}
	}
}

// processesWith are the command lines that name the folder.
func processesWith(folder string) []string {
	var found []string
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil && bytes.Contains(text, []byte(folder)) {
			found = append(found, strings.ReplaceAll(string(text), "\x00", " "))
		}
	}
	return found
}

func findBinary() (string, error) {
	if binary := os.Getenv("DEBUG_RELAY_BIN"); binary != "" {
		return binary, nil
	}
	for _, profile := range []string{"release", "debug"} {
		binary := filepath.Join(repository(), "target", profile, "debug-relay")
		if _, err := os.Stat(binary); err == nil {
			return binary, nil
		}
	}
	return "", fmt.Errorf("there is no debug-relay in target/: run cargo build --release, or set DEBUG_RELAY_BIN")
}

func repository() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "../..")
}

// testContext is over before the test's own time is.
func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	return ctx
}

// connect connects to the shared server, or as the options say.
func connect(t *testing.T, options ...debugrelay.ConnectOption) *debugrelay.Relay {
	t.Helper()
	relay, err := debugrelay.Connect(testContext(t), options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { relay.Close() })
	return relay
}

// through connects by way of something in front of the server of the run folder, to which the token
// of that is not sent by itself.
func through(t *testing.T, address string) *debugrelay.Relay {
	t.Helper()
	token := readFile(t, filepath.Join(os.Getenv("DEBUG_RELAY_RUN_DIR"), "token"))
	return connect(t, debugrelay.Address(address), debugrelay.Token(strings.TrimSpace(token)))
}

// debug starts a program of testdata in a session that is gone after the test.
func debug(t *testing.T, relay *debugrelay.Relay, program string, options ...debugrelay.DebugOption) (*debugrelay.Session, *debugrelay.Outcome) {
	t.Helper()
	session, outcome, err := relay.Debug(testContext(t), "testdata/"+program, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Delete(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return session, outcome
}

// line is the line with the marker in a program of testdata, as Break takes it.
func line(t *testing.T, program, marker string) string {
	t.Helper()
	return fmt.Sprintf("testdata/%s:%d", program, lineNumber(t, program, marker))
}

func lineNumber(t *testing.T, program, marker string) int {
	t.Helper()
	text, err := os.ReadFile("testdata/" + program)
	if err != nil {
		t.Fatal(err)
	}
	for number, line := range strings.Split(string(text), "\n") {
		if strings.HasSuffix(line, "# @"+marker) {
			return number + 1
		}
	}
	t.Fatalf("%s has no marker %s", program, marker)
	return 0
}

// must is the value of a call, or the end of the test: must(session.Continue(ctx))(t).
func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	return string(must(os.ReadFile(path))(t))
}

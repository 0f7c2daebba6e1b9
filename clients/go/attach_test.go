package debugrelay_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	debugrelay "github.com/debug-relay/debug-relay/clients/go"
)

func TestAProgramThatListensIsJoinedAndLeft(t *testing.T) {
	ctx := testContext(t)
	relay := connect(t)
	address := freeAddress(t)
	program := python(t, "-c", "import debugpy, time; debugpy.listen(('127.0.0.1', "+port(address)+")); "+
		"print('ready', flush=True); debugpy.wait_for_client(); exec(open('testdata/forever.py').read())")
	program.waitFor(t, "ready")

	session, outcome, err := relay.Attach(ctx, debugrelay.Endpoint(address))
	if err != nil {
		t.Fatal(err)
	}
	defer session.Delete(ctx)
	program.waitFor(t, "begun")
	err = session.Detach(ctx)

	if outcome.State() != debugrelay.Running || err != nil {
		t.Errorf("attached: %v; detached: %v", outcome, err)
	}
	if info := must(session.Info(ctx))(t); info.GetState() != debugrelay.Detached {
		t.Errorf("the session is %v", info.GetState())
	}
}

func TestAProgramThatDialsIsAwaited(t *testing.T) {
	ctx := testContext(t)
	relay := connect(t)
	address := freeAddress(t)
	session, outcome, err := relay.Attach(ctx, debugrelay.Listen(address),
		debugrelay.Break(line(t, "shop.py", "add")))
	if err != nil {
		t.Fatal(err)
	}
	defer session.Delete(ctx)

	python(t, "-c", "import debugpy, runpy; debugpy.connect(('127.0.0.1', "+port(address)+")); "+
		"debugpy.wait_for_client(); runpy.run_path('testdata/shop.py')")
	stop := must(session.WaitForStop(ctx))(t)

	if outcome.State() != debugrelay.Starting || stop.Location().Function != "fill" {
		t.Errorf("%v, then %v", outcome, stop)
	}
}

func TestAProcessThatIsNotThereIsNotAttachedTo(t *testing.T) {
	relay := connect(t)

	_, _, process := relay.Attach(testContext(t), debugrelay.Process(1<<22+1))
	_, _, endpoint := relay.Attach(testContext(t), debugrelay.Endpoint("127.0.0.1"))

	if process == nil || process.(*debugrelay.Error).Reason != debugrelay.ReasonAttachFailed {
		t.Errorf("the error is %v", process)
	}
	if endpoint == nil || !strings.Contains(endpoint.Error(), "host:port") {
		t.Errorf("an endpoint without a port: %v", endpoint)
	}
}

// program is a Python program that the test has started itself.
type program struct{ output chan string }

func python(t *testing.T, arguments ...string) *program {
	t.Helper()
	command := exec.Command("python3", arguments...)
	command.Env = append(os.Environ(), "PYTHONPATH="+filepath.Join(repository(), ".tools/debugpy"), "PYTHONUNBUFFERED=1",
		"PYDEVD_DISABLE_FILE_VALIDATION=1")
	command.Stderr = os.Stderr
	pipe, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	started := &program{output: make(chan string, 100)}
	read := make(chan struct{})
	go func() {
		defer close(read)
		buffer := make([]byte, 4096)
		for {
			count, err := pipe.Read(buffer)
			if err != nil {
				return
			}
			started.output <- string(buffer[:count])
		}
	}()
	t.Cleanup(func() {
		command.Process.Kill()
		<-read
		command.Wait()
	})
	return started
}

func (p *program) waitFor(t *testing.T, text string) {
	t.Helper()
	over := time.After(limit)
	for {
		select {
		case output := <-p.output:
			if strings.Contains(output, text) {
				return
			}
		case <-over:
			t.Fatalf("the program did not write %q", text)
		}
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func port(address string) string { return address[strings.LastIndex(address, ":")+1:] }

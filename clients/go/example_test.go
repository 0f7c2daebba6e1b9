package debugrelay_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	debugrelay "github.com/debug-relay/debug-relay/clients/go"
	"github.com/debug-relay/debug-relay/clients/go/debugrelaypb"
)

var ctx = context.Background()

func Example() {
	relay, err := debugrelay.Connect(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer relay.Close()

	session, outcome, err := relay.Debug(ctx, "testdata/shop.py",
		debugrelay.Break("testdata/shop.py:13 if price > 2"), debugrelay.Args("-v"))
	if err != nil {
		log.Fatal(err)
	}
	defer session.Delete(ctx)
	fmt.Println(outcome.Location().Function, outcome.Locals()["price"])

	outcome, err = session.StepOver(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("line", outcome.Location().Line)

	value, err := session.Evaluate(ctx, "self.prices")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(value)
	// Output:
	// add 3
	// line 14
	// [1, 2, 3]
}

func ExampleError() {
	relay, err := debugrelay.Connect(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer relay.Close()

	_, err = relay.Session(ctx, "nobody")
	if errors.Is(err, debugrelay.ReasonSessionNotFound) {
		fmt.Println("there is none")
	}
	var failed *debugrelay.Error
	if errors.As(err, &failed) {
		fmt.Println(failed.Code, failed.Facts["session_id"])
		fmt.Println(failed.Hint)
	}
	// Output:
	// there is none
	// NotFound nobody
	// ListSessions shows the sessions there are; CreateSession makes one.
}

func ExampleSession_Events() {
	session, close := exampleSession(debugrelay.Break("testdata/shop.py:13 if price > 2"))
	defer close()

	stops := 0
	for event, err := range session.Events(ctx, debugrelay.Only(debugrelay.EventStopped, debugrelay.EventExited)) {
		if err != nil {
			log.Fatal(err)
		}
		if event.Stop() != nil {
			stops++
			if _, err := session.Continue(ctx); err != nil {
				log.Fatal(err)
			}
		}
	}
	fmt.Println(stops, "stops")
	// Output:
	// 2 stops
}

func ExampleSession_StreamOutput() {
	session, close := exampleSession()
	defer close()

	for chunk, err := range session.StreamOutput(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		if chunk.Missing() {
			log.Printf("%d bytes are no longer kept", chunk.Next-chunk.Offset)
		}
		os.Stdout.Write(chunk.Bytes)
	}
	// Output:
	// total 10
}

func ExampleSession_Collect() {
	session, close := exampleSession(debugrelay.StopOnEntry())
	defer close()

	collection := session.Collect(ctx, debugrelay.Break("testdata/shop.py:13"),
		debugrelay.Expressions("price", "self.total"))
	for row, err := range collection.Rows() {
		if err != nil {
			log.Fatal(err)
		}
		values := debugrelay.Values(row.GetExpressions())
		fmt.Println(values["price"], values["self.total"])
	}
	code, _ := collection.Outcome().ExitCode()
	fmt.Println("exit code", code)
	// Output:
	// 1 0
	// 2 1
	// 3 3
	// 4 6
	// exit code 0
}

func ExampleRelay_Sessions() {
	relay, err := debugrelay.Connect(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer relay.Close()

	for info, err := range relay.Sessions(ctx, debugrelay.InState(debugrelay.Stopped)) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(info.GetId(), info.GetStop().GetLocation().GetLine())
	}
}

func ExampleRelay_Conn() {
	relay, err := debugrelay.Connect(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer relay.Close()

	server := debugrelaypb.NewServerServiceClient(relay.Conn())
	answer, err := server.ListAdapters(ctx, &debugrelaypb.ListAdaptersRequest{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.GetAdapters()[0].GetName())
	// Output:
	// debugpy
}

func ExampleSession_Share() {
	session, close := exampleSession(debugrelay.StopOnEntry())
	defer close()

	share, err := session.Share(ctx,
		debugrelay.ReadOnly(), debugrelay.ValidFor(time.Hour), debugrelay.ShareName("for a friend"))
	if err != nil {
		log.Fatal(err)
	}
	friend, err := debugrelay.Connect(ctx, debugrelay.Token(share.Token))
	if err != nil {
		log.Fatal(err)
	}
	defer friend.Close()
	watched, err := friend.Session(ctx, "")
	if err != nil {
		log.Fatal(err)
	}
	_, err = watched.Continue(ctx)
	fmt.Println(errors.Is(err, debugrelay.ReasonPermissionDenied))

	err = session.Revoke(ctx, share.Info.GetId())
	fmt.Println(err)
	// Output:
	// true
	// <nil>
}

func exampleTLS() (*debugrelay.Relay, error) {
	relay, err := debugrelay.Connect(ctx, debugrelay.Address("relay.example.org:50051"),
		debugrelay.CA("ca.pem"), debugrelay.Certificate("me.pem", "me.key"))
	return relay, err
}

func exampleOptions(session *debugrelay.Session) error {
	outcome, err := session.Continue(ctx, debugrelay.Wait(5*time.Second), debugrelay.Expressions("len(prices)"))
	if err != nil {
		return err
	}
	if outcome.TimedOut() {
		outcome, err = session.Pause(ctx)
	}
	fmt.Println(outcome)
	return err
}

// exampleSession is a session of testdata/shop.py, and what forgets it.
func exampleSession(options ...debugrelay.DebugOption) (*debugrelay.Session, func()) {
	relay, err := debugrelay.Connect(ctx)
	if err != nil {
		log.Fatal(err)
	}
	session, _, err := relay.Debug(ctx, "testdata/shop.py", options...)
	if err != nil {
		log.Fatal(err)
	}
	return session, func() {
		session.Delete(ctx)
		relay.Close()
	}
}

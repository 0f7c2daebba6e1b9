// Basket finds the bug of "A bug in five calls", the story of debug-relay's README.
//
// Start a server with debug-relay serve; then, in the repository's root:
//
//	go -C clients/go build -o "$PWD/target/basket" ./examples/basket && target/basket
package main

import (
	"context"
	"fmt"
	"log"

	debugrelay "github.com/debug-relay/debug-relay/clients/go"
)

func main() {
	if err := hunt(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func hunt(ctx context.Context) error {
	relay, err := debugrelay.Connect(ctx)
	if err != nil {
		return err
	}
	defer relay.Close()

	// 1. Start the program and run to the first stop. The breakpoint counts only for Bob.
	session, outcome, err := relay.Debug(ctx, "examples/basket.py",
		debugrelay.Break(`examples/basket.py:9 if customer == "bob"`))
	if err != nil {
		return err
	}
	defer session.Delete(ctx)
	fmt.Printf("line %d: basket is %s\n", outcome.Location().Line, outcome.Locals()["basket"])

	// 2. Step. The answer has only what the line changed.
	outcome, err = session.StepOver(ctx, debugrelay.ChangesOnly())
	if err != nil {
		return err
	}
	for _, change := range outcome.Changes() {
		fmt.Println(change)
	}

	// 3. Ask. Is that list the default value in basket=[]?
	value, err := session.Evaluate(ctx, "basket is basket_of.__defaults__[0]")
	if err != nil {
		return err
	}
	fmt.Println("shared by all calls:", value)

	// 4. Run on to the end.
	outcome, err = session.Continue(ctx)
	if err != nil {
		return err
	}
	fmt.Print(outcome.Output())
	code, _ := outcome.ExitCode()
	fmt.Println("exit code", code)

	// 5. Forget the session. When this returns, no process of it is left.
	return session.Delete(ctx)
}

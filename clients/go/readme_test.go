package debugrelay_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestTheCodeInTheReadmeIsThatOfTheExamples(t *testing.T) {
	examples := withoutIndent(readFile(t, "example_test.go"))
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(readFile(t, "README.md"), -1)

	for _, block := range blocks {
		if !strings.Contains(examples, withoutIndent(block[1])) {
			t.Errorf("example_test.go does not have this:\n%s", block[1])
		}
	}
	if len(blocks) < 4 {
		t.Errorf("the README has only %d blocks", len(blocks))
	}
}

func withoutIndent(text string) string {
	return regexp.MustCompile(`(?m)^[ \t]+`).ReplaceAllString(text, "")
}

func TestTheStoryIsToldToItsEnd(t *testing.T) {
	story := filepath.Join(t.TempDir(), "basket")
	build := exec.CommandContext(testContext(t), "go", "build", "-buildvcs=false", "-o", story, "./examples/basket")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}

	run := exec.CommandContext(testContext(t), story)
	run.Dir, run.Stderr = repository(), os.Stderr
	output, err := run.Output()

	want := "line 9: basket is [5, 7]\n" +
		"basket: [5, 7] → [5, 7, 4]\n" +
		"shared by all calls: True\n" +
		"bob owes 16\n" +
		"exit code 0\n"
	if err != nil || string(output) != want {
		t.Errorf("%v: it told\n%s", err, output)
	}
}

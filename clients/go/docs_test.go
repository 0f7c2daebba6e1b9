package debugrelay_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// mark stands between what two blocks of a page print.
const mark = "\x1e\n"

// imports are what blocks may use without saying so.
var imports = map[string]string{
	"bufio": "bufio", "context": "context", "errors": "errors", "exec": "os/exec", "fmt": "fmt", "log": "log",
	"os": "os", "strings": "strings", "time": "time",
	"debugrelay":   "github.com/debug-relay/debug-relay/clients/go",
	"debugrelaypb": "github.com/debug-relay/debug-relay/clients/go/debugrelaypb",
}

// part is a block of a page, and the text right after it, which is what it prints.
type part struct{ code, shown string }

// docProgram is a file of a page: a block that is a whole file, or all that are not, in one main.
type docProgram struct {
	page  string
	parts []part
	text  string
}

func TestThePagesDoWhatTheyShow(t *testing.T) {
	programs := docPrograms(t)
	binaries := buildAll(t, programs)

	for number, program := range programs {
		t.Run(program.page, func(t *testing.T) {
			folder := t.TempDir()
			if err := os.CopyFS(filepath.Join(folder, "examples"), os.DirFS(filepath.Join(repository(), "examples"))); err != nil {
				t.Fatal(err)
			}
			run := exec.CommandContext(testContext(t), binaries[number])
			run.Dir, run.Stderr = folder, os.Stderr
			run.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}

			output, err := run.Output()

			// What it has started and left behind ends with it.
			syscall.Kill(-run.Process.Pid, syscall.SIGKILL)
			if err != nil {
				t.Fatalf("%v: it told\n%s", err, output)
			}
			for index, printed := range strings.Split(string(output), mark)[:len(program.parts)] {
				program.parts[index].check(t, printed)
			}
		})
	}
	for _, page := range []string{"bug-hunt.md", "tasks.md"} {
		if !slices.ContainsFunc(programs, func(p docProgram) bool { return p.page == page }) {
			t.Errorf("%s has no Go in it", page)
		}
	}
}

// check is about what the block prints: all of the text after it, in which … stands for what was left
// out, and the lines that stand after "// prints " in its code, in their order.
func (p part) check(t *testing.T, printed string) {
	t.Helper()
	lines := strings.Split(printed, "\n")
	for _, promise := range regexp.MustCompile(`(?m)// prints (.*)$`).FindAllStringSubmatch(p.code, -1) {
		at := slices.Index(lines, promise[1])
		if at < 0 {
			t.Errorf("%q is not printed by\n%s\nbut\n%s", promise[1], p.code, printed)
			return
		}
		lines = lines[at+1:]
	}
	shown := strings.ReplaceAll(regexp.QuoteMeta(p.shown), "…", ".*")
	if p.shown != "" && !regexp.MustCompile("(?s)^"+shown+"$").MatchString(printed) {
		t.Errorf("the page shows\n%s\nand it printed\n%s", p.shown, printed)
	}
}

func docPrograms(t *testing.T) []docProgram {
	t.Helper()
	pages := must(filepath.Glob(filepath.Join(repository(), "docs/*.md")))(t)
	blocks := regexp.MustCompile("(?ms)^```go\n(.*?)^```$(?:\n+^```text\n(.*?)^```$)?")
	var programs []docProgram
	for _, page := range pages {
		script := docProgram{page: filepath.Base(page)}
		for _, block := range blocks.FindAllStringSubmatch(readFile(t, page), -1) {
			found := part{code: block[1], shown: block[2]}
			if strings.HasPrefix(found.code, "package ") {
				programs = append(programs, docProgram{script.page, []part{found}, found.code})
				continue
			}
			script.parts = append(script.parts, found)
		}
		if len(script.parts) != 0 {
			script.text = mainOf(script.parts)
			programs = append(programs, script)
		}
	}
	return programs
}

// mainOf is a file whose main function is these blocks.
func mainOf(parts []part) string {
	var body strings.Builder
	for _, part := range parts {
		fmt.Fprintf(&body, "%s\nos.Stdout.WriteString(%q)\n", part.code, mark)
	}
	var used strings.Builder
	for name, path := range imports {
		if regexp.MustCompile(`\b` + name + `\.`).MatchString(body.String()) {
			fmt.Fprintf(&used, "%s %q\n", name, path)
		}
	}
	return fmt.Sprintf("package main\n\nimport (\n%s)\n\nfunc main() {\n%s}\n", used.String(), body.String())
}

// buildAll builds the programs in one go, as if each stood in a folder of the module, and tells where
// their binaries are.
func buildAll(t *testing.T, programs []docProgram) []string {
	t.Helper()
	folder := t.TempDir()
	var overlay struct{ Replace map[string]string }
	overlay.Replace = make(map[string]string)
	arguments := []string{"build", "-buildvcs=false", "-overlay", filepath.Join(folder, "overlay.json"), "-o", folder}
	var binaries []string
	for number, program := range programs {
		name := fmt.Sprintf("docprogram%d", number)
		source := filepath.Join(folder, name+".go")
		if err := os.WriteFile(source, []byte(program.text), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(repository(), "clients/go", name, "main.go")] = source
		arguments, binaries = append(arguments, "./"+name), append(binaries, filepath.Join(folder, name))
	}
	text := must(json.Marshal(overlay))(t)
	if err := os.WriteFile(filepath.Join(folder, "overlay.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.CommandContext(testContext(t), "go", arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, output)
	}
	return binaries
}

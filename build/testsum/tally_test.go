package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// modules are small packages whose tests end in different ways.
var modules = map[string]map[string]string{
	"pass": {"a_test.go": `package a
import "testing"
func TestOne(t *testing.T) {}
func TestTable(t *testing.T) {
	t.Run("first", func(t *testing.T) {})
	t.Run("second", func(t *testing.T) { t.Skip("not here") })
	t.Run("deeper", func(t *testing.T) { t.Run("x/y", func(t *testing.T) {}) })
}
func ExampleThing() {
	// Output:
}`, "a.go": "package a\n\n// Thing is there for the example.\nfunc Thing() {}\n"},
	"fail": {"a_test.go": `package a
import "testing"
func TestGood(t *testing.T) { t.Log("nobody reads this") }
func TestBad(t *testing.T) { t.Error("two is not three") }
func TestOneRowBad(t *testing.T) {
	t.Run("good", func(t *testing.T) {})
	t.Run("bad", func(t *testing.T) { t.Fatal("a row broke") })
}
func TestBadAfterItsRows(t *testing.T) {
	t.Run("good", func(t *testing.T) {})
	t.Error("the rows were fine")
}`},
	"panic": {"a_test.go": `package a
import "testing"
func TestFirst(t *testing.T) {}
func TestPanics(t *testing.T) { panic("out of cheese") }
func TestNeverReached(t *testing.T) {}`},
	"hang": {"a_test.go": `package a
import "testing"
func TestHangs(t *testing.T) { select {} }`},
	"exit": {"a_test.go": `package a
import ("testing"; "os"; "fmt")
func TestMain(m *testing.M) { fmt.Println("no database"); os.Exit(4) }
func TestA(t *testing.T) {}`},
	"broken": {"a_test.go": `package a
import "testing"
func TestA(t *testing.T) { undefinedThing() }`},
	"empty": {"a.go": "package a\n"},
}

func TestEveryOutcomeOfATestRunIsCounted(t *testing.T) {
	for name, row := range map[string]struct {
		last    string
		must    []string
		mustNot []string
	}{
		"pass": {
			last:    "4 passed, 0 failed, 1 skipped",
			must:    []string{"ok    example.org/m", "4 passed, 1 skipped", "skipped:\n      example.org/m TestTable/second: not here\n"},
			mustNot: []string{"failed:"},
		},
		"fail": {
			last: "3 passed, 3 failed, 0 skipped",
			must: []string{
				"two is not three", "a row broke", "the rows were fine",
				"example.org/m TestBad\n", "example.org/m TestOneRowBad/bad\n", "example.org/m TestBadAfterItsRows\n",
			},
			mustNot: []string{"nobody reads this", "example.org/m TestOneRowBad\n"},
		},
		"panic":  {last: "1 passed, 1 failed, 0 skipped", must: []string{"out of cheese", "TestPanics"}},
		"hang":   {last: "0 passed, 1 failed, 0 skipped", must: []string{"timed out", "TestHangs"}},
		"exit":   {last: "0 passed, 1 failed, 0 skipped", must: []string{"no database", "FAIL  example.org/m"}},
		"broken": {last: "0 passed, 1 failed, 0 skipped", must: []string{"undefined: undefinedThing"}},
		"empty":  {last: "0 passed, 0 failed, 0 skipped", mustNot: []string{"ok"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timeout := "1m"
			if name == "hang" {
				timeout = "1s"
			}
			output, code := goTest(t, modules[name], timeout)
			report, success := sum(tests("tests", output, code))
			checkReport(t, report, row.last, row.must, row.mustNot)
			if success != (name == "pass") {
				t.Errorf("success is %v", success)
			}
		})
	}
}

func TestCheckCountsAsOneTest(t *testing.T) {
	report, success := sum(check("gofumpt", "", 0), check("staticcheck", "a.go:1: this is wrong\n", 1))
	checkReport(t, report, "1 passed, 1 failed, 0 skipped", []string{"a.go:1: this is wrong", "exit code 1", "ok    gofumpt"}, nil)
	if success {
		t.Error("success although a check failed")
	}
}

func TestCheckThatCannotRunIsSkippedWithItsLastLineAsReason(t *testing.T) {
	report, success := sum(check("gofumpt", "", 0), check("govulncheck", "trying\nno database\n", 77))
	checkReport(t, report, "1 passed, 0 failed, 1 skipped", []string{"skipped:\n      govulncheck: no database\n"}, nil)
	if !success {
		t.Error("a skipped check made the run fail")
	}
}

func TestOutputOfAPassingCheckIsHidden(t *testing.T) {
	report, _ := sum(check("vet", "downloading\n", 0))
	checkReport(t, report, "1 passed, 0 failed, 0 skipped", nil, []string{"downloading"})
}

func TestCommandThatFailsBeforeAnyTestIsAFailure(t *testing.T) {
	report, success := sum(tests("tests", "go: cannot load module\n", 1))
	checkReport(t, report, "0 passed, 1 failed, 0 skipped", []string{"go: cannot load module", "exit code 1"}, nil)
	if success {
		t.Error("a failed run succeeded")
	}
}

func TestTruncatedStreamIsAFailure(t *testing.T) {
	stream := open("tests", false) + `{"Action":"run","Package":"example.org/m","Test":"TestA"}` + "\n" +
		`{"Action":"output","Package":"example.org/m","Test":"TestA","Output":"was here\n"}` + "\n"
	report, success := sum(stream)
	checkReport(t, report, "0 passed, 1 failed, 0 skipped", []string{"tests was cut off", "example.org/m TestA", "was here"}, nil)
	if success {
		t.Error("a failed run succeeded")
	}
}

func TestTheSamePackageCountsInEachCommandThatRunsIt(t *testing.T) {
	one := `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Elapsed":1.5}
`
	report, _ := sum(tests("tests", one, 0), tests("race", one, 0))
	checkReport(t, report, "2 passed, 0 failed, 0 skipped", []string{"== tests", "== race"}, nil)
}

func TestARunWithoutTestsIsAFailure(t *testing.T) {
	if _, success := sum(); success {
		t.Error("a run without tests succeeded")
	}
}

func TestLinesThatOnlyLookLikeEventsAreShown(t *testing.T) {
	report, _ := sum("{not json}\n", tests("tests", "{\"a\":1}\nplain\n", 0))
	checkReport(t, report, "0 passed, 0 failed, 0 skipped", []string{"{not json}", `{"a":1}`, "plain"}, nil)
}

func TestProgressNamesWhatIsRunning(t *testing.T) {
	var out strings.Builder
	tally := newTally(&out)
	for line := range strings.Lines(open("tests", false) + `{"Action":"run","Package":"` + module + `backend/store","Test":"TestA"}
{"Action":"pass","Package":"` + module + `backend/store","Test":"TestA"}
{"Action":"run","Package":"` + module + `backend/store","Test":"TestSlow"}
`) {
		tally.line(line)
	}
	tally.progress()
	for _, want := range []string{"1 passed", "busy: tests, backend/store TestSlow"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in:\n%s", want, out.String())
		}
	}
}

func TestReadAcceptsALastLineWithoutNewline(t *testing.T) {
	var out strings.Builder
	tally := newTally(&out)
	if err := read(strings.NewReader("first\nlast"), tally, time.Hour); err != nil {
		t.Fatal(err)
	}
	if out.String() != "first\nlast" {
		t.Errorf("read %q", out.String())
	}
}

// goTest writes files as a module, runs go test on it and returns its output and exit code.
func goTest(t *testing.T, files map[string]string, timeout string) (string, int) {
	t.Helper()
	folder := t.TempDir()
	files["go.mod"] = "module example.org/m\n\ngo 1.26\n"
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := exec.Command("go", "test", "-json", "-timeout="+timeout, "./...")
	run.Dir = folder
	run.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	output, err := run.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(output), run.ProcessState.ExitCode()
}

func open(name string, check bool) string {
	return fmt.Sprintf("{\"Action\":\"open\",\"Section\":%q,\"Check\":%v}\n", name, check)
}

func tests(name, text string, code int) string {
	return open(name, false) + text + fmt.Sprintf("{\"Action\":\"close\",\"Code\":%d}\n", code)
}

func check(name, text string, code int) string {
	return open(name, true) + text + fmt.Sprintf("{\"Action\":\"close\",\"Code\":%d}\n", code)
}

// sum feeds the streams to a tally and returns the report and whether the run succeeded.
func sum(streams ...string) (string, bool) {
	var out strings.Builder
	tally := newTally(&out)
	for line := range strings.Lines(strings.Join(streams, "")) {
		tally.line(line)
	}
	tally.end()
	success := tally.sum()
	return out.String(), success
}

func checkReport(t *testing.T, report, last string, must, mustNot []string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(report, "\n"), "\n")
	if lines[len(lines)-1] != last {
		t.Errorf("the last line is %q, want %q; the report:\n%s", lines[len(lines)-1], last, report)
	}
	for _, want := range must {
		if !strings.Contains(report, want) {
			t.Errorf("%q is not in:\n%s", want, report)
		}
	}
	for _, not := range mustNot {
		if strings.Contains(report, not) {
			t.Errorf("%q is in:\n%s", not, report)
		}
	}
}

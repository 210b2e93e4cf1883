//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestSkippedTestsAreReportedWithTheirReason(t *testing.T) {
	list, err := parse("# comment\n\na/b TestOne: clocks: of wine\na/b TestTwo/with_a_part: links\nc TestThree: modes\n")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if got, want := list.report(&out, "a/b"), "^TestOne$|^TestTwo$/^with_a_part$"; got != want {
		t.Errorf("the pattern is %s, want %s", got, want)
	}
	want := "=== RUN   TestOne\n    under wine: clocks: of wine\n--- SKIP: TestOne (0.00s)\n" +
		"=== RUN   TestTwo/with_a_part\n    under wine: links\n--- SKIP: TestTwo/with_a_part (0.00s)\n"
	if out.String() != want {
		t.Errorf("reported\n%s", out.String())
	}
	if got := list.report(&out, "b"); got != "" {
		t.Errorf("a package without skipped tests got the pattern %s", got)
	}
}

func TestALineWithoutAReasonIsAnError(t *testing.T) {
	for _, line := range []string{"a TestOne", "a TestOne:", "TestOne: reason", "a b TestOne: reason"} {
		if _, err := parse(line); err == nil {
			t.Errorf("%q was accepted", line)
		}
	}
}

func TestEverySkippedTestExists(t *testing.T) {
	list, err := parse(skipped)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		files, err := filepath.Glob(filepath.Join("..", "..", "..", filepath.FromSlash(s.folder), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		test, _, _ := strings.Cut(s.name, "/")
		declaration := regexp.MustCompile(`(?m)^func ` + test + `\(`)
		found := false
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found = found || declaration.Match(source)
		}
		if !found {
			t.Errorf("skipped.txt names %s, which %s does not have", test, s.folder)
		}
	}
}

func TestTheStatusOfWineIsAddedToGosSource(t *testing.T) {
	got, err := withFallback([]byte("case A,\n\t\tSTATUS_NOT_SUPPORTED:     // reason\n\t\treturn\n"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "case A,\n\t\tNTStatus(0xC0000002),\n\t\tSTATUS_NOT_SUPPORTED:     // reason\n\t\treturn\n"; string(got) != want {
		t.Errorf("got\n%s", got)
	}
	if _, err := withFallback([]byte("package windows\n")); err == nil {
		t.Error("a source without the case was accepted")
	}
}

func TestOutputThatAServiceKeepsOpenIsNotWaitedFor(t *testing.T) {
	service, end, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = service.Close(), end.Close() }()
	cmd := exec.Command("sh", "-c", `read -r line <&3 & echo the test ran; exit 3`)
	cmd.ExtraFiles = []*os.File{service}
	var out strings.Builder
	if exit, ok := errors.AsType[*exec.ExitError](follow(cmd, &out, &out)); !ok || exit.ExitCode() != 3 ||
		out.String() != "the test ran\n" {
		t.Errorf("got %v and %q", exit, out.String())
	}
	cmd = exec.Command("sh", "-c", `read -r line <&3 & exit 0`)
	cmd.ExtraFiles = []*os.File{service}
	if err := follow(cmd, &out, &out); err != nil {
		t.Errorf("a test that passed got %v", err)
	}
}

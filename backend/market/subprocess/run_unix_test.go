//go:build unix

package subprocess

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/process"
)

func TestOutputOfAFailedProgramIsRedacted(t *testing.T) {
	output, err := Run(t.Context(), process.Clean(), func(string) {}, "/bin/sh", "-c",
		"seq 1000; echo 404 for npm_abcdefghijklmnopqrstuvwxyz0123456789 >&2; exit 3")
	if _, exited := errors.AsType[*exec.ExitError](err); !exited || len(output) > maxOutput ||
		!strings.Contains(output, "999\n1000\n404 for") || strings.Contains(output, "npm_abc") {
		t.Errorf("got %q, %v", output, err)
	}
}

func TestCancelKillsAProgramAndItsChildren(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pids")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := Run(ctx, process.Clean(), func(string) {}, "/bin/sh", "-c",
			"trap '' TERM; sleep 1000 & echo $! $$ > "+file+".new; mv "+file+".new "+file+"; wait")
		ended <- err
	}()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	var pids []byte
	for len(pids) == 0 {
		<-tick.C
		pids, _ = os.ReadFile(file) // an error means that the program has not written the file yet
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("the cancelled program succeeded")
	}
	late := time.After(time.Minute)
	for _, field := range strings.Fields(string(pids)) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		for process.StartOf(pid) != "" {
			select {
			case <-tick.C:
			case <-late:
				t.Fatalf("process %d is still running", pid)
			}
		}
	}
}

func TestLinesAreReportedWhileTheProgramRuns(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got []string
	output, err := Run(ctx, process.Clean(), func(line string) {
		if got = append(got, line); len(got) == 4 {
			cancel() // the program runs until it is cancelled, which happens only if lines are reported at once
		}
	}, "/bin/sh", "-c",
		`printf 'npm http fetch GET 200\n10 %%\r20 %%\r'; echo token npm_abcdefghijklmnopqrstuvwxyz0123456789 >&2; exec sleep 1000`)
	if err == nil || len(got) != 4 || got[0] != "npm http fetch GET 200" || got[2] != "20 %" || strings.Contains(got[3], "npm_abc") {
		t.Errorf("got %q, %v", got, err)
	}
	if strings.Contains(output, "npm http") || !strings.Contains(output, "20 %") || strings.Contains(output, "npm_abc") {
		t.Errorf("the output after a failure is %q", output)
	}
}

func TestALineWithoutAnEndIsReportedInParts(t *testing.T) {
	var got []string
	w := &lines{report: func(line string) { got = append(got, line) }}
	for range 5 {
		_, _ = w.Write([]byte(strings.Repeat("x", 1000)))
	}
	_, _ = w.Write([]byte("y\n\n"))
	if len(got) != 3 || len(got[0]) != maxLine || got[2] != strings.Repeat("x", 1000)+"y" {
		t.Errorf("got %d lines", len(got))
	}
}

func TestAProcessThatHasLeftItsSessionEndsWithTheProgram(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("setsid is not installed")
	}
	file := filepath.Join(t.TempDir(), "pid")
	_, err := Run(t.Context(), process.Clean(), func(string) {}, "/bin/sh", "-c",
		`setsid sh -c 'echo $$ > "$0.new"; mv "$0.new" "$0"; exec sleep 1000' "$0" > /dev/null 2>&1 < /dev/null &
while ! test -e "$0"; do :; done`, file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(time.Minute); process.StartOf(pid) != ""; {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("process %d is still running", pid)
		}
	}
}

package upstream

import (
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// unkillable returns a running child that calls kill in place of process.Kill. The process
// of the child ends with the test.
func unkillable(t *testing.T, kill func(int)) *child {
	t.Helper()
	command := mcptest.Command(t)
	cmd := exec.Command(command[0], command[1:]...)
	process.Isolate(cmd)
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = cmd.Process.Kill() })
	return &child{
		cmd: cmd, input: io.NopCloser(strings.NewReader("")), kill: kill,
		tree: process.Tree{ID: process.ID{PID: cmd.Process.Pid, Start: "another"}}, exited: make(chan struct{}), lost: make(chan struct{}),
		grace: exitGrace,
	}
}

func TestAStopDoesNotWaitForAProcessThatCannotBeKilled(t *testing.T) {
	kills := 0
	c := unkillable(t, func(int) { kills++ })
	synctest.Test(t, func(*testing.T) {
		// A synctest bubble waits only for channels that were made in it.
		c.exited, c.lost = make(chan struct{}), make(chan struct{})
		go func() { <-c.lost; close(c.exited) }() // as awaitExit does
		c.stop()
	})
	if kills != 1 {
		t.Errorf("the process was killed %d times", kills)
	}
}

func TestAProcessThatWasGivenUpIsNotWaitedFor(t *testing.T) {
	c := unkillable(t, func(int) {})
	close(c.lost)
	c.awaitExit(nil)
	if !errors.Is(c.status, errNotEnded) {
		t.Errorf("the status is %v", c.status)
	}
}

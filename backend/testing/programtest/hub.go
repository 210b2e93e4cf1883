//go:build linux

package programtest

import (
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/instance"
)

// Hub is a hub that a test started.
type Hub struct {
	instance.Info
	t      *testing.T
	Cmd    *exec.Cmd
	Stderr *Output
	ended  chan struct{}
}

// Serve starts a hub and waits until it is ready.
func (h *Home) Serve() *Hub {
	h.T.Helper()
	s := h.startServing("serve")
	Eventually(h.T, "the hub is ready", func() bool {
		select {
		case <-s.ended:
			h.T.Fatalf("the hub did not start: exit code %d:\n%s", s.Cmd.ProcessState.ExitCode(), s.Stderr)
		default:
		}
		info, err := instance.Read(h.Folder)
		s.Info = info
		return err == nil && info.PID == s.Cmd.Process.Pid
	})
	return s
}

// startServing starts a hub without waiting until it is ready.
func (h *Home) startServing(args ...string) *Hub {
	h.T.Helper()
	s := &Hub{t: h.T, Cmd: h.Command(args...), Stderr: &Output{}, ended: make(chan struct{})}
	s.Cmd.Stderr = s.Stderr
	if err := s.Cmd.Start(); err != nil {
		h.T.Fatal(err)
	}
	h.T.Cleanup(func() {
		if text := s.Stderr.String(); h.T.Failed() && text != "" {
			h.T.Logf("standard error of the hub %d:\n%s", s.Cmd.Process.Pid, text)
		}
	})
	go func() {
		defer close(s.ended)
		_ = s.Cmd.Wait() // the exit code is read from ProcessState
	}()
	return s
}

// Exit waits until the hub has ended and returns its exit code.
func (s *Hub) Exit() int {
	s.t.Helper()
	select {
	case <-s.ended:
		return s.Cmd.ProcessState.ExitCode()
	case <-time.After(deadline):
		s.t.Fatalf("the hub did not end in time:\n%s", s.Stderr)
		return -1
	}
}

// Kill kills the hub with SIGKILL and waits until it has ended.
func (s *Hub) Kill() {
	s.t.Helper()
	Signal(s.t, s.Cmd.Process.Pid, syscall.SIGKILL)
	s.Exit()
}

// RunningHub waits until a hub is announced, and returns its address and token.
func (h *Home) RunningHub() instance.Info {
	h.T.Helper()
	var info instance.Info
	Eventually(h.T, "a hub is running", func() (ok bool) {
		var err error
		info, err = instance.Read(h.Folder)
		return err == nil
	})
	return info
}

package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// child is the link to a server that runs as a child process.
type child struct {
	cmd    *exec.Cmd
	input  io.Closer
	exited chan struct{} // closed when the process and its process group have ended
	status error         // of the process; valid once exited is closed
}

// spawn starts the child process of a session.
func (s *session) spawn(env process.Env) error {
	for name, value := range s.filled.Env {
		if !process.OwnVariable(name) {
			env = env.With(name, value)
		}
	}
	program := env.LookPath(s.filled.Command)
	if program == "" {
		return notFound(s.server)
	}
	cmd := exec.Command(program, s.filled.Args...)
	cmd.Env, cmd.Dir, cmd.Stderr = env, env.Home(), io.MultiWriter(s.stderr, s.lines)
	cmd.WaitDelay = time.Second // a grandchild may keep stderr open
	process.Isolate(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("pipe: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("pipe: %w", err)
	}
	s.manager.children.endOrphans()
	if err := cmd.Start(); err != nil {
		return notStarted(err, fault.Failed, "Failed to activate %q: could not start %q: %s", s.server.Name, program, errors.Unwrap(err))
	}
	if err := process.Adopt(cmd); err != nil {
		s.manager.log.Warn("a child process would outlive a killed hub", "server", s.server.Name, "error", err)
	}
	id := process.ID{PID: cmd.Process.Pid, Start: process.StartOf(cmd.Process.Pid)}
	s.manager.children.add(id)
	c := &child{cmd: cmd, input: in, exited: make(chan struct{})}
	s.link, s.conn = c, jsonrpc.NewConn(out, in, s, jsonrpc.Options{LineLimit: maxLine})
	s.manager.work.Go(func() {
		_ = s.conn.Run(context.Background()) // returns when the child's output ends
	})
	s.manager.work.Go(func() {
		<-s.conn.Done() // cmd.Wait closes the pipe, so wait until everything was read
		c.awaitExit(id)
		s.lines.close()
		s.manager.children.remove(id)
		close(c.exited)
	})
	return nil
}

// awaitExit waits for the process to exit and then ends the remaining processes
// of its group.
func (c *child) awaitExit(id process.ID) {
	ended := make(chan struct{})
	go func() {
		c.status = c.cmd.Wait()
		close(ended)
	}()
	if !within(exitGrace, ended) {
		// The child has closed its output, so it can no longer answer.
		process.Terminate(id.PID)
		if !within(exitGrace, ended) {
			process.Kill(id.PID)
			<-ended
		}
	}
	process.Reap(id)
}

func (c *child) pid() int { return c.cmd.Process.Pid }

func (c *child) gone() <-chan struct{} { return c.exited }

// stop closes the child's input. If the child does not exit, it sends SIGTERM
// and then SIGKILL to the child's process group.
func (c *child) stop() {
	_ = c.input.Close()
	if !within(exitGrace, c.exited) {
		process.Terminate(c.pid())
		if !within(exitGrace, c.exited) {
			process.Kill(c.pid())
		}
	}
	<-c.exited
}

func (c *child) ending() ending {
	select {
	case <-c.exited:
	default:
		return ending{how: "its output closed"}
	}
	var exit *exec.ExitError
	switch {
	case c.status == nil:
		return ending{how: "exit status 0"}
	case errors.As(c.status, &exit):
		return ending{how: exit.Error(), cause: c.status}
	}
	return ending{how: "its exit status is unknown", cause: c.status}
}

// notFound returns the error for a command that is not in PATH.
func notFound(v registry.Server) error {
	advice := ""
	switch v.Command {
	case "npx", "node", "npm":
		advice = " — install Node.js (its npx must be on your login shell's PATH)"
	case "uvx", "uv":
		advice = " — install uv (its uvx must be on your login shell's PATH)"
	case "docker":
		advice = " — install Docker or Podman"
	}
	return notStarted(exec.ErrNotFound, fault.Failed, "Failed to activate %q: command %q not found on PATH%s. Original: spawn %s ENOENT",
		v.Name, v.Command, advice, v.Command)
}

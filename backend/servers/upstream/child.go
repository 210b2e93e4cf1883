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

// child is the link to a server that is a process of ours.
type child struct {
	cmd    *exec.Cmd
	input  io.Closer
	exited chan struct{} // closed when the process is gone and reaped
	status error         // of the process; read after exited
}

// spawn starts a session's process.
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
	cmd.Env, cmd.Dir, cmd.Stderr = env, env.Home(), io.MultiWriter(s.errors, s.lines)
	cmd.WaitDelay = time.Second // a grandchild may hold stderr open
	process.Isolate(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("pipe: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("pipe: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return notStarted(err, fault.Failed, "Failed to activate %q: %q cannot be started: %s", s.server.Name, program, errors.Unwrap(err))
	}
	if err := process.Adopt(cmd); err != nil {
		s.manager.Log.Warn("child will not end with the hub", "server", s.server.Name, "error", err)
	}
	id := process.ID{PID: cmd.Process.Pid, Start: process.StartOf(cmd.Process.Pid)}
	s.manager.children.add(id)
	c := &child{cmd: cmd, input: in, exited: make(chan struct{})}
	s.link, s.conn = c, jsonrpc.NewConn(out, in, s, jsonrpc.Options{LineLimit: childLine})
	s.manager.sessions.Go(func() {
		_ = s.conn.Run(context.Background()) // ends with the child's output
	})
	s.manager.sessions.Go(func() {
		<-s.conn.Done() // Wait closes the pipe: read it to its end first
		c.awaitExit(id)
		s.lines.close()
		s.manager.children.remove(id)
		close(c.exited)
	})
	return nil
}

// awaitExit waits for the process, and then ends what it may have left behind
// in its group.
func (c *child) awaitExit(id process.ID) {
	ended := make(chan struct{})
	go func() {
		c.status = c.cmd.Wait()
		close(ended)
	}()
	if !within(exitGrace, ended) {
		// Its output is closed and it lives on: nobody can talk to it.
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

// stop closes the input, then sends SIGTERM, then SIGKILL to the whole group.
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
	return ending{how: "it could not be waited for", cause: c.status}
}

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

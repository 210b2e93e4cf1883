package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/events"
	"github.com/agent-discover/agent-discover/backend/fault"
	"github.com/agent-discover/agent-discover/backend/process"
	"github.com/agent-discover/agent-discover/backend/registry"
	"github.com/agent-discover/agent-discover/backend/secrets"
	"github.com/agent-discover/agent-discover/backend/wire"
)

// protocolVersion is what we ask servers for; they answer with theirs, and
// since nothing is decoded on its way any of them will do.
const protocolVersion = "2025-11-25"

// What bounds a list that has no end, or one that nobody could use.
const (
	maxPages     = 200
	maxTools     = 5000
	maxToolBytes = 64 << 20
)

// launch starts a server and returns once it is initialized and its tools are
// listed. The session is returned with an error too when a process was
// started, which is then already ending.
func launch(ctx context.Context, m *Manager, server registry.Server) (*session, error) {
	if err := startable(server); err != nil {
		return nil, err
	}
	filled := server
	if m.Secrets != nil {
		var err error
		if filled, err = m.Secrets.Fill(ctx, server); err != nil {
			return nil, err
		}
	}
	s := &session{
		manager: m, server: server, filled: filled, redactor: secrets.ForServer(filled.Env, filled.Args),
		started: time.Now(), lastUsed: time.Now(), errors: newTail(),
		exited: make(chan struct{}), relist: make(chan struct{}, 1), callers: make(map[Caller]int),
	}
	if err := s.spawn(m.Environment(ctx)); err != nil {
		return nil, err
	}
	err := s.initialize(ctx)
	if err == nil && s.hasTools {
		err = s.listTools(ctx)
	}
	if err != nil {
		failure := s.startFailure(ctx, err)
		m.sessions.Go(func() { s.shutdown("it did not start") })
		return s, failure
	}
	s.lastUsed = time.Now() // a slow start is not idleness
	live, cancel := context.WithCancel(m.lifetime)
	s.cancel = cancel
	m.sessions.Go(func() { s.follow(live) })
	events.Publish(m.Bus, StateChanged{Name: server.Name, Running: true})
	return s, nil
}

// startable reports why a server cannot be started at all.
func startable(v registry.Server) error {
	switch {
	case !v.Approved:
		return fault.New(fault.Denied, "server %q waits for a person's approval (agent-discover servers approve %s)", v.Name, v.Name)
	case v.Transport != "stdio" && v.Homepage == "":
		return fault.New(fault.Invalid, "Server %q has no URL configured for remote transport", v.Name)
	case v.Transport != "stdio":
		return fault.New(fault.Invalid, "server %q uses the transport %q; this version starts servers on stdio only", v.Name, v.Transport)
	case v.Command == "":
		return fault.New(fault.Invalid, "Server %q has no command configured", v.Name)
	}
	return nil
}

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
	cmd.Env, cmd.Dir, cmd.Stderr = env, env.Home(), s.errors
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
		return fault.Wrap(err, fault.Failed, "Failed to activate %q: %q cannot be started: %s", s.server.Name, program, errors.Unwrap(err))
	}
	if err := process.Adopt(cmd); err != nil {
		s.manager.Log.Warn("child will not end with the hub", "server", s.server.Name, "error", err)
	}
	id := process.ID{PID: cmd.Process.Pid, Start: process.StartOf(cmd.Process.Pid)}
	s.manager.children.add(id)
	s.cmd, s.input = cmd, in
	s.conn = wire.NewConn(out, in, s, wire.Options{LineLimit: childLine})
	s.manager.sessions.Go(func() {
		_ = s.conn.Run(context.Background()) // ends with the child's output
	})
	s.manager.sessions.Go(func() {
		<-s.conn.Done() // Wait closes the pipe: read it to its end first
		s.awaitExit(id)
	})
	return nil
}

// awaitExit waits for the process, and then ends what it may have left behind
// in its group.
func (s *session) awaitExit(id process.ID) {
	ended := make(chan struct{})
	go func() {
		s.status = s.cmd.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(exitGrace):
		// Its output is closed and it lives on: nobody can talk to it.
		process.Terminate(id.PID)
		select {
		case <-ended:
		case <-time.After(exitGrace):
			process.Kill(id.PID)
			<-ended
		}
	}
	process.Reap(id)
	s.manager.children.remove(id)
	close(s.exited)
}

func notFound(v registry.Server) error {
	advice := "install it, or give the full path of the program"
	switch v.Command {
	case "npx", "node", "npm":
		advice = "install Node.js (its npx must be on your login shell's PATH)"
	case "uvx", "uv":
		advice = "install uv (its uvx must be on your login shell's PATH)"
	case "docker":
		advice = "install Docker or Podman"
	}
	return fault.New(fault.Unavailable, "Failed to activate %q: command %q not found on PATH — %s. Original: spawn %s ENOENT", v.Name, v.Command, advice, v.Command)
}

func (s *session) initialize(ctx context.Context) error {
	params, err := json.Marshal(map[string]any{
		"protocolVersion": protocolVersion,
		"capabilities":    map[string]any{"roots": struct{}{}, "sampling": struct{}{}, "elicitation": struct{}{}},
		"clientInfo":      map[string]string{"name": "agent-discover", "version": s.manager.Version},
	})
	if err != nil {
		return err
	}
	raw, err := s.conn.Call(ctx, wire.Call{Method: "initialize", Params: params})
	if err != nil {
		return err
	}
	var result struct {
		Capabilities struct {
			Tools json.RawMessage `json:"tools"`
		} `json:"capabilities"`
		ServerInfo struct {
			Version string `json:"version"`
		} `json:"serverInfo"`
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return fmt.Errorf("its answer to initialize is malformed: %w", err)
	}
	s.version = result.ServerInfo.Version
	s.hasTools = result.Capabilities.Tools != nil
	return s.conn.Notify("notifications/initialized", nil)
}

// listTools reads all pages and hands them to the catalog.
func (s *session) listTools(ctx context.Context) error {
	var tools []json.RawMessage
	var params json.RawMessage
	seen, size := make(map[string]bool), 0
	for range maxPages {
		raw, err := s.conn.Call(ctx, wire.Call{Method: "tools/list", Params: params})
		if err != nil {
			return fmt.Errorf("tools/list: %w", err)
		}
		var page struct {
			Tools      []json.RawMessage `json:"tools"`
			NextCursor *string           `json:"nextCursor"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			return fmt.Errorf("its answer to tools/list is malformed: %w", err)
		}
		for _, tool := range page.Tools {
			size += len(tool)
		}
		if len(tools)+len(page.Tools) > maxTools || size > maxToolBytes {
			return fault.New(fault.Failed, "it lists more than %d tools or %d MiB of them; a hub of many servers cannot hold that", maxTools, maxToolBytes>>20)
		}
		tools = append(tools, page.Tools...)
		if page.NextCursor == nil || *page.NextCursor == "" || seen[*page.NextCursor] {
			break
		}
		seen[*page.NextCursor] = true
		params = wire.Set(nil, "cursor", wire.Quote(*page.NextCursor))
	}
	_, err := s.manager.Catalog.Replace(ctx, s.server.Name, tools)
	return err
}

// startFailure says why a start failed.
func (s *session) startFailure(ctx context.Context, err error) error {
	command := s.redactor.Text(strings.Join(append([]string{s.server.Command}, s.server.Args...), " "))
	var rpc *wire.Error
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return context.Cause(ctx)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fault.Wrap(err, fault.Timeout, "Failed to activate %q: %q did not finish the MCP handshake within %s — does it wait for input or for a login? Run it in a terminal to see.%s",
			s.server.Name, command, s.manager.Limits.StartTimeout, s.lastWords())
	case isClosed(err):
		s.exitsWithin(exitGrace)
		return fault.Wrap(err, fault.Failed, "Failed to activate %q: child process for %q exited before the MCP handshake completed — verify the package/args are correct and the server actually starts. Original: MCP error -32000: Connection closed%s",
			s.server.Name, command, s.lastWords())
	case errors.As(err, &rpc):
		return fault.Wrap(err, fault.Failed, "Failed to activate %q: it answered with MCP error %d: %s%s",
			s.server.Name, rpc.Code, s.redactor.Text(rpc.Message), s.lastWords())
	}
	return fault.Wrap(err, fault.Failed, "Failed to activate %q: %s%s", s.server.Name, s.redactor.Text(err.Error()), s.lastWords())
}

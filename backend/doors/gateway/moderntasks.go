package gateway

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/agent-discover/agent-discover/backend/doors/gateway/answer"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// taskCaller is the caller of requests about tasks. It answers no requests of the server: a task that needs
// input says so in its state.
type taskCaller struct{ *modernRound }

// Client implements upstream.CallOf.
func (c taskCaller) Client() any { return c.caller }

// Declared implements upstream.Declarer.
func (c taskCaller) Declared() upstream.Declared { return c.declared }

// Ask implements upstream.Caller.
func (c taskCaller) Ask(_ context.Context, q upstream.Question) (json.RawMessage, error) {
	return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "%s cannot be answered during a request about a task", q.Method)
}

// serveModern serves tasks/get, tasks/update and tasks/cancel of MCP 2026-07-28.
func (s *sessionTasks) serveModern(
	ctx context.Context, method string, meta mcpversion.Meta, params json.RawMessage,
) (json.RawMessage, error) {
	if jsonrpc.Get(jsonrpc.Get(meta.ClientCapabilities, "extensions"), surfaces.TasksExtension) == nil {
		return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "Method not found: %s; the client does not declare the extension %s",
			method, surfaces.TasksExtension)
	}
	server, own, err := s.requests.owner(method, params)
	if err != nil {
		return nil, err
	}
	t := s.of(server, jsonrpc.GetString(own, "taskId"))
	if t == nil {
		return nil, errNoTask
	}
	declared := upstream.Declared{Capabilities: meta.ClientCapabilities, Modern: true}
	round := &modernRound{caller: s.requests.exchanges.caller, declared: declared}
	ctx = exchange{modern: true, caller: taskCaller{round}, server: &round.server}.in(ctx)
	result, err := s.requests.pass(ctx, method, mcpversion.Meta{}.Stamp(params))
	if err != nil {
		return nil, err
	}
	if isOver(result) {
		t.lease.Release()
	}
	return s.results.cutState(t, result), nil
}

// followAll makes l a listener of tasks. ids have the form that the client is shown. It returns the ids of the
// tasks that l now listens to.
func (s *sessionTasks) followAll(ctx context.Context, l *listener, ids json.RawMessage) json.RawMessage {
	done := []string{}
	n := 0
	for raw := range jsonrpc.Items(ids) {
		shown, ok := jsonrpc.String(raw)
		if n++; !ok || n > maxListened {
			continue
		}
		server, own, err := s.requests.owner("tasks/get", jsonrpc.Set(nil, "taskId", raw))
		if err != nil {
			continue
		}
		t := s.of(server, jsonrpc.GetString(own, "taskId"))
		if t == nil || s.follow(ctx, t, l) != nil {
			continue
		}
		done = append(done, shown)
	}
	list, _ := answer.Encode(done) // encoding strings cannot fail
	return list
}

// follow adds a listener of a task. For the first listener, it asks the server to announce the states of the
// task.
func (s *sessionTasks) follow(ctx context.Context, t *task, l *listener) error {
	t.following.Lock()
	defer t.following.Unlock()
	if t.unfollow == nil {
		stop, err := t.lease.FollowTask(ctx, t.id)
		if err != nil {
			return err
		}
		t.unfollow = stop
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.listeners == nil {
		t.listeners = make(map[*listener]bool)
	}
	t.listeners[l] = true
	return nil
}

// unfollow removes a listener from all tasks.
func (s *sessionTasks) unfollow(l *listener) {
	for _, t := range s.all() {
		t.following.Lock()
		s.mu.Lock()
		known := t.listeners[l]
		delete(t.listeners, l)
		last := known && len(t.listeners) == 0
		s.mu.Unlock()
		if last {
			t.unfollow()
			t.unfollow = nil
		}
		t.following.Unlock()
	}
}

// announce sends the state of a task to its listeners.
func (s *sessionTasks) announce(t *task, state json.RawMessage) {
	if isOver(state) {
		t.lease.Release()
	}
	s.mu.Lock()
	to := slices.Collect(maps.Keys(t.listeners))
	s.mu.Unlock()
	for _, l := range to {
		l.announce("notifications/tasks", state)
	}
}

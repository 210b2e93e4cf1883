package gateway

import (
	"context"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// tasksExtension is the name of the tasks of MCP 2026-07-28 among the extensions in
// capabilities.
const tasksExtension = "io.modelcontextprotocol/tasks"

// taskCaller makes requests about tasks. Servers cannot ask anything meanwhile: a task
// that needs input says so in its state.
type taskCaller struct{ *modernRound }

// Client implements upstream.CallOf.
func (c taskCaller) Client() any { return c.session }

// Declared implements upstream.Declarer.
func (c taskCaller) Declared() upstream.Declared { return c.declared }

// Ask implements upstream.Caller.
func (c taskCaller) Ask(_ context.Context, q upstream.Question) (json.RawMessage, error) {
	return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "%s cannot be answered during a request about a task", q.Method)
}

// modernTask serves tasks/get, tasks/update and tasks/cancel of MCP 2026-07-28.
func (s *Session) modernTask(ctx context.Context, method string, meta mcpversion.Meta, params json.RawMessage) (json.RawMessage, error) {
	if jsonrpc.Get(jsonrpc.Get(meta.ClientCapabilities, "extensions"), tasksExtension) == nil {
		return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "Method not found: %s; the client does not declare the extension %s", method, tasksExtension)
	}
	server, own, err := s.owner(method, params)
	if err != nil {
		return nil, err
	}
	t := s.taskOf(server, jsonrpc.GetString(own, "taskId"))
	if t == nil {
		return nil, errNoTask
	}
	round := &modernRound{session: s, declared: upstream.Declared{Capabilities: meta.ClientCapabilities, Modern: true}}
	ctx = exchange{modern: true, caller: taskCaller{round}, server: &round.server}.in(ctx)
	result, err := s.pass(ctx, method, mcpversion.Meta{}.Stamp(params))
	if err != nil {
		return nil, err
	}
	if isOver(result) {
		t.lease.Release()
	}
	return s.cutState(t, result), nil
}

// followTasks subscribes to tasks of the session, and returns the ids for which that
// succeeded.
func (l *listener) followTasks(ctx context.Context, ids json.RawMessage) json.RawMessage {
	done := []string{}
	n := 0
	for raw := range jsonrpc.Items(ids) {
		shown, ok := jsonrpc.String(raw)
		if n++; !ok || n > maxListened {
			continue
		}
		server, own, err := l.session.owner("tasks/get", jsonrpc.Set(nil, "taskId", raw))
		if err != nil {
			continue
		}
		t := l.session.taskOf(server, jsonrpc.GetString(own, "taskId"))
		if t == nil || l.session.follow(ctx, t, l) != nil {
			continue
		}
		done = append(done, shown)
	}
	list, _ := encode(done) // strings cannot fail
	return list
}

// follow adds a listener of a task. The server is asked for the first one.
func (s *Session) follow(ctx context.Context, t *task, l *listener) error {
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

// unfollowTasks removes a listener from all tasks.
func (s *Session) unfollowTasks(l *listener) {
	for _, t := range s.ownTasks() {
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

// announceTask passes the state of a task on to those who listen to it.
func (s *Session) announceTask(t *task, state json.RawMessage) {
	if isOver(state) {
		t.lease.Release()
	}
	s.mu.Lock()
	var to []*listener
	for l := range t.listeners {
		to = append(to, l)
	}
	s.mu.Unlock()
	for _, l := range to {
		l.announce("notifications/tasks", state)
	}
}

package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"

	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/answer"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// Tasks are tool calls that continue after the server has answered: in MCP 2025-11-25, and in MCP 2026-07-28 as
// an extension. A server does not know the hub's sessions, so the hub remembers which session has started which
// task, and shows each session only its own tasks.

// tasksVersion is the first version of MCP with tasks.
const tasksVersion = "2025-11-25"

// maxTasks is how many tasks the hub remembers for a session. It forgets older ones.
const maxTasks = 256

// task is a task that a session has started.
type task struct {
	server, tool, id string
	lease            *upstream.Lease // keeps the server that knows the task running until the task is over
	last             json.RawMessage // final state as the client sees it, for tasks/list; nil until the task is over

	cutting sync.Mutex
	cut     json.RawMessage // the shortened result as the client sees it; nil if the result was not too long

	following sync.Mutex         // held while the hub asks the server to announce the task's states, or to stop
	unfollow  func()             // ends the announcements; nil if nobody listens
	listeners map[*listener]bool // guarded by sessionTasks.mu
}

// sessionTasks are the tasks that one session has started. It is safe for concurrent use.
type sessionTasks struct {
	surface  surface
	requests *requests
	results  *longResults
	changes  *changes

	mu   sync.Mutex
	list []*task // oldest first
}

// note remembers the task in the result of a tool call, if there is one.
func (s *sessionTasks) note(server, tool string, result call.Result) {
	if !bytes.Contains(result.JSON, []byte(`"taskId"`)) {
		return // do not parse a long result without need
	}
	id := jsonrpc.GetString(jsonrpc.Get(result.JSON, "task"), "taskId")
	if mcpversion.ResultType(result.JSON) == mcpversion.TypeTask {
		id = jsonrpc.GetString(result.JSON, "taskId")
	}
	if id == "" {
		return
	}
	lease := result.Lease()
	if lease == nil {
		return // the result does not come from a server
	}
	s.mu.Lock()
	s.list = append(s.list, &task{server: server, tool: tool, id: id, lease: lease})
	var old *task
	if len(s.list) > maxTasks {
		old, s.list = s.list[0], s.list[1:]
	}
	s.mu.Unlock()
	if old != nil {
		old.lease.Release()
	}
}

func (s *sessionTasks) all() []*task {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*task(nil), s.list...)
}

// of returns a task of the session, or nil.
func (s *sessionTasks) of(server, id string) *task {
	for _, t := range s.all() {
		if t.server == server && t.id == id {
			return t
		}
	}
	return nil
}

// noteState does nothing unless the task is over. It then stores the final state, as the client sees it, and
// releases the lease of the server.
func (s *sessionTasks) noteState(t *task, state json.RawMessage) {
	if isOver(state) {
		s.mu.Lock()
		t.last = jsonrpc.Delete(state, "_meta")
		s.mu.Unlock()
		t.lease.Release()
	}
}

// isOver reports whether a task has a final state.
func isOver(state json.RawMessage) bool {
	status := jsonrpc.GetString(state, "status")
	return status == "completed" || status == "failed" || status == "cancelled"
}

// errNoTask is the error of requests about a task that the session has not started.
var errNoTask = jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: this session has no such task")

// serve serves tasks/get, tasks/result and tasks/cancel.
func (s *sessionTasks) serve(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	server, own, err := s.requests.owner(method, params)
	if err != nil {
		return nil, err
	}
	t := s.of(server, jsonrpc.GetString(own, "taskId"))
	if t == nil {
		return nil, errNoTask
	}
	result, err := s.requests.pass(ctx, method, params)
	switch {
	case err != nil:
		return nil, err
	case method == "tasks/result":
		return s.results.cutTask(t, result), nil
	}
	s.noteState(t, result)
	return result, nil
}

// serveList serves tasks/list. The list has one page, with the tasks of this session
// that their servers still know.
func (s *sessionTasks) serveList(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	if jsonrpc.Get(params, "cursor") != nil {
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: unknown cursor; the list has one page")
	}
	var list []json.RawMessage
	for _, t := range s.all() {
		if state := s.stateOf(ctx, t); state != nil {
			list = append(list, state)
		}
	}
	return answer.List("tasks", list), nil
}

// stateOf returns the state of a task as the client sees it, or nil if the server has ended or returns an
// error.
func (s *sessionTasks) stateOf(ctx context.Context, t *task) json.RawMessage {
	s.mu.Lock()
	last := t.last
	s.mu.Unlock()
	if last != nil {
		return last
	}
	select {
	case <-t.lease.Done():
		return nil
	default:
	}
	state, err := s.requests.forward(ctx, t.server, "tasks/get", jsonrpc.Set(nil, "taskId", jsonrpc.Quote(t.id)))
	if err != nil {
		return nil
	}
	state = s.surface.Shown(t.server, "tasks/get", state, "")
	s.noteState(t, state)
	return jsonrpc.Delete(state, "_meta")
}

// deliver passes the state of a task on to the client, if this session has started the task. passed is a function that
// returns the state that the client may see.
func (s *sessionTasks) deliver(a upstream.Announced, passed func(*task) (json.RawMessage, error)) {
	t := s.of(a.Server, jsonrpc.GetString(a.Params, "taskId"))
	if t == nil || !a.Over(t.lease) {
		return
	}
	own, err := passed(t)
	if err != nil {
		return // the client gets the error when it asks for the state
	}
	state := s.results.cutState(t, s.surface.Shown(a.Server, a.Method, own, ""))
	if a.Method == "notifications/tasks" {
		s.announce(t, state)
		return
	}
	s.noteState(t, state)
	s.changes.announce(a.Method, state)
}

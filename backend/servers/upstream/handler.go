package upstream

import (
	"context"
	"encoding/json"
	"time"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Request implements jsonrpc.Handler for requests of the server.
func (s *session) Request(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	switch method {
	case "ping":
		return json.RawMessage("{}"), nil
	case "roots/list":
		return s.roots(), nil
	case "sampling/createMessage", "elicitation/create":
		return s.ask(ctx, Question{Server: s.server.Name, Method: method, Params: params, Redactor: s.redactor})
	}
	return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "Method not found: %s", method)
}

// ask passes a question of the server to the caller of the calls in flight. If
// there is no call in flight, or several callers, the question goes to
// Options.Window. The time limits of the server's calls are suspended until the
// answer.
func (s *session) ask(ctx context.Context, q Question) (json.RawMessage, error) {
	caller, ok := s.soleCaller()
	if !ok {
		caller = s.manager.window
	}
	if caller == nil {
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidRequest,
			"%s cannot be answered: no call, or calls of several clients, are in flight on this shared server", q.Method)
	}
	defer s.conn.Hold()()
	return caller.Ask(ctx, q)
}

func (s *session) roots() json.RawMessage {
	type root struct {
		URI  string `json:"uri"`
		Name string `json:"name"`
	}
	answer := struct {
		Roots []root `json:"roots"`
	}{Roots: []root{}}
	for _, uri := range s.manager.roots {
		answer.Roots = append(answer.Roots, root{uri, uri})
	}
	data, _ := json.Marshal(answer)
	return data
}

// Notification implements jsonrpc.Handler.
func (s *session) Notification(method string, params json.RawMessage) {
	switch method {
	case "notifications/cancelled":
		return // cancels a request of the server; jsonrpc.Conn handles it
	case "notifications/tools/list_changed":
		select {
		case s.relist <- struct{}{}:
		default:
		}
	}
	s.enqueue(notice{method: method, params: params, at: time.Now()})
}

// maxShownLine is how much of an invalid line is logged, in bytes.
const maxShownLine = 200

// Bad implements jsonrpc.Handler. It skips a line that is not a message, such
// as a greeting on standard output. To limit the log, it logs the first 8 such
// lines, and then those whose count is a power of two.
func (s *session) Bad(line []byte, err error) *jsonrpc.Error {
	if n := s.invalidLines.Add(1); n <= 8 || n&(n-1) == 0 {
		shown, _ := s.redactor.Head(string(line[:min(len(line), maxShownLine+s.redactor.Reach()+1)]), maxShownLine)
		s.manager.log.Warn("server wrote a line that is not a JSON-RPC message", "server", s.server.Name,
			"count", n, "line", shown, "error", err)
	}
	return nil
}

// relistPause is the minimum time between two readings of a server's tool list.
const relistPause = 250 * time.Millisecond

// follow reads the tool list again each time the server reports a change, until
// ctx ends.
func (s *session) follow(ctx context.Context) {
	for {
		select {
		case <-s.relist:
			listing, cancel := context.WithTimeout(ctx, s.manager.limits.StartTimeout)
			if err := s.listTools(listing); err != nil && ctx.Err() == nil {
				s.manager.log.Warn("could not list the changed tools of a server", "server", s.server.Name, "error", s.redactor.Text(err.Error()))
			}
			cancel()
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(relistPause):
		case <-ctx.Done():
			return
		}
	}
}

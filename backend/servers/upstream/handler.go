package upstream

import (
	"context"
	"encoding/json"
	"time"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Request implements wire.Handler: what the child asks.
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

// ask puts a question to whom all calls in flight are for, else to the window.
// While it waits for the answer no call of the server runs out of time.
func (s *session) ask(ctx context.Context, q Question) (json.RawMessage, error) {
	caller, ok := s.soleCaller()
	if !ok {
		caller = s.manager.Window
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
	for _, uri := range s.manager.Roots {
		answer.Roots = append(answer.Roots, root{uri, uri})
	}
	data, _ := json.Marshal(answer)
	return data
}

// Notification implements wire.Handler.
func (s *session) Notification(method string, params json.RawMessage) {
	switch method {
	case "notifications/cancelled":
		return // of a question to us, and no news
	case "notifications/tools/list_changed":
		select {
		case s.relist <- struct{}{}:
		default:
		}
	}
	s.tell(notice{method: method, params: params, at: time.Now()})
}

// maxJunk is how much of a line that is no message is logged, in bytes.
const maxJunk = 200

// Bad implements wire.Handler: a line that is no message, such as a greeting
// printed to standard output, is logged and skipped. Of a flood of them ever
// fewer are logged.
func (s *session) Bad(line []byte, err error) *jsonrpc.Error {
	if n := s.junk.Add(1); n <= 8 || n&(n-1) == 0 {
		shown, _ := s.redactor.Head(string(line[:min(len(line), maxJunk+s.redactor.Reach()+1)]), maxJunk)
		s.manager.Log.Warn("server wrote a line that is no JSON-RPC message", "server", s.server.Name,
			"count", n, "line", shown, "error", err)
	}
	return nil
}

// relistPause is how long a server must wait between two lists that it asks
// us to read.
const relistPause = 250 * time.Millisecond

// follow lists the tools anew each time the child says that they changed.
func (s *session) follow(ctx context.Context) {
	for {
		select {
		case <-s.relist:
			listing, cancel := context.WithTimeout(ctx, s.manager.Limits.StartTimeout)
			if err := s.listTools(listing); err != nil && ctx.Err() == nil {
				s.manager.Log.Warn("tools not listed again", "server", s.server.Name, "error", s.redactor.Text(err.Error()))
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

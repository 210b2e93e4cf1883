package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Request implements jsonrpc.Handler for requests of the server.
func (s *session) Request(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	switch method {
	case "ping":
		return json.RawMessage("{}"), nil
	case "roots/list", "sampling/createMessage", "elicitation/create":
		c := s.cause(ctx, params, jsonrpc.PendingAt(ctx))
		if method == "roots/list" && !s.hasRoots(c) {
			return s.rootsAnswer(), nil
		}
		return s.ask(ctx, c, Question{Server: s.server.Name, Method: method, Params: params, Redactor: s.redactor, Unknown: c.unknown})
	}
	return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "Method not found: %s", method)
}

// questionTimeout is how long a question may wait for its answer.
const questionTimeout = 10 * time.Minute

// ask passes a question of the server to the caller of the call that caused it, or to
// Options.Window if no caller is certain. The time limits of the calls that may have caused
// it are suspended until the answer. The question ends with these calls.
func (s *session) ask(ctx context.Context, c cause, q Question) (json.RawMessage, error) {
	caller := c.caller
	if caller == nil {
		caller = s.manager.window
	}
	if caller == nil {
		return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "%s cannot be answered: %s", q.Method, c.unknown)
	}
	hold := s.conn.Hold(c.calls)
	defer hold.Release()
	ctx, cancel := context.WithTimeout(ctx, questionTimeout)
	defer cancel()
	over := make(chan struct{})
	defer close(over)
	go func() {
		select {
		case <-hold.Ended():
			cancel()
		case <-over:
		}
	}()
	answer, err := caller.Ask(ctx, q)
	select {
	case <-hold.Ended():
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidRequest, "%s was not answered before the call ended that caused it", q.Method)
	default:
	}
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, jsonrpc.NewError(jsonrpc.CodeInternalError, "%s was not answered within %s", q.Method, questionTimeout)
	}
	return answer, err
}

// onlyClient returns the only client of the session since its start, or nil.
func (s *session) onlyClient() any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shared {
		return nil
	}
	return s.client
}

// Notification implements jsonrpc.Handler.
func (s *session) Notification(method string, params json.RawMessage) {
	if method == "notifications/cancelled" {
		return // cancels a request of the server; jsonrpc.Conn handles it
	}
	if s.modern() {
		var public bool
		if params, public = s.noticed(method, params); !public {
			return
		}
	}
	s.announce(method)
	var taken any
	switch method {
	case "notifications/message":
		taken = s.passMessage(params)
		fallthrough
	case "notifications/resources/updated", "notifications/tasks/status", "notifications/tasks":
		events.Publish(s.manager.bus, Announced{
			Server: s.server.Name, Session: s.target.Client, Method: method, Params: params, Client: s.onlyClient(), Taken: taken, from: s,
		})
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

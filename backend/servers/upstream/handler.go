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
	case "roots/list":
		if caller, _ := s.cause(ctx); !s.hasRoots(caller) {
			return s.rootsAnswer(), nil
		}
		return s.ask(ctx, Question{Server: s.server.Name, Method: method, Params: params, Redactor: s.redactor})
	case "sampling/createMessage", "elicitation/create":
		return s.ask(ctx, Question{Server: s.server.Name, Method: method, Params: params, Redactor: s.redactor})
	}
	return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "Method not found: %s", method)
}

// questionTimeout is how long a question may wait for its answer.
const questionTimeout = 10 * time.Minute

// ask passes a question of the server to the caller of the call that caused it.
// If the cause is not certain, the question goes to Options.Window. The time
// limits of the calls that may have caused it are suspended until the answer. The
// question ends with these calls.
func (s *session) ask(ctx context.Context, q Question) (json.RawMessage, error) {
	caller, causes := s.cause(ctx)
	if caller == nil {
		caller = s.manager.window
	}
	if caller == nil {
		return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound,
			"%s cannot be answered: it is not certain whose call caused it (no call, or calls of several clients, came to this shared server)", q.Method)
	}
	hold := s.conn.Hold(causes)
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

// cause returns the caller of the call that caused a request of the server, nil
// if that is not certain, and a function that matches the calls that may have
// caused it. Over HTTP the stream of the request names the call. Otherwise MCP does
// not say to which call a request belongs, and even a call that was answered may
// have caused it. So the caller is certain only while a single client has used the
// session since its start, and has one caller in flight. A server that a client has for
// itself may ask this client at any time.
func (s *session) cause(ctx context.Context) (caller Caller, causes func(id string, owner any) bool) {
	if call, ok := jsonrpc.CauseOf(ctx); ok {
		caller, _ = s.conn.OwnerOf(call).(Caller)
		return caller, func(id string, _ any) bool { return id == call }
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := 0
	for one, n := range s.callers {
		calls += n
		if !s.shared && len(s.callers) == 1 {
			caller = one
		}
	}
	if owner, ok := s.client.(OwnerCaller); ok && caller == nil && s.target.Client != "" && owner.AnswersAnyTime() {
		caller = owner
	}
	alone := calls == 1 && s.inFlight == 1
	return caller, func(_ string, owner any) bool { return alone || caller != nil && owner == any(caller) }
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
	if !s.target.Legacy { // otherwise the other session has it, too
		s.announce(method)
	}
	var taken any
	switch method {
	case "notifications/message":
		taken = s.passMessage(params)
		fallthrough
	case "notifications/resources/updated", "notifications/tasks/status", "notifications/tasks":
		if s.target.Legacy && method == "notifications/resources/updated" {
			return
		}
		events.Publish(s.manager.bus, Announced{
			Server: s.server.Name, Session: s.target.Client, Method: method, Params: params, Client: s.onlyClient(), Taken: taken,
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

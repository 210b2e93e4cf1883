package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

// inbox handles the requests and notifications of the server of a session. It implements jsonrpc.Handler.
type inbox struct {
	*origin
	conn         *jsonrpc.Conn
	profile      *profile
	attribution  *attribution
	roots        *roots
	window       Caller // asked in place of a caller that is not certain; may be nil
	lists        *lister
	feed         *feed
	notices      *noticeQueue
	announced    announcer
	stderr       *errorOutput
	invalidLines atomic.Int64 // number of lines that were not JSON-RPC messages
}

// Request implements jsonrpc.Handler for requests of the server.
func (b *inbox) Request(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	switch method {
	case "ping":
		return json.RawMessage("{}"), nil
	case "roots/list", "sampling/createMessage", "elicitation/create":
		c := b.attribution.cause(ctx, params, jsonrpc.PendingAt(ctx))
		if method == "roots/list" && !b.roots.ofCaller(c) {
			return b.roots.answer(), nil
		}
		return b.ask(ctx, c, Question{Server: b.server.Name, Method: method, Params: params, Redactor: b.redactor, Unknown: c.unknown})
	}
	return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "Method not found: %s", method)
}

// questionTimeout is how long a question may wait for its answer.
const questionTimeout = 10 * time.Minute

// ask passes a question of the server to the caller of the call that caused it, or to
// Options.Window if no caller is certain. The time limits of the calls that may have caused
// it are suspended until the answer. The question ends with these calls.
func (b *inbox) ask(ctx context.Context, c cause, q Question) (json.RawMessage, error) {
	caller := c.caller
	if caller == nil {
		caller = b.window
	}
	if caller == nil {
		return nil, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "%s cannot be answered: %s", q.Method, c.unknown)
	}
	hold := b.conn.Hold(c.calls)
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

// Notification implements jsonrpc.Handler.
func (b *inbox) Notification(method string, params json.RawMessage) {
	if method == "notifications/cancelled" {
		return // cancels a request of the server; jsonrpc.Conn handles it
	}
	if b.profile.modern() {
		if method == "notifications/subscriptions/acknowledged" {
			select {
			case b.feed.acks <- jsonrpc.Get(params, "notifications"):
			default: // nothing waits for a second acknowledgement
			}
			return
		}
		params = mcpversion.Meta{}.Stamp(params) // without the metadata that concerns only the server and the hub
	}
	b.lists.noteChange(method)
	var taken any
	switch method {
	case "notifications/message":
		taken = b.attribution.passMessage(params)
		fallthrough
	case "notifications/resources/updated", "notifications/tasks/status", "notifications/tasks":
		b.announced(method, params, taken)
	}
	b.notices.enqueue(notice{method: method, params: params, at: time.Now()})
}

// maxShownLine is how much of an invalid line is logged, in bytes.
const maxShownLine = 200

// Bad implements jsonrpc.Handler. It skips a line that is not a message, such as a
// greeting on standard output. To limit the log, it logs such a line only if the number
// of such lines so far is at most 8 or a power of two.
func (b *inbox) Bad(line []byte, err error) *jsonrpc.Error {
	if n := b.invalidLines.Add(1); n <= 8 || n&(n-1) == 0 {
		shown, _ := b.redactor.Head(string(line[:min(len(line), maxShownLine+b.redactor.Reach()+1)]), maxShownLine)
		b.log.Warn("server wrote a line that is not a JSON-RPC message", "server", b.server.Name,
			"count", n, "line", shown, "error", err)
		b.stderr.note("standard output has a line that is not a JSON-RPC message: " + shown)
	}
	return nil
}

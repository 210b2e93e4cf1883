package upstream

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// cause identifies the calls that may have caused a message of the server.
type cause struct {
	caller  Caller                          // caller of the call; nil if no caller is certain
	calls   func(id string, owner any) bool // matches the calls in flight that may be the cause
	late    bool                            // no call is in flight
	unknown string                          // explains to people why no caller is certain; empty if one is
}

// attribution finds out which call has caused a message of the server, and so to which client the message belongs.
type attribution struct {
	conn  *jsonrpc.Conn
	tasks *taskOwners
	use   *usage
}

// nobody is the owner of calls that are made without a caller.
type nobody struct{}

// cause finds the call that caused a request or a notification of the server. MCP does not say to which call a message
// on stdio belongs, so a call is certain only if the server names it, if it is the only one in flight, or if all calls
// in flight have the same caller. A caller is never guessed. pending are the calls that were in flight when the message
// arrived.
//
// Without a call in flight, the message belongs to the client that has the server for itself, or to the only client
// that has used the session.
func (a *attribution) cause(ctx context.Context, params json.RawMessage, pending []jsonrpc.Pending) cause {
	if c, ok := a.named(ctx, params); ok {
		return c
	}
	var calls []jsonrpc.Pending
	for _, p := range pending {
		if p.Owner != nil { // calls of the hub itself have no owner
			calls = append(calls, p)
		}
	}
	switch {
	case len(calls) == 0:
		return a.lateCause()
	case len(calls) == 1:
		return causedBy(calls[0].ID, calls[0].Owner)
	}
	callers, clients := make(map[any]bool), make(map[any]bool)
	for _, call := range calls {
		caller, _ := call.Owner.(Caller)
		callers[call.Owner], clients[clientOf(caller)] = true, true
	}
	if caller, ok := calls[0].Owner.(Caller); ok && len(callers) == 1 {
		return cause{caller: caller, calls: ownedBy(caller)}
	}
	of := "one client"
	if len(clients) > 1 {
		of = fmt.Sprintf("%d clients", len(clients))
	}
	return cause{
		calls: noCall, unknown: fmt.Sprintf("%d calls of %s are in flight, and the server does not say which of them it asks for",
			len(calls), of),
	}
}

// named returns the cause of a message that names its call: by the stream on which it came,
// by the call's progress token or id, or by the task that the call has started. ok is false
// if the message names no call that is known.
func (a *attribution) named(ctx context.Context, params json.RawMessage) (c cause, ok bool) {
	if call, ok := jsonrpc.CauseOf(ctx); ok {
		return causedBy(call, a.conn.OwnerOf(call)), true
	}
	meta := jsonrpc.Get(params, "_meta")
	if meta == nil {
		return cause{}, false
	}
	if call, ok := a.conn.CallOfToken(jsonrpc.Get(meta, "progressToken")); ok {
		return causedBy(call, a.conn.OwnerOf(call)), true
	}
	for _, key := range [...]string{"relatedRequestId", "io.modelcontextprotocol/relatedRequestId"} {
		call := string(jsonrpc.Get(meta, key))
		if owner := a.conn.OwnerOf(call); owner != nil {
			return causedBy(call, owner), true
		}
	}
	task := jsonrpc.GetString(jsonrpc.Get(meta, "io.modelcontextprotocol/related-task"), "taskId")
	if caller := a.tasks.owner(task); caller != nil {
		return cause{caller: caller, calls: ownedBy(caller)}, true
	}
	return cause{}, false
}

// causedBy returns the cause for a call with the given id and owner.
func causedBy(call string, owner any) cause {
	c := cause{calls: func(id string, _ any) bool { return id == call }}
	if c.caller, _ = owner.(Caller); c.caller == nil {
		c.unknown = "its call has no client that could be asked"
	}
	return c
}

// lateCause returns the cause of a message without a call in flight.
func (a *attribution) lateCause() cause {
	c := cause{calls: noCall, late: true}
	first, used, shared := a.use.clients()
	owner, ok := first.(OwnerCaller)
	switch {
	case !used:
		c.unknown = "no call is in flight, and no client has called the server since it started"
	case shared:
		c.unknown = "no call is in flight, and several clients have called the server since it started"
	case !ok || !owner.AnswersAnyTime():
		c.unknown = "no call is in flight, and the only client that has called the server can no longer be asked"
	default:
		c.caller = owner
	}
	return c
}

func noCall(string, any) bool { return false }

func ownedBy(caller Caller) func(id string, owner any) bool {
	return func(_ string, owner any) bool { return owner == any(caller) }
}

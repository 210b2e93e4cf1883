package inspector

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// Caller is the upstream.Caller of one request that a person or a script makes. It notes whether the server asked a
// question that nobody could see; see Unseen.
type Caller struct {
	// Tasks says that a server of MCP 2026-07-28 may run the request as a task.
	Tasks  bool
	inbox  *Inbox
	unseen atomic.Bool
}

// Caller returns a new Caller for one request. The questions that the server asks during the request go to the inbox.
func (b *Inbox) Caller() *Caller { return &Caller{inbox: b} }

// Client implements upstream.CallOf.
func (c *Caller) Client() any { return c.inbox }

// WantsTasks implements upstream.TaskCaller.
func (c *Caller) WantsTasks() bool { return c.Tasks }

// Ask implements upstream.Caller.
func (c *Caller) Ask(ctx context.Context, q upstream.Question) (json.RawMessage, error) {
	answer, err := c.inbox.Ask(ctx, q)
	if _, unseen := errors.AsType[unseenError](err); unseen {
		c.unseen.Store(true)
	}
	return answer, err
}

// Unseen returns an error with fault.CodeUnseen if a server asked a person something during the request, and nobody
// could see the question: no window or tray was open, and no program read it.
func (c *Caller) Unseen(server string) error {
	if !c.unseen.Load() {
		return nil
	}
	return &fault.Error{
		Kind: fault.Conflict, Code: fault.CodeUnseen,
		Message: "server \"" + server +
			"\" asked a person something, and nobody could see it: open the window of Agent Discover or start its tray icon, and call " +
			"again. Programs can read such questions from GET /api/elicitations and answer them.",
	}
}

// unseenError is the answer to a server whose question nobody could see.
type unseenError struct{ rpc *jsonrpc.Error }

func (e unseenError) Error() string { return e.rpc.Error() }

func (e unseenError) Unwrap() error { return e.rpc }

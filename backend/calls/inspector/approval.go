package inspector

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/call"
	"github.com/agent-discover/agent-discover/backend/calls/rules"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// Approve implements call.Person. The error is a fault.Denied if a person refuses, nobody can be asked or nobody
// answers in time. If ctx has ended, the error is its cause.
func (b *Inbox) Approve(ctx context.Context, q call.Question) (rules.Scope, error) {
	arguments := q.Arguments
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	asked := Elicitation{
		Server: q.Server, Client: q.Client, Mode: Approval,
		Message: fmt.Sprintf("%s wants to call the tool %s of %s.", cmp.Or(q.Client, "A client"), q.Tool, q.Server),
		Request: jsonrpc.Set(jsonrpc.Set(nil, "tool", jsonrpc.Quote(q.Tool)), "arguments", arguments),
	}
	answer, err := b.hold(ctx, asked, asker{server: q.Server, client: q.Client, session: q.Session}, "the approval of a call", func() {})
	switch {
	case context.Cause(ctx) != nil:
		return rules.Once, context.Cause(ctx)
	case errors.As(err, new(unseenError)):
		return rules.Once, fault.New(fault.Denied,
			"tool %q of server %q needs a person's approval, and no window or tray of Agent Discover is open: ask the user to open it, "+
				"then call again", q.Tool, q.Server)
	case err != nil:
		text, _ := jsonrpc.ErrorText(err)
		return rules.Once, fault.Wrap(err, fault.Denied, "tool %q of server %q needs a person's approval: %s", q.Tool, q.Server, text)
	case jsonrpc.GetString(answer, "action") != "accept":
		return rules.Once, fault.New(fault.Denied,
			"the user refused this call of tool %q of server %q; do not try it again unless the user asks for it", q.Tool, q.Server)
	}
	return scopes[Scope(jsonrpc.GetString(answer, "remember"))], nil
}

// scopes maps the scope of an answer to the scope of the approval that the answer gives.
var scopes = map[Scope]rules.Scope{Once: rules.Once, ForSession: rules.Session, Always: rules.Always}

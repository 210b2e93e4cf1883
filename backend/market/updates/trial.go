package updates

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/inspector"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// trial is another version of a server. It runs beside the server, and clients cannot see it.
type trial struct {
	server      registry.Server // not in the registry
	owner       registry.Server // the server of which this is another version
	tools       []*catalog.Tool
	definitions []json.RawMessage
	signIn      bool // the server asks for a sign-in, so its tools are not known
}

// try starts another version of a server with the secrets of the server and those in values, and lists its tools. The
// caller must call end, also after an error.
func (u *Updates) try(ctx context.Context, w *installer.Work, owner registry.Server, to installer.Configured,
	values map[string]string,
) (*trial, error) {
	w.Enter(installer.Start)
	t := &trial{server: owner, owner: owner}
	to.Apply(&t.server)
	t.server.ID, t.server.Name, t.server.Isolation = 0, inspector.CopyName(), registry.Shared
	t.server.AlwaysListed, t.server.KeepRunning = false, false
	err := u.options.Processes.StartPrivate(ctx, t.server, upstream.Private{Of: owner.Name, Secrets: values})
	if t.signIn = errors.Is(err, mcphttp.ErrSignIn); err != nil && !t.signIn {
		for line := range strings.Lines(u.options.Processes.Stderr(t.server.Name)) {
			w.Line(strings.TrimRight(line, "\r\n"))
		}
		message := strings.ReplaceAll(fault.MessageOf(err), t.server.Name, owner.Name)
		return t, &fault.Error{
			Kind: fault.KindOf(err), Code: fault.CodeOf(err), Variable: fault.VariableOf(err), Message: message, Err: err,
		}
	}
	about, _ := u.options.Processes.Describe(t.server.Name)
	for _, definition := range about.Tools {
		if tool, ok := catalog.NewTool(owner.Name, definition); ok {
			t.tools, t.definitions = append(t.tools, tool), append(t.definitions, definition)
		}
	}
	w.Listed(len(t.tools), t.signIn)
	return t, nil
}

// end ends the process of a trial and waits for it.
func (u *Updates) end(t *trial) {
	u.options.Processes.Remove(t.server.Name)
}

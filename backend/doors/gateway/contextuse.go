package gateway

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/inventory"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/registrytool"
	"github.com/agent-discover/agent-discover/backend/editors/table"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// ContextUse reports how many tokens the definitions of tools take in the contexts of clients.
type ContextUse struct {
	Tools   int         // tools of all approved servers
	Whole   int         // tokens of all these tools
	Entry   int         // tokens of the hub's tool registry
	Listed  int         // tokens of the tools that every session lists
	Servers []ServerUse // approved servers with tools, sorted by name
	Clients []KnownClient
}

// ServerUse is how many tokens the tools of a server take.
type ServerUse struct {
	Server string
	catalog.Cost
}

// contextUse computes ContextUse, and makes the history store clients.
type contextUse struct {
	registry  *registry.Registry
	inventory *inventory.Inventory
	sessions  *sessions
	history   *ClientHistory
}

// of returns the context use of all clients that are or were connected,
// the most recently seen first.
func (u *contextUse) of(ctx context.Context) (ContextUse, error) {
	out := ContextUse{Entry: registrytool.Tokens}
	known := u.inventory.Known()
	out.Tools, out.Whole = len(known), catalog.CostOf(known, 0).Tokens
	out.Servers = u.serverUses()
	out.Listed = registrytool.Tokens
	for _, t := range u.inventory.Active(u.inventory.For("")) {
		out.Listed += t.Tokens
	}
	var connected []SeenClient
	now := time.Now()
	for _, s := range u.sessions.all() {
		if c, ok := s.seen(now, known); ok {
			connected = append(connected, c)
		}
	}
	var err error
	if out.Clients, err = u.history.with(ctx, connected); err != nil {
		return ContextUse{}, err
	}
	slices.SortFunc(out.Clients, func(a, b KnownClient) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.Name, b.Name))
	})
	return out, nil
}

func (u *contextUse) serverUses() (out []ServerUse) {
	rules := u.inventory.For("")
	findable := u.inventory.Findable(rules)
	for _, server := range u.registry.List() {
		tools := slices.DeleteFunc(slices.Clone(rules.Of(server.Name)), func(t *catalog.Tool) bool { return !findable(t) })
		if len(tools) > 0 {
			out = append(out, ServerUse{server.Name, catalog.CostOf(tools, 0)})
		}
	}
	slices.SortFunc(out, func(a, b ServerUse) int { return cmp.Compare(a.Server, b.Server) })
	return out
}

// note makes the history store an observation of the session's client in the
// background.
func (u *contextUse) note(s *Session) {
	u.history.note(s.id, func() (SeenClient, bool) {
		return s.seen(time.Now(), u.inventory.Known())
	})
}

// seen returns an observation of the session's client. The second result is false before the client's first request,
// and for the command line. known are the tools that the client would load if all servers were configured in the client
// itself. The field Whole counts the tokens of these tools or, if the client defers loading tools, only the tokens of
// their names.
func (s *Session) seen(now time.Time, known []*catalog.Tool) (SeenClient, bool) {
	if !s.client.isIntroduced() || s.client.isCommandLine() {
		return SeenClient{}, false
	}
	name, version := s.client.called()
	defersFrom := 0 // never
	if editor, known := table.ByClient(name); known {
		defersFrom = editor.DefersFrom
	}
	tools, own := s.surface.Listed()
	c := SeenClient{
		Name: name, Version: version, First: now, Last: now, Listed: own.Tokens, Whole: catalog.CostOf(known, defersFrom).Loaded(),
	}
	for _, t := range tools {
		c.Listed += t.Tokens
	}
	return c, true
}

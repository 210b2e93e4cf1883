package gateway

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/servers/features"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// ofToolset is the surface of a toolset: exactly its tools, and the prompts and resources
// of their servers, which need not be active. Everything else does not exist for the
// client, whatever name it uses.
type ofToolset struct {
	*Session
	set string
}

// noToolsets is the error of a gateway without toolsets.
var noToolsets = fault.New(fault.Unavailable, "there are no toolsets here")

// usable returns an error unless clients may use the toolset.
func (o ofToolset) usable() error {
	if o.gateway.toolsets == nil {
		return noToolsets
	}
	return o.gateway.toolsets.Usable(o.set)
}

func (o ofToolset) introduce(_ context.Context, client json.RawMessage) (introduction, error) {
	if err := o.usable(); err != nil {
		return introduction{}, err
	}
	text := "The tools of the user's toolset " + o.set + ", each named server__tool. There are no others."
	if t, err := o.gateway.toolsets.Get(o.set); err == nil && t.Description != "" {
		text += " " + t.Description
	}
	return introduction{Info: o.info(), Capabilities: withExtensions(json.RawMessage(hubCapabilities), client), Instructions: text}, nil
}

func (o ofToolset) info() json.RawMessage { return o.gateway.serverInfo() }

func (o ofToolset) list(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	switch {
	case jsonrpc.Get(params, "cursor") != nil:
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: unknown cursor; the list has one page")
	case method != "tools/list":
		return o.gateway.listFrom(method, o.servers()), nil
	case o.exchangeOf(ctx).modern:
		return o.encodeTools(ownTools{}, o.tools(), limitsOfEntry(o.entry))
	}
	o.mu.Lock()
	tools, m := o.tools(), o.limits
	o.signature = signatureOf(tools, ownTools{})
	o.mu.Unlock()
	return o.encodeTools(ownTools{}, tools, m)
}

// tools returns the tools of the toolset as clients list them.
func (o ofToolset) tools() []*catalog.Tool {
	if o.gateway.toolsets == nil {
		return nil
	}
	return o.shownOf(o.set)
}

// servers returns the servers of the toolset.
func (o ofToolset) servers() (out []registry.Server) {
	for _, server := range o.gateway.registry.List() {
		if o.shows(server.Name) {
			out = append(out, server)
		}
	}
	return out
}

func (o ofToolset) ttl(string) int64 { return listTTL }

// resolve accepts names as the client lists them, and full names of the toolset's tools.
func (o ofToolset) resolve(name string) (server, tool string, ok bool) {
	o.mu.Lock()
	m := o.limits
	o.mu.Unlock()
	tools := o.tools()
	for _, m := range []clientLimits{m, limitsOfEntry(o.entry)} {
		if at := slices.Index(m.names(tools), name); at >= 0 {
			return tools[at].Server, tools[at].Name, true
		}
	}
	if o.gateway.toolsets == nil {
		return "", "", false
	}
	t, _ := o.gateway.toolsets.Get(o.set) // without a toolset, it has no tools
	name = strings.TrimPrefix(name, "mcp__")
	for _, r := range t.Tools {
		if name == r.Server+"__"+r.Tool {
			return r.Server, r.Tool, true
		}
	}
	return "", "", false
}

func (o ofToolset) call(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	name, ok := jsonrpc.String(jsonrpc.Get(params, "name"))
	if !ok || name == "" {
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Invalid params: tools/call needs the name of a tool")
	}
	server, tool, ok := o.resolve(name)
	if of := o.resolveForView(name); !ok && len(of) == 1 {
		server, tool, ok = of[0], name, true
	}
	if !ok {
		err := jsonrpc.NewError(jsonrpc.CodeInvalidParams, "Unknown tool: %s. There are only the tools of the list.", name)
		o.gateway.calls.Refuse(o.request(ctx, "", name, params), err)
		return nil, err
	}
	called, err := o.Session.call(ctx, server, tool, params)
	return answer(called.JSON, err)
}

func (o ofToolset) incoming(method string, params json.RawMessage) (server string, own json.RawMessage, err error) {
	return o.gateway.incomingAmong(o.shows, method, params)
}

func (o ofToolset) shown(server, method string, message json.RawMessage, bare string) json.RawMessage {
	return o.gateway.shown(server, method, message, bare)
}

func (o ofToolset) listed() (tools []*catalog.Tool, own ownTools) { return o.tools(), ownTools{} }

func (o ofToolset) shows(server string) bool {
	return server != "" && o.gateway.toolsets != nil && o.gateway.toolsets.Serves(o.set, server)
}

// serverNames returns the names of the toolset's servers.
func (o ofToolset) serverNames() []string {
	names := []string{}
	for _, server := range o.servers() {
		names = append(names, server.Name)
	}
	return names
}

// announceServed tells the client which lists besides the tools have changed, because the
// toolset has other servers than before.
func (s *Session) announceServed() {
	o, ok := s.surface.(ofToolset)
	if !ok {
		return
	}
	now := o.serverNames()
	s.mu.Lock()
	before := s.served
	s.served = now
	s.mu.Unlock()
	others := slices.DeleteFunc(slices.Concat(before, now), func(server string) bool {
		return slices.Contains(before, server) == slices.Contains(now, server)
	})
	for _, l := range shownLists {
		if s.gateway.listedBy(others, l) {
			s.announceList(l.changed)
		}
	}
}

// listedBy reports whether one of some servers has something in a list.
func (g *Gateway) listedBy(servers []string, l listing) bool {
	for _, server := range servers {
		if slices.ContainsFunc(l.kinds, func(k features.Kind) bool { return len(g.listings.Of(server, k)) > 0 }) {
			return true
		}
	}
	return false
}

// chooseToolset returns the toolset that is the session's surface, empty if it has
// another one. A project may choose one where the client was to be shown all servers, so
// that it is never shown more than its entry says.
func (g *Gateway) chooseToolset(o Opening) string {
	if set := surfaces.Toolset(o.Surface); set != "" {
		return set
	}
	if o.Toolset == "" || surfaces.Server(o.Surface) != "" || g.toolsets == nil || g.toolsets.Usable(o.Toolset) != nil {
		return ""
	}
	return o.Toolset
}

// equipped returns the toolset that the session's client has equipped: its tools are listed
// in place of those of active servers. It is empty for none.
func (s *Session) equipped() string {
	if s.gateway.toolsets == nil {
		return ""
	}
	if _, all := s.surface.(allServers); !all {
		return ""
	}
	name := s.gateway.toolsets.Equipped(s.credential)
	if name == "" || s.gateway.toolsets.Usable(name) != nil {
		return ""
	}
	return name
}

// activeTools returns the tools of servers that the client lists whatever it finds.
func (s *Session) activeTools() []*catalog.Tool {
	if name := s.equipped(); name != "" {
		return s.shownOf(name)
	}
	return s.gateway.activeTools(s.rules())
}

// shownOf returns the tools of a toolset that the session's client may use, as they appear
// to it.
func (s *Session) shownOf(set string) []*catalog.Tool {
	rules, present := s.rules(), s.gateway.catalog.Snapshot()
	return s.gateway.toolsets.Shown(set, func(t *catalog.Tool) *catalog.Tool {
		if !rules.Allows(t) {
			return nil
		}
		return rules.policy.Appearance(t, present)
	})
}

// admitted returns an error unless the session's toolset admits a call. The server runs
// until release is called, because a tool may have changed since its server last ran.
func (s *Session) admitted(ctx context.Context, server, tool string) (release func(), err error) {
	release = func() {}
	o, fenced := s.surface.(ofToolset)
	name := o.set
	if !fenced {
		name = s.equipped()
	}
	if name == "" {
		return release, nil
	}
	if s.gateway.toolsets == nil {
		return release, noToolsets
	}
	key := catalog.Key{Server: server, Tool: tool}
	if t, err := s.gateway.toolsets.Get(name); !fenced && (err != nil || !slices.ContainsFunc(t.Tools, func(r toolset.Reference) bool { return r.Key() == key })) {
		return release, nil // called past the list, as every other tool
	}
	if err := s.gateway.toolsets.Admit(name, key); err != nil {
		return release, err
	}
	lease, err := s.lease(ctx, server)
	if err != nil {
		return release, err
	}
	if err := s.gateway.toolsets.Admit(name, key); err != nil {
		lease.Release()
		return release, err
	}
	return lease.Release, nil
}

// Package inventory applies the configuration to the tools of all servers. It decides which tools agents list, which
// tools they may find and call, and under which names.
package inventory

import (
	"bytes"
	"sync"

	"github.com/agent-discover/agent-discover/backend/calls/rules"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/names"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// Inventory has the tools of all servers. It is safe for concurrent use.
type Inventory struct {
	servers *registry.Registry
	catalog *catalog.Catalog
	rules   *rules.Current
	views   viewTools
}

// New returns the inventory of the servers in a registry.
func New(servers *registry.Registry, tools *catalog.Catalog, current *rules.Current) *Inventory {
	return &Inventory{servers: servers, catalog: tools, rules: current}
}

// Rules are the configured rules and the known tools at one moment. A request uses the same Rules for everything that
// it answers.
type Rules struct {
	Policy      *rules.Policy
	*rules.View // for the client with these rules
}

// For returns the current rules for the client with this id. An empty id means a client to which only the
// general rules apply.
func (i *Inventory) For(client string) Rules {
	p := i.rules.Get()
	return Rules{p, p.View(client, i.catalog.Snapshot())}
}

// Snapshot returns the current tools without applying any rules.
func (i *Inventory) Snapshot() *catalog.Snapshot { return i.catalog.Snapshot() }

// ActiveServers returns the servers whose tools, prompts and resources every session lists.
func (i *Inventory) ActiveServers() []registry.Server {
	var out []registry.Server
	for _, server := range i.servers.List() {
		if server.InEveryList() {
			out = append(out, server)
		}
	}
	return out
}

// Active returns the tools that every session with these rules lists: the enabled tools of always listed
// servers.
func (i *Inventory) Active(r Rules) []*catalog.Tool {
	var out []*catalog.Tool
	for _, server := range i.ActiveServers() {
		out = append(out, r.Allowed(r.Of(server.Name))...)
	}
	return out
}

// Findable returns a filter that accepts the tools that find_tool may return: those of usable servers that the
// rules let models call.
func (i *Inventory) Findable(r Rules) func(*catalog.Tool) bool {
	shown := i.Shown()
	return func(t *catalog.Tool) bool { return shown(t) && r.Allows(t) }
}

// Shown returns a filter that accepts the tools of usable servers that models may know, also those that a rule disables.
func (i *Inventory) Shown() func(*catalog.Tool) bool {
	usable, forModels := make(map[string]bool), i.ForModels()
	for _, server := range i.servers.List() {
		usable[server.Name] = server.Usable() == nil
	}
	return func(t *catalog.Tool) bool { return usable[t.Server] && forModels(t) }
}

// Known returns the tools that a client to which only the general rules apply may find.
func (i *Inventory) Known() (out []*catalog.Tool) {
	present := i.For("")
	findable := i.Findable(present)
	for _, t := range present.Tools {
		if findable(t) {
			out = append(out, t)
		}
	}
	return out
}

// ForModels returns a filter that accepts the tools that models may call.
func (i *Inventory) ForModels() func(*catalog.Tool) bool {
	hidden := i.views.in(i.catalog.Snapshot())
	return func(t *catalog.Tool) bool { return len(hidden) == 0 || !hidden[t.Key()] }
}

// viewTools caches the tools that models must not call, because they are for views of MCP Apps only. It is safe for
// concurrent use.
type viewTools struct {
	mu    sync.Mutex
	of    *catalog.Snapshot
	tools map[catalog.Key]bool
}

// in returns the tools of a snapshot that only views may call. The caller must not modify the result.
func (v *viewTools) in(snapshot *catalog.Snapshot) map[catalog.Key]bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.of == snapshot {
		return v.tools
	}
	v.of, v.tools = snapshot, make(map[catalog.Key]bool)
	for _, t := range snapshot.Tools {
		if bytes.Contains(t.Definition, []byte("visibility")) && names.HiddenFromModel(t.Definition) {
			v.tools[t.Key()] = true
		}
	}
	return v.tools
}

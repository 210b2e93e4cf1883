package gateway

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/resolve"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/finding"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/inventory"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/toolsetview"
	"github.com/agent-discover/agent-discover/backend/doors/names"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

// clientTools says which tools the client of a session may use, and under which names the client is shown these
// tools. It is safe for concurrent use.
type clientTools struct {
	inventory *inventory.Inventory
	registry  *registry.Registry
	finder    *finding.Finder
	held      func(server, tool string) error
	client    *clientInfo
	choice    *toolsetview.Choice
	found     *sessionTools
	shows     func(server string) bool // surface.Shows

	mu    sync.Mutex
	views map[string]bool // servers of which the client has read a view; see noteView
}

// Rules returns the current rules for the client.
func (c *clientTools) Rules() inventory.Rules { return c.inventory.For(c.client.limitedAs()) }

// Names returns the scope in which the hub resolves the names of tools that the client sends.
func (c *clientTools) Names() resolve.Scope {
	r := c.Rules()
	return resolve.Scope{
		Servers: c.registry, View: r.View, Usable: c.inventory.Findable(r), Short: c.byShortName,
		Near: func(name string) []string { return finding.CallAs(c.finder.Near("", name, r)) },
	}
}

// Lookup returns a tool of a server, by any of the tool's names, with the name and description that the session
// is shown.
func (c *clientTools) Lookup(server, tool string) (*catalog.Tool, bool) {
	return c.Rules().Lookup(server, tool)
}

// ForModel returns an error for a tool that models must not call, and for one that is
// held until a person approves it.
func (c *clientTools) ForModel(server, tool string) error {
	if err := c.held(server, tool); err != nil {
		return err
	}
	if t, known := c.Lookup(server, tool); known && !c.inventory.ForModels()(t) {
		return fault.New(fault.Denied, "%s is for the view of server %q only, and not for models", t.CallAs(), server)
	}
	return nil
}

// Lists reports whether a tool is in the session's list.
func (c *clientTools) Lists(t *catalog.Tool) bool {
	if has, equipped := c.choice.Has(t.Key()); equipped {
		return has || c.found.has(t.Key())
	}
	return c.found.has(t.Key()) || c.shows(t.Server)
}

// constant returns those tools of servers that a modern client lists: the tools of always listed servers, sorted by
// server and tool, or, if the client has equipped a toolset, the tools of the toolset in its order.
func (c *clientTools) constant() []*catalog.Tool {
	if tools, equipped := c.choice.Tools(); equipped {
		return tools
	}
	tools := c.inventory.Active(c.Rules())
	slices.SortStableFunc(tools, func(a, b *catalog.Tool) int {
		return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Name, b.Name))
	})
	return tools
}

// all returns those tools of servers that the session lists: first the tools of always listed servers or of the
// equipped toolset, and then the session tools in the order of their names.
func (c *clientTools) all() []*catalog.Tool {
	rules := c.Rules()
	tools, equipped := c.choice.Tools()
	if !equipped {
		tools = c.inventory.Active(rules)
	}
	keys := c.found.all()
	if len(keys) == 0 {
		return tools
	}
	active := make(map[catalog.Key]bool, len(tools))
	for _, t := range tools {
		active[t.Key()] = true
	}
	findable := c.inventory.Findable(rules)
	var found []*catalog.Tool
	for _, key := range keys {
		if t, ok := rules.Lookup(key.Server, key.Tool); ok && !active[key] && findable(t) {
			found = append(found, t)
		}
	}
	slices.SortFunc(found, func(a, b *catalog.Tool) int { return strings.Compare(a.Proxied(), b.Proxied()) })
	return append(tools, found...)
}

// byShortName returns the tool whose name was shortened to name for the client, or nil if there is none or the name is
// ambiguous. It looks in the session's list first and then in the catalog, because the list may have changed since the
// client read it.
func (c *clientTools) byShortName(name string) *catalog.Tool {
	m := c.client.limitsOf(false)
	if m.maxName == 0 || utf8.RuneCountInString(name) != m.maxName {
		return nil
	}
	tools := c.all()
	for i, shown := range m.names(tools) {
		if shown == name {
			return tools[i]
		}
	}
	var found *catalog.Tool
	for _, t := range c.Rules().Tools {
		if names.CutTo(t.Proxied(), name, m.maxName) {
			if found != nil {
				return nil // two tools have this short name
			}
			found = t
		}
	}
	return found
}

// ShowsFullName reports whether the client is shown a tool under its full name.
func (c *clientTools) ShowsFullName(t *catalog.Tool) bool {
	m := c.client.limitsOf(false)
	return m.maxName == 0 || utf8.RuneCountInString(t.Proxied()) <= m.maxName
}

// ShownAs returns the names under which the client is shown tools.
func (c *clientTools) ShownAs(tools []*catalog.Tool) []string {
	return c.client.limitsOf(false).names(tools)
}

// ShownIn returns the tool in tools that the client is shown under a name, or nil if there is none. It tries the
// names for the legacy and for the modern era, because the limits of the client may differ between the eras.
func (c *clientTools) ShownIn(tools []*catalog.Tool, name string) *catalog.Tool {
	for _, modern := range []bool{false, true} {
		if at := slices.Index(c.client.limitsOf(modern).names(tools), name); at >= 0 {
			return tools[at]
		}
	}
	return nil
}

// noteView records that the client has read a view of a server, if uri is the URI of a view. A view is the user
// interface of a tool in MCP Apps. It calls tools of its server by the names that the server gives them, which are
// not the names that the hub lists.
func (c *clientTools) noteView(server, uri string) {
	if !strings.HasPrefix(uri, "ui://") {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.views[server] = true
}

// ForView returns the server of a tool that a view calls by its bare name. The client must have read a view of the
// server, and views must be allowed to call the tool. ok is false unless exactly one server qualifies.
func (c *clientTools) ForView(tool string) (server string, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var servers []string
	for server := range c.views {
		if t, known := c.inventory.Snapshot().Lookup(server, tool); known && names.ForApps(t.Definition) {
			servers = append(servers, server)
		}
	}
	if len(servers) != 1 {
		return "", false
	}
	return servers[0], true
}

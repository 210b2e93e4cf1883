package toolsetview

import (
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/gateway/inventory"
	"github.com/agent-discover/agent-discover/backend/doors/surfaces"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// errNone is returned if the hub has no toolsets.
var errNone = fault.New(fault.Unavailable, "there are no toolsets here")

// Choice says which toolset limits a session: that of its surface, or the one that its client has equipped. It
// is safe for concurrent use.
type Choice struct {
	Toolsets  *toolset.Keeper // nil if there are none
	Inventory *inventory.Inventory
	Client    string // id of the client whose rules apply
	// Set is the toolset that the surface shows; empty if it shows no single toolset.
	Set string
	// Equips says that the client may equip a toolset. The tools of the equipped toolset are then listed in place of
	// those of always listed servers. The choice is stored for the credential.
	Equips     bool
	Credential string
}

// SetOf returns the toolset that a surface shows, empty if it shows something else. asked is the toolset that the
// client or its project asks for. SetOf considers asked only on surfaces that show all servers, so that a client is
// never shown more than its entry allows.
func SetOf(toolsets *toolset.Keeper, surface, asked string) string {
	if set := surfaces.Toolset(surface); set != "" {
		return set
	}
	if asked == "" || surfaces.Server(surface) != "" || toolsets == nil || toolsets.Usable(asked) != nil {
		return ""
	}
	return asked
}

// Equipped returns the toolset that the client has equipped, empty for none.
func (c *Choice) Equipped() string {
	if c.Toolsets == nil || !c.Equips {
		return ""
	}
	name := c.Toolsets.Equipped(c.Credential)
	if name == "" || c.Toolsets.Usable(name) != nil {
		return ""
	}
	return name
}

// Has reports whether the equipped toolset has a tool. equipped is false if no toolset is equipped.
func (c *Choice) Has(key catalog.Key) (has, equipped bool) {
	name := c.Equipped()
	if name == "" {
		return false, false
	}
	return c.Toolsets.Admit(name, key) == nil, true
}

// Tools returns the tools of the equipped toolset as the client lists them. equipped is false if no toolset is
// equipped.
func (c *Choice) Tools() (tools []*catalog.Tool, equipped bool) {
	name := c.Equipped()
	if name == "" {
		return nil, false
	}
	return c.toolsOf(name), true
}

// toolsOf returns the tools of a toolset that the client may use, in the form in which the client sees them.
func (c *Choice) toolsOf(set string) []*catalog.Tool {
	rules, present := c.Inventory.For(c.Client), c.Inventory.Snapshot()
	return c.Toolsets.Shown(set, func(t *catalog.Tool) *catalog.Tool {
		if !rules.Allows(t) {
			return nil
		}
		return rules.Policy.Appearance(t, present)
	})
}

// Admit returns an error if the toolset of the session does not admit a call. A tool outside an equipped toolset may
// always be called. For a tool of the toolset, Admit leases the server and then checks the tool a second time, because
// the tool may have changed since its server last ran. The server keeps running until the caller calls release.
func (c *Choice) Admit(tool catalog.Key, lease func() (*upstream.Lease, error)) (release func(), err error) {
	release = func() {}
	name := c.Set
	if name == "" {
		name = c.Equipped()
	}
	if name == "" {
		return release, nil
	}
	if c.Toolsets == nil {
		return release, errNone
	}
	if c.Set == "" {
		t, err := c.Toolsets.Get(name)
		if err != nil || !slices.Contains(t.Keys(), tool) {
			return release, nil // a tool outside the equipped toolset may be called, but is not listed
		}
	}
	if err := c.Toolsets.Admit(name, tool); err != nil {
		return release, err
	}
	running, err := lease()
	if err != nil {
		return release, err
	}
	if err := c.Toolsets.Admit(name, tool); err != nil {
		running.Release()
		return release, err
	}
	return running.Release, nil
}

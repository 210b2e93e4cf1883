package rules

import (
	"github.com/agent-discover/agent-discover/backend/base/pattern"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// View is a snapshot of the catalog with its tools as they appear to agents, together with
// the set of tools that a client may use. It is immutable.
type View struct {
	*catalog.Snapshot                        // includes disabled tools
	allowed           map[*catalog.Tool]bool // nil if all tools are allowed
}

// View returns the view of a client, or of no particular client if client is "". For the same client and
// snapshot, it returns the same View.
func (p *Policy) View(client string, in *catalog.Snapshot) *View {
	if p.clients[client] == nil {
		client = ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := p.views[client]; last != nil && last.of == in {
		return last.View
	}
	if p.views == nil {
		p.views = make(map[string]*madeView)
	}
	made := &madeView{of: in, View: p.view(client, in)}
	p.views[client] = made
	return made.View
}

// madeView is a view with the snapshot that it was made of.
type madeView struct {
	*View
	of *catalog.Snapshot
}

func (p *Policy) view(client string, in *catalog.Snapshot) *View {
	v := &View{Snapshot: in}
	if len(p.overrides) > 0 {
		v.Snapshot = p.appearances(in)
	}
	of := p.clients[client]
	if of == nil && len(p.deciding) == 0 {
		return v
	}
	v.allowed = make(map[*catalog.Tool]bool, len(v.Tools))
	for _, t := range v.Tools {
		if p.allows(of, t.Server, pattern.NewName(t.OwnName())) && !p.forbidsTwin(of, t.Server, t.OwnName(), in) {
			v.allowed[t] = true
		}
	}
	return v
}

// appearances returns the snapshot in with its tools as agents see them. If no tool changes, it returns in itself.
func (p *Policy) appearances(in *catalog.Snapshot) *catalog.Snapshot {
	tools, changed := make([]*catalog.Tool, len(in.Tools)), false
	for i, t := range in.Tools {
		tools[i] = p.Appearance(t, in)
		changed = changed || tools[i] != t
	}
	if !changed {
		return in
	}
	return in.With(tools)
}

// Allows reports whether the client may use a tool, which may come from another view. A
// tool that this view does not have is allowed only if nothing limits the client's tools.
func (v *View) Allows(t *catalog.Tool) bool {
	return v.allowed == nil || v.allowed[t] || v.allowed[v.Present(t)]
}

// Present returns a tool of another view or snapshot as this view shows it. If this view does not have the tool, it
// returns the tool itself.
func (v *View) Present(t *catalog.Tool) *catalog.Tool {
	if now, known := v.Lookup(t.Server, t.OwnName()); known {
		return now
	}
	return t
}

// Allowed returns those of the given tools that the client may use, in the same order.
func (v *View) Allowed(tools []*catalog.Tool) []*catalog.Tool {
	if v.allowed == nil {
		return tools
	}
	allowed := make([]*catalog.Tool, 0, len(tools))
	for _, t := range tools {
		if v.Allows(t) {
			allowed = append(allowed, t)
		}
	}
	return allowed
}

// Shown is a catalog with its tools as they appear to agents, for packages that search
// them.
type Shown struct {
	Catalog *catalog.Catalog
	Policy  *Current
}

// Snapshot returns the current snapshot, including disabled tools.
func (s Shown) Snapshot() *catalog.Snapshot {
	return s.Policy.Get().View("", s.Catalog.Snapshot()).Snapshot
}

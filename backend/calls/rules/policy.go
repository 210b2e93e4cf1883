// Package rules decides which tools agents may find, see and call, under which names and descriptions, and which
// calls need a person's approval. The rules come from the discovery section of the configuration. A Policy is
// immutable: a changed configuration becomes a new Policy that replaces the old one as a whole, so that no request
// is subject to a mixture of old and new rules.
//
// Package settings reads and checks the section. The packages that search, list and call tools consult the Policy.
package rules

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/pattern"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// Policy is a compiled discovery section. It is safe for concurrent use.
type Policy struct {
	rules     settings.ToolRules
	deciding  []*settings.ToolRule // the rules that enable or disable
	allowList bool                 // a rule enables tools, so tools that no rule matches are disabled
	overrides map[catalog.Key]*override
	renamed   map[catalog.Key]string // the tools' own names, by the names that they are shown under
	clients   map[string]*limits
	approval  settings.Approval
	destroys  func(*catalog.Tool) bool

	mu    sync.Mutex
	views map[string]*madeView // latest views by client
}

// Options are the dependencies of a Policy.
type Options struct {
	Discovery settings.Discovery
	// Destroys reports whether a tool may destroy something.
	Destroys func(*catalog.Tool) bool
	// ClientID returns the id of the client that the configuration calls name: it maps a former id of an editor to
	// the current one. If ClientID is nil, names are used as ids.
	ClientID func(name string) string
}

// New compiles a discovery section that package settings has checked.
func New(o Options) *Policy {
	p := &Policy{
		clients: make(map[string]*limits), approval: o.Discovery.Approval, destroys: o.Destroys,
		overrides: make(map[catalog.Key]*override), renamed: make(map[catalog.Key]string),
	}
	for _, limit := range o.Discovery.Clients {
		if o.ClientID != nil {
			limit.Client = o.ClientID(limit.Client)
		}
		p.limit(limit)
	}
	if o.Discovery.Enabled {
		p.setRules(o.Discovery.ToolRules)
		for _, one := range o.Discovery.ToolOverrides {
			p.overrides[catalog.Key{Server: one.Server, Tool: one.Tool}] = &override{ToolOverride: one}
			if one.Name != "" && one.Name != one.Tool {
				p.renamed[catalog.Key{Server: one.Server, Tool: one.Name}] = one.Tool
			}
		}
	}
	return p
}

func (p *Policy) setRules(rules settings.ToolRules) {
	p.rules = rules
	for i := range rules {
		if enabled := rules[i].Enabled; enabled != nil {
			p.deciding = append(p.deciding, &rules[i])
			p.allowList = p.allowList || *enabled
		}
	}
}

// Decision is the result of applying the rules to a tool.
type Decision struct {
	Enabled bool
	// Rule is the index of the rule that decided, or -1 if no rule did. Pattern is the
	// index of the pattern of that rule that matched, or the number of its patterns if
	// they are all negated.
	Rule, Pattern int
	Tags          []string // tags of all rules that match, in the order of the rules; callers must not change them
}

// Decide applies the rules to a tool. tool is the name that its server lists.
func (p *Policy) Decide(server, tool string) Decision {
	d := Decision{Enabled: !p.allowList, Rule: -1}
	name := pattern.NewName(tool)
	for i := range p.rules {
		rule := &p.rules[i]
		decides := d.Rule < 0 && rule.Enabled != nil
		if !decides && len(rule.Tags) == 0 || rule.Server != "" && rule.Server != server {
			continue
		}
		at := rule.Patterns.Match(name)
		if at < 0 {
			continue
		}
		if decides {
			d.Enabled, d.Rule, d.Pattern = *rule.Enabled, i, at
		}
		d.Tags = union(d.Tags, rule.Tags)
	}
	return d
}

// enables is Decide without tags, for lists of many tools.
func (p *Policy) enables(server string, name pattern.Name) bool {
	for _, rule := range p.deciding {
		if (rule.Server == "" || rule.Server == server) && rule.Patterns.Match(name) >= 0 {
			return *rule.Enabled
		}
	}
	return !p.allowList
}

// union returns the strings of both lists. It does not change them.
func union(a, b []string) []string {
	if len(a) == 0 {
		return b
	}
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(slices.Clip(a), s)
		}
	}
	return a
}

// Allows reports whether a client may find, see and call a tool of a snapshot. tool is the name that its server lists.
// client is "" for no particular client. A rule or limit that forbids a tool also forbids the tools of its server whose
// names look the same, so that a server cannot evade a rule with another spelling; see catalog.Snapshot.Twins.
func (p *Policy) Allows(client, server, tool string, in *catalog.Snapshot) bool {
	of := p.clients[client]
	if of == nil && len(p.deciding) == 0 {
		return true
	}
	return p.allows(of, server, pattern.NewName(tool)) && !p.forbidsTwin(of, server, tool, in)
}

// allows is like Allows, but ignores tools whose names look the same. of holds the limits of the client and may be nil.
func (p *Policy) allows(of *limits, server string, name pattern.Name) bool {
	return (of == nil || of.allow(server, name)) && p.enables(server, name)
}

// forbidsTwin reports whether a rule or a limit forbids another tool of the server whose name looks the same as tool.
func (p *Policy) forbidsTwin(of *limits, server, tool string, in *catalog.Snapshot) bool {
	for _, twin := range in.Twins(server, tool) {
		if d := p.Decide(server, twin.OwnName()); d.Rule >= 0 && !d.Enabled ||
			of != nil && of.denies(server, pattern.NewName(twin.OwnName())) {
			return true
		}
	}
	return false
}

// Refusal returns why a client may not call a tool of a snapshot, and nil if it may.
func (p *Policy) Refusal(client, server, tool string, in *catalog.Snapshot) error {
	if p.Allows(client, server, tool, in) {
		return nil
	}
	of, d := p.clients[client], p.Decide(server, tool)
	setting := "discovery.clients of config.yaml limits the tools of this client"
	switch {
	case p.allows(of, server, pattern.NewName(tool)):
		setting = "the settings forbid a tool of this server whose name differs from it only in case, width, spaces or " +
			"characters that cannot be seen"
	case !d.Enabled && d.Rule < 0:
		setting = "no rule in discovery.tool_rules of config.yaml enables it"
	case !d.Enabled:
		setting = fmt.Sprintf("discovery.tool_rules[%d] of config.yaml", d.Rule)
	}
	return &fault.Error{
		Kind: fault.Denied, Code: fault.CodeDisabled,
		Message: fmt.Sprintf("tool %q of server %q is disabled: %s; only the user may change that", tool, server, setting),
	}
}

// Disabled returns why no client may find, see or call a tool of a snapshot, in a few words such as "disabled by rule 0". It
// returns "" if the rules allow the tool. tool is the name that its server lists.
func (p *Policy) Disabled(server, tool string, in *catalog.Snapshot) string {
	if p.Allows("", server, tool, in) {
		return ""
	}
	switch d := p.Decide(server, tool); {
	case !d.Enabled && d.Rule >= 0:
		return fmt.Sprintf("disabled by rule %d", d.Rule)
	case !d.Enabled:
		return "enabled by no rule"
	}
	return "disabled like a tool of nearly the same name"
}

type limits struct {
	all       []settings.ClientLimit
	allowList bool
}

func (p *Policy) limit(l settings.ClientLimit) {
	of := p.clients[l.Client]
	if of == nil {
		of = new(limits)
		p.clients[l.Client] = of
	}
	of.all = append(of.all, l)
	of.allowList = of.allowList || len(l.Allow) > 0
}

func (l *limits) allow(server string, name pattern.Name) bool {
	allowed := !l.allowList
	for i := range l.all {
		one := &l.all[i]
		if one.Server != "" && one.Server != server {
			continue
		}
		allowed = allowed || len(one.Allow) > 0 && one.Allow.Match(name) >= 0
	}
	return allowed && !l.denies(server, name)
}

func (l *limits) denies(server string, name pattern.Name) bool {
	return slices.ContainsFunc(l.all, func(one settings.ClientLimit) bool {
		return (one.Server == "" || one.Server == server) && len(one.Deny) > 0 && one.Deny.Match(name) >= 0
	})
}

// Current holds the policy that applies now. A nil or zero Current enables everything.
type Current struct{ policy atomic.Pointer[Policy] }

// Get returns the policy that applies now. Call it once per request, so that the whole request uses one policy.
func (c *Current) Get() *Policy {
	if c == nil {
		return &none
	}
	if p := c.policy.Load(); p != nil {
		return p
	}
	return &none
}

// none is the policy that enables everything.
var none Policy

// Set replaces the policy.
func (c *Current) Set(p *Policy) { c.policy.Store(p) }

package rules

import (
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/pattern"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// Effect is the effect of an additional rule on one tool.
type Effect struct {
	Tool *catalog.Tool
	// Hit reports whether the rule matches the tool. Pattern is the pattern that matches, or "" if the rule has only
	// negated patterns.
	Hit     bool
	Pattern string
	// ExcludedBy is the negated pattern without which the rule would match; "" if there
	// is none.
	ExcludedBy    string
	Before, After Decision
}

// Try returns the effects that an additional rule would have, in the order of tools: those on tools that the rule
// matches or excludes, and on tools that it enables or disables. It does not change the policy. The rule is inserted
// into the current rules at the index at, or added at the end if at is larger than their number.
func (p *Policy) Try(rule settings.ToolRule, at int, tools []*catalog.Tool) []Effect {
	with := new(Policy)
	at = max(0, min(at, len(p.rules)))
	with.setRules(slices.Insert(slices.Clone(p.rules), at, rule))
	effects := []Effect{}
	for _, t := range tools {
		e := Effect{Tool: t, Before: p.Decide(t.Server, t.Name), After: with.Decide(t.Server, t.Name)}
		if rule.Server == "" || rule.Server == t.Server {
			e.match(rule.Patterns)
		}
		if e.Hit || e.ExcludedBy != "" || e.Before.Enabled != e.After.Enabled {
			effects = append(effects, e)
		}
	}
	return effects
}

func (e *Effect) match(patterns pattern.List) {
	name := pattern.NewName(e.Tool.Name)
	if at := patterns.Match(name); at >= 0 {
		e.Hit = true
		if at < len(patterns) {
			e.Pattern = patterns[at].String()
		}
		return
	}
	out := patterns.Excludes(name)
	if out < 0 {
		return
	}
	positive := slices.DeleteFunc(slices.Clone(patterns), pattern.Pattern.Negated)
	if positive.Match(name) >= 0 {
		e.ExcludedBy = patterns[out].String()
	}
}

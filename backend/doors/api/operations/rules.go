package operations

import (
	"context"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/calls/rules"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
)

// Rules holds the operation that shows the effect of a rule for tools without applying it.
type Rules struct {
	Policy  *rules.Current
	Catalog *catalog.Catalog
}

// Routes adds the operation with its handler to a route table.
func (r *Rules) Routes(t *route.Table) {
	route.Add(t.Group("tools"), route.Post("/api/rules/try",
		"Show which tools an additional rule would enable, disable or tag, without applying the rule"), r.try)
}

type tryFields struct {
	Rule json.RawMessage `json:"rule" doc:"Object with pattern, server, enabled and tags, as in discovery.tool_rules of the settings file."`
	At   *int            `json:"at,omitempty" doc:"Index in the current list of rules at which to insert the rule; by default, the rule is appended."`
}

// TriedRule reports what would change if a rule were added.
type TriedRule struct {
	Tools    int          `json:"tools" doc:"Number of known tools."`
	Hits     int          `json:"hits" doc:"Number of tools that the rule matches."`
	Enabled  int          `json:"enabled" doc:"Number of tools that the rule would enable."`
	Disabled int          `json:"disabled" doc:"Number of tools that the rule would disable."`
	Effects  []RuleEffect `json:"effects" nullable:"false" doc:"The tools that the rule matches or excludes, and those that it would enable or disable. If it is the first rule that enables tools, it also disables all tools that no rule matches."`
}

// RuleEffect reports what would change for one tool if a rule were added.
type RuleEffect struct {
	Server     string   `json:"server"`
	Tool       string   `json:"tool"`
	Hit        bool     `json:"hit" doc:"Whether the rule matches the tool."`
	Pattern    string   `json:"pattern,omitempty" doc:"The pattern of the rule that matches the tool."`
	ExcludedBy string   `json:"excluded_by,omitempty" doc:"The negated pattern that prevents the rule from matching the tool."`
	Before     bool     `json:"before" doc:"Whether the tool is enabled now."`
	After      bool     `json:"after" doc:"Whether the tool would be enabled with the rule."`
	Tags       []string `json:"tags" nullable:"false" doc:"Tags that the tool would have with the rule."`
}

type tryInput struct{ route.Object[tryFields] }

func (r *Rules) try(_ context.Context, in *tryInput) (*route.Reply[TriedRule], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	if len(body.Rule) == 0 {
		return nil, fault.New(fault.Invalid, "rule is required")
	}
	rule, err := settings.ParseToolRule(body.Rule)
	if err != nil {
		return nil, err
	}
	tools, at := r.Catalog.Snapshot().Tools, int(^uint(0)>>1)
	if body.At != nil {
		at = *body.At
	}
	out := TriedRule{Tools: len(tools), Effects: []RuleEffect{}}
	for _, e := range r.Policy.Get().Try(rule, at, tools) {
		out.count(e)
		out.Effects = append(out.Effects, RuleEffect{
			Server: e.Tool.Server, Tool: e.Tool.Name, Hit: e.Hit, Pattern: e.Pattern, ExcludedBy: e.ExcludedBy,
			Before: e.Before.Enabled, After: e.After.Enabled, Tags: append([]string{}, e.After.Tags...),
		})
	}
	return route.OK(out)
}

func (t *TriedRule) count(e rules.Effect) {
	if e.Hit {
		t.Hits++
	}
	switch {
	case e.After.Enabled && !e.Before.Enabled:
		t.Enabled++
	case e.Before.Enabled && !e.After.Enabled:
		t.Disabled++
	}
}

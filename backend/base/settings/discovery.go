package settings

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/pattern"
)

// Discovery controls which tools agents find, see and call, and under which names.
type Discovery struct {
	// Enabled turns ToolRules and ToolOverrides on. Clients and Approval always apply.
	Enabled bool
	// StartNew starts each new server once, so that its tools are known.
	StartNew bool
	Cache    Cache
	Sources  Sources
	// ToolRules enable, disable and tag tools.
	ToolRules ToolRules
	// ToolOverrides change how tools appear to agents.
	ToolOverrides ToolOverrides
	// Clients limit the tools of single clients.
	Clients  ClientLimits
	Approval Approval
}

// Cache controls how long the lists of tools are used before their servers are asked again.
type Cache struct {
	Enabled bool
	TTL     Seconds
}

// Sources lists the places from which servers may be imported.
type Sources []Source

// Source is a place from which servers may be imported: an editor, named by its id in
// the table of editors, or a file. Exactly one of the two fields is set.
type Source struct {
	Editor string `json:"editor,omitempty"`
	File   string `json:"file,omitempty"` // Load makes it absolute
}

// ToolRules lists rules in the order of the file.
type ToolRules []ToolRule

// ToolRule enables, disables or tags tools.
type ToolRule struct {
	Patterns pattern.List `json:"pattern,omitempty"` // of names of tools; empty for all tools
	Server   string       `json:"server,omitempty"`  // only tools of this server; empty for all servers
	Enabled  *bool        `json:"enabled,omitempty"` // nil leaves the decision to other rules
	Tags     []string     `json:"tags,omitempty"`
}

// ToolOverrides lists overrides, at most one for each tool.
type ToolOverrides []ToolOverride

// ToolOverride changes how one tool appears. Empty fields change nothing.
type ToolOverride struct {
	Server      string `json:"server"`
	Tool        string `json:"tool"` // as its server lists it
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
	// Arguments holds the arguments with fixed values. Agents do not see these arguments.
	Arguments Arguments `json:"arguments,omitempty"`
}

// Arguments maps the names of arguments to their values as JSON. MarshalJSON returns only
// the names, because a value may be a secret.
type Arguments map[string]json.RawMessage

// Names returns the names in order.
func (a Arguments) Names() []string { return slices.Sorted(maps.Keys(a)) }

// MarshalJSON returns the names as a JSON array.
func (a Arguments) MarshalJSON() ([]byte, error) { return json.Marshal(a.Names()) }

// ClientLimits lists limits of clients. A client may have several.
type ClientLimits []ClientLimit

// ClientLimit limits the tools of a client. Deny wins over Allow. If any limit of a
// client has Allow, the client has only tools that one of its limits allows.
type ClientLimit struct {
	Client string       `json:"client"`           // id in the table of editors; the client's entry or token contains it
	Server string       `json:"server,omitempty"` // only tools of this server; empty for all servers
	Allow  pattern.List `json:"allow,omitempty"`
	Deny   pattern.List `json:"deny,omitempty"`
}

// Approval controls which calls wait for a person's approval.
type Approval struct {
	// Destructive requires approval for each tool that may destroy something, unless a
	// rule matches the tool.
	Destructive bool
	Rules       ApprovalRules
}

// ApprovalRules lists rules in the order of the file. The first one that matches decides.
type ApprovalRules []ApprovalRule

// ApprovalRule decides whether calls of tools wait for a person's approval.
type ApprovalRule struct {
	Patterns pattern.List `json:"pattern,omitempty"` // of names of tools; empty for all tools
	Server   string       `json:"server,omitempty"`  // only tools of this server; empty for all servers
	Ask      bool         `json:"ask"`
}

// maxSeconds is the largest accepted number of seconds, and the largest accepted number in an environment variable. A
// time.Duration can hold that many seconds.
const maxSeconds = 1 << 31

// Seconds is a time that the file gives in seconds, or with a unit such as 30m.
type Seconds time.Duration

func (s *Seconds) decode(d *decoder, key string, n *yaml.Node) {
	if seconds, err := strconv.Atoi(n.Value); err == nil && n.ShortTag() == "!!int" && seconds > 0 && seconds <= maxSeconds {
		*s = Seconds(time.Duration(seconds) * time.Second)
		return
	}
	var t time.Duration
	if n.ShortTag() != "!!str" || n.Decode(&t) != nil || t <= 0 {
		d.report(n, key, "must be a number of seconds, or a time such as 30m, and more than 0")
		return
	}
	*s = Seconds(t)
}

func (s *Sources) decode(d *decoder, key string, n *yaml.Node) {
	*s = nil
	d.list(n, key, false, func(key string, item *yaml.Node) {
		var source Source
		d.members(item, key, map[string]any{"editor": &source.Editor, "file": &source.File})
		if (source.Editor == "") == (source.File == "") {
			d.about(item, key, "must name either an editor or a file")
		}
		*s = append(*s, source)
	})
}

func (r *ToolRules) decode(d *decoder, key string, n *yaml.Node) {
	*r = nil
	d.list(n, key, false, func(key string, item *yaml.Node) {
		var rule ToolRule
		d.members(item, key, map[string]any{
			"pattern": (*patterns)(&rule.Patterns), "server": &rule.Server, "enabled": &rule.Enabled, "tags": (*names)(&rule.Tags),
		})
		if rule.Enabled == nil && len(rule.Tags) == 0 {
			d.about(item, key, "has no effect: add enabled or tags")
		}
		*r = append(*r, rule)
	})
}

func (o *ToolOverrides) decode(d *decoder, key string, n *yaml.Node) {
	*o = nil
	d.list(n, key, false, func(key string, item *yaml.Node) {
		var override ToolOverride
		d.members(item, key, map[string]any{
			"server": &override.Server, "tool": &override.Tool, "name": (*toolName)(&override.Name), "description": &override.Description,
			"arguments": &override.Arguments,
		})
		switch {
		case override.Server == "" || override.Tool == "":
			d.about(item, key, "must name a server and a tool")
		case override.Name == "" && override.Description == "" && len(override.Arguments) == 0:
			d.about(item, key, "has no effect: add name, description or arguments")
		}
		for i, other := range *o {
			same := other.Server == override.Server
			if same && other.Tool == override.Tool {
				d.report(item, key, "is for the same tool as item %d", i)
			} else if same && override.Name != "" && other.Name == override.Name {
				d.report(item, key, "gives a tool the same name as item %d", i)
			}
		}
		*o = append(*o, override)
	})
}

func (c *ClientLimits) decode(d *decoder, key string, n *yaml.Node) {
	*c = nil
	d.list(n, key, false, func(key string, item *yaml.Node) {
		var limit ClientLimit
		d.members(item, key, map[string]any{
			"client": &limit.Client, "server": &limit.Server, "allow": (*patterns)(&limit.Allow), "deny": (*patterns)(&limit.Deny),
		})
		switch {
		case limit.Client == "":
			d.about(item, key, "must name a client")
		case len(limit.Allow)+len(limit.Deny) == 0:
			d.about(item, key, "has no effect: add allow or deny")
		}
		*c = append(*c, limit)
	})
}

func (r *ApprovalRules) decode(d *decoder, key string, n *yaml.Node) {
	*r = nil
	d.list(n, key, false, func(key string, item *yaml.Node) {
		var rule ApprovalRule
		var ask *bool
		d.members(item, key, map[string]any{"pattern": (*patterns)(&rule.Patterns), "server": &rule.Server, "ask": &ask})
		if ask == nil {
			d.about(item, key, "must say ask: true or ask: false")
		} else {
			rule.Ask = *ask
		}
		*r = append(*r, rule)
	})
}

// members decodes each value of a group into the variable that variables holds for the name of the value.
func (d *decoder) members(n *yaml.Node, key string, variables map[string]any) {
	names := make(map[string]bool)
	for name := range variables {
		names[name] = true
	}
	d.group(n, key, names, func(name, key string, value *yaml.Node) { d.value(value, key, variables[name]) })
}

// ParseToolRule reads a rule as it is written in the file, or as JSON.
func ParseToolRule(text []byte) (ToolRule, error) {
	var rules ToolRules
	d := decode([]byte("rule:\n  - "+strings.ReplaceAll(string(text), "\n", "\n    ")), map[string]any{"rule": &rules})
	if len(d.problems) > 0 {
		return ToolRule{}, fault.Wrap(d.problems, fault.Invalid, "%s", d.problems[0].Text)
	}
	if len(rules) != 1 {
		return ToolRule{}, fault.New(fault.Invalid, "expected one rule")
	}
	return rules[0], nil
}

// patterns decodes a pattern or a list of patterns.
type patterns pattern.List

func (p *patterns) decode(d *decoder, key string, n *yaml.Node) {
	*p = nil
	d.list(n, key, true, func(key string, item *yaml.Node) {
		if tag := item.Tag; strings.HasPrefix(tag, "!") && !strings.HasPrefix(tag, "!!") {
			d.report(item, key, "is a text that begins with ! and needs quotes, as in %s", `"!*delete*"`)
			return
		}
		if item.Kind != yaml.ScalarNode {
			d.report(item, key, "must be a text; one with brackets needs quotes")
			return
		}
		parsed, err := pattern.Parse(item.Value)
		if err != nil {
			at := *item
			at.Column += offset(item, err.(*pattern.Error).At)
			d.report(&at, key, "is no valid pattern: %s", err)
		}
		*p = append(*p, parsed)
	})
	if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		d.report(n, key, "is empty; leave it out to match all tools")
	}
}

// offset returns the number of columns between the start of a value in the file and the byte at position at of the
// decoded value. The result is approximate for values with escapes. It is 0 if the value has a line break before at.
func offset(n *yaml.Node, at int) int {
	quoted := n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0
	before := n.Value[:min(at, len(n.Value))]
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 || strings.ContainsAny(before, "\n") {
		return 0
	}
	columns := len([]rune(before))
	if quoted {
		columns++
	}
	if n.Style&yaml.SingleQuotedStyle != 0 {
		columns += strings.Count(before, "'")
	}
	if n.Style&yaml.DoubleQuotedStyle != 0 {
		columns += strings.Count(before, `\`) + strings.Count(before, `"`)
	}
	return columns
}

// names is a list of names such as tags.
type names []string

func (l *names) decode(d *decoder, key string, n *yaml.Node) {
	*l = nil
	d.list(n, key, true, func(key string, item *yaml.Node) {
		var name string
		if item.Kind != yaml.ScalarNode || item.Decode(&name) != nil || strings.TrimSpace(name) == "" || len(name) > 50 {
			d.report(item, key, "must be a text of at most 50 characters")
			return
		}
		if !slices.Contains(*l, name) {
			*l = append(*l, name)
		}
	})
}

// toolName is a name that every client accepts.
type toolName string

func (t *toolName) decode(d *decoder, key string, n *yaml.Node) {
	valid := n.Kind == yaml.ScalarNode && n.Value != "" && len(n.Value) <= 64 && !strings.Contains(n.Value, "__")
	for _, r := range n.Value {
		valid = valid && (r == '_' || r == '-' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z')
	}
	if !valid {
		d.report(n, key, "must be a name of letters, digits, - and single _, at most 64")
		return
	}
	*t = toolName(n.Value)
}

func (a *Arguments) decode(d *decoder, key string, n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		d.report(n, key, "must be a group of arguments, each as in name: value")
		return
	}
	value, err := plain(n, 0)
	if err != nil {
		d.report(n, key, "must be what JSON can say: %s", err)
		return
	}
	*a = make(Arguments)
	for name, one := range value.(map[string]any) {
		if (*a)[name], err = json.Marshal(one); err != nil {
			d.report(n, key, "must be what JSON can say")
		}
	}
}

// maxDepth limits how deep the value of an argument may be nested.
const maxDepth = 20

// plain returns the value of a node in a form that json.Marshal accepts.
func plain(n *yaml.Node, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("it is nested more than %d levels deep", maxDepth)
	}
	if n.Kind == yaml.AliasNode {
		return nil, fmt.Errorf("it contains an alias in line %d", n.Line)
	}
	switch n.Kind {
	case yaml.MappingNode:
		object := make(map[string]any)
		for i := 0; i < len(n.Content); i += 2 {
			name := n.Content[i]
			if _, twice := object[name.Value]; twice || name.Kind != yaml.ScalarNode || name.Tag == "!!merge" {
				return nil, fmt.Errorf("its keys must be distinct names, in line %d", name.Line)
			}
			value, err := plain(n.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			object[name.Value] = value
		}
		return object, nil
	case yaml.SequenceNode:
		items := []any{}
		for _, item := range n.Content {
			value, err := plain(item, depth+1)
			if err != nil {
				return nil, err
			}
			items = append(items, value)
		}
		return items, nil
	}
	return scalar(n)
}

// scalar returns the value of a text, number, true, false or null. Values of other YAML
// types, such as a date, stay texts.
func scalar(n *yaml.Node) (value any, err error) {
	switch n.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool", "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			return json.RawMessage(n.Value), nil
		}
		if n.Decode(&value) != nil {
			return nil, fmt.Errorf("a value in line %d cannot be read", n.Line)
		}
		return value, nil
	}
	return n.Value, nil
}

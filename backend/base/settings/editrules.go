package settings

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// AddToolRule adds a rule at the end of discovery.tool_rules in the settings file and leaves the rest of the file, with
// its comments, unchanged. If Load rejects the file, or would reject it with the rule, AddToolRule returns the error of
// Load and does not change the file.
func (e Editor) AddToolRule(file string, rule ToolRule) error {
	return e.editRules(file, func(rules ToolRules) ToolRules { return append(slices.Clip(rules), rule) },
		func(data []byte) ([]byte, error) {
			return addRule(data, ruleText(rule))
		})
}

// RemoveToolRule removes the rule at an index from discovery.tool_rules. Like AddToolRule, it leaves the rest of the
// file unchanged. seen is the rule that the caller has read at that index; if the file has another rule there, the
// error is a fault.Conflict.
func (e Editor) RemoveToolRule(file string, at int, seen ToolRule) error {
	return e.editRules(file, func(rules ToolRules) ToolRules {
		if at < 0 || at >= len(rules) || ruleText(rules[at]) != ruleText(seen) {
			return nil
		}
		return slices.Delete(slices.Clone(rules), at, at+1)
	}, func(data []byte) ([]byte, error) { return removeRule(data, at) })
}

// editRules edits the file. wanted returns the rules that the file must contain after the edit, or nil if the edit is
// not possible any more; then the error is a fault.Conflict. editRules also returns an error if edit does not produce
// the wanted rules. After an error, the file is unchanged.
func (e Editor) editRules(file string, wanted func(ToolRules) ToolRules, edit func([]byte) ([]byte, error)) error {
	check := func(data []byte) error {
		_, err := parse(file, data)
		return err
	}
	return e.Edit(file, check, func(data []byte) ([]byte, error) {
		before, err := parse(file, data)
		if err != nil {
			return nil, err
		}
		want := wanted(before.Discovery.ToolRules)
		if want == nil {
			return nil, fault.New(fault.Conflict, "the rules of %s have changed; look at them again", file)
		}
		changed, err := edit(data)
		if err != nil {
			return nil, err
		}
		after, err := parse(file, changed)
		if err != nil {
			return nil, err
		}
		if rulesText(after.Discovery.ToolRules) != rulesText(want) {
			return nil, errEditByHand
		}
		return changed, nil
	})
}

var errEditByHand = fault.New(fault.Invalid,
	"discovery.tool_rules is written in a way that cannot be changed here; edit config.yaml itself")

// ruleText returns a rule in one line of YAML.
func ruleText(r ToolRule) string {
	var parts []string
	add := func(key string, value any) {
		var b bytes.Buffer
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(value) // cannot fail for texts and booleans
		parts = append(parts, key+": "+strings.TrimSpace(b.String()))
	}
	if len(r.Patterns) > 0 {
		add("pattern", r.Patterns)
	}
	if r.Server != "" {
		add("server", r.Server)
	}
	if r.Enabled != nil {
		add("enabled", *r.Enabled)
	}
	if len(r.Tags) > 0 {
		add("tags", r.Tags)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func rulesText(rules ToolRules) string {
	var lines []string
	for _, r := range rules {
		lines = append(lines, ruleText(r))
	}
	return strings.Join(lines, "\n")
}

// ruleList holds the lines of a file and the place of the rules in them.
type ruleList struct {
	lines         []string // of the file, with their ends
	discovery     *yaml.Node
	discoveryLine int        // line of the key, counted from 1
	rules         *yaml.Node // nil if the file has no such key
	rulesLine     int
	rulesKey      string // as the file spells it
}

func rulesOf(data []byte) (l ruleList, err error) {
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		return l, err
	}
	l.lines = slices.Collect(strings.Lines(string(data)))
	if n := len(l.lines); n > 0 && !strings.HasSuffix(l.lines[n-1], "\n") {
		l.lines[n-1] += "\n"
	}
	if len(root.Content) == 0 {
		return l, nil
	}
	if key, value := member(root.Content[0], "discovery"); key != nil {
		l.discovery, l.discoveryLine = value, key.Line
		for _, name := range []string{"tool_rules", "toolRules"} {
			if key, value := member(value, name); key != nil {
				l.rules, l.rulesLine, l.rulesKey = value, key.Line, name
			}
		}
	}
	return l, nil
}

func member(n *yaml.Node, name string) (key, value *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

func block(n *yaml.Node, kind yaml.Kind) bool {
	return n != nil && n.Kind == kind && n.Style&yaml.FlowStyle == 0 && len(n.Content) > 0
}

func addRule(data []byte, rule string) ([]byte, error) {
	l, err := rulesOf(data)
	if err != nil {
		return nil, err
	}
	switch {
	case block(l.rules, yaml.SequenceNode):
		indent := dashOf(l, len(l.rules.Content)-1)
		if indent < 0 {
			return nil, errEditByHand
		}
		return l.insert(lastLine(l.rules), strings.Repeat(" ", indent)+"- "+rule), nil
	case l.rules != nil:
		return l.fill(rule)
	case block(l.discovery, yaml.MappingNode):
		indent := strings.Repeat(" ", l.discovery.Content[0].Column-1)
		return l.insert(l.discoveryLine, indent+"tool_rules:\n"+indent+"  - "+rule), nil
	case l.discovery != nil:
		return nil, errEditByHand
	}
	return l.insert(len(l.lines), "discovery:\n  tool_rules:\n    - "+rule), nil
}

// fill replaces an empty list of rules by a list with one rule. The empty list must be written as [] at the end of its
// line, as in "tool_rules: []".
func (l ruleList) fill(rule string) ([]byte, error) {
	line := l.lines[l.rulesLine-1]
	before, rest, found := strings.Cut(line, "[]")
	if len(l.rules.Content) > 0 || !found || strings.TrimSpace(rest) != "" && !strings.HasPrefix(strings.TrimSpace(rest), "#") {
		return nil, errEditByHand
	}
	indent := len(line) - len(strings.TrimLeft(line, " ")) + 2
	l.lines[l.rulesLine-1] = strings.TrimRight(before+strings.TrimRight(rest, "\n"), " ") + "\n"
	return l.insert(l.rulesLine, strings.Repeat(" ", indent)+"- "+rule), nil
}

// insert returns the file with text inserted after a line, which is counted from 1.
func (l ruleList) insert(after int, text string) []byte {
	end := "\n"
	if len(l.lines) > 0 && strings.HasSuffix(l.lines[0], "\r\n") {
		end = "\r\n"
		text = strings.ReplaceAll(text, "\n", end)
	}
	return []byte(strings.Join(slices.Insert(l.lines, after, text+end), ""))
}

func removeRule(data []byte, at int) ([]byte, error) {
	l, err := rulesOf(data)
	if err != nil {
		return nil, err
	}
	if !block(l.rules, yaml.SequenceNode) || at >= len(l.rules.Content) || dashOf(l, at) < 0 {
		return nil, errEditByHand
	}
	item := l.rules.Content[at]
	if len(l.rules.Content) == 1 { // a key without a value would mean the default
		l.lines[l.rulesLine-1] = strings.Replace(l.lines[l.rulesLine-1], l.rulesKey+":", l.rulesKey+": []", 1)
	}
	return []byte(strings.Join(slices.Delete(l.lines, item.Line-1, lastLine(item)), "")), nil
}

// dashOf returns the column of the dash of a rule, counted from 0, or -1 if the line of
// the rule does not begin with a dash.
func dashOf(l ruleList, at int) int {
	line := l.lines[l.rules.Content[at].Line-1]
	indent := len(line) - len(strings.TrimLeft(line, " "))
	if !strings.HasPrefix(line[indent:], "- ") {
		return -1
	}
	return indent
}

// lastLine returns the number of the last line of a node, counted from 1.
func lastLine(n *yaml.Node) int {
	last := n.Line
	for _, child := range n.Content {
		last = max(last, lastLine(child))
	}
	if n.Kind == yaml.ScalarNode {
		last += strings.Count(n.Value, "\n") // may be too many; editRules then rejects the edit
	}
	return last
}

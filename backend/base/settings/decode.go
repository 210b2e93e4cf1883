package settings

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/agent-discover/agent-discover/backend/base/spelling"
)

// versionDirective matches the declaration of a YAML version, such as %YAML 1.2.
var versionDirective = regexp.MustCompile(`(?m)^%YAML[ \t]+1\.[0-9]\b`)

// decoder reads settings from a YAML text and collects what is wrong with it. No problem
// quotes a value of the text.
type decoder struct {
	problems problems
	values   map[string]*yaml.Node // the values in the text, by their keys
}

// section is a setting that decodes itself, because it is more than one value.
type section interface {
	decode(d *decoder, key string, n *yaml.Node)
}

// decode reads settings from a YAML text into the variables in keys, which maps the
// name of each setting to its variable. A setting in a group is named group.setting.
// Settings that the text leaves out or gives no value are not changed.
func decode(text []byte, keys map[string]any) *decoder {
	d := &decoder{values: make(map[string]*yaml.Node)}
	var document yaml.Node
	// The parser rejects a declaration of another version than 1.1, although it can read such files.
	text = versionDirective.ReplaceAll(text, []byte("%YAML 1.1"))
	if err := yaml.Unmarshal(text, &document); err != nil {
		d.problems = problems{notYAML(text, err)}
		return d
	}
	if len(document.Content) == 0 {
		return d // empty, or only comments
	}
	d.settings(document.Content[0], "", keys)
	slices.SortStableFunc(d.problems, func(a, b Problem) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	return d
}

// report adds a problem of a value. In the problem's text, the formatted text follows the key.
func (d *decoder) report(n *yaml.Node, key, format string, args ...any) {
	d.problems = append(d.problems, Problem{n.Line, n.Column, key, strings.TrimSpace(key + " " + fmt.Sprintf(format, args...))})
}

// about reports a problem of a whole group, unless one of its members has a problem.
func (d *decoder) about(n *yaml.Node, key, format string, args ...any) {
	if !slices.ContainsFunc(d.problems, func(p Problem) bool { return strings.HasPrefix(p.Key, key) }) {
		d.report(n, key, format, args...)
	}
}

// settings decodes a group of settings, whose keys begin with prefix.
func (d *decoder) settings(n *yaml.Node, prefix string, keys map[string]any) {
	names := make(map[string]bool)
	for key := range keys {
		if rest, ok := strings.CutPrefix(key, prefix); ok {
			first, _, _ := strings.Cut(rest, ".")
			names[first], names[rest] = true, true
		}
	}
	d.group(n, strings.TrimSuffix(prefix, "."), names, func(name, key string, value *yaml.Node) {
		if variable, ok := keys[key]; ok {
			now, former := spellings(key)
			if former != "" && d.values[now] != nil && d.values[former] != nil {
				d.report(value, former, "is the former name of %s; keep one of them", now)
			}
			d.values[now] = value
			d.value(value, key, variable)
			return
		}
		d.settings(value, key+".", keys)
	})
}

// group calls each for the members of a group that are in names and have a value. It
// reports members that are not in names. key is empty for the whole file.
func (d *decoder) group(n *yaml.Node, key string, names map[string]bool, each func(name, key string, value *yaml.Node)) {
	if n = resolve(n); n.Tag == "!!null" {
		return
	}
	what := cmp.Or(key, "the file")
	if n.Kind != yaml.MappingNode {
		members := slices.DeleteFunc(slices.Sorted(maps.Keys(names)), func(name string) bool { return strings.Contains(name, ".") })
		text := fmt.Sprintf("%s must be a group of settings, each as in %s: value; the settings are %s", what, members[0],
			strings.Join(members, ", "))
		d.problems = append(d.problems, Problem{n.Line, n.Column, key, text})
		return
	}
	var members map[string]yaml.Node
	if err := n.Decode(&members); err != nil { // a key exists twice or is not a string
		d.problems = append(d.problems, Problem{n.Line, n.Column, key, "the keys of " + what + " must be distinct names"})
		return
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		member, whole := members[name], strings.TrimPrefix(key+"."+name, ".")
		if !names[name] {
			d.unknown(n, name, whole, names)
			continue
		}
		if value := resolve(&member); value.Tag != "!!null" {
			d.values[whole] = value
			each(name, whole, value)
		}
	}
}

// unknown reports a member of a group that is not in names, and suggests a similar name.
func (d *decoder) unknown(n *yaml.Node, name, key string, names map[string]bool) {
	at := n
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			at = n.Content[i]
		}
	}
	var current []string
	for _, known := range slices.Sorted(maps.Keys(names)) {
		whole := strings.TrimSuffix(key, name) + known
		if now, _ := spellings(whole); now == whole {
			current = append(current, known)
		}
	}
	advice := ""
	if near := spelling.Near(name, current); len(near) > 0 {
		advice = fmt.Sprintf("; did you mean %s?", near[0])
	}
	d.problems = append(d.problems, Problem{at.Line, at.Column, key, "unknown setting " + key + advice})
}

// list calls each for the items of a list. If single is true, a value that is not a list
// counts as a list with one item.
func (d *decoder) list(n *yaml.Node, key string, single bool, each func(key string, item *yaml.Node)) {
	switch {
	case n.Kind == yaml.SequenceNode:
		for i, item := range n.Content {
			key, item := fmt.Sprintf("%s[%d]", key, i), resolve(item)
			d.values[key] = item
			if item.Tag == "!!null" {
				d.report(item, key, "has no value")
				continue
			}
			each(key, item)
		}
	case single:
		each(key, n)
	default:
		d.report(n, key, "must be a list")
	}
}

// value decodes a value into variable, and reports a value of the wrong type.
func (d *decoder) value(n *yaml.Node, key string, variable any) {
	var kind string
	fits := true
	switch variable := variable.(type) {
	case section:
		variable.decode(d, key, n)
		return
	case *int:
		kind = "a whole number"
		fits = n.ShortTag() == "!!int" // Decode would truncate fractions
	case *bool:
		kind = "true or false"
	case **bool:
		kind = "true or false"
	case *time.Duration:
		kind = "a time such as 30s or 5m; a number needs a unit"
	case *[]string:
		kind = "a list of texts"
	default:
		kind = "a text"
	}
	if !fits || n.Decode(variable) != nil {
		d.report(n, key, "must be %s", kind)
	}
}

// resolve returns the node that an alias refers to, and other nodes unchanged.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

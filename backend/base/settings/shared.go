package settings

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Shared returns the values in a settings file that several machines of a user can have in common, by their keys, as
// JSON decodes them. It leaves out settings that suit one machine only. apart maps the keys of other settings that
// cannot be shared to the reasons.
func Shared(data []byte) (values map[string]any, apart map[string]string, err error) {
	s := Default()
	d := decode(data, s.keys())
	if err := d.problems.fault("config.yaml"); err != nil {
		return nil, nil, err
	}
	values, apart = make(map[string]any), make(map[string]string)
	for _, row := range Table {
		node := d.values[row.Key]
		if node == nil || row.Machine {
			continue
		}
		value, err := plain(node, 0)
		switch {
		case err != nil:
			apart[row.Key] = err.Error()
		case hasArguments(node):
			apart[row.Key] = "it has fixed arguments, whose values may be secrets"
		default:
			text, err := json.Marshal(value)
			if err != nil {
				return nil, nil, err
			}
			decoder := json.NewDecoder(bytes.NewReader(text))
			decoder.UseNumber()
			var decoded any
			if err := decoder.Decode(&decoded); err != nil {
				return nil, nil, err
			}
			values[row.Key] = decoded
		}
	}
	return values, apart, nil
}

// IsShared reports whether several machines can have the setting key in common.
func IsShared(key string) bool {
	return slices.ContainsFunc(Table, func(row Row) bool { return row.Key == key && !row.Machine })
}

func hasArguments(list *yaml.Node) bool {
	return slices.ContainsFunc(list.Content, func(item *yaml.Node) bool {
		item = resolve(item)
		if item.Kind != yaml.MappingNode {
			return false
		}
		_, arguments := member(item, "arguments")
		return arguments != nil
	})
}

// WithShared returns the content of a settings file in which the settings set have these values, and the settings remove
// have their defaults. Comments stay; blank lines and indentation may change. The result is not checked.
func WithShared(data []byte, set map[string]any, remove []string) ([]byte, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "config.yaml is not YAML")
	}
	if len(root.Content) == 0 {
		root = yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{{Kind: yaml.MappingNode, Tag: "!!map"}}}
	}
	top := resolve(root.Content[0])
	if top.Kind != yaml.MappingNode {
		top = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		root.Content[0] = top
	}
	for _, key := range remove {
		cut(top, spelled(data, strings.Split(key, ".")))
	}
	for _, key := range slices.Sorted(maps.Keys(set)) {
		text, err := json.Marshal(set[key])
		if err != nil {
			return nil, err
		}
		var value yaml.Node
		if err := yaml.Unmarshal(text, &value); err != nil { // JSON is YAML
			return nil, err
		}
		put(top, spelled(data, strings.Split(key, ".")), unstyled(value.Content[0]))
	}
	if len(top.Content) == 0 {
		return nil, nil
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	err := encoder.Encode(&root)
	return out.Bytes(), err
}

// put sets the value at a path below a mapping, and creates the groups on the way.
func put(at *yaml.Node, path []string, value *yaml.Node) {
	_, found := member(at, path[0])
	if found == nil {
		found = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		at.Content = append(at.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: path[0]}, found)
	}
	if len(path) == 1 {
		value.LineComment, value.HeadComment, value.FootComment = found.LineComment, found.HeadComment, found.FootComment
		*found = *value
		return
	}
	if group := resolve(found); group.Kind == yaml.MappingNode {
		put(group, path[1:], value)
	} else { // a group without members
		*found = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		put(found, path[1:], value)
	}
}

// cut removes the value at a path below a mapping, and groups that are empty then.
func cut(at *yaml.Node, path []string) {
	key, found := member(at, path[0])
	if found == nil {
		return
	}
	if group := resolve(found); len(path) > 1 {
		if cut(group, path[1:]); len(group.Content) > 0 {
			return
		}
	}
	i := slices.Index(at.Content, key)
	at.Content = slices.Delete(at.Content, i, i+2)
}

// unstyled removes the braces and quotes of JSON where YAML does not need them.
func unstyled(n *yaml.Node) *yaml.Node {
	n.Style = 0
	for i, item := range n.Content {
		unstyled(item)
		if n.Kind == yaml.SequenceNode && item.Kind == yaml.MappingNode {
			n.Content[i].Style = yaml.FlowStyle // one line for each rule
		}
	}
	return n
}

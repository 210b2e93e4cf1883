package configedit

import (
	"encoding/json"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// yamlValueOf decodes a node and expands aliases. It decodes at most a million nodes; all further nodes become nil.
func yamlValueOf(n *yaml.Node) any {
	left := 1 << 20
	return yamlDecode(n, 0, &left)
}

// yamlDecode decodes a node. Aliases can make a small text very large or endless,
// so left limits the number of nodes, and values nested too deeply become nil.
func yamlDecode(n *yaml.Node, depth int, left *int) any {
	if *left--; *left < 0 || depth > deepest {
		return nil
	}
	switch n.Kind {
	case yaml.AliasNode:
		return yamlDecode(n.Alias, depth+1, left)
	case yaml.SequenceNode:
		out := make([]any, 0, len(n.Content))
		for _, child := range n.Content {
			out = append(out, yamlDecode(child, depth+1, left))
		}
		return out
	case yaml.MappingNode:
		return yamlObject(n, depth, left)
	}
	return yamlScalar(n)
}

// yamlObject decodes a mapping. Its own keys override those of the mappings that it merges.
func yamlObject(n *yaml.Node, depth int, left *int) Object {
	out := Object{}
	has := make(map[string]bool)
	add := func(f Field) {
		if !has[f.Key] {
			has[f.Key], out = true, append(out, f)
		}
	}
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Tag == "!!merge" {
			merged = append(merged, value)
			continue
		}
		add(Field{dereference(key).Value, yamlDecode(value, depth+1, left)})
	}
	for _, m := range merged {
		v := yamlDecode(m, depth+1, left)
		for _, from := range append(fieldsOf([]any{v}), fieldsOf(v)...) {
			o, _ := from.Value.(Object)
			for _, f := range o {
				add(f)
			}
		}
	}
	return out
}

func yamlScalar(n *yaml.Node) any {
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		var b bool
		if n.Decode(&b) == nil {
			return b
		}
	case "!!int":
		text := strings.ReplaceAll(n.Value, "_", "")
		if i, err := strconv.ParseInt(text, 0, 64); err == nil {
			return json.Number(strconv.FormatInt(i, 10))
		}
		if json.Valid([]byte(text)) {
			return json.Number(text)
		}
	case "!!float":
		f, err := strconv.ParseFloat(strings.ReplaceAll(n.Value, "_", ""), 64)
		if text, ok := number(f); err == nil && ok {
			return json.Number(text)
		}
	}
	return n.Value
}

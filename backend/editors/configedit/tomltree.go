package configedit

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlKind is the kind of a node. For a table, it says which syntax defines the table, because the syntax decides
// what may be added to the table.
type tomlKind int

const (
	tomlTable    tomlKind = iota // by a header
	tomlImplicit                 // by the header of a subtable
	tomlDotted                   // by a dotted key
	tomlList                     // a list of tables, by [[…]]
	tomlValue
)

// tomlNode is a table, list of tables or value of a TOML text.
type tomlNode struct {
	parent   *tomlNode
	kind     tomlKind
	keys     []string // of children, in their order
	children map[string]*tomlNode
	items    []*tomlNode
	value    any    // with inline tables as Object
	raw      string // the text of the value in the file
}

// tomlExpr is a header, or a key with its value.
type tomlExpr struct {
	node     *tomlNode // the table or value that it defines
	owner    int       // index of the header above; -1 for none
	header   bool
	key, end int // offsets of the key and of the end of the value
	value    int // offset of the value
}

var errTwice = errors.New("a key is defined twice, or as two types")

// tomlTree parses a text. The length of keys and the nesting of values are
// limited because other functions recurse over them.
func tomlTree(body []byte) (root *tomlNode, exprs []tomlExpr, err error) {
	p := &unstable.Parser{}
	at := 0
	defer func() {
		if recover() != nil { // the parser is marked unstable and the text is untrusted
			err = invalid(lineOf(body, at), "the file is not valid TOML")
		}
	}()
	root = &tomlNode{}
	table, owner := root, -1
	for p.Reset(body); p.NextExpression(); {
		n := p.Expression()
		var path []string
		key := n.Key()
		var first, last unstable.Range
		for key.Next() {
			if last = key.Node().Raw; len(path) == 0 {
				first = last
			}
			path = append(path, string(key.Node().Data))
		}
		at = int(first.Offset)
		x := tomlExpr{key: at, end: int(last.Offset + last.Length), owner: owner}
		if len(path) > deepest {
			return nil, nil, invalid(lineOf(body, at), "the file is nested too deeply")
		}
		if x.header = n.Kind != unstable.KeyValue; x.header {
			x.node, err = root.header(path, n.Kind == unstable.ArrayTable)
			table, owner = x.node, len(exprs)
		} else {
			x.value = x.end + bytes.IndexByte(body[x.end:], '=') + 1
			x.end = int(n.Raw.Offset + n.Raw.Length)
			for body[x.value] == ' ' || body[x.value] == '\t' {
				x.value++
			}
			var v any
			if v, err = tomlDecode(n.Value(), 0); err == nil {
				x.node, err = table.add(path, v)
			}
			if err == nil {
				x.node.raw = string(body[x.value:x.end])
			}
		}
		if err != nil {
			return nil, nil, invalid(lineOf(body, at), "%v", err)
		}
		exprs = append(exprs, x)
	}
	if err := p.Error(); err != nil {
		if bad, ok := errors.AsType[*unstable.ParserError](err); ok {
			at = int(p.Range(bad.Highlight).Offset)
		}
		return nil, nil, invalid(lineOf(body, at), "the file is not valid TOML")
	}
	return root, exprs, nil
}

// child returns the table or value of a key, and creates it if it is missing.
func (n *tomlNode) child(key string, kind tomlKind) (child *tomlNode, made bool) {
	if child = n.children[key]; child != nil {
		return child, false
	}
	if n.children == nil {
		n.children = make(map[string]*tomlNode)
	}
	child = &tomlNode{parent: n, kind: kind}
	n.children[key], n.keys = child, append(n.keys, key)
	return child, true
}

// header returns the table that a header opens.
func (n *tomlNode) header(path []string, list bool) (*tomlNode, error) {
	last := len(path) - 1
	for _, key := range path[:last] {
		n, _ = n.child(key, tomlImplicit)
		switch n.kind {
		case tomlValue:
			return nil, errTwice
		case tomlList:
			n = n.items[len(n.items)-1]
		}
	}
	if list {
		n, made := n.child(path[last], tomlList)
		if !made && n.kind != tomlList {
			return nil, errTwice
		}
		item := &tomlNode{parent: n}
		n.items = append(n.items, item)
		return item, nil
	}
	n, made := n.child(path[last], tomlTable)
	if !made && n.kind != tomlImplicit {
		return nil, errTwice
	}
	n.kind = tomlTable
	return n, nil
}

// add adds a value to a table, at a path of one or more keys.
func (n *tomlNode) add(path []string, value any) (*tomlNode, error) {
	last := len(path) - 1
	for _, key := range path[:last] {
		if n, _ = n.child(key, tomlDotted); n.kind != tomlDotted {
			return nil, errTwice
		}
	}
	n, made := n.child(path[last], tomlValue)
	if !made {
		return nil, errTwice
	}
	n.value = value
	return n, nil
}

func tomlDecode(n *unstable.Node, depth int) (any, error) {
	if depth > deepest {
		return nil, errors.New("the file is nested too deeply")
	}
	switch n.Kind {
	case unstable.Array:
		out := []any{}
		for it := n.Children(); it.Next(); {
			v, err := tomlDecode(it.Node(), depth+1)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, nil
	case unstable.InlineTable:
		table := &tomlNode{}
		for it := n.Children(); it.Next(); {
			var path []string
			for key := it.Node().Key(); key.Next(); {
				path = append(path, string(key.Node().Data))
			}
			v, err := tomlDecode(it.Node().Value(), depth+1)
			if err == nil && len(path) <= deepest {
				_, err = table.add(path, v)
			}
			if err != nil {
				return nil, err
			}
		}
		return table.any(), nil
	case unstable.Bool:
		return string(n.Data) == "true", nil
	case unstable.Integer:
		i, err := strconv.ParseInt(string(n.Data), 0, 64)
		if err == nil {
			return json.Number(strconv.FormatInt(i, 10)), nil
		}
	case unstable.Float:
		f, err := strconv.ParseFloat(strings.ReplaceAll(string(n.Data), "_", ""), 64)
		if text, ok := number(f); err == nil && ok {
			return json.Number(text), nil
		}
	}
	return string(n.Data), nil
}

// any returns the value of a node, with tables as Object.
func (n *tomlNode) any() any {
	switch n.kind {
	case tomlValue:
		return n.value
	case tomlList:
		out := make([]any, len(n.items))
		for i, item := range n.items {
			out[i] = item.any()
		}
		return out
	}
	out := make(Object, len(n.keys))
	for i, key := range n.keys {
		out[i] = Field{key, n.children[key].any()}
	}
	return out
}

// within reports whether n is other or a descendant of other.
func (n *tomlNode) within(other *tomlNode) bool {
	for ; n != nil; n = n.parent {
		if n == other {
			return true
		}
	}
	return false
}

// equalTOML compares tables no matter how they are defined, and values by their text in the file.
func equalTOML(a, b *tomlNode) bool {
	if (a.kind == tomlValue) != (b.kind == tomlValue) || a.raw != b.raw || len(a.keys) != len(b.keys) || len(a.items) != len(b.items) {
		return false
	}
	for i := range a.items {
		if !equalTOML(a.items[i], b.items[i]) {
			return false
		}
	}
	for key, child := range a.children {
		if other := b.children[key]; other == nil || !equalTOML(child, other) {
			return false
		}
	}
	return true
}

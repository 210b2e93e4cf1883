package configedit

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlKind is how a table or value came to be; which decides what may be added.
type tomlKind int

const (
	tomlTable    tomlKind = iota // by its own header
	tomlImplicit                 // by the header of a table in it
	tomlDotted                   // by a dotted key
	tomlList                     // by [[…]]
	tomlValue
)

// tomlNode is a table, list of tables or value of a TOML text.
type tomlNode struct {
	parent *tomlNode
	kind   tomlKind
	keys   []string // of kids, in their order
	kids   map[string]*tomlNode
	items  []*tomlNode
	value  any    // with objects as Object
	raw    string // how the value is written
}

// tomlExpr is a header or a line with a key.
type tomlExpr struct {
	node     *tomlNode // what it makes
	owner    int       // the header above; -1 for none
	header   bool
	key, end int // of a line with a key: from its key to behind its value
	value    int // where that starts
}

var errTwice = errors.New("a key is there twice, or with two meanings")

// tomlTree reads a text. Its recursion goes as deep as keys are long and values
// nested, so both have an end.
func tomlTree(body []byte) (root *tomlNode, exprs []tomlExpr, err error) {
	p := &unstable.Parser{}
	at := 0
	defer func() {
		if recover() != nil { // a parser that makes no promises reads what anybody wrote
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
			return nil, nil, invalid(lineOf(body, at), "the file is nested too deep")
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
			if v, err = tomlAny(n.Value(), 0); err == nil {
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

// kid returns the table or value of a key, made where it is missing.
func (n *tomlNode) kid(key string, kind tomlKind) (kid *tomlNode, made bool) {
	if kid = n.kids[key]; kid != nil {
		return kid, false
	}
	if n.kids == nil {
		n.kids = make(map[string]*tomlNode)
	}
	kid = &tomlNode{parent: n, kind: kind}
	n.kids[key], n.keys = kid, append(n.keys, key)
	return kid, true
}

// header opens the table of a header.
func (n *tomlNode) header(path []string, list bool) (*tomlNode, error) {
	last := len(path) - 1
	for _, key := range path[:last] {
		n, _ = n.kid(key, tomlImplicit)
		switch n.kind {
		case tomlValue:
			return nil, errTwice
		case tomlList:
			n = n.items[len(n.items)-1]
		}
	}
	if list {
		n, made := n.kid(path[last], tomlList)
		if !made && n.kind != tomlList {
			return nil, errTwice
		}
		item := &tomlNode{parent: n}
		n.items = append(n.items, item)
		return item, nil
	}
	n, made := n.kid(path[last], tomlTable)
	if !made && n.kind != tomlImplicit {
		return nil, errTwice
	}
	n.kind = tomlTable
	return n, nil
}

// add gives a table a key.
func (n *tomlNode) add(path []string, value any) (*tomlNode, error) {
	last := len(path) - 1
	for _, key := range path[:last] {
		if n, _ = n.kid(key, tomlDotted); n.kind != tomlDotted {
			return nil, errTwice
		}
	}
	n, made := n.kid(path[last], tomlValue)
	if !made {
		return nil, errTwice
	}
	n.value = value
	return n, nil
}

// tomlAny decodes a value.
func tomlAny(n *unstable.Node, depth int) (any, error) {
	if depth > deepest {
		return nil, errors.New("the file is nested too deep")
	}
	switch n.Kind {
	case unstable.Array:
		out := []any{}
		for it := n.Children(); it.Next(); {
			v, err := tomlAny(it.Node(), depth+1)
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
			v, err := tomlAny(it.Node().Value(), depth+1)
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

// any returns a node's value.
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
		out[i] = Field{key, n.kids[key].any()}
	}
	return out
}

// under reports whether a node is part of another.
func (n *tomlNode) under(other *tomlNode) bool {
	for ; n != nil; n = n.parent {
		if n == other {
			return true
		}
	}
	return false
}

// sameToml compares tables whatever way they came to be, and values by how they
// are written.
func sameToml(a, b *tomlNode) bool {
	if (a.kind == tomlValue) != (b.kind == tomlValue) || a.raw != b.raw || len(a.keys) != len(b.keys) || len(a.items) != len(b.items) {
		return false
	}
	for i := range a.items {
		if !sameToml(a.items[i], b.items[i]) {
			return false
		}
	}
	for key, kid := range a.kids {
		if other := b.kids[key]; other == nil || !sameToml(kid, other) {
			return false
		}
	}
	return true
}

package configedit

import (
	"bytes"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// tomlDoc is a TOML text in which the collection is located.
type tomlDoc struct {
	place    Place
	body     []byte
	root     *tomlNode
	exprs    []tomlExpr
	resolved []*tomlNode // the root and the tables of place.Keys as far as they exist
	content  any         // the collection as Object or []any; nil when it does not exist
	problem  error       // why the text cannot be changed
}

func parseTOML(body []byte, p Place) (document, error) {
	d := &tomlDoc{place: p, body: body}
	if at := bytes.IndexByte(body, '\r'); at >= 0 {
		return nil, invalid(lineOf(body, at), "the line contains a carriage return without a line feed")
	}
	var err error
	if d.root, d.exprs, err = tomlTree(body); err != nil {
		return nil, err
	}
	return d, d.resolve()
}

func (d *tomlDoc) resolve() error {
	n := d.root
	d.resolved = []*tomlNode{n}
	for i, key := range d.place.Keys {
		next := n.children[key]
		switch {
		case n.kind == tomlList:
			return d.wrongType(n, false)
		case n.kind == tomlValue:
			return d.inline(n, d.place.Keys[i:])
		case next == nil:
			return nil
		}
		n = next
		d.resolved = append(d.resolved, n)
	}
	if n.kind == tomlValue {
		return d.inline(n, nil)
	}
	if isList := n.kind == tomlList; isList != (d.place.List != "") {
		return d.wrongType(n, true)
	}
	d.content = n.any()
	return nil
}

// inline locates a collection that is an inline value or part of one.
func (d *tomlDoc) inline(n *tomlNode, keys []string) error {
	d.content = n.value
	for _, key := range keys {
		o, ok := d.content.(Object)
		if !ok {
			return d.wrongType(n, false)
		}
		d.content = get(o, key)
	}
	switch d.content.(type) {
	case nil:
	case Object:
		if d.place.List != "" {
			return d.wrongType(n, true)
		}
	case []any:
		if d.place.List == "" {
			return d.wrongType(n, true)
		}
	default:
		return d.wrongType(n, true)
	}
	if len(keys) > 0 || len(fieldsOf(d.content)) > 0 {
		d.problem = invalid(d.line(n), "the entries are written inline; write each as a section of its own")
	}
	return nil
}

// wrongType returns the error for a node that should be a table, or the list of
// entries if it is the collection.
func (d *tomlDoc) wrongType(n *tomlNode, isCollection bool) error {
	want := "a table"
	if d.place.List != "" && isCollection {
		want = "a list"
	}
	return invalid(d.line(n), "expected %s, but found another type of value", want)
}

// line returns the number of the first line of a node.
func (d *tomlDoc) line(n *tomlNode) int {
	for _, x := range d.exprs {
		if x.node.within(n) {
			return lineOf(d.body, x.key)
		}
	}
	return 1
}

// collection returns the collection; nil when it does not exist.
func (d *tomlDoc) collection() *tomlNode {
	if len(d.resolved) == len(d.place.Keys)+1 {
		return d.resolved[len(d.place.Keys)]
	}
	return nil
}

func (d *tomlDoc) editable(name string) error {
	if _, n := d.member(name); n > 1 {
		return fault.New(fault.Invalid, "there are two entries named %q", name)
	}
	return nil
}

// fieldsOf returns the members of a collection. Items of a list have no key.
func fieldsOf(content any) []Field {
	switch c := content.(type) {
	case Object:
		return c
	case []any:
		out := make([]Field, len(c))
		for i, v := range c {
			out[i].Value = v
		}
		return out
	}
	return nil
}

// named returns the entries of a collection, with their names as keys.
func named(content any, p Place) []Field {
	fields := slices.Clone(fieldsOf(content))
	if p.List == "" {
		return fields
	}
	for i, f := range fields {
		o, _ := f.Value.(Object)
		fields[i].Key, _ = get(o, p.List).(string)
	}
	return fields
}

// count returns the value of the last field with the given name, and the number of fields with this
// name.
func count(fields []Field, name string) (value any, n int) {
	for _, f := range fields {
		if f.Key == name {
			value, n = f.Value, n+1
		}
	}
	return value, n
}

func (d *tomlDoc) members() []Field { return named(d.content, d.place) }

func (d *tomlDoc) member(name string) (value any, n int) { return count(d.members(), name) }

// entry returns the node of an entry; nil if it does not exist or the collection
// is inline.
func (d *tomlDoc) entry(name string) *tomlNode {
	n := d.collection()
	if n == nil || n.kind == tomlValue {
		return nil
	}
	if d.place.List == "" {
		return n.children[name]
	}
	for i, f := range d.members() {
		if f.Key == name {
			return n.items[i]
		}
	}
	return nil
}

func (d *tomlDoc) same(other document, name string) bool {
	o := other.(*tomlDoc)
	for i, key := range d.place.Keys {
		if !equalChildren(d.step(i), o.step(i), key) {
			return false
		}
	}
	a, b := d.collection(), o.collection()
	if a == nil && b == nil {
		return true
	}
	if a == nil || b == nil || a.kind == tomlValue || b.kind == tomlValue {
		drop := func(f Field) bool { return f.Key == name }
		return slices.EqualFunc(slices.DeleteFunc(d.members(), drop), slices.DeleteFunc(o.members(), drop),
			func(a, b Field) bool { return a.Key == b.Key && equal(a.Value, b.Value) })
	}
	if d.place.List == "" {
		return equalChildren(a, b, name)
	}
	return slices.EqualFunc(d.others(name), o.others(name), equalTOML)
}

// others returns the items of the list that do not have the given name.
func (d *tomlDoc) others(name string) []*tomlNode {
	var out []*tomlNode
	for i, f := range d.members() {
		if f.Key != name {
			out = append(out, d.collection().items[i])
		}
	}
	return out
}

// step returns the table at index i of d.resolved; an empty one past its end.
func (d *tomlDoc) step(i int) *tomlNode {
	if i < len(d.resolved) {
		return d.resolved[i]
	}
	return &tomlNode{}
}

// equalChildren compares two tables except for one key.
func equalChildren(a, b *tomlNode, but string) bool {
	rest := func(n *tomlNode) *tomlNode {
		copied := *n
		copied.children = make(map[string]*tomlNode, len(n.children))
		copied.keys = nil
		for key, child := range n.children {
			if key != but {
				copied.children[key], copied.keys = child, append(copied.keys, key)
			}
		}
		return &copied
	}
	return equalTOML(rest(a), rest(b))
}

package configedit

import (
	"bytes"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// tomlDoc is a TOML text with its collection found.
type tomlDoc struct {
	place   Place
	body    []byte
	root    *tomlNode
	exprs   []tomlExpr
	way     []*tomlNode // from the root to the last table there is
	content any         // of the collection; Object or []any, nil without one
	problem error       // why it may not be changed
}

func parseTOML(body []byte, p Place) (document, error) {
	d := &tomlDoc{place: p, body: body}
	if at := bytes.IndexByte(body, '\r'); at >= 0 {
		return nil, invalid(lineOf(body, at), "a carriage return stands alone")
	}
	var err error
	if d.root, d.exprs, err = tomlTree(body); err != nil {
		return nil, err
	}
	return d, d.walk()
}

func (d *tomlDoc) walk() error {
	n := d.root
	d.way = []*tomlNode{n}
	for i, key := range d.place.Keys {
		next := n.kids[key]
		switch {
		case n.kind == tomlList:
			return d.another(n)
		case n.kind == tomlValue:
			return d.inline(n, d.place.Keys[i:])
		case next == nil:
			return nil
		}
		n = next
		d.way = append(d.way, n)
	}
	if n.kind == tomlValue {
		return d.inline(n, nil)
	}
	if isList := n.kind == tomlList; isList != (d.place.List != "") {
		return d.another(n)
	}
	d.content = n.any()
	return nil
}

// inline finds a collection that is a value, or in one.
func (d *tomlDoc) inline(n *tomlNode, keys []string) error {
	d.content = n.value
	for _, key := range keys {
		o, ok := d.content.(Object)
		if !ok {
			return d.another(n)
		}
		d.content = get(o, key)
	}
	switch d.content.(type) {
	case nil:
	case Object:
		if d.place.List != "" {
			return d.another(n)
		}
	case []any:
		if d.place.List == "" {
			return d.another(n)
		}
	default:
		return d.another(n)
	}
	if len(keys) > 0 || len(fieldsOf(d.content)) > 0 {
		d.problem = invalid(d.line(n), "the entries are written inline, on one line")
	}
	return nil
}

func (d *tomlDoc) another(n *tomlNode) error {
	return invalid(d.line(n), "something else stands where the entries should be")
}

// line returns the number of the line that a node starts on.
func (d *tomlDoc) line(n *tomlNode) int {
	for _, x := range d.exprs {
		if x.node.under(n) {
			return lineOf(d.body, x.key)
		}
	}
	return 1
}

// found returns the collection; nil when it is not there.
func (d *tomlDoc) found() *tomlNode {
	if len(d.way) == len(d.place.Keys)+1 {
		return d.way[len(d.place.Keys)]
	}
	return nil
}

func (d *tomlDoc) editable(name string) error {
	if _, n := d.member(name); n > 1 {
		return fault.New(fault.Invalid, "the entry %q is there twice", name)
	}
	return nil
}

// fieldsOf returns the members of a collection, those of a list without a key.
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

// named returns the members of a collection under their names.
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

// count returns the value of the last field of a name, and how many there are.
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

// entry returns the node of a member; nil for none, and for one of an inline
// collection.
func (d *tomlDoc) entry(name string) *tomlNode {
	n := d.found()
	if n == nil || n.kind == tomlValue {
		return nil
	}
	if d.place.List == "" {
		return n.kids[name]
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
		if !sameKids(d.step(i), o.step(i), key) {
			return false
		}
	}
	a, b := d.found(), o.found()
	if a == nil && b == nil {
		return true
	}
	if a == nil || b == nil || a.kind == tomlValue || b.kind == tomlValue {
		drop := func(f Field) bool { return f.Key == name }
		return slices.EqualFunc(slices.DeleteFunc(d.members(), drop), slices.DeleteFunc(o.members(), drop),
			func(a, b Field) bool { return a.Key == b.Key && equal(a.Value, b.Value) })
	}
	if d.place.List == "" {
		return sameKids(a, b, name)
	}
	return slices.EqualFunc(d.others(name), o.others(name), sameToml)
}

// others returns the items of a list that do not go by a name.
func (d *tomlDoc) others(name string) []*tomlNode {
	var out []*tomlNode
	for i, f := range d.members() {
		if f.Key != name {
			out = append(out, d.found().items[i])
		}
	}
	return out
}

func (d *tomlDoc) step(i int) *tomlNode {
	if i < len(d.way) {
		return d.way[i]
	}
	return &tomlNode{}
}

// sameKids compares tables all but one key.
func sameKids(a, b *tomlNode, but string) bool {
	rest := func(n *tomlNode) *tomlNode {
		copied := *n
		copied.kids = make(map[string]*tomlNode, len(n.kids))
		copied.keys = nil
		for key, kid := range n.kids {
			if key != but {
				copied.kids[key], copied.keys = kid, append(copied.keys, key)
			}
		}
		return &copied
	}
	return sameToml(rest(a), rest(b))
}

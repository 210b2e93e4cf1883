package schemacompat

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/agent-discover/agent-discover/backend/base/jsonscan"
)

// value is a JSON value that keeps the order of members and the spelling of numbers
// and strings. Once a value is part of another value, it may be shared and must not
// be changed.
type value struct {
	kind    byte   // '{', '[' or '"'; 0 for numbers, true, false and null
	raw     []byte // the bytes of a string, number, true, false or null
	members []member
	items   []*value
	size    int // length in the document, 0 for new values
}

type member struct {
	name  string
	value *value
}

// parser reads valid JSON. Of members with the same name the last one counts, in the place
// of the first.
type parser struct {
	data []byte
	cut  bool // values nested deeper than maxNesting were left out
}

// value reads the value that begins at a position, and returns where it ends.
func (p *parser) value(start, depth int) (v *value, end int) {
	v = &value{}
	switch c := p.data[start]; c {
	case '{':
		v.kind = c
		end = p.members(v, start, depth)
	case '[':
		v.kind = c
		end = p.items(v, start, depth)
	case '"':
		v.kind = c
		fallthrough
	default:
		end = jsonscan.End(p.data, start)
		v.raw = p.data[start:end]
	}
	v.size = end - start
	if depth > maxNesting && len(v.members)+len(v.items) > 0 {
		p.cut = true
		return &value{kind: '{', size: v.size}, end
	}
	return v, end
}

func (p *parser) members(v *value, start, depth int) (end int) {
	places := make(map[string]int)
	o := jsonscan.Members(p.data, start)
	for o.Next() {
		name, _ := jsonscan.String(o.Quoted())
		one, end := p.value(o.Start(), depth+1)
		o.SetEnd(end)
		if at, twice := places[name]; twice {
			v.members[at].value = one
			continue
		}
		places[name] = len(v.members)
		v.members = append(v.members, member{name, one})
	}
	return o.Close()
}

func (p *parser) items(v *value, start, depth int) (end int) {
	a := jsonscan.Elements(p.data, start)
	for a.Next() {
		item, end := p.value(a.Start(), depth+1)
		a.SetEnd(end)
		v.items = append(v.items, item)
	}
	return a.Close()
}

// append appends the value as JSON without white space.
func (v *value) append(out []byte) []byte {
	switch v.kind {
	case '{':
		out = append(out, '{')
		for i, m := range v.members {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(append(out, quote(m.name)...), ':')
			out = m.value.append(out)
		}
		return append(out, '}')
	case '[':
		out = append(out, '[')
		for i, item := range v.items {
			if i > 0 {
				out = append(out, ',')
			}
			out = item.append(out)
		}
		return append(out, ']')
	}
	return append(out, v.raw...)
}

func (v *value) String() string { return string(v.append(nil)) }

// quote returns a string as JSON, without escaping <, > and &.
func quote(text string) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // cannot fail for a string
	return bytes.TrimSpace(b.Bytes())
}

func textOf(s string) *value { return &value{kind: '"', raw: quote(s)} }

func word(w string) *value { return &value{raw: []byte(w)} }

func listOf(items ...*value) *value { return &value{kind: '[', items: items} }

// objectOf returns an object; pairs are names and values in turn.
func objectOf(pairs ...any) *value {
	v := &value{kind: '{'}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.members = append(v.members, member{pairs[i].(string), pairs[i+1].(*value)})
	}
	return v
}

// text returns the decoded value of a JSON string; ok is false for other values.
func (v *value) text() (s string, ok bool) {
	if v == nil || v.kind != '"' {
		return "", false
	}
	return jsonscan.String(v.raw)
}

func (v *value) is(word string) bool { return v != nil && v.kind == 0 && string(v.raw) == word }

func (v *value) isObject() bool { return v != nil && v.kind == '{' }

func (v *value) isList() bool { return v != nil && v.kind == '[' }

// isCount reports whether a value is a non-negative integer.
func (v *value) isCount() bool {
	if v == nil || v.kind != 0 {
		return false
	}
	_, err := strconv.ParseUint(string(v.raw), 10, 63)
	return err == nil
}

// get returns the value of a member, nil if v has no such member.
func (v *value) get(name string) *value {
	if v != nil && v.kind == '{' {
		for _, m := range v.members {
			if m.name == name {
				return m.value
			}
		}
	}
	return nil
}

// copied returns a copy of an object. The list of members of the copy may be changed, and
// the values of the members are shared.
func (v *value) copied() *value {
	return &value{kind: '{', members: append(make([]member, 0, len(v.members)+2), v.members...)}
}

// set sets a member of an object that is not shared yet; a new member is added at
// the end.
func (v *value) set(name string, to *value) {
	for i := range v.members {
		if v.members[i].name == name {
			v.members[i].value = to
			return
		}
	}
	v.members = append(v.members, member{name, to})
}

// first inserts a new member at the beginning.
func (v *value) first(name string, to *value) {
	v.members = append([]member{{name, to}}, v.members...)
}

// drop removes members from an object that is not shared yet.
func (v *value) drop(names ...string) {
	kept := v.members[:0:0]
	for _, m := range v.members {
		if !slices.Contains(names, m.name) {
			kept = append(kept, m)
		}
	}
	v.members = kept
}

// texts returns the decoded strings in a list. It skips other items.
func (v *value) texts() []string {
	var out []string
	if v.isList() {
		for _, item := range v.items {
			if s, ok := item.text(); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

func textList(texts []string) *value {
	list := listOf()
	for _, s := range texts {
		list.items = append(list.items, textOf(s))
	}
	return list
}

package configedit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/tailscale/hujson"
)

// jsonDoc is a JSON text with its collection found.
type jsonDoc struct {
	place   Place
	body    []byte
	way     []*hujson.Value // from the root to the last value there is; none in a text without a value
	problem error           // why it may not be changed
}

func parseJSON(src source, p Place) (document, error) {
	d := &jsonDoc{place: p, body: src.body}
	if p.Format == StrictJSON && src.start > 0 {
		return nil, invalid(1, "the file starts with a byte order mark, which its reader does not take")
	}
	if blank(d.body) {
		return d, nil
	}
	strict, deep := strictJSON(d.body)
	if deep >= 0 {
		return nil, invalid(lineOf(d.body, deep), "the file is nested too deep")
	}
	root, ok := outline(d.body, strict, p.Keys)
	if !ok {
		var err error
		if root, err = parseHujson(d.body); err != nil {
			return nil, err
		}
	}
	if p.Format == StrictJSON {
		var raw json.RawMessage
		if bad, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(d.body, &raw)); ok {
			return nil, invalid(lineOf(d.body, int(bad.Offset)), "a comment or a trailing comma stands here, which the file's reader does not take")
		}
	}
	if root == nil {
		return d, nil
	}
	return d, d.walk(root)
}

// parseHujson returns nil for a text of comments alone. A line comment that the
// text ends with lacks the line feed that the parser asks for.
func parseHujson(body []byte) (*hujson.Value, error) {
	text := body
	if body[len(body)-1] != '\n' {
		text = append(slices.Clip(body), '\n')
	}
	root, err := hujson.Parse(text)
	if err == nil {
		return &root, nil
	}
	if _, alone := hujson.Parse(append(slices.Clip(text), "null"...)); alone == nil {
		return nil, nil
	}
	line := 1
	_, _ = fmt.Sscanf(err.Error(), "hujson: line %d,", &line) // without a number it is the first line
	return nil, invalid(min(line, lineOf(body, len(body)-1)), "the file is not valid JSON")
}

// walk goes from the root to the collection as far as there is a way.
func (d *jsonDoc) walk(root *hujson.Value) error {
	d.way = []*hujson.Value{root}
	for _, key := range d.place.Keys {
		o, ok := d.last().Value.(*hujson.Object)
		if d.last().Value.Kind() == 'n' {
			d.problem = d.another()
			return nil
		} else if !ok {
			return d.another()
		}
		var next *hujson.Value
		for i := range o.Members {
			if m := &o.Members[i]; keyOf(m.Name) == key {
				if next != nil {
					d.twice(m.Name, key)
				}
				next = &m.Value
			}
		}
		if next == nil {
			return nil
		}
		d.way = append(d.way, next)
	}
	return d.check()
}

// check looks at the type of the collection, and whether its keys are unique.
func (d *jsonDoc) check() error {
	v := d.last()
	_, isList := v.Value.(*hujson.Array)
	o, isMap := v.Value.(*hujson.Object)
	if v.Value.Kind() == 'n' && len(d.place.Keys) > 0 {
		d.problem = d.another()
		return nil
	}
	if isList != (d.place.List != "") || isMap == isList {
		return d.another()
	}
	if isMap {
		d.unique(o)
	}
	return nil
}

func (d *jsonDoc) unique(o *hujson.Object) {
	seen := make(map[string]bool, len(o.Members))
	for _, m := range o.Members {
		key := keyOf(m.Name)
		if seen[key] {
			d.twice(m.Name, "")
			return
		}
		seen[key] = true
	}
}

func (d *jsonDoc) last() *hujson.Value { return d.way[len(d.way)-1] }

func (d *jsonDoc) another() error {
	return invalid(lineOf(d.body, d.last().StartOffset), "something else stands where the entries should be")
}

func (d *jsonDoc) twice(name hujson.Value, key string) {
	if key != "" {
		key = fmt.Sprintf(" %q", key)
	}
	d.problem = invalid(lineOf(d.body, name.StartOffset), "the key%s is there twice", key)
}

// found returns the collection; nil when it is not there.
func (d *jsonDoc) found() *hujson.Value {
	if len(d.way) == len(d.place.Keys)+1 {
		return d.last()
	}
	return nil
}

func (d *jsonDoc) editable(name string) error {
	if _, n := d.member(name); n > 1 {
		return fault.New(fault.Invalid, "the entry %q is there twice", name)
	}
	return d.problem
}

func (d *jsonDoc) members() []Field {
	var fields []Field
	for _, m := range itemsOf(d.found()) {
		if m.name == nil {
			v := d.value(m)
			o, _ := v.(Object)
			key, _ := get(o, d.place.List).(string)
			fields = append(fields, Field{key, v})
			continue
		}
		fields = append(fields, Field{keyOf(*m.name), d.value(m)})
	}
	return fields
}

func (d *jsonDoc) member(name string) (value any, count int) {
	items := itemsOf(d.found())
	for i := range items {
		if d.called(items[i], name) {
			value, count = d.value(items[i]), count+1
		}
	}
	return value, count
}

// value returns an item's value.
func (d *jsonDoc) value(m jsonItem) any {
	if !load(d.body, m.value) {
		return nil // it was valid, so this is never reached
	}
	return jsonValue(m.value)
}

// called reports whether a member goes by a name.
func (d *jsonDoc) called(m jsonItem, name string) bool {
	if m.name != nil {
		return keyOf(*m.name) == name
	}
	o, ok := m.value.Value.(*hujson.Object)
	if !ok {
		return false
	}
	for _, f := range o.Members {
		if keyOf(f.Name) == d.place.List {
			text, ok := jsonValue(&f.Value).(string)
			return ok && text == name
		}
	}
	return false
}

// jsonItem is a member of an object, or an element of an array.
type jsonItem struct{ name, value *hujson.Value }

// first returns what an item starts with.
func (m jsonItem) first() *hujson.Value {
	if m.name != nil {
		return m.name
	}
	return m.value
}

func itemsOf(v *hujson.Value) []jsonItem {
	if v == nil {
		return nil
	}
	var items []jsonItem
	switch v := v.Value.(type) {
	case *hujson.Object:
		for i := range v.Members {
			items = append(items, jsonItem{&v.Members[i].Name, &v.Members[i].Value})
		}
	case *hujson.Array:
		for i := range v.Elements {
			items = append(items, jsonItem{nil, &v.Elements[i]})
		}
	}
	return items
}

// keyOf returns the string that a literal is; most have nothing to decode.
func keyOf(v hujson.Value) string {
	text, _ := v.Value.(hujson.Literal)
	if len(text) < 2 || bytes.IndexByte(text, '\\') >= 0 {
		return text.String()
	}
	return string(text[1 : len(text)-1])
}

func jsonValue(v *hujson.Value) any {
	switch t := v.Value.(type) {
	case *hujson.Object:
		out, at := make(Object, 0, len(t.Members)), make(map[string]int, len(t.Members))
		for i := range t.Members {
			f := Field{keyOf(t.Members[i].Name), jsonValue(&t.Members[i].Value)}
			if twice, ok := at[f.Key]; ok { // the last counts
				out[twice] = f
				continue
			}
			at[f.Key], out = len(out), append(out, f)
		}
		return out
	case *hujson.Array:
		out := make([]any, 0, len(t.Elements))
		for i := range t.Elements {
			out = append(out, jsonValue(&t.Elements[i]))
		}
		return out
	}
	switch v.Value.Kind() {
	case 't', 'f':
		return v.Value.Kind() == 't'
	case '"':
		return keyOf(*v)
	case '0':
		return json.Number(v.Value.(hujson.Literal))
	}
	return nil
}

func (d *jsonDoc) same(other document, name string) bool {
	o := other.(*jsonDoc)
	return d.sameFrom(0, o, name)
}

// sameFrom compares two texts from a step of the way on, all but the entry:
// members are the same when their bytes are.
func (d *jsonDoc) sameFrom(step int, o *jsonDoc, name string) bool {
	here, there := itemsOf(d.step(step)), itemsOf(o.step(step))
	skip := func(d *jsonDoc, m jsonItem) bool {
		if step < len(d.place.Keys) {
			return keyOf(*m.name) == d.place.Keys[step]
		}
		return d.called(m, name)
	}
	here = slices.DeleteFunc(here, func(m jsonItem) bool { return skip(d, m) })
	there = slices.DeleteFunc(there, func(m jsonItem) bool { return skip(o, m) })
	if !slices.EqualFunc(here, there, func(a, b jsonItem) bool { return bytes.Equal(d.text(a), o.text(b)) }) {
		return false
	}
	return step == len(d.place.Keys) || d.sameFrom(step+1, o, name)
}

// step returns a value of the way; nil where there is none.
func (d *jsonDoc) step(i int) *hujson.Value {
	if i < len(d.way) {
		return d.way[i]
	}
	return nil
}

// text returns the bytes of an item.
func (d *jsonDoc) text(m jsonItem) []byte { return d.body[m.first().StartOffset:m.value.EndOffset] }

package configedit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/tailscale/hujson"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// jsonDoc is a JSON text in which the collection is located.
type jsonDoc struct {
	place    Place
	body     []byte
	resolved []*hujson.Value // the root and the values of place.Keys as far as they exist; empty in a text without a value
	problem  error           // why the text cannot be changed
}

func parseJSON(src source, p Place) (document, error) {
	d := &jsonDoc{place: p, body: src.body}
	if p.Format == StrictJSON && src.start > 0 {
		return nil, invalid(1, "the file starts with a byte order mark, which its editor does not accept")
	}
	if blank(d.body) {
		return d, nil
	}
	strict, deep := strictJSON(d.body)
	if deep >= 0 {
		return nil, invalid(lineOf(d.body, deep), "the file is nested too deeply")
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
			return nil, invalid(lineOf(d.body, int(bad.Offset)),
				"the file has a comment or a trailing comma, which its editor does not accept")
		}
	}
	if root == nil {
		return d, nil
	}
	return d, d.resolve(root)
}

// parseHujson parses a whole text. It returns nil for a text that contains only comments. It adds
// a line feed, because the parser requires one after a line comment at the end of the text.
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
	_, _ = fmt.Sscanf(err.Error(), "hujson: line %d,", &line) // stays 1 if the error has no line number
	return nil, invalid(min(line, lineOf(body, len(body)-1)), "the file is not valid JSON")
}

// resolve sets d.resolved. It returns an error if a value has the wrong type. If the text can be
// read but not changed, it sets d.problem instead.
func (d *jsonDoc) resolve(root *hujson.Value) error {
	d.resolved = []*hujson.Value{root}
	for _, key := range d.place.Keys {
		o, ok := d.last().Value.(*hujson.Object)
		if d.last().Value.Kind() == 'n' {
			d.problem = d.wrongType()
			return nil
		} else if !ok {
			return d.wrongType()
		}
		var next *hujson.Value
		for i := range o.Members {
			if m := &o.Members[i]; keyOf(m.Name) == key {
				if next != nil {
					d.duplicate(m.Name, key)
				}
				next = &m.Value
			}
		}
		if next == nil {
			return nil
		}
		d.resolved = append(d.resolved, next)
	}
	return d.check()
}

// check checks that the collection has the right type and unique keys.
func (d *jsonDoc) check() error {
	v := d.last()
	_, isList := v.Value.(*hujson.Array)
	o, isMap := v.Value.(*hujson.Object)
	if v.Value.Kind() == 'n' && len(d.place.Keys) > 0 {
		d.problem = d.wrongType()
		return nil
	}
	if isList != (d.place.List != "") || isMap == isList {
		return d.wrongType()
	}
	if isMap {
		d.unique(o)
	}
	return nil
}

// unique sets d.problem if a key of an object occurs twice.
func (d *jsonDoc) unique(o *hujson.Object) {
	seen := make(map[string]bool, len(o.Members))
	for _, m := range o.Members {
		key := keyOf(m.Name)
		if seen[key] {
			d.duplicate(m.Name, "")
			return
		}
		seen[key] = true
	}
}

func (d *jsonDoc) last() *hujson.Value { return d.resolved[len(d.resolved)-1] }

// wrongType returns the error for the last value of d.resolved.
func (d *jsonDoc) wrongType() error {
	want := "an object"
	if d.place.List != "" && d.collection() != nil {
		want = "a list"
	}
	what := "the file"
	if depth := len(d.resolved) - 1; depth > 0 {
		what = strconv.Quote(d.place.Keys[depth-1])
	}
	return invalid(lineOf(d.body, d.last().StartOffset), "%s holds %s; it must be %s", what, kindName(d.last()), want)
}

// kindName returns the type of a value in the words of error messages.
func kindName(v *hujson.Value) string {
	switch v.Value.Kind() {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a text"
	case '0':
		return "a number"
	case '[':
		return "a list"
	}
	return "an object"
}

// duplicate sets d.problem for a key that occurs twice. If key is empty, the problem does not name
// the key.
func (d *jsonDoc) duplicate(name hujson.Value, key string) {
	if key != "" {
		key = fmt.Sprintf(" %q", key)
	}
	d.problem = invalid(lineOf(d.body, name.StartOffset), "the key%s occurs twice", key)
}

// collection returns the collection; nil when it does not exist.
func (d *jsonDoc) collection() *hujson.Value {
	if len(d.resolved) == len(d.place.Keys)+1 {
		return d.last()
	}
	return nil
}

func (d *jsonDoc) editable(name string) error {
	if _, n := d.member(name); n > 1 {
		return fault.New(fault.Invalid, "there are two entries named %q", name)
	}
	return d.problem
}

func (d *jsonDoc) members() []Field {
	var fields []Field
	for _, m := range itemsOf(d.collection()) {
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
	items := itemsOf(d.collection())
	for i := range items {
		if d.called(items[i], name) {
			value, count = d.value(items[i]), count+1
		}
	}
	return value, count
}

func (d *jsonDoc) value(m jsonItem) any {
	if !load(d.body, m.value) {
		return nil // unreachable: the text is valid
	}
	return jsonValue(m.value)
}

// called reports whether an item has the given name: as its key or, in a list, in the field
// place.List.
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

// first returns the first value of an item: its name, or its value in an array.
func (m jsonItem) first() *hujson.Value {
	if m.name != nil {
		return m.name
	}
	return m.value
}

// itemsOf returns the members of an object or the elements of an array.
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

// keyOf decodes a string literal. It slices a literal without escapes, the usual case, instead of
// decoding it.
func keyOf(v hujson.Value) string {
	text, _ := v.Value.(hujson.Literal)
	if len(text) < 2 || bytes.IndexByte(text, '\\') >= 0 {
		return text.String()
	}
	return string(text[1 : len(text)-1])
}

// jsonValue decodes a value. Of duplicate keys, the last one counts.
func jsonValue(v *hujson.Value) any {
	switch t := v.Value.(type) {
	case *hujson.Object:
		out, at := make(Object, 0, len(t.Members)), make(map[string]int, len(t.Members))
		for i := range t.Members {
			f := Field{keyOf(t.Members[i].Name), jsonValue(&t.Members[i].Value)}
			if i, ok := at[f.Key]; ok {
				out[i] = f
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
	return d.equalFrom(0, o, name)
}

// equalFrom reports whether two documents are equal from index step of d.resolved on, except for
// one entry. Members are equal if their bytes are equal.
func (d *jsonDoc) equalFrom(step int, o *jsonDoc, name string) bool {
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
	return step == len(d.place.Keys) || d.equalFrom(step+1, o, name)
}

// step returns the value at index i of d.resolved: the root, or the value of a
// key. It returns nil past the end.
func (d *jsonDoc) step(i int) *hujson.Value {
	if i < len(d.resolved) {
		return d.resolved[i]
	}
	return nil
}

// text returns the bytes of an item, from its name to the end of its value.
func (d *jsonDoc) text(m jsonItem) []byte { return d.body[m.first().StartOffset:m.value.EndOffset] }

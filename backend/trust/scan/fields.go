package scan

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/jsonscan"
)

// place is the role of a string in a definition.
type place uint8

const (
	prose     place = iota // a description, title or unknown field
	parameter              // the description of a parameter
	value                  // an enum, default, const or title of a schema
	example                // an example of a value
	name                   // the name of a property
	plain                  // a type, reference or format: only looked at for hidden characters
)

// field is a string in a definition.
type field struct {
	at    *walker // is positioned at the string until visit returns
	text  string
	place place
}

// pointer returns the JSON pointer of the string.
func (f field) pointer() string { return f.at.pointer() }

// walker visits every string of a definition.
type walker struct {
	visit func(f field)
	path  []string // of the current value
	names bool     // the members of the current object are properties
}

// pointer returns the JSON pointer of the current value.
func (w *walker) pointer() string {
	var b strings.Builder
	for _, step := range w.path {
		b.WriteByte('/')
		if strings.ContainsAny(step, "~/") {
			step = strings.ReplaceAll(strings.ReplaceAll(step, "~", "~0"), "/", "~1")
		}
		b.WriteString(step)
	}
	return b.String()
}

// deepest is the number of levels of a definition that walk visits. It skips values that are nested more deeply.
const deepest = 64

// walk visits the strings in the value at an offset of data and returns the end of that value. The strings have the
// place what, unless a member of the value implies another place. schema says that the value is a JSON Schema.
func (w *walker) walk(data []byte, at int, what place, schema bool) int {
	at = jsonscan.Space(data, at)
	if at >= len(data) || len(w.path) > deepest {
		return jsonscan.End(data, at)
	}
	switch data[at] {
	case '"':
		end := jsonscan.End(data, at)
		if end > at+2 {
			if text, ok := decode(data[at:end]); ok {
				w.visit(field{w, text, what})
			}
		}
		return end
	case '[':
		list := jsonscan.Elements(data, at)
		for i := 0; list.Next(); i++ {
			w.path = append(w.path, strconv.Itoa(i))
			list.SetEnd(w.walk(data, list.Start(), what, schema))
			w.path = w.path[:len(w.path)-1]
		}
		return list.Close()
	case '{':
		return w.object(data, at, what, schema)
	}
	return jsonscan.End(data, at)
}

func (w *walker) object(data []byte, at int, what place, schema bool) int {
	names := w.names
	w.names = false
	members := jsonscan.Members(data, at)
	for members.Next() {
		key, ok := decode(members.Quoted())
		if !ok {
			continue
		}
		w.path = append(w.path, key)
		inner, innerSchema := what, schema
		switch {
		case names:
			w.visit(field{w, key, name})
			inner = parameter
		case schema:
			inner, w.names = w.keyword(key, what)
		default:
			inner, innerSchema = member(key, what)
		}
		members.SetEnd(w.walk(data, members.Start(), inner, innerSchema))
		w.names = false
		w.path = w.path[:len(w.path)-1]
	}
	return members.Close()
}

// keyword returns the place of the strings in the value of a JSON Schema keyword, and whether the names of the value's
// members are names of properties.
func (w *walker) keyword(key string, what place) (place, bool) {
	switch key {
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
		return what, true
	case "type", "$schema", "$ref", "$id", "format", "pattern", "required", "contentEncoding", "contentMediaType", "$anchor", "$dynamicRef":
		return plain, false
	case "enum", "default", "const", "title":
		return value, false
	case "examples", "example":
		return example, false
	case "description", "$comment":
		return what, false
	}
	return what, false
}

// member returns the place of the strings in the value of a member of a definition, and whether the value is a schema.
func member(key string, what place) (place, bool) {
	switch key {
	case "inputSchema", "outputSchema":
		return prose, true
	case "name", "uri", "uriTemplate", "mimeType", "src", "sizes", "taskSupport":
		return plain, false
	case "arguments":
		return parameter, false
	}
	return what, false
}

// decode returns the text of a JSON string. It is fast for strings without escapes, which are the most frequent.
func decode(raw []byte) (string, bool) {
	if bytes.IndexByte(raw, '\\') < 0 && len(raw) >= 2 {
		return string(raw[1 : len(raw)-1]), true
	}
	return jsonscan.String(raw)
}

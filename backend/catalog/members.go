package catalog

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// A hub reads all its tools when it starts, and encoding/json reads each
// definition twice for a name. What is here only looks for the members that
// are wanted. It takes for granted that a definition was checked when the tool
// was made, and leaves what is out of the ordinary to encoding/json.

// members finds wanted members of a JSON object, and puts their values where
// they are wanted. It is false for what is no plain object: one that has a
// wanted member twice or in other cases, or a name with escapes or of other
// than English letters, some of which are the same in another case.
func members(object []byte, wanted []string, values [][]byte) bool {
	return eachMember(object, func(name, value []byte) bool {
		for i, want := range wanted {
			switch {
			case string(name) == want && values[i] == nil:
				values[i] = value
			case len(name) == len(want) && strings.EqualFold(string(name), want):
				return false
			}
		}
		return bytes.IndexFunc(name, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
	})
}

// eachMember shows the members of a JSON object until visit is false. It is
// false then, and for what is no object.
func eachMember(object []byte, visit func(name, value []byte) bool) bool {
	at := space(object, 0)
	if at == len(object) || object[at] != '{' {
		return false
	}
	if at = space(object, at+1); at < len(object) && object[at] == '}' {
		return space(object, at+1) == len(object)
	}
	for {
		end := after(object, at)
		colon := space(object, end)
		if end < at+2 || object[at] != '"' || colon == len(object) || object[colon] != ':' {
			return false
		}
		from := space(object, colon+1)
		to := after(object, from)
		next := space(object, to)
		name := object[at+1 : end-1]
		if to <= from || next == len(object) || !plain(name) || !visit(name, object[from:to]) {
			return false
		}
		switch object[next] {
		case ',':
			at = space(object, next+1)
		case '}':
			return space(object, next+1) == len(object)
		default:
			return false
		}
	}
}

// plain reports whether a text of JSON is what it stands for.
func plain(text []byte) bool { return bytes.IndexByte(text, '\\') < 0 && utf8.Valid(text) }

// space is where the first sign at or behind a place stands that is no space.
func space(data []byte, at int) int {
	for at < len(data) && (data[at] == ' ' || data[at] == '\n' || data[at] == '\t' || data[at] == '\r') {
		at++
	}
	return at
}

// after is where the value ends that begins at a place, 0 when it does not.
func after(data []byte, at int) int {
	if at >= len(data) {
		return 0
	}
	switch data[at] {
	case '"':
		return afterText(data, at)
	case '{', '[':
		return afterNested(data, at)
	}
	for at < len(data) && data[at] != ',' && data[at] != '}' && data[at] != ']' && data[at] > ' ' {
		at++
	}
	return at
}

func afterText(data []byte, at int) int {
	for at++; ; at++ {
		i := bytes.IndexByte(data[at:], '"')
		if i < 0 {
			return 0
		}
		at += i
		escapes := 0
		for data[at-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return at + 1
		}
	}
}

func afterNested(data []byte, at int) int {
	depth := 0
	for at < len(data) {
		switch data[at] {
		case '"':
			if at = afterText(data, at); at == 0 {
				return 0
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
		}
		at++
	}
	return 0
}

// text is what a value says, false when it is no text.
func text(value []byte) (string, bool) {
	if len(value) < 2 || value[0] != '"' {
		return "", false
	}
	if inside := value[1 : len(value)-1]; plain(inside) {
		return string(inside), true
	}
	var out string
	err := json.Unmarshal(value, &out)
	return out, err == nil
}

// maxPlainParameters is how many parameters are looked at for one that is
// there twice.
const maxPlainParameters = 64

// parameter is one as it stands in a schema.
type parameter struct{ name, description []byte }

// parameters returns the parameters in a definition, false where it is out of
// the ordinary.
func parameters(definition []byte, room []parameter) (all []parameter, ok bool) {
	var schema, properties [1][]byte
	if !members(definition, []string{"inputSchema"}, schema[:]) {
		return nil, false
	}
	if schema[0] == nil || schema[0][0] != '{' {
		return nil, true
	}
	if !members(schema[0], []string{"properties"}, properties[:]) {
		return nil, false
	}
	if properties[0] == nil || properties[0][0] != '{' {
		return nil, true
	}
	all = room
	ok = eachMember(properties[0], func(name, value []byte) bool {
		same := func(p parameter) bool { return string(p.name) == string(name) }
		if len(all) == maxPlainParameters || slices.ContainsFunc(all, same) {
			return false
		}
		var description [1][]byte
		if value[0] == '{' && !members(value, []string{"description"}, description[:]) {
			return false
		}
		all = append(all, parameter{name, description[0]})
		return true
	})
	return all, ok
}

// EachParameter shows the names of a tool's parameters, in any order, and what
// they are for, empty where that is not told.
func (t *Tool) EachParameter(visit func(name, description string)) {
	var room [16]parameter
	all, ok := parameters(t.Definition, room[:0])
	if !ok {
		t.eachParameter(visit)
		return
	}
	for _, p := range all {
		description, _ := text(p.description)
		visit(string(p.name), description)
	}
}

// eachParameter is EachParameter for all that there may be.
func (t *Tool) eachParameter(visit func(name, description string)) {
	var schema struct {
		Properties map[string]struct {
			Description any `json:"description"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(t.InputSchema(), &schema) // what does not fit has no parameters
	for name, property := range schema.Properties {
		description, _ := property.Description.(string)
		visit(name, description)
	}
}

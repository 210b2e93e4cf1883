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

// members finds wanted members of the object at a place, puts their values
// where they are wanted, and returns the object's end. That is 0 for what is no
// plain object: one that has a wanted member twice or in other cases, or a name
// with escapes or of other than English letters, some of which are the same in
// another case.
func members(data []byte, at int, wanted []string, values [][]byte) (end int) {
	return eachMember(data, at, func(name []byte, at int) (end int) {
		end = after(data, at)
		for i, want := range wanted {
			switch is(name, want) {
			case wantedName:
				if values[i] != nil || end == 0 {
					return 0
				}
				values[i] = data[at:end]
			case oddName:
				return 0
			}
		}
		return end
	})
}

// What a name is to a wanted one.
const (
	otherName = iota
	wantedName
	oddName // encoding/json may take it for the wanted one
)

func is(name []byte, want string) int {
	switch {
	case string(name) == want:
		return wantedName
	case len(name) == len(want) && strings.EqualFold(string(name), want):
		return oddName
	}
	for _, c := range name {
		if c >= utf8.RuneSelf {
			return oddName
		}
	}
	return otherName
}

// eachMember shows the members of the object at a place by their names and
// where their values begin, and returns its end. Visit returns a value's end.
// An end of 0 is none: that of what is no object, and where visit knows none.
func eachMember(data []byte, at int, visit func(name []byte, at int) (end int)) (end int) {
	if at == len(data) || data[at] != '{' {
		return 0
	}
	if at = space(data, at+1); at < len(data) && data[at] == '}' {
		return at + 1
	}
	for {
		named := after(data, at)
		colon := space(data, named)
		if named < at+2 || data[at] != '"' || colon == len(data) || data[colon] != ':' {
			return 0
		}
		from := space(data, colon+1)
		name := data[at+1 : named-1]
		if !plain(name) {
			return 0
		}
		to := visit(name, from)
		next := space(data, to)
		if to <= from || next == len(data) {
			return 0
		}
		switch data[next] {
		case ',':
			at = space(data, next+1)
		case '}':
			return next + 1
		default:
			return 0
		}
	}
}

// whole reports whether nothing but space is behind an end.
func whole(data []byte, end int) bool { return end > 0 && space(data, end) == len(data) }

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
	inside := value[1 : len(value)-1]
	if plain(inside) {
		return string(inside), true
	}
	if out, ok := unescaped(inside); ok {
		return out, true
	}
	var out string
	err := json.Unmarshal(value, &out)
	return out, err == nil
}

// unescaped is what a text with the usual escapes says, false where it has
// others.
func unescaped(text []byte) (string, bool) {
	var out strings.Builder
	out.Grow(len(text))
	for {
		at := bytes.IndexByte(text, '\\')
		if at < 0 || at+1 == len(text) {
			break
		}
		sign := usual[text[at+1]]
		if sign == 0 || !utf8.Valid(text[:at]) {
			return "", false
		}
		out.Write(text[:at])
		out.WriteByte(sign)
		text = text[at+2:]
	}
	out.Write(text)
	return out.String(), plain(text)
}

// usual is what stands behind a backslash, and what is meant by it.
var usual = [256]byte{'n': '\n', 't': '\t', 'r': '\r', '"': '"', '\\': '\\', '/': '/'}

// maxPlainParameters is how many parameters are looked at for one that is
// there twice.
const maxPlainParameters = 64

// parameter is one as it stands in a schema.
type parameter struct{ name, description []byte }

// parameters are those of one definition.
type parameters struct {
	definition []byte
	all        []parameter
	schemas    int // and
	lists      int // that were met: more than one are out of the ordinary
}

// read is false where a definition is out of the ordinary.
func (p *parameters) read() bool {
	return whole(p.definition, eachMember(p.definition, space(p.definition, 0), p.member))
}

func (p *parameters) member(name []byte, at int) (end int) {
	return p.inside("inputSchema", name, at, &p.schemas, p.ofSchema)
}

func (p *parameters) ofSchema(name []byte, at int) (end int) {
	return p.inside("properties", name, at, &p.lists, p.property)
}

// inside visits a wanted object inside an object, and passes over all else.
func (p *parameters) inside(want string, name []byte, at int, met *int, visit func([]byte, int) int) (end int) {
	switch is(name, want) {
	case oddName:
		return 0
	case wantedName:
		if *met++; *met > 1 {
			return 0
		}
		if at < len(p.definition) && p.definition[at] == '{' {
			return eachMember(p.definition, at, visit)
		}
	}
	return after(p.definition, at)
}

func (p *parameters) property(name []byte, at int) (end int) {
	same := func(other parameter) bool { return string(other.name) == string(name) }
	if len(p.all) == maxPlainParameters || slices.ContainsFunc(p.all, same) {
		return 0
	}
	var description [1][]byte
	if at < len(p.definition) && p.definition[at] == '{' {
		end = members(p.definition, at, wantedDescription, description[:])
	} else {
		end = after(p.definition, at)
	}
	p.all = append(p.all, parameter{name, description[0]})
	return end
}

var wantedDescription = []string{"description"}

// EachParameter shows the names of a tool's parameters, in any order, and what
// they are for, empty where that is not told.
func (t *Tool) EachParameter(visit func(name, description string)) {
	p := parameters{definition: t.Definition, all: make([]parameter, 0, 16)}
	if !p.read() {
		t.eachParameter(visit)
		return
	}
	for _, one := range p.all {
		description, _ := text(one.description)
		visit(string(one.name), description)
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

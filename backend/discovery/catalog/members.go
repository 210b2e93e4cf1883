package catalog

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agent-discover/agent-discover/backend/base/jsonscan"
)

// The functions in this file read single members of tool definitions. They are
// faster than encoding/json, which validates and then decodes a whole definition;
// the hub reads all stored definitions when it starts. They require valid JSON,
// which is checked before a tool is stored. For definitions that encoding/json may
// read differently they report failure, and the caller uses encoding/json instead.

// members reads the object that begins at data[at]. It stores the value of the member
// wanted[i] in values[i], and returns the position after the object. It returns -1 for objects
// that encoding/json may read differently, because a wanted name occurs twice or in
// different letter case, or because any name has an escape or a character outside
// ASCII: some of these are case variants of ASCII letters.
func members(data []byte, at int, wanted []string, values [][]byte) (end int) {
	o := jsonscan.Members(data, at)
	for o.Next() {
		for i, want := range wanted {
			switch compare(o.Name(), want) {
			case equal:
				if values[i] != nil {
					return -1
				}
				values[i] = o.Value()
			case uncertain:
				return -1
			}
		}
	}
	return o.Close()
}

// The results of compare.
const (
	different = iota
	equal
	uncertain // encoding/json may treat the name as the wanted one
)

// compare compares the name of a member, as it is written in JSON, with a wanted name.
func compare(name []byte, want string) int {
	switch {
	case string(name) == want:
		return equal
	case len(name) == len(want) && strings.EqualFold(string(name), want):
		return uncertain
	}
	for _, c := range name {
		if c >= utf8.RuneSelf || c == '\\' {
			return uncertain
		}
	}
	return different
}

// isWhole reports whether a value that ends at end is all of data.
func isWhole(data []byte, end int) bool {
	return end > 0 && jsonscan.Space(data, end) == len(data)
}

// maxQuickParameters is the largest number of parameters that are compared with each
// other to find duplicates.
const maxQuickParameters = 64

// parameter is a parameter in JSON: the name without its quotes, the description as
// a raw value.
type parameter struct{ name, description []byte }

// parameters collects the parameters of one definition.
type parameters struct {
	definition []byte
	all        []parameter
	schemas    int // number of members named inputSchema
	lists      int // number of members named properties in inputSchema
}

// enter looks for the member named want in the object at a position and returns the position
// after the object. It counts the members of that name in count. If the value of the member
// is an object, enter calls visit with the position of the value; visit returns the position
// after the value. Both functions return -1 for objects that encoding/json may read
// differently. enter also returns -1 for a second member named want.
func (p *parameters) enter(at int, want string, count *int, visit func(at int) (end int)) (end int) {
	o := jsonscan.Members(p.definition, at)
	for o.Next() {
		switch compare(o.Name(), want) {
		case uncertain:
			return -1
		case equal:
			if *count++; *count > 1 {
				return -1
			}
			if p.isObject(o.Start()) {
				o.SetEnd(visit(o.Start()))
			}
		}
	}
	return o.Close()
}

func (p *parameters) isObject(at int) bool { return p.definition[at] == '{' }

// properties adds the members of the object at a position to the parameters.
func (p *parameters) properties(at int) (end int) {
	o := jsonscan.Members(p.definition, at)
	for o.Next() {
		name := o.Name()
		same := func(other parameter) bool { return string(other.name) == string(name) }
		if slices.Contains(name, '\\') || !utf8.Valid(name) || len(p.all) == maxQuickParameters || slices.ContainsFunc(p.all, same) {
			return -1
		}
		var description [1][]byte
		if p.isObject(o.Start()) {
			o.SetEnd(members(p.definition, o.Start(), wantedDescription, description[:]))
		}
		p.all = append(p.all, parameter{name, description[0]})
	}
	return o.Close()
}

var wantedDescription = []string{"description"}

// EachParameter calls visit with the name and description of each of the tool's
// parameters, in any order. The description is empty if the schema has none.
func (t *Tool) EachParameter(visit func(name, description string)) {
	p := parameters{definition: t.Definition, all: make([]parameter, 0, 16)}
	end := p.enter(0, "inputSchema", &p.schemas, func(at int) int {
		return p.enter(at, "properties", &p.lists, p.properties)
	})
	if !isWhole(p.definition, end) { // encoding/json may find different parameters
		t.eachParameter(visit)
		return
	}
	for _, one := range p.all {
		description, _ := jsonscan.String(one.description)
		visit(string(one.name), description)
	}
}

// eachParameter implements EachParameter with encoding/json, for any definition.
func (t *Tool) eachParameter(visit func(name, description string)) {
	var schema struct {
		Properties map[string]struct {
			Description any `json:"description"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(t.InputSchema(), &schema) // a schema of another shape has no parameters
	for name, property := range schema.Properties {
		description, _ := property.Description.(string)
		visit(name, description)
	}
}

package updates

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Difference is a place in which the answers of two versions differ in structure. Different values of the same kind
// are not a difference, because answers change over time.
type Difference struct {
	Path   string `json:"path"`   // such as items[].name; empty for the whole answer
	Before string `json:"before"` // kind of value, such as object, array, text or number; "" if the place does not exist
	After  string `json:"after"`
}

// structure has the kinds of values in a JSON text by their paths.
type structure struct {
	kinds map[string]string
	empty map[string]bool // arrays without elements
	whole bool            // the text was not cut
}

// maxDepth is the depth to which values are compared.
const maxDepth = 12

// differences compares the structure of two recorded texts, which may have been cut.
func differences(before, after string) []Difference {
	a, b := structureOf(before), structureOf(after)
	var out []Difference
	paths := make(map[string]bool)
	for _, s := range []structure{a, b} {
		for path := range s.kinds {
			paths[path] = true
		}
	}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		was, is := a.kinds[path], b.kinds[path]
		switch {
		case was == is, was == anything, is == anything:
		case was == "" && (!a.whole || a.hides(path)), is == "" && (!b.whole || b.hides(path)):
		case slices.ContainsFunc(out, func(d Difference) bool { return inside(path, d.Path) }): // an outer place differs
		default:
			out = append(out, Difference{path, was, is})
		}
	}
	return out
}

// anything is the kind of null, which matches every kind.
const anything = "null"

// hides reports whether a path is inside an empty array or null, so that nothing is known about it.
func (s structure) hides(path string) bool {
	for outer, kind := range s.kinds {
		if (kind == anything || s.empty[outer]) && inside(path, outer) {
			return true
		}
	}
	return false
}

// inside reports whether path is the path of a place inside of outer.
func inside(path, outer string) bool {
	rest, ok := strings.CutPrefix(path, outer)
	return ok && rest != "" && (outer == "" || rest[0] == '.' || rest[0] == '[')
}

func structureOf(text string) structure {
	s := structure{kinds: make(map[string]string), empty: make(map[string]bool)}
	uncut, cut := strings.CutSuffix(text, "…")
	uncut = strings.TrimSpace(uncut)
	s.whole = !cut
	if strings.HasPrefix(uncut, "{") || strings.HasPrefix(uncut, "[") {
		decoder := json.NewDecoder(strings.NewReader(uncut))
		if err := s.read(decoder, "", 0); err == nil && !decoder.More() || err != nil && cut {
			return s
		}
	}
	s.kinds, s.empty = map[string]string{"": "text"}, nil
	if text == "" {
		s.kinds[""] = "empty"
	}
	return s
}

// read records the kinds in the next value.
func (s structure) read(decoder *json.Decoder, path string, depth int) error {
	next, err := decoder.Token()
	if err != nil {
		return err
	}
	switch value := next.(type) {
	case json.Delim:
		return s.readAll(decoder, path, depth, value == '[')
	case string:
		s.note(path, "text", depth)
	case float64:
		s.note(path, "number", depth)
	case bool:
		s.note(path, "boolean", depth)
	case nil:
		s.note(path, anything, depth)
	}
	return nil
}

// readAll records the kinds in the rest of an array or object.
func (s structure) readAll(decoder *json.Decoder, path string, depth int, array bool) error {
	kind := map[bool]string{true: "array", false: "object"}[array]
	s.note(path, kind, depth)
	if array && !decoder.More() && depth < maxDepth && s.kinds[path+"[]"] == "" {
		s.empty[path] = true
	}
	for decoder.More() {
		inner := path + "[]"
		if array {
			delete(s.empty, path)
		} else {
			name, err := decoder.Token()
			if err != nil {
				return err
			}
			inner = strings.TrimPrefix(path+"."+name.(string), ".") // keys of an object are strings
		}
		if err := s.read(decoder, inner, depth+1); err != nil {
			return err
		}
	}
	_, err := decoder.Token()
	return err
}

// note records the kind of a value. Elements of an array may have different kinds.
func (s structure) note(path, kind string, depth int) {
	switch was := s.kinds[path]; {
	case depth > maxDepth, was == kind:
	case was == "" || was == anything:
		s.kinds[path] = kind
	case kind == anything:
	case !slices.Contains(strings.Split(was, " or "), kind):
		all := append(strings.Split(was, " or "), kind)
		slices.Sort(all)
		s.kinds[path] = strings.Join(all, " or ")
	}
}

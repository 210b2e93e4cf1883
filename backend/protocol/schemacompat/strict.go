package schemacompat

import (
	"slices"
	"strings"
)

// maxDepth bounds the depth of nested schemas.
const maxDepth = 40

// strictRoot adapts the schema of a tool's arguments for a vendor that accepts only a subset of OpenAPI. Unlike other
// objects, the root may stay without properties: clients recognize tools without arguments by such a root.
func (a *adapter) strictRoot(v *value) *value {
	n, t := a.open(v, &trail{target: v})
	var words []string
	if branches := a.branches(n, t); len(branches) > 0 {
		n, t, words = a.union(n, branches, t)
	}
	n.drop("nullable")
	if kind, _ := n.get("type").text(); kind != "object" {
		a.note("root that is not an object: replaced by an object")
		n.drop("type")
		n.first("type", textOf("object"))
	}
	return a.typed(n, "object", place{t, 0}, words)
}

// place is the position of a schema: the references followed to it, and its depth.
type place struct {
	trail *trail
	depth int
}

func (p place) below() place { return place{p.trail, p.depth + 1} }

// strict adapts a schema below the root.
func (a *adapter) strict(v *value, p place) *value {
	if p.depth > maxDepth {
		a.note("nested too deep: cut off")
		return objectOf("type", textOf("string"))
	}
	n, t := a.open(v, p.trail)
	branches, nullable := a.branches(n, t), n.get("nullable").is("true")
	for len(branches) > 0 {
		every := len(branches)
		branches = slices.DeleteFunc(branches, func(one branch) bool { return isNull(one.value) })
		nullable = nullable || len(branches) < every
		if len(branches) != 1 {
			break
		}
		one := branches[0]
		n, t = merge([]*value{n, one.value}), one.trail
		nullable = nullable || one.get("nullable").is("true")
		branches = a.branches(n, t)
	}
	p.trail = t
	if len(branches) > 0 {
		return a.choice(n, branches, nullable, p)
	}
	return a.single(n, nullable, p, nil)
}

// isNull reports whether a schema accepts only null.
func isNull(v *value) bool {
	if kinds := typesOf(v); len(kinds) > 0 {
		return len(kinds) == 1 && kinds[0] == "null"
	}
	values := v.get("enum")
	return v.get("const").is("null") || values.isList() && len(values.items) == 1 && values.items[0].is("null")
}

// choice adapts a schema that has alternatives (anyOf or oneOf).
func (a *adapter) choice(n *value, branches []branch, nullable bool, p place) *value {
	kinds := typesOf(n)
	if slices.Contains(kinds, "object") || len(kinds) == 0 && implied(n) == "object" {
		n, t, words := a.union(n, branches, p.trail)
		return a.single(n, nullable, place{t, p.depth}, words)
	}
	if values, words := literals(branches); values != nil {
		a.note("alternative constants: combined in one enum")
		n.set("enum", listOf(values...))
		return a.single(n, nullable, p, words)
	}
	if len(kinds) > 0 {
		a.note("alternatives within a type: removed")
		return a.single(n, nullable, p, nil)
	}
	out := make([]*value, len(branches))
	for i, one := range branches {
		out[i] = a.strict(one.value, place{one.trail, p.depth + 1})
	}
	return a.anyOf(n, out, nullable)
}

// literals returns the values of branches that are all enums or consts of strings,
// and their descriptions as "value: description". It returns nil if any branch
// accepts other values.
func literals(branches []branch) (values []*value, words []string) {
	const most = 300
	var meanings []string
	for _, one := range branches {
		list := one.get("enum")
		if constant := one.get("const"); constant != nil {
			list = listOf(constant)
		}
		if !list.isList() || len(list.texts()) < len(list.items) {
			return nil, nil
		}
		values = append(values, list.items...)
		if what, _ := one.get("description").text(); what != "" && len(list.items) == 1 {
			meanings = append(meanings, list.texts()[0]+": "+what)
		}
	}
	if meaning := strings.Join(meanings, "; "); meaning != "" && len(meaning) <= most {
		words = []string{meaning}
	}
	return distinct(values), words
}

// anyOf returns a schema that accepts the values of several adapted schemas. No
// other keyword is allowed beside anyOf, so the description of n moves to the first
// alternative.
func (a *adapter) anyOf(n *value, several []*value, nullable bool) *value {
	var flat []*value
	for _, one := range several {
		if inner := one.get("anyOf"); inner != nil {
			flat = append(flat, inner.items...)
		} else {
			flat = append(flat, one)
		}
	}
	flat = distinct(flat)
	first := flat[0].copied()
	if what, _ := n.get("description").text(); what != "" {
		if own, _ := first.get("description").text(); own != "" && own != what {
			what += " " + own
		}
		first.set("description", textOf(what))
	}
	if nullable {
		first.set("nullable", word("true"))
	}
	if flat[0] = first; len(flat) == 1 {
		return first
	}
	for _, m := range n.members {
		if m.name != "description" && !silent[m.name] {
			a.note("keywords beside anyOf: moved or removed")
		}
	}
	return objectOf("anyOf", listOf(flat...))
}

// single adapts a schema without alternatives.
func (a *adapter) single(n *value, nullable bool, p place, words []string) *value {
	if constant := n.get("const"); constant != nil {
		a.note("const: replaced by enum")
		n.drop("const")
		n.set("enum", listOf(constant))
	}
	kinds := typesOf(n)
	if values := n.get("enum"); len(kinds) == 0 && values.isList() {
		kinds = kindsOf(values.items)
	}
	if i := slices.Index(kinds, "null"); i >= 0 {
		kinds, nullable = slices.Delete(slices.Clone(kinds), i, i+1), true
		if len(kinds) == 0 {
			kinds, words = []string{"string"}, append(words, "always null")
		}
	}
	if kind := implied(n); len(kinds) == 0 && kind != "" {
		kinds = []string{kind}
	}
	if nullable {
		n.set("nullable", word("true"))
	}
	switch len(kinds) {
	case 0:
		return a.anything(n)
	case 1:
		return a.typed(n, kinds[0], p, words)
	}
	return a.several(n, kinds, p, words)
}

// kindsOf returns the names of the types that occur among the values.
func kindsOf(values []*value) []string {
	var out []string
	for _, v := range values {
		kind := "integer"
		switch {
		case v.kind == '"':
			kind = "string"
		case v.kind == '{':
			kind = "object"
		case v.kind == '[':
			kind = "array"
		case v.is("true"), v.is("false"):
			kind = "boolean"
		case v.is("null"):
			kind = "null"
		case strings.ContainsAny(string(v.raw), ".eE"):
			kind = "number"
		}
		if !slices.Contains(out, kind) {
			out = append(out, kind)
		}
	}
	return out
}

// several adapts a schema with several types.
func (a *adapter) several(n *value, kinds []string, p place, words []string) *value {
	a.note("several types: replaced by anyOf")
	out := make([]*value, len(kinds))
	for i, kind := range kinds {
		one := n.copied()
		one.drop("description", "title", "default", "example", "examples", "nullable")
		if values := one.get("enum"); values != nil {
			one.set("enum", listOf(slices.DeleteFunc(slices.Clone(values.items), func(v *value) bool {
				is := kindsOf([]*value{v})[0]
				return is != kind && (is != "integer" || kind != "number")
			})...))
		}
		out[i] = a.typed(one, kind, p, words)
		words = nil
	}
	return a.anyOf(n, out, n.get("nullable").is("true"))
}

// anything returns a schema that accepts every value, with the description of n.
func (a *adapter) anything(n *value) *value {
	if a.loose--; a.loose < 0 {
		a.note("too many values of any type: replaced by strings")
		return a.anyOf(n, []*value{objectOf("type", textOf("string"))}, true)
	}
	a.note("values of any type: replaced by anyOf of all types")
	object := objectOf("type", textOf("object"), "properties", objectOf(anyName, objectOf("type", textOf("string"))))
	text, number, flag := objectOf("type", textOf("string")), objectOf("type", textOf("number")), objectOf("type", textOf("boolean"))
	item := objectOf("type", textOf("string"), "nullable", word("true"))
	list := objectOf("type", textOf("array"), "items", objectOf("anyOf", listOf(item, number, flag, object)))
	return a.anyOf(n, []*value{text, number, flag, object, list}, true)
}

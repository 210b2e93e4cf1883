package schemacompat

import (
	"slices"
	"strconv"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
)

// anyName is the name of the property that represents properties of any name, for a
// vendor that requires objects to have properties.
const anyName = "any_name"

// keywords lists the keywords that a strict vendor supports, by the type to which they
// apply; the key "" has the keywords for all types.
var keywords = map[string][]string{
	"":        {"type", "title", "description", "nullable", "default", "example"},
	"string":  {"enum", "format", "minLength", "maxLength", "pattern"},
	"integer": {"format", "minimum", "maximum"},
	"number":  {"format", "minimum", "maximum"},
	"boolean": {},
	"array":   {"items", "minItems", "maxItems"},
	"object":  {"properties", "required", "minProperties", "maxProperties", "propertyOrdering"},
}

// formats lists the supported formats by type.
var formats = map[string][]string{"string": {"date-time", "enum"}, "integer": {"int32", "int64"}, "number": {"float", "double"}}

// typed adapts a schema with one type.
func (a *adapter) typed(n *value, kind string, p place, words []string) *value {
	n = n.copied()
	switch kind {
	case "object":
		words = append(words, a.object(n, p)...)
	case "array":
		words = append(words, a.array(n, p)...)
	default:
		words = append(words, a.scalar(n, kind)...)
	}
	out := objectOf()
	for _, m := range n.members {
		switch {
		case m.name == "type":
			out.members = append(out.members, member{"type", textOf(kind)})
		case slices.Contains(keywords[""], m.name) || slices.Contains(keywords[kind], m.name):
			out.members = append(out.members, m)
		default:
			a.note("removed: " + safetext.Clip(m.name, 40))
			if !elsewhere(m.name) {
				words = append(words, inWords(m))
			}
		}
	}
	if out.get("type") == nil {
		out.first("type", textOf(kind))
	}
	describe(out, words)
	return out
}

// elsewhere reports whether a keyword is specific to some type. JSON Schema ignores
// such a keyword for values of other types.
func elsewhere(keyword string) bool {
	for kind, of := range keywords {
		if kind != "" && slices.Contains(of, keyword) {
			return true
		}
	}
	return false
}

// scalar adapts the keywords of a schema for strings, numbers or booleans.
func (a *adapter) scalar(n *value, kind string) (words []string) {
	if n.get("default").is("null") {
		a.note("removed: default")
		n.drop("default")
	}
	if values := n.get("enum"); values != nil {
		isText := func(v *value) bool { s, ok := v.text(); return ok && s != "" }
		fit := len(values.items) > 0
		for _, v := range values.items {
			fit = fit && isText(v)
		}
		if kind != "string" || !fit {
			a.note("enum values that are not strings: moved to the description")
			words = append(words, oneOf(values.items))
			n.drop("enum")
		}
	}
	format, _ := n.get("format").text()
	if format != "" && (!slices.Contains(formats[kind], format) || format == "enum" && n.get("enum") == nil) {
		a.note("removed: format")
		if format != "enum" {
			words = append(words, inWords(member{"format", n.get("format")}))
		}
		n.drop("format")
	}
	for _, bound := range []string{"minimum", "maximum"} {
		if v := n.get(bound); v != nil {
			if _, err := strconv.ParseFloat(string(v.raw), 64); err != nil {
				a.note("removed: " + bound)
				n.drop(bound)
			}
		}
	}
	return words
}

// array gives an array one schema for all its items.
func (a *adapter) array(n *value, p place) (words []string) {
	first, items := n.get("prefixItems"), n.get("items")
	if items.isList() {
		first, items = items, n.get("additionalItems")
	}
	n.drop("prefixItems", "additionalItems", "unevaluatedItems")
	if first != nil && len(first.items) > 0 {
		a.note("items in a fixed order: any order allowed")
		var all []string
		for _, one := range first.items {
			what, _ := one.get("description").text()
			if kinds := typesOf(one); what == "" && len(kinds) > 0 {
				what = kinds[0]
			}
			all = append(all, what)
		}
		if list := textList(all).String(); len(list) <= 2*maxWords {
			words = append(words, "in this order: "+list)
		}
		items = anyItem(first.items, items, n.get("maxItems"))
	}
	if items == nil || items.is("true") || items.is("false") {
		a.note("arrays without items: any items allowed")
		items = objectOf()
	}
	n.set("items", a.strict(items, p.below()))
	return words
}

// object adapts the properties of an object.
func (a *adapter) object(n *value, p place) (words []string) {
	words = a.rename(n)
	others := others(n)
	properties := objectOf()
	if given := n.get("properties"); given != nil {
		properties = given.copied()
	}
	has := make(map[string]bool)
	for _, m := range properties.members {
		has[m.name] = true
	}
	for _, name := range n.get("required").texts() {
		if !has[name] && a.rules.name.MatchString(name) {
			a.note("required properties without a schema: added")
			properties.members = append(properties.members, member{name, objectOf()})
		}
	}
	for i, m := range properties.members {
		properties.members[i].value = a.strict(m.value, p.below())
	}
	ordered := n.get("propertyOrdering").texts()
	if slices.ContainsFunc(ordered, func(name string) bool { return !has[name] }) {
		n.drop("propertyOrdering")
	}
	switch {
	case len(properties.members) > 0:
		n.set("properties", properties)
	case p.depth > 0:
		a.note("objects with any properties: one property represents them")
		if others == nil {
			others = objectOf("type", textOf("string"))
		}
		n.set("properties", objectOf(anyName, a.strict(others, p.below())))
		words = append(words, anyName+" represents properties of any name")
		return words
	}
	if kinds := typesOf(others); len(kinds) > 0 && len(properties.members) > 0 {
		words = append(words, "properties of other names: "+kinds[0])
	}
	return words
}

// others returns the schema of the properties that an object does not name, nil if
// it has none.
func others(n *value) *value {
	var all []*value
	for _, m := range membersOf(n.get("patternProperties")) {
		all = append(all, m.value)
	}
	if open := n.get("additionalProperties"); open.isObject() {
		all = append(all, open)
	}
	if len(all) == 0 {
		return nil
	}
	return join(all, "anyOf")
}

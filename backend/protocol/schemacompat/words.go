package schemacompat

import "strings"

// maxWords bounds the description of one keyword, in bytes.
const maxWords = 80

// silent lists keywords that are not described in words, because they mean nothing
// to a model.
var silent = map[string]bool{
	"$schema": true, "$id": true, "id": true, "$anchor": true, "$comment": true, "$defs": true, "definitions": true,
	"$dynamicAnchor": true, "$vocabulary": true, "nullable": true, "readOnly": true, "writeOnly": true,
	"additionalProperties": true, "unevaluatedProperties": true, "additionalItems": true, "unevaluatedItems": true,
	"default": true, "title": true, "example": true, "propertyOrdering": true, "type": true, "description": true,
}

// inWords describes the keyword m, or returns "" if a description is useless or too long.
func inWords(m member) string {
	if silent[m.name] || strings.HasPrefix(m.name, "x-") {
		return ""
	}
	switch {
	case m.value.is("false"):
		return ""
	case m.value.is("true"):
		return m.name
	}
	text, isText := m.value.text()
	if !isText {
		text = m.value.String()
	}
	if len(m.name)+len(text) > maxWords {
		return ""
	}
	return m.name + " " + text
}

// oneOf describes a list of allowed values, "" if it is too long.
func oneOf(values []*value) string {
	const most = 200
	list := make([]string, 0, len(values))
	for _, v := range values {
		list = append(list, v.String())
	}
	text := "one of " + strings.Join(list, ", ")
	if len(text) > most {
		return ""
	}
	return text
}

// describe adds words to the description of a schema.
func describe(n *value, words []string) {
	var parts []string
	for _, w := range words {
		if w != "" {
			parts = append(parts, w)
		}
	}
	if len(parts) == 0 {
		return
	}
	text, _ := n.get("description").text()
	if text != "" {
		text += " "
	}
	n.set("description", textOf(text+"("+strings.Join(parts, "; ")+")"))
}

// unnamed describes a property whose name the vendor does not allow.
func unnamed(name string, schema *value, required bool) string {
	const most = 120
	text := "also takes " + string(quote(name))
	var about []string
	if kinds := typesOf(schema); len(kinds) > 0 {
		about = append(about, strings.Join(kinds, " or "))
	}
	if required {
		about = append(about, "required")
	}
	if len(about) > 0 {
		text += " (" + strings.Join(about, ", ") + ")"
	}
	if what, _ := schema.get("description").text(); what != "" && len(what) <= most {
		text += ": " + what
	}
	return text
}

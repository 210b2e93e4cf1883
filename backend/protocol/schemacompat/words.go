package schemacompat

import "strings"

// maxWords is how long one keyword may be in words, in bytes.
const maxWords = 80

// silent are keywords that say nothing to a model once they are left out.
var silent = map[string]bool{
	"$schema": true, "$id": true, "id": true, "$anchor": true, "$comment": true, "$defs": true, "definitions": true,
	"$dynamicAnchor": true, "$vocabulary": true, "nullable": true, "readOnly": true, "writeOnly": true,
	"additionalProperties": true, "unevaluatedProperties": true, "additionalItems": true, "unevaluatedItems": true,
	"default": true, "title": true, "example": true, "propertyOrdering": true, "type": true, "description": true,
}

// inWords says what a keyword says, "" when that is nothing or too long.
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
	said, isText := m.value.text()
	if !isText {
		said = m.value.String()
	}
	if len(m.name)+len(said) > maxWords {
		return ""
	}
	return m.name + " " + said
}

// oneOf says which values there are.
func oneOf(values []*value) string {
	const most = 200
	said := make([]string, 0, len(values))
	for _, v := range values {
		said = append(said, v.String())
	}
	text := "one of " + strings.Join(said, ", ")
	if len(text) > most {
		return ""
	}
	return text
}

// describe adds words to a schema's description.
func describe(n *value, words []string) {
	var said []string
	for _, w := range words {
		if w != "" {
			said = append(said, w)
		}
	}
	if len(said) == 0 {
		return
	}
	text, _ := n.get("description").text()
	if text != "" {
		text += " "
	}
	n.set("description", textOf(text+"("+strings.Join(said, "; ")+")"))
}

// unnamed says of a property what it takes, where it cannot be named.
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

package findreply

import (
	"encoding/json"
	"strings"

	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
)

// requiredArguments returns a tool's required arguments and the number of optional
// ones, from its input schema. A malformed schema has no arguments.
func requiredArguments(t *catalog.Tool) (required []Argument, optional int) {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	_ = json.Unmarshal(t.InputSchema(), &schema)
	required = []Argument{}
	for _, name := range schema.Required {
		var property struct {
			Type        json.RawMessage `json:"type"`
			Description any             `json:"description"`
		}
		_ = json.Unmarshal(schema.Properties[name], &property)
		a := Argument{Name: name, Type: typeName(property.Type)}
		text, _ := property.Description.(string)
		a.Description = atSentence(text, maxArgument)
		required = append(required, a)
	}
	return required, max(len(schema.Properties)-len(required), 0)
}

// typeName formats the member "type" of a JSON Schema property: "string",
// "null|integer" for alternatives, "any" for a missing or malformed type.
func typeName(raw json.RawMessage) string {
	var one string
	if json.Unmarshal(raw, &one) == nil && one != "" {
		return one
	}
	var several []string
	if json.Unmarshal(raw, &several) == nil && len(several) > 0 {
		return strings.Join(several, "|")
	}
	return "any"
}

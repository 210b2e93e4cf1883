// Package dialect answers which JSON schemas a model's vendor takes for the
// arguments of a tool, and turns one that it refuses into the nearest that it
// takes. It changes what a client is shown, never what is called.
package dialect

import "encoding/json"

// Dialect is what a vendor's models take.
type Dialect string

// The dialects. The empty one takes anything.
const (
	Anthropic Dialect = "anthropic"
	Gemini    Dialect = "gemini"
	OpenAI    Dialect = "openai"
)

// Adapt returns a schema that a dialect takes, and what was changed in words; a
// schema that it takes as it is comes back unchanged, the very same bytes.
func Adapt(d Dialect, schema json.RawMessage) (adapted json.RawMessage, changes []string) {
	return schema, nil
}

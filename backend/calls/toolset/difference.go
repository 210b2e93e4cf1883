package toolset

import (
	"bytes"
	"encoding/json"

	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/base/textdiff"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// maxCompared is how many characters of each text are compared.
const maxCompared = 20000

// Drift describes how the current definition of a tool differs from the accepted one, word by word. The field of a part
// that has not changed is nil.
type Drift struct {
	// Known reports whether the accepted definition is known. If it is not, the whole
	// present definition counts as added.
	Known       bool            `json:"known"`
	Hash        string          `json:"hash"` // hash of the current definition
	Title       []textdiff.Part `json:"title,omitempty"`
	Description []textdiff.Part `json:"description,omitempty"`
	Schema      []textdiff.Part `json:"schema,omitempty"` // schema of the arguments
	Output      []textdiff.Part `json:"output,omitempty"` // schema of the result
	Hints       []textdiff.Part `json:"hints,omitempty"`  // annotations
}

// Drift returns how a drifted tool differs from its accepted definition, or nil for a tool in any other state.
func (e Entry) Drift() *Drift {
	if e.State != Drifted {
		return nil
	}
	compare := func(member string, text func(json.RawMessage) string) []textdiff.Part {
		return textdiff.Words(safetext.Clip(text(jsonrpc.Get(e.Pinned, member)), maxCompared),
			safetext.Clip(text(jsonrpc.Get(e.Present.Definition, member)), maxCompared))
	}
	return &Drift{
		Known: len(e.Pinned) > 0, Hash: e.Present.Hash,
		Title: compare("title", plainText), Description: compare("description", plainText),
		Schema: compare("inputSchema", indented), Output: compare("outputSchema", indented), Hints: compare("annotations", indented),
	}
}

func plainText(raw json.RawMessage) string {
	if text, ok := jsonrpc.String(raw); ok {
		return text
	}
	return string(raw)
}

// indented returns JSON with sorted keys, one member on each line, and numbers as written.
func indented(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return string(raw)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if encoder.Encode(value) != nil {
		return string(raw)
	}
	return string(bytes.TrimSpace(out.Bytes()))
}

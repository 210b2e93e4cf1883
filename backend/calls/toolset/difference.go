package toolset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
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
	Hash        string          `json:"hash"` // stands for the current definition when a person pins it
	Title       []textdiff.Part `json:"title,omitempty"`
	Description []textdiff.Part `json:"description,omitempty"`
	Schema      []textdiff.Part `json:"schema,omitempty"` // schema of the arguments
	Output      []textdiff.Part `json:"output,omitempty"` // schema of the result
	Hints       []textdiff.Part `json:"hints,omitempty"`  // annotations
	Other       []textdiff.Part `json:"other,omitempty"`  // all other members, such as _meta, if the definition is held
}

// Drift returns how a drifted tool differs from its accepted definition, or nil if it does not.
func (e Entry) Drift() *Drift {
	if e.State != Drifted || e.Present.Hash == e.Hash && bytes.Equal(e.Pinned, e.Present.Definition) {
		return nil
	}
	compare := func(member string, text func(json.RawMessage) string) []textdiff.Part {
		return textdiff.Words(safetext.Clip(text(jsonrpc.Get(e.Pinned, member)), maxCompared),
			safetext.Clip(text(jsonrpc.Get(e.Present.Definition, member)), maxCompared))
	}
	drift := &Drift{
		Known: len(e.Pinned) > 0, Hash: e.shownHash(),
		Title: compare("title", plainText), Description: compare("description", plainText),
		Schema: compare("inputSchema", indented), Output: compare("outputSchema", indented), Hints: compare("annotations", indented),
	}
	if e.Held { // to pin it approves all of it
		drift.Other = textdiff.Words(safetext.Clip(otherMembers(e.Pinned), maxCompared),
			safetext.Clip(otherMembers(e.Present.Definition), maxCompared))
	}
	return drift
}

// shownHash returns the hash that stands for the current definition when a person pins it. For a held definition, it
// covers every byte.
func (e Entry) shownHash() string {
	if e.Held {
		return e.wholeHash()
	}
	return e.Present.Hash
}

// wasShown reports whether a hash of a Drift stands for the current definition. The hash of a held definition stays
// valid after its approval.
func (e Entry) wasShown(hash string) bool {
	return hash == e.wholeHash() || !e.Held && hash == e.Present.Hash
}

func (e Entry) wholeHash() string {
	sum := sha256.Sum256(e.Present.Definition)
	return hex.EncodeToString(sum[:])
}

// otherMembers returns the members of a definition that Drift does not compare one by one.
func otherMembers(definition json.RawMessage) string {
	for _, member := range []string{"name", "title", "description", "inputSchema", "outputSchema", "annotations"} {
		definition = jsonrpc.Delete(definition, member)
	}
	return indented(definition)
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
